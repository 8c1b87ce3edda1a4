import sql from 'sql-template-tag'
import type { Database } from '../kernel/database.ts'
import type { KeyStore, WrappedKey } from './key-ring.ts'

/** The wrapped data keys in PostgreSQL. */
export function createStoredKeys(db: Database): KeyStore {
  return {
    list: (scope) =>
      db.identityQuery<WrappedKey>(sql`select version, wrapped from data_key where scope = ${scope} order by version`),
    async insert(scope, version, wrapped) {
      const rows = await db.identityQuery(sql`insert into data_key (scope, version, wrapped)
        values (${scope}, ${version}, ${wrapped}) on conflict do nothing returning 1`)
      return rows.length > 0
    },
  }
}
