import type pg from 'pg'

/**
 * How many sessions of the database wait for a lock, on any of its nodes where Citus distributes it. Within a transaction PostgreSQL
 * would tell of no session but those that were there when it was first asked.
 */
export async function countLockWaits(client: pg.Client): Promise<number> {
  await client.query('select pg_stat_clear_snapshot()')
  const { rows } = await client.query(
    `select from ${await activity(client)} where datname = current_database() and wait_event_type = 'Lock'`,
  )
  return rows.length
}

/** Whoever waits for rows of a distributed table waits on the node that has them; its coordinator waits for an answer. */
async function activity(client: pg.Client): Promise<string> {
  const { rowCount } = await client.query("select from pg_extension where extname = 'citus'")
  return rowCount ? 'citus_stat_activity' : 'pg_stat_activity'
}
