import type { Mutation } from './mutation.ts'

const packages = ['src/capabilities/dependencies/packages/packages.test.ts']
const vulnerabilities = ['src/capabilities/vulnerabilities/search/search.test.ts']

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
]
