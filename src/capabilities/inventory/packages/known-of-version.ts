import type { Sql } from 'sql-template-tag'

/** What somebody else knows about a version, as a scalar of SQL that is null where they know nothing of it. */
export type KnownOfVersion = (name: Sql, ecosystem: Sql, orderKey: Sql) => Sql
