import type pg from 'pg'
import { settleCitus } from './complete-distribution.ts'
import { onCoordinator, placeTables, replacePolicies } from './place-tables.ts'
import { grantInTransaction } from './rights.ts'
import { splitActions, splitStatements } from './split-statements.ts'

/**
 * What Citus would refuse: keys of a table that has no place yet, rights on single columns, subqueries in policies. The
 * coordinator gets them as they are, and the nodes what we make of them.
 */
const notPassedOn = /^(create table|(grant|revoke) [a-z, ]+\(|create policy[\s\S]*\bselect\b)/i

/**
 * A migration of a distributed database, in the transaction that is open: all of it on all nodes, or nothing. Citus passes each
 * statement on, but for those that it would refuse: a new table gets its place at once, and rights on columns are given to
 * shards when all migrations are done.
 */
export async function applyOnNodes(client: pg.Client, text: string): Promise<void> {
  await settleCitus(client)
  for (const statement of splitStatements(text).flatMap(splitActions)) {
    if (!notPassedOn.test(statement)) {
      await client.query(statement)
      continue
    }
    await onCoordinator(client, statement)
    await replacePolicies(client)
    await placeTables(client)
  }
  // Functions that it replaced have their former rights.
  await grantInTransaction(client)
}
