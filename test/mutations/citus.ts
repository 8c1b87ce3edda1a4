import type { Mutation } from './mutation.ts'

const tests = ['test/citus/distribution.test.ts']

/** Need Citus. */
export const citus: Mutation[] = [
  {
    id: 'distributed-in-part-refused',
    protection: 'A database that Citus distributes in part, or that somebody else distributed, is refused.',
    file: 'src/kernel/database/distribution/distribute.ts',
    find: "if ((await distributionLevel(client)) === '') throw",
    replace: "if ((await distributionLevel(client)) === 'never') throw",
    tests,
  },
  {
    id: 'tenant-reaches-nodes',
    protection: 'The tenant reaches the nodes that have the rows.',
    file: 'src/kernel/prepared-query.ts',
    find: 'if (distributed.has(client)) await client.query',
    replace: 'if (distributed.has(client) && tenant < 0) await client.query',
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
]
