import sql from 'sql-template-tag'
import type { Database } from '../kernel/database.ts'
import type { KeyStore, WrappedKey } from './key-ring.ts'

/** The wrapped data keys in PostgreSQL. */
export function createStoredKeys(db: Database): KeyStore {
  return {
    list: (scope) =>
      db.identityQuery<WrappedKey>(sql`select version, wrapped from data_key where scope = ${scope} order by version`),
    async insert(scope, version, wrapped) {
      return db.identity(async (tx) => {
        // Waits for transactions that write values of the key so far; see `still_seals`.
        await tx.query(sql`select pg_advisory_xact_lock(hashtextextended('gatehouse.data_key/' || ${scope}::text, 0))`)
        const rows = await tx.query(sql`insert into data_key (scope, version, wrapped)
          values (${scope}, ${version}, ${wrapped}) on conflict do nothing returning 1`)
        return rows.length > 0
      })
    },
  }
}
