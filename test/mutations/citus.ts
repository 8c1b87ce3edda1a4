import type { Mutation } from './mutation.ts'

const tests = ['test/citus/distribution.test.ts']

/** Need Citus, but for the last two. */
export const citus: Mutation[] = [
  {
    id: 'distributed-in-part-refused',
    protection: 'A database that Citus distributes in part, or that somebody else distributed, is refused.',
    file: 'src/kernel/database/distribution/distribution-level.ts',
    find: "if ((await distributionLevel(client)) === '') throw",
    replace: "if ((await distributionLevel(client)) === 'never') throw",
    tests,
  },
  {
    id: 'tenant-reaches-nodes',
    protection: 'The tenant reaches the nodes that have the rows.',
    file: 'src/kernel/database/connections/prepared-query.ts',
    find: 'if (leadsToNodes(client)) await client.query(workFor',
    replace: 'if (leadsToNodes(client) && tenant < 0) await client.query(workFor',
    tests,
  },
  {
    id: 'account-changes-take-turns',
    protection:
      'On a distributed database, transactions that change accounts take turns before Citus locks tables for them.',
    file: 'src/kernel/database/connections/prepared-query.ts',
    find: 'const inTurn = leadsToNodes(client) && changesAccounts(ready.text)',
    replace: 'const inTurn = leadsToNodes(client) && ready.text === undefined',
    tests,
  },
  {
    id: 'shards-have-column-rights',
    protection: 'Rights on single columns hold on shards.',
    file: 'src/kernel/database/distribution/rights.ts',
    find: "execute format('grant %s (%s) on %s to %s', wanted.privilege, wanted.columns, shard, wanted.role);",
    replace: "execute format('grant select on %s to %s', shard, wanted.role);",
    tests,
  },
  {
    id: 'workers-refuse-no-process',
    protection: 'Workers do not refuse the processes of today as if they were older than the schema.',
    file: 'src/kernel/database/distribution/complete-distribution.ts',
    find: 'reset ${ofOlderProcesses}`',
    replace: 'reset statement_timeout`',
    tests,
  },
  {
    id: 'shards-keep-out',
    protection: 'A policy that keeps rows out does so on shards too, where Citus would make it one that lets them in.',
    file: 'src/kernel/database/distribution/rights.ts',
    find: '  await restrictShards(client)\n',
    replace: '',
    tests,
  },
  {
    id: 'late-connections-wait',
    protection: 'A connection that begins while a database is being distributed waits for what it becomes.',
    file: 'src/kernel/database/distribution/distributed-connections.ts',
    find: '`select pg_advisory_xact_lock_shared(${lockKey}); ${distributedTables}`',
    replace: '`select ${lockKey}; ${distributedTables}`',
    tests,
  },
  {
    id: 'sessions-at-work-seen',
    protection:
      'A database is not distributed while a process of Gatehouse is connected to it, also before it has announced itself.',
    file: 'src/kernel/database/migrations/version-fence.ts',
    find: "application_name ~ '^gatehouse [0-9]+'",
    replace: "application_name = ''",
    tests,
  },
  {
    id: 'unreached-nodes-named',
    protection: 'Nothing is distributed while nodes do not let each other in as the roles of Gatehouse.',
    file: 'src/kernel/database/distribution/complete-distribution.ts',
    find: 'if (unreached.length > 0) throw',
    replace: 'if (unreached.length < 0) throw',
    tests,
  },
  {
    id: 'rows-beside-shards-go',
    protection: 'Rows from before it was distributed do not stay on the coordinator, also where that was killed.',
    file: 'src/kernel/database/distribution/complete-distribution.ts',
    find: '  await forgetLocalRows(client)\n',
    replace: '',
    tests,
  },
  {
    id: 'open-nodes-told',
    protection: 'Doctor names nodes that let anybody in as a role of Gatehouse.',
    file: 'src/kernel/database/distribution/nodes.ts',
    find: "auth_method = 'trust'",
    replace: "auth_method = 'never'",
    tests,
  },
  {
    id: 'added-node-has-copies',
    protection: 'A node that was added gets its copies while nothing is served.',
    file: 'src/kernel/database/distribution/complete-distribution.ts',
    find: '  await client.query("select replicate_reference_tables(\'block_writes\')")\n',
    replace: '',
    tests,
  },
  {
    id: 'lost-node-is-unavailable',
    protection: 'A node that Citus loses within a statement is answered with 503.',
    file: 'src/kernel/database/connections/connection.ts',
    find: "if (code === 'XX000' && lostNode",
    replace: "if (code === '' && lostNode",
    tests: ['src/kernel/database/connections/connection.test.ts'],
  },
  {
    id: 'abort-has-its-reason',
    protection:
      'A transaction fails with what went wrong in it, and a deadlock is tried again, whichever statement is heard of first.',
    file: 'src/kernel/database/database.ts',
    find: 'throw reason.of(error)',
    replace: 'throw error',
    tests: ['src/kernel/database/abort-reason.test.ts'],
  },
]
