import type pg from 'pg'
import { DatabaseProblem } from '../database-problem.ts'

/**
 * A table that is there while a backup is being restored. A restore that is killed leaves an empty or half of a schema, which a
 * start would take for a new database: it would begin with a new owner where somebody expects their data.
 */
const mark = 'unfinished_restore'

export async function markRestore(client: pg.ClientBase): Promise<void> {
  await client.query(`create table ${mark} as select now() as begun_at`)
}

export async function unmarkRestore(client: pg.ClientBase): Promise<void> {
  await client.query(`drop table ${mark}`)
}

export async function refuseUnfinishedRestore(client: pg.ClientBase): Promise<void> {
  const { rows } = await client.query('select to_regclass($1) is not null as found', [mark])
  if (!rows[0].found) return
  const [{ begun_at: begunAt }] = (await client.query(`select begun_at from ${mark}`)).rows as [{ begun_at: Date }]
  throw new DatabaseProblem(
    `A restore of a backup into this database began at ${begunAt.toISOString()} and has not ended: it is still under way, or it was broken off. ` +
      'If it was broken off, remove the data folder, or drop the database and create it again, and restore once more.',
  )
}
