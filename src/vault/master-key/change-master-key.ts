import sql from 'sql-template-tag'
import type { Database } from '../../kernel/database/database.ts'
import { masterKeyId, unwrapKey, type WrappedKey, wrapKey, wrongMasterKey } from './wrapping.ts'

type Row = WrappedKey & { scope: string }

/**
 * Wraps every data key with `to` in place of `from`, all of them or none. Whoever adds a key meanwhile waits, and is refused
 * then if it still has the former master key. How many keys there are.
 */
export function changeMasterKey(db: Database, from: Buffer, to: Buffer): Promise<number> {
  return db.identity(async (tx) => {
    const [known] = await tx.query<{ key_id: string }>(sql`select key_id from master_key for update`)
    if (known?.key_id !== masterKeyId(from)) throw wrongMasterKey('The master key was changed meanwhile.')
    const rows = await tx.query<Row>(sql`select scope, version, wrapped from data_key order by scope, version`)
    const wrapped = rows.map((row) => rewrapped(row, from, to))
    await tx.query(sql`update data_key held set wrapped = fresh.wrapped
      from unnest(${rows.map(({ scope }) => scope)}::text[], ${rows.map(({ version }) => version)}::integer[],
        ${wrapped}::text[]) as fresh (scope, version, wrapped)
      where held.scope = fresh.scope and held.version = fresh.version`)
    await tx.query(sql`update master_key set key_id = ${masterKeyId(to)}, changed_at = now()`)
    return rows.length
  })
}

/** Opened again before it is stored: nothing may be lost to a slip. */
function rewrapped({ scope, version, wrapped }: Row, from: Buffer, to: Buffer): string {
  const key = unwrapKey(from, scope, { version, wrapped })
  const fresh = wrapKey(to, scope, version, key)
  if (!unwrapKey(to, scope, { version, wrapped: fresh }).equals(key))
    throw new Error('A data key was not wrapped right.')
  return fresh
}
