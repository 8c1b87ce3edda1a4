import type { Mutation } from './mutation.ts'

const tests = ['test/citus/distribution.test.ts']

/** Need Citus. */
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
    file: 'src/kernel/prepared-query.ts',
    find: 'if (leadsToNodes(client)) await client.query(workFor',
    replace: 'if (leadsToNodes(client) && tenant < 0) await client.query(workFor',
    tests,
  },
  {
    id: 'account-changes-take-turns',
    protection:
      'On a distributed database, transactions that change accounts take turns before Citus locks tables for them.',
    file: 'src/kernel/prepared-query.ts',
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
]
