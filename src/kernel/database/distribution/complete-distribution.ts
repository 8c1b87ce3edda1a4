import pg from 'pg'
import { roleNames } from '../connections/connection.ts'
import { DatabaseProblem } from '../database-problem.ts'
import { appliedLevel, completeUpTo } from './distribution-level.ts'
import { unreachedNodes } from './nodes.ts'
import { forgetLocalRows, placeTables } from './place-tables.ts'
import { citusSettings, everywhere, grantInTransaction, grantOnNodes, onWorkers } from './rights.ts'

/** Citus 13 passes settings of a database on by itself, and a worker refuses to. */
const notPassedOn = 'set local citus.enable_ddl_propagation = off'

/**
 * Set for every session of a migrated database, and taken back by processes that know it (migration 0065). Citus 13 passes it on
 * to workers, where nobody would take it back.
 */
const ofOlderProcesses = 'gatehouse.deployment'

const letIn = 'Let them in by pg_hba.conf, with a password if it asks for one (docs/citus.md), and run it again.'

/**
 * Distributes what has no place yet, all in one transaction, and does again what Citus does not do by itself. Killed at any point,
 * it can be run again. Answers with the tables that it placed.
 */
export async function completeDistribution(client: pg.Client, shardCount?: number): Promise<string[]> {
  const database = pg.escapeIdentifier((await client.query('select current_database() as name')).rows[0].name)
  for (const role of Object.values(roleNames)) {
    await client.query(`alter role ${role} login`)
    // Workers have none of a database that was migrated before it had Citus.
    await onWorkers(
      client,
      `${notPassedOn}; do $$ begin
        if not exists (select from pg_roles where rolname = '${role}') then create role ${role} login; end if;
      end $$`,
    )
  }
  const unreached = await unreachedNodes(client)
  if (unreached.length > 0) throw new DatabaseProblem(`${unreached.join(' ')} ${letIn}`)
  for (const [name, value] of Object.entries(citusSettings)) {
    await everywhere(client, `${notPassedOn}; alter database ${database} set ${name} = '${value}'`)
  }
  await onWorkers(client, `${notPassedOn}; alter database ${database} reset ${ofOlderProcesses}`)
  const placed = await placeAll(client, shardCount)
  await grantOnNodes(client)
  // On a node that was added since. The rebalancer would do it while Gatehouse serves, and hold up every write for it.
  await client.query("select replicate_reference_tables('block_writes')")
  await forgetLocalRows(client)
  await client.query(`alter database ${database} set ${completeUpTo} = '${await appliedLevel(client)}'`)
  return placed
}

async function placeAll(client: pg.Client, shardCount: number | undefined): Promise<string[]> {
  await client.query('begin')
  try {
    await settleCitus(client)
    if (shardCount) await client.query(`set local citus.shard_count = ${shardCount}`)
    const placed = await placeTables(client)
    await grantInTransaction(client)
    await client.query('commit')
    return placed
  } catch (error) {
    await client.query('rollback').catch(() => {})
    throw error
  }
}

/** For the transaction that is open. */
export async function settleCitus(client: pg.ClientBase): Promise<void> {
  for (const [name, value] of Object.entries(citusSettings)) await client.query(`set local ${name} = '${value}'`)
  await client.query('set local client_min_messages = warning')
}
