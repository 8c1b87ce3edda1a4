import type { Mutation } from './mutation.ts'

/** Needs Citus. */
export const citus: Mutation[] = [
  {
    id: 'distributed-tables-refused',
    protection: 'A database whose tables Citus has distributed is refused.',
    file: 'src/kernel/database/distributed-tables.ts',
    find: 'if (await isDistributed(client)) throw',
    replace: 'if (!client) throw',
    tests: ['test/citus/refusal.test.ts'],
  },
  {
    id: 'tenant-reaches-nodes',
    protection: 'The tenant reaches the nodes that have the rows.',
    file: 'src/kernel/prepared-query.ts',
    find: 'if (distributed.has(client)) await client.query',
    replace: 'if (distributed.has(client) && tenant < 0) await client.query',
    tests: ['test/citus/distribution.test.ts'],
  },
]
