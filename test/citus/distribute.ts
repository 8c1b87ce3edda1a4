import pg from 'pg'
import { roleNames } from '../../src/kernel/database/connections/connection.ts'
import type { Node } from './nodes.ts'
import { forgetLocalRows, placeTables } from './place-tables.ts'
import { citusSettings, everywhere, grantInTransaction, grantOnNodes } from './rights.ts'

/**
 * Distributes a migrated database: all tables in one transaction, then what Citus does not do by itself, which can be done again.
 * Answers with the tables that it placed.
 */
export async function distribute(coordinator: Node, shardCount: number): Promise<string[]> {
  const client = new pg.Client({ ...coordinator, application_name: 'distribute' })
  // Whoever waits for an answer is told that there will be none.
  client.on('error', () => {})
  await client.connect()
  try {
    for (const role of Object.values(roleNames)) await client.query(`alter role ${role} login`)
    for (const [name, value] of Object.entries(citusSettings)) {
      await everywhere(client, `alter database ${coordinator.database} set ${name} = '${value}'`)
    }
    const placed = await placeAll(client, shardCount)
    await grantOnNodes(client)
    await forgetLocalRows(client, placed)
    return placed
  } finally {
    await client.end().catch(() => {})
  }
}

async function placeAll(client: pg.Client, shardCount: number): Promise<string[]> {
  await client.query('begin')
  for (const [name, value] of Object.entries(citusSettings)) await client.query(`set local ${name} = '${value}'`)
  await client.query(`set local citus.shard_count = ${shardCount}; set local client_min_messages = warning`)
  const placed = await placeTables(client)
  await grantInTransaction(client)
  await client.query('commit')
  return placed
}
