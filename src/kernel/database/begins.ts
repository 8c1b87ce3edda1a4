import sql, { type Sql } from 'sql-template-tag'

/** Sorts behind whatever may follow. */
const lastCharacter = '\u{10FFFF}'

/**
 * That a column begins with a text, as a range of bytes: only that is served by an index under row-level security. `text` has
 * at least one character.
 */
export function begins(column: Sql, text: string): Sql {
  return sql`${column} collate "C" >= ${text} collate "C" and ${column} collate "C" < ${text} || ${lastCharacter} collate "C"`
}
