import sql, { empty, raw, type Sql } from 'sql-template-tag'
import type { LoadedKeys, SealedValue } from '../key-ring.ts'
import { type SealedColumn, sealedFieldOf } from './sealed-columns.ts'

type Statements = { query<Row = Record<string, unknown>>(statement: Sql): Promise<Row[]> }

/** The rows of one deployment, or those of the instance, and how to change some of them at once. */
export type Rows = {
  deploymentId: number | undefined
  transaction<T>(work: (tx: Statements) => Promise<T>): Promise<T>
}

/** How many values were sealed again, and the ids of rows whose value opens under none of the keys. */
export type ReEncrypted = { moved: number; unreadable: string[] }

type Row = { id: string; sealed: SealedValue }

const batchSize = 100

/**
 * Seals every value of a column that an older key sealed again with the newest. Batch by batch, each whole or not at all, so
 * that it may be killed at any moment and be run again, while others read and change the same rows.
 */
export async function reEncrypt(rows: Rows, column: SealedColumn, keys: LoadedKeys): Promise<ReEncrypted> {
  const result: ReEncrypted = { moved: 0, unreadable: [] }
  for (;;) {
    const seen = await rows.transaction((tx) => reEncryptBatch(tx, rows, column, keys, result.unreadable))
    result.moved += seen.moved
    result.unreadable.push(...seen.unreadable)
    if (seen.moved + seen.unreadable.length > 0) continue
    // Rows that another rotation changed while this one waited for them are gone from a batch without being done.
    if (!(await rows.transaction((tx) => anyOlder(tx, rows, column, keys, result.unreadable)))) return result
  }
}

async function reEncryptBatch(
  tx: Statements,
  rows: Rows,
  column: SealedColumn,
  keys: LoadedKeys,
  except: string[],
): Promise<ReEncrypted> {
  const older = await tx.query<Row>(sql`select id::text, ${raw(column.column)} as sealed
    ${olderRows(rows, column, keys, except)} order by ${raw(column.table)}.id limit ${batchSize} for update`)
  const ids: string[] = []
  const values: string[] = []
  const unreadable: string[] = []
  for (const { id, sealed } of older) {
    const value = resealed(keys, column, id, sealed)
    if (!value) {
      unreadable.push(id)
      continue
    }
    ids.push(id)
    values.push(JSON.stringify(value))
  }
  if (ids.length > 0) {
    await tx.query(sql`update ${raw(column.table)} held set ${raw(column.column)} = fresh.value::jsonb
      from unnest(${ids}::${raw(column.idType)}[], ${values}::text[]) as fresh (id, value)
      where ${ofDeployment('held', rows)} held.id = fresh.id`)
  }
  return { moved: ids.length, unreadable }
}

function resealed(keys: LoadedKeys, column: SealedColumn, id: string, sealed: SealedValue): SealedValue | undefined {
  const place = sealedFieldOf(column, id)
  try {
    return keys.seal(keys.open(sealed, place), place)
  } catch {
    return undefined
  }
}

async function anyOlder(
  tx: Statements,
  rows: Rows,
  column: SealedColumn,
  keys: LoadedKeys,
  except: string[],
): Promise<boolean> {
  return (await tx.query(sql`select 1 ${olderRows(rows, column, keys, except)} limit 1`)).length > 0
}

/** Older, not other: a second rotation may already have gone further. */
function olderRows(rows: Rows, { table, column, idType }: SealedColumn, keys: LoadedKeys, except: string[]): Sql {
  return sql`from ${raw(table)} where ${ofDeployment(table, rows)}
    (${raw(column)} ->> 'keyVersion')::integer < ${keys.version} and ${raw(table)}.id <> all(${except}::${raw(idType)}[])`
}

function ofDeployment(alias: string, { deploymentId }: Rows): Sql {
  return deploymentId === undefined ? empty : sql`${raw(alias)}.deployment_id = ${deploymentId} and`
}
