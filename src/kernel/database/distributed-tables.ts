import type pg from 'pg'
import { DatabaseProblem } from './database-problem.ts'

const advice =
  'Citus has distributed tables of this database. For whom a connection works does not reach the nodes that have the rows, so ' +
  'reads would answer nothing, without an error. Use a database whose tables are not distributed.'

/** Whatever works with a database migrates it first, or asks whether it is migrated. */
export async function refuseDistributedTables(client: pg.Client): Promise<void> {
  // By name, because it is there only with the extension.
  const { rows: known } = await client.query("select to_regclass('pg_catalog.pg_dist_partition') is not null as citus")
  if (!known[0].citus) return
  const { rows } = await client.query('select exists (select from pg_catalog.pg_dist_partition) as distributed')
  if (rows[0].distributed) throw new DatabaseProblem(advice)
}
