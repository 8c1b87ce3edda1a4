import type pg from 'pg'
import { DatabaseProblem } from './database-problem.ts'
import { isDistributed } from './distribution/is-distributed.ts'

const advice =
  'Citus has distributed tables of this database. For whom a connection works does not reach the nodes that have the rows, so ' +
  'reads would answer nothing, without an error. Use a database whose tables are not distributed.'

/** Whatever works with a database migrates it first, or asks whether it is migrated. */
export async function refuseDistributedTables(client: pg.Client): Promise<void> {
  if (await isDistributed(client)) throw new DatabaseProblem(advice)
}
