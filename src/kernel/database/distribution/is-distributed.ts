import pg from 'pg'
import { addressOf, type ConnectionOptions } from '../connection.ts'

/** Whether Citus has distributed tables of the database. */
export async function isDistributed(client: pg.ClientBase): Promise<boolean> {
  // By name, because it is there only with the extension.
  const { rows: known } = await client.query("select to_regclass('pg_catalog.pg_dist_partition') is not null as citus")
  if (!known[0].citus) return false
  const { rows } = await client.query('select exists (select from pg_catalog.pg_dist_partition) as distributed')
  return rows[0].distributed as boolean
}

/** The same over a connection of its own. */
export async function isDistributedAt(to: ConnectionOptions): Promise<boolean> {
  const client = new pg.Client(addressOf(to))
  await client.connect()
  try {
    return await isDistributed(client)
  } finally {
    await client.end()
  }
}
