import pg from 'pg'
import { roleNames } from '../connection.ts'
import { DatabaseProblem } from '../database-problem.ts'
import { isDistributed } from './is-distributed.ts'
import { forgetLocalRows, placeTables } from './place-tables.ts'
import { citusSettings, everywhere, grantInTransaction, grantOnNodes } from './rights.ts'

const advice =
  'Citus has distributed tables of this database, but not all of it is as Gatehouse needs it, so reads could answer nothing, ' +
  'without an error. Run npx gatehouse db distribute.'

/** The setting of the database that says up to which migration it is distributed as a whole. */
const completeUpTo = 'gatehouse.distributed'

/** Distributes what has no place yet, and does again what Citus does not do by itself. Killed at any point, it can be run again. */
export async function completeDistribution(client: pg.Client, shardCount?: number): Promise<string[]> {
  const database = pg.escapeIdentifier((await client.query('select current_database() as name')).rows[0].name)
  for (const role of Object.values(roleNames)) await client.query(`alter role ${role} login`)
  for (const [name, value] of Object.entries(citusSettings)) {
    await everywhere(client, `alter database ${database} set ${name} = '${value}'`)
  }
  await client.query('begin')
  try {
    await settleCitus(client)
    if (shardCount) await client.query(`set local citus.shard_count = ${shardCount}`)
    const placed = await placeTables(client)
    await grantInTransaction(client)
    await client.query('commit')
    await grantOnNodes(client)
    await forgetLocalRows(client, placed)
    const version = await appliedLevel(client)
    await client.query(`alter database ${database} set ${completeUpTo} = '${version}'`)
    return placed
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** For the transaction. One connection to each node, because what is changed there is read there. */
export async function settleCitus(client: pg.ClientBase): Promise<void> {
  for (const [name, value] of Object.entries(citusSettings)) await client.query(`set local ${name} = '${value}'`)
  await client.query("set local citus.multi_shard_modify_mode = 'sequential'; set local client_min_messages = warning")
}

/** The level up to which it is distributed as a whole; '' where it never was, undefined where it is not distributed at all. */
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

/** Refuses a database that was distributed in part, or by somebody else. */
export async function refuseForeignDistribution(client: pg.ClientBase): Promise<void> {
  if ((await distributionLevel(client)) === '') throw new DatabaseProblem(advice)
}

/** Refuses one that is not distributed up to its last migration as well. */
export async function refusePartialDistribution(client: pg.ClientBase): Promise<void> {
  const level = await distributionLevel(client)
  if (level !== undefined && level !== (await appliedLevel(client))) throw new DatabaseProblem(advice)
}

async function appliedLevel(client: pg.ClientBase): Promise<string> {
  return (await client.query('select max(name) as level from schema_migration')).rows[0].level as string
}
