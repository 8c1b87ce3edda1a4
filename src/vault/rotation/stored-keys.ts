import sql, { type Sql } from 'sql-template-tag'
import type { Database, IdentityQueryable } from '../../kernel/database/database.ts'
import type { KeyStore, WrappedKey } from '../key-ring.ts'
import { wrongMasterKey } from '../master-key/wrapping.ts'

type Known = { key_id: string }

/** The wrapped data keys in PostgreSQL, for whoever has the master key with this id. */
export function createStoredKeys(db: Database, masterKeyId: string): KeyStore {
  return {
    ...storedKeysIn({ query: db.identityQuery }, masterKeyId),
    insert: (...key) => db.identity((tx) => storedKeysIn(tx, masterKeyId).insert(...key)),
  }
}

/** The same within a transaction. */
export function storedKeysIn(tx: IdentityQueryable, masterKeyId: string): KeyStore {
  /** Where nothing is known about the master key yet, the one that opens what is there, or comes first, is it. */
  async function confirm(requireOpens: (scope: string, key: WrappedKey) => void): Promise<void> {
    if (await isOurs()) return
    const [oldest] = await tx.query<WrappedKey & { scope: string }>(
      sql`select scope, version, wrapped from data_key order by created_at, scope, version limit 1`,
    )
    if (oldest) requireOpens(oldest.scope, oldest)
    await tx.query(sql`insert into master_key (key_id) values (${masterKeyId}) on conflict do nothing`)
    await isOurs()
  }

  async function isOurs(): Promise<boolean> {
    const [known] = await tx.query<Known>(sql`select key_id from master_key`)
    requireSame(known)
    return known !== undefined
  }

  function requireSame(known: Known | undefined): void {
    if (known && known.key_id !== masterKeyId) throw wrongMasterKey('The master key was changed, and this is not it.')
  }

  async function insert(scope: string, version: number, wrapped: string): Promise<boolean> {
    // Waits for transactions that write values of the key so far; see `still_seals` and `stillSealsInstance`.
    await tx.query(sql`select pg_advisory_xact_lock(${lockOf(scope)})`)
    // Until we commit nobody changes it: a key wrapped by the former one would be lost.
    const [known] = await tx.query<Known>(sql`select key_id from master_key for share`)
    requireSame(known)
    const rows = await tx.query(sql`insert into data_key (scope, version, wrapped)
      values (${scope}, ${version}, ${wrapped}) on conflict do nothing returning 1`)
    return rows.length > 0
  }

  return {
    confirm,
    list: (scope) => tx.query(sql`select version, wrapped from data_key where scope = ${scope} order by version`),
    insert,
  }
}

/** Whether there are any, which only the master key that they were made with opens. */
export async function hasStoredKeys(tx: IdentityQueryable): Promise<boolean> {
  return (await tx.query(sql`select from data_key limit 1`)).length > 0
}

/** What `still_seals` is in a deployment: true until the transaction ends. Two statements, so that the second one sees more. */
export async function stillSealsInstance(tx: IdentityQueryable, keyVersion: number): Promise<boolean> {
  await tx.query(sql`select pg_advisory_xact_lock_shared(${lockOf('instance')})`)
  const [row] = await tx.query<{ newest: number }>(
    sql`select max(version) as newest from data_key where scope = 'instance'`,
  )
  return row?.newest === keyVersion
}

function lockOf(scope: string): Sql {
  return sql`hashtextextended('gatehouse.data_key/' || ${scope}::text, 0)`
}
