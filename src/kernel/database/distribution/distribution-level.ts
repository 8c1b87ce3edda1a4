import type pg from 'pg'
import { DatabaseProblem } from '../database-problem.ts'
import { isDistributed } from './is-distributed.ts'

const advice =
  'Citus has distributed tables of this database, but not all of it is as Gatehouse needs it, so reads could answer nothing, ' +
  'without an error. Run npx gatehouse db distribute.'

/** The setting of the database that says up to which migration all of it is distributed. */
export const completeUpTo = 'gatehouse.distributed'

/** The migration up to which all of it is distributed; '' where it never was, undefined where it is not distributed. */
export async function distributionLevel(client: pg.ClientBase): Promise<string | undefined> {
  if (!(await isDistributed(client))) return undefined
  // Not as this session found it when it began.
  const { rows } = await client.query(
    `select coalesce((select split_part(setting, '=', 2) from pg_db_role_setting s, unnest(s.setconfig) as setting
      where s.setdatabase = (select oid from pg_database where datname = current_database()) and s.setrole = 0
        and setting like $1 || '=%'), '') as level`,
    [completeUpTo],
  )
  return rows[0].level as string
}

export async function appliedLevel(client: pg.ClientBase): Promise<string> {
  return (await client.query('select max(name) as level from schema_migration')).rows[0].level as string
}

/** Refuses a database that was distributed in part, or by somebody else. */
export async function refuseForeignDistribution(client: pg.ClientBase): Promise<void> {
  if ((await distributionLevel(client)) === '') throw new DatabaseProblem(advice)
}

/** Refuses one that is not distributed up to its last migration as well. */
export async function refusePartialDistribution(client: pg.ClientBase): Promise<void> {
  const level = await distributionLevel(client)
  if (level !== undefined && level !== (await appliedLevel(client))) throw new DatabaseProblem(advice)
}
