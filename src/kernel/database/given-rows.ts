import sql from 'sql-template-tag'

/**
 * Ends an `insert … select` whose rows are all given. Nobody reads it: where tables are distributed by Citus, rows that are not
 * asked back are copied into the table, and PostgreSQL copies into none that has row-level security.
 */
export const rowsNotCopied = sql`returning 1`
