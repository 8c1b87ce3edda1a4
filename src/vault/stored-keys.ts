import sql, { type Sql } from 'sql-template-tag'
import type { Database, IdentityQueryable } from '../kernel/database.ts'
import type { KeyStore, WrappedKey } from './key-ring.ts'

/** The wrapped data keys in PostgreSQL. */
export function createStoredKeys(db: Database): KeyStore {
  return {
    list: (scope) => listOf({ query: db.identityQuery }, scope),
    insert: (...key) => db.identity((tx) => insertInto(tx, ...key)),
  }
}

/** The same within a transaction. */
export function storedKeysIn(tx: IdentityQueryable): KeyStore {
  return { list: (scope) => listOf(tx, scope), insert: (...key) => insertInto(tx, ...key) }
}

function listOf(db: IdentityQueryable, scope: string): Promise<WrappedKey[]> {
  return db.query(sql`select version, wrapped from data_key where scope = ${scope} order by version`)
}

async function insertInto(tx: IdentityQueryable, scope: string, version: number, wrapped: string): Promise<boolean> {
  // Waits for transactions that write values of the key so far; see `still_seals` and `stillSealsInstance`.
  await tx.query(sql`select pg_advisory_xact_lock(${lockOf(scope)})`)
  const rows = await tx.query(sql`insert into data_key (scope, version, wrapped)
    values (${scope}, ${version}, ${wrapped}) on conflict do nothing returning 1`)
  return rows.length > 0
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
