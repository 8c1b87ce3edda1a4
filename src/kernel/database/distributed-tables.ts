import type pg from 'pg'
import { DatabaseProblem } from './database-problem.ts'
import { isDistributed } from './is-distributed.ts'

const advice =
  'Citus has distributed tables of this database, and Gatehouse does not serve such a database: a directory could not add people ' +
  'to it, and migrations would stop midway. Use a database whose tables are not distributed.'

/** Whatever works with a database migrates it first, or asks whether it is migrated. */
export async function refuseDistributedTables(client: pg.Client): Promise<void> {
  if (await isDistributed(client)) throw new DatabaseProblem(advice)
}
