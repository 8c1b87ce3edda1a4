import type { Mutation } from './mutation.ts'

/** Needs Citus. */
export const citus: Mutation[] = [
  {
    id: 'distributed-tables-refused',
    protection: 'A database whose tables Citus has distributed is refused.',
    file: 'src/kernel/database/distributed-tables.ts',
    find: 'if (rows[0].distributed) throw',
    replace: 'if (rows.length === 0) throw',
    tests: ['test/citus/refusal.test.ts'],
  },
]
