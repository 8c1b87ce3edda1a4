import type pg from 'pg'
import { distributedTables } from './is-distributed.ts'

/** Connections to a database that Citus distributes. */
const known = new WeakSet<pg.ClientBase>()

// Any number will do as long as all Gatehouse processes take the same.
const lockKey = 4_283_746_522

/**
 * Once for each new connection, where Citus is. It waits while the database is being distributed, and what distributes it finds no
 * connection from before: one that took tables for local ones would be answered with nothing.
 */
export async function noteDistribution(client: pg.ClientBase): Promise<void> {
  // In one message, and so in one transaction; each statement sees what was committed before it began.
  const text = `select pg_advisory_xact_lock_shared(${lockKey}); ${distributedTables}`
  const answers = (await client.query(text)) as unknown as pg.QueryResult<{ distributed: boolean }>[]
  if (answers[1]!.rows[0]!.distributed) known.add(client)
}

/** Until the session ends, nobody finds out whether the database is distributed. */
export async function holdBackConnections(client: pg.ClientBase): Promise<void> {
  await client.query('select pg_advisory_lock($1)', [lockKey])
}

export function leadsToNodes(client: pg.ClientBase): boolean {
  return known.has(client)
}
