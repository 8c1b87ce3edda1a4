import sql, { empty, raw } from 'sql-template-tag'
import type { LoadedKeys, SealedValue } from '../key-ring.ts'
import type { Rows } from './re-encrypt.ts'
import { type SealedColumn, sealedFieldOf } from './sealed-columns.ts'

const batchSize = 500

/** The ids of rows whose value opens under none of the keys, or was sealed for another row. Changes nothing. */
export async function unreadableValues(rows: Rows, column: SealedColumn, keys: LoadedKeys): Promise<string[]> {
  const unreadable: string[] = []
  for (let last: string | undefined; ; ) {
    const batch = await rows.transaction((tx) =>
      tx.query<{ id: string; sealed: SealedValue }>(sql`select id::text, ${raw(column.column)} as sealed
        from ${raw(column.table)}
        where ${rows.deploymentId === undefined ? empty : sql`deployment_id = ${rows.deploymentId} and`}
          ${last === undefined ? empty : sql`${raw(column.table)}.id > ${last}::${raw(column.idType)} and`}
          ${raw(column.column)} is not null
        order by ${raw(column.table)}.id limit ${batchSize}`),
    )
    for (const { id, sealed } of batch) if (!isReadable(keys, column, id, sealed)) unreadable.push(id)
    if (batch.length < batchSize) return unreadable
    last = batch.at(-1)!.id
  }
}

function isReadable(keys: LoadedKeys, column: SealedColumn, id: string, sealed: SealedValue): boolean {
  try {
    keys.open(sealed, sealedFieldOf(column, id))
    return true
  } catch {
    return false
  }
}
