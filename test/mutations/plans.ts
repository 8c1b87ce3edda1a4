import type { Mutation } from './mutation.ts'

export const plans: Mutation[] = [
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
    find: 'isPipelined(client) && bringsManyRows(statement)',
    replace: 'isPipelined(client)',
    tests: ['src/kernel/prepared-query.test.ts'],
  },
]
