import type pg from 'pg'
import { settleCitus } from './distribute.ts'
import { placeTables } from './place-tables.ts'
import { splitStatements } from './split-statements.ts'

/** What Citus would refuse: keys of a table that has no place yet, and rights on single columns. */
const notPassedOn = /^(create table|grant [a-z, ]+\()/i

/**
 * A migration of a distributed database, in the transaction that is open. Citus passes each statement on to the nodes, but for
 * those that it would refuse: a new table gets its place at once, and rights on columns are given to shards when all is done.
 */
export async function applyOnNodes(client: pg.Client, text: string): Promise<void> {
  await settleCitus(client)
  for (const statement of splitStatements(text)) {
    if (!notPassedOn.test(statement)) {
      await client.query(statement)
      continue
    }
    await client.query('set local citus.enable_ddl_propagation = off')
    await client.query(statement)
    await client.query('set local citus.enable_ddl_propagation = on')
    await placeTables(client)
  }
}
