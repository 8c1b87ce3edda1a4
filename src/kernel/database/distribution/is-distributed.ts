import pg from 'pg'
import { raw, type Sql } from 'sql-template-tag'
import { addressOf, type ConnectionOptions } from '../connections/connection.ts'

/** Whether the server has what `isDistributed` looks into; an expression. */
export const hasCitus = "to_regclass('pg_catalog.pg_dist_partition') is not null"

/** The statement that asks for it, where Citus is. */
export const distributedTables = 'select exists (select from pg_catalog.pg_dist_partition) as distributed'

/** Whether Citus has distributed tables of the database. */
export async function isDistributed(client: pg.ClientBase): Promise<boolean> {
  const { rows } = await client.query(`select ${hasCitus} as citus`)
  return rows[0].citus && (await client.query(distributedTables)).rows[0].distributed
}

/** The same through what takes statements. */
export async function isDistributedFor(db: { query<Row>(statement: Sql): Promise<Row[]> }): Promise<boolean> {
  const [found] = await db.query<{ citus: boolean }>(raw(`select ${hasCitus} as citus`))
  if (!found?.citus) return false
  return (await db.query<{ distributed: boolean }>(raw(distributedTables)))[0]!.distributed
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
