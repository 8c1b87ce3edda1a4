import type pg from 'pg'
import { splitStatements } from '../distribution/split-statements.ts'

const building = /^create (?:unique )?index concurrently (\w+)/i

/**
 * The statements of a migration that cannot be in a transaction: indexes that are built while others write. A build that was
 * interrupted leaves an index that is written and never read; it is built again. One that is complete stays.
 */
export async function buildIndexes(client: pg.Client, text: string): Promise<void> {
  for (const statement of splitStatements(text)) {
    const name = building.exec(statement)?.[1]
    if (name === undefined)
      throw new Error(`only indexes are built outside a transaction, and with a name: ${statement}`)
    const { rows } = await client.query('select indisvalid as valid from pg_index where indexrelid = to_regclass($1)', [
      name,
    ])
    if (rows[0]?.valid) continue
    if (rows.length > 0) await client.query(`drop index concurrently ${name}`)
    await client.query(statement)
  }
}
