import type pg from 'pg'

/** Whether Citus has distributed tables of the database. */
export async function isDistributed(client: pg.ClientBase): Promise<boolean> {
  // By name, because it is there only with the extension.
  const { rows: known } = await client.query("select to_regclass('pg_catalog.pg_dist_partition') is not null as citus")
  if (!known[0].citus) return false
  const { rows } = await client.query('select exists (select from pg_catalog.pg_dist_partition) as distributed')
  return rows[0].distributed as boolean
}
