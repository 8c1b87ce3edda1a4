import type { Mutation } from './mutation.ts'

const tests = ['test/replica.test.ts']

/** Reading from a replica. */
export const replicaMutations: Mutation[] = [
  {
    id: 'replica-has-what-is-needed',
    protection: 'A replica that has not replayed what was committed when a request came is not read from.',
    file: 'src/kernel/database/connections/prepared-query.ts',
    find: "'0/0'::pg_lsn >= $3::bigint then",
    replace: "'0/0'::pg_lsn >= 0 * $3::bigint then",
    tests,
  },
  {
    id: 'replica-still-one',
    protection: 'A statement for a replica is not run on a server that was promoted.',
    file: 'src/kernel/database/connections/prepared-query.ts',
    find: 'when pg_is_in_recovery() and pg_last',
    replace: 'when pg_last',
    tests,
  },
  {
    id: 'replica-shows-a-mark',
    protection: 'A server that does not show what was written to the primary is not read from.',
    file: 'src/kernel/database/replica/replica-watch.ts',
    find: 'if (rows[0].shown) return',
    replace: 'if (rows[0]) return',
    tests,
  },
  {
    id: 'replica-is-one-server',
    protection: 'An address that leads to several replicas is not read from.',
    file: 'src/kernel/database/replica/replica-watch.ts',
    find: 'if (serverOn(timeline) !== server) throw',
    replace: "if (serverOn(timeline) === '') throw",
    tests,
  },
  {
    id: 'replica-of-this-timeline',
    protection: 'When the primary was replaced, a replica has to show that it follows the new one.',
    file: 'src/kernel/database/replica/replica-watch.ts',
    find: 'if (following.timeline === timeline) return',
    replace: "if (following.timeline !== '') return",
    tests,
  },
  {
    id: 'replica-connection-verified',
    protection:
      'Connections to a replica are verified as those to the primary are: role, row-level security, read-only, time-outs.',
    file: 'src/kernel/database/replica/replica-watch.ts',
    find: '    try {\n      await secure(connection)\n',
    replace: '    try {\n',
    tests,
  },
  {
    id: 'replica-is-a-standby',
    protection: 'A server that is no standby is not read from as one.',
    file: 'src/kernel/database/connections/secure-session.ts',
    find: 'if (wanted.onReplica && !found.standby) return',
    replace: "if (wanted.onReplica && found.role === '') return",
    tests,
  },
  {
    id: 'replica-left-after-a-write',
    protection: 'A request that wrote reads from the primary from then on.',
    file: 'src/kernel/database/database.ts',
    find: '    if (actor.replica) actor.replica.left = true\n',
    replace: '',
    tests,
  },
  {
    id: 'replica-left-for-good',
    protection: 'A request that was led to the primary once reads there from then on.',
    file: 'src/kernel/database/replica/replica.ts',
    find: '        use.left = true\n',
    replace: '',
    tests,
  },
  {
    id: 'replica-position-asked-anew',
    protection: 'A request that goes on for long asks again what the replica has to have.',
    file: 'src/kernel/database/replica/replica.ts',
    find: 'now - use.askedAt! > positionMs',
    replace: 'now < use.askedAt!',
    tests,
  },
]
