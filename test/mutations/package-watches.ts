import type { Mutation } from './mutation.ts'

const tests = ['src/capabilities/package-watches/watches.test.ts']
const store = 'src/capabilities/package-watches/store.ts'
const service = 'src/capabilities/package-watches/service.ts'

export const packageWatches: Mutation[] = [
  {
    id: 'watches-are-their-persons-own',
    protection: 'Nobody is told what somebody else watches.',
    file: store,
    find: 'where w.deployment_id = ${db.deploymentId} and w.person_id = ${personId} order by',
    replace: 'where w.deployment_id = ${db.deploymentId} order by',
    tests,
  },
  {
    id: 'watches-ended-by-their-person',
    protection: 'Nobody ends the watch of somebody else.',
    file: store,
    find: 'and w.person_id = ${tx.actor.personId} and w.ecosystem',
    replace: 'and w.ecosystem',
    tests,
  },
  {
    id: 'watches-tell-of-visible-repositories',
    protection: 'News of a package names only repositories that the caller sees.',
    file: 'src/capabilities/inventory/packages/repositories-of-packages.ts',
    find: 'and r.id in (select id from wanted_repository)',
    replace: '',
    tests,
  },
  {
    id: 'watches-firewall-by-permission',
    protection: 'Whoever may not read the firewall is not told by news what it decides.',
    file: 'src/capabilities/package-watches/known.ts',
    find: 'mayReadFirewall && used.some',
    replace: 'used.some',
    tests,
  },
  {
    id: 'watches-firewall-seen-by-permission',
    protection: 'Whoever may not read the firewall is not told by news what it decided before.',
    file: service,
    find: 'isKeptOut: mayReadFirewall && row.seen_kept_out,',
    replace: 'isKeptOut: row.seen_kept_out,',
    tests,
  },
  {
    id: 'watches-limited',
    protection: 'One person watches 50 packages and no more, also when many are asked for at once.',
    file: service,
    find: '      await store.lockWatches(tx)\n',
    replace: '',
    tests,
  },
]
