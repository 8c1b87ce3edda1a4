import type { Mutation } from './mutation.ts'

const packages = ['src/capabilities/dependencies/packages/packages.test.ts']
const vulnerabilities = ['src/capabilities/vulnerabilities/search/search.test.ts']
const dependencyCounts = ['src/capabilities/inventory/packages/dependency-counts.test.ts']
const licenceCounting = ['src/capabilities/inventory/licences/licence-counting.test.ts']

export const inventory: Mutation[] = [
  {
    id: 'packages-visible',
    protection: 'Packages, their versions and counts are those of the repositories that the caller sees.',
    file: 'src/capabilities/inventory/packages/wanted-repositories.ts',
    find: '    where r.deployment_id = ${actor.deploymentId} ${repositoryIsWanted(actor, conditions)})`',
    replace: '    where r.deployment_id = ${actor.deploymentId} and not r.archived)`',
    tests: packages,
  },
  {
    id: 'packages-cursor-bound',
    protection: 'A cursor of packages goes on with its own question alone.',
    file: 'src/capabilities/dependencies/packages/packages.ts',
    find: "['packages', actor.deploymentId, request.dependencyFilter ?? {}, vulnerable, by, order.direction]",
    replace: "['packages', actor.deploymentId]",
    tests: packages,
  },
  {
    id: 'package-verdicts-permitted',
    protection: 'Verdicts of the firewall are shown only to those who may read it.',
    file: 'src/capabilities/dependencies/packages/packages.ts',
    find: "!actor.permissions.has('firewall:read') || ",
    replace: '',
    tests: packages,
  },
  {
    id: 'vulnerability-search-visible',
    protection: 'Vulnerabilities are searched and counted in the repositories that the caller sees.',
    file: 'src/capabilities/findings/ingest/rule-search.ts',
    find: '    and ${visibleTo(actor, sql`f.repository_id`)}\n',
    replace: '    and ${actor.deploymentId}::bigint > 0\n',
    tests: vulnerabilities,
  },
  {
    id: 'vulnerability-cursor-bound',
    protection: 'A cursor of vulnerabilities goes on with its own question alone.',
    file: 'src/capabilities/vulnerabilities/search/search.ts',
    find: "['vulnerabilities', actor.deploymentId, filter, by, direction]",
    replace: "['vulnerabilities', actor.deploymentId]",
    tests: vulnerabilities,
  },
  {
    id: 'tables-owned',
    protection: 'Nobody names a table in SQL that is not theirs without a reason that is written down.',
    file: 'src/capabilities/scans/public.ts',
    find: 'from ${inventories(db.deploymentId)} i',
    replace: 'from inventory i',
    tests: ['test/architecture.test.ts'],
  },
  {
    id: 'licences-uncounted',
    protection:
      'Inventories that are not counted yet are in the counts of licences: new ones, and those of the release before.',
    file: 'src/capabilities/inventory/licences/licence-counts.ts',
    find: ' each where i.licences is null)',
    replace: ' each where false)',
    tests: licenceCounting,
  },
  {
    id: 'licences-of-scan',
    protection: 'Licences that were counted for the inventory of an older scan do not count.',
    file: 'src/capabilities/inventory/licences/licence-counts.ts',
    find: '        and c.scan_id = i.scan_id\n',
    replace: '',
    tests: licenceCounting,
  },
  {
    id: 'licences-being-uploaded',
    protection: 'A repository that is being uploaded to or deleted is counted later, and nobody waits for it.',
    file: 'src/capabilities/inventory/licences/count-store.ts',
    find: ' for key share of r skip locked',
    replace: ' for key share of r nowait',
    tests: licenceCounting,
  },
  {
    id: 'licences-visible',
    protection: 'Licences that were counted are those of the repositories that the caller sees.',
    file: 'src/capabilities/inventory/licences/licence-counts.ts',
    find: 'where i.deployment_id = ${deploymentId} and (i.repository_id in (select id from wanted_repository)) is true',
    replace: 'where i.deployment_id = ${deploymentId}',
    tests: licenceCounting,
  },
  {
    id: 'counts-at-least',
    protection: 'Counts of dependencies say so where not everything was counted.',
    file: 'src/capabilities/inventory/packages/dependency-counts.ts',
    find: '(select up_to is not null from progress) as "atLeast"',
    replace: 'false as "atLeast"',
    tests: dependencyCounts,
  },
  {
    id: 'counts-bounded',
    protection: 'However much matches, only so many dependencies are read to count it.',
    file: 'src/capabilities/inventory/search/search.ts',
    find: 'select id from sized where before < ${most}::bigint)',
    replace: 'select id from sized)',
    tests: dependencyCounts,
  },
  {
    id: 'package-read-once',
    protection: 'The page of a package reads each dependency on it once.',
    file: 'src/capabilities/inventory/packages/package-use.ts',
    find: '    used as materialized (',
    replace: '    used as not materialized (',
    tests: ['src/capabilities/inventory/packages/package-use.test.ts'],
  },
]
