import type { Mutation } from './mutation.ts'

export const plans: Mutation[] = [
  {
    id: 'custom-plans-for-discussions',
    protection: 'Deleting many findings does not compare each of them with every comment.',
    file: 'migrations/0144_discussions_of_many.sql',
    find: ' set plan_cache_mode = force_custom_plan',
    replace: '',
    tests: ['test/fresh-database.test.ts'],
  },
  {
    id: 'shared-rows-before-large-uploads',
    protection: 'A large upload does not keep others waiting for packages, licences and rules that it names first.',
    file: 'src/capabilities/scans/recording/shared-rows.ts',
    find: 'const large = 2_000',
    replace: 'const large = 2_000_000',
    tests: ['src/capabilities/scans/recording/shared-rows.test.ts'],
  },
  {
    id: 'team-version-at-end',
    protection: 'An upload that creates a repository holds its team only while it commits.',
    file: 'src/capabilities/teams/public.ts',
    find: '  tx.atEnd(() =>',
    replace: '  await ((last: () => Promise<void>) => last())(() =>',
    tests: ['src/capabilities/scans/recording/shared-rows.test.ts'],
  },
  {
    id: 'custom-plans-for-writes',
    protection: 'Statements of an upload are planned for the number of rows that it brings.',
    file: 'src/kernel/prepared-query.ts',
    find: "return text.includes('[]') && values.some(isLongArray)",
    replace: 'return text.length + values.length < 0',
    tests: ['test/fresh-database.test.ts', 'src/kernel/prepared-query.test.ts'],
  },
  {
    id: 'kept-plan-for-the-tenant',
    protection: 'What sets the tenant of a read is planned once for a connection, and not at every request.',
    file: 'src/kernel/prepared-query.ts',
    find: "when (select oldest from schema_fence) <= ${schemaLevel} then ${setTenant}\n    else refuse_overtaken(${schemaLevel}) end, ${nameSession('$2')}`",
    replace:
      "when oldest <= ${schemaLevel} then ${setTenant}\n    else refuse_overtaken(${schemaLevel}) end, ${nameSession('$2')} from schema_fence`",
    tests: ['src/kernel/prepared-query.test.ts'],
  },
  {
    id: 'kept-plans-for-writes',
    protection: 'Statements of an upload that bring few rows are planned once, and not at every upload.',
    file: 'src/kernel/prepared-query.ts',
    find: 'isPipelined(client) && bringsManyRows(ready)',
    replace: 'isPipelined(client)',
    tests: ['src/kernel/prepared-query.test.ts'],
  },
  {
    id: 'one-statement-for-parts-of-names',
    protection: 'A search by a part of many names reads them in one statement.',
    file: 'src/capabilities/inventory/search/search-inventories.ts',
    find: 'packages && asksForPartsOfNames(packages)',
    replace: 'packages && !packages',
    tests: ['src/capabilities/dependencies/search/search.test.ts'],
  },
  {
    id: 'version-by-one-index',
    protection: 'An upload finds a version by its number and package, also without statistics.',
    file: 'src/capabilities/inventory/recording/package-store.ts',
    find: `(v.version, v.package_id) >= (named.version, named.package_id)
  and (v.version, v.package_id) <= (named.version, named.package_id)`,
    replace: 'v.version = named.version and v.package_id = named.package_id',
    tests: ['test/fresh-database.test.ts'],
  },
]
