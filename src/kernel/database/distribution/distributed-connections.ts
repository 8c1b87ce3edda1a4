import type pg from 'pg'
import { hasDistributedTables } from './is-distributed.ts'

/** Connections to a database that Citus distributes. */
const known = new WeakSet<pg.ClientBase>()

/** Once for each new connection, where Citus is: what distributes a database finds no process that is at work on it. */
export async function noteDistribution(client: pg.ClientBase): Promise<void> {
  if (await hasDistributedTables(client)) known.add(client)
}

export function leadsToNodes(client: pg.ClientBase): boolean {
  return known.has(client)
}
