import type pg from 'pg'

/**
 * How many sessions of the database wait for a lock. Within a transaction PostgreSQL would tell of no session but those that
 * were there when it was first asked.
 */
export async function countLockWaits(client: pg.Client): Promise<number> {
  await client.query('select pg_stat_clear_snapshot()')
  const { rows } = await client.query(
    "select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
  )
  return rows.length
}
