import sql, { type Sql } from 'sql-template-tag'
import type { Transaction } from '../../kernel/database.ts'
import { hold, type Remember } from '../findings/reads.ts'
import { around, holderOf, repositoriesOf, type Scope } from './scope.ts'

/** How many findings are of no concern any more, and how many are again. */
export type Settled = { taken: number; returned: number }

const batchSize = 5_000
const ofConcern = 4

/**
 * Until the transaction ends nobody else changes what memories cover, or any finding in these scopes. Whoever needs both
 * passes the gate first.
 */
export async function enterGate(tx: Transaction): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(memory_gate(${tx.deploymentId}::bigint))`)
}

/** Together with others: for who changes what repositories carry, not what memories cover. */
async function passGate(tx: Transaction): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock_shared(memory_gate(${tx.deploymentId}::bigint))`)
}

export async function holdRepositories(tx: Transaction, scopes: readonly Scope[]): Promise<void> {
  for (const scope of scopes) {
    await tx.query(sql`select r.id from repository r where r.deployment_id = ${tx.deploymentId}
      and r.id in (${repositoriesOf(tx.deploymentId, scope)}) order by r.id for no key update of r`)
  }
}

/** Gives the findings that a memory holds, or is about to, to whom they belong now that it has changed. */
export async function settleMemory(tx: Transaction, id: number, scope: Scope): Promise<Settled> {
  const held = await settle(tx, sql`f.decided_by = 2 and f.decider_id = ${id}`)
  const covered = await settle(tx, around(tx.deploymentId, scope))
  return { taken: held.taken + covered.taken, returned: held.returned + covered.returned }
}

/** For a repository that carries other tags than before, and is held. */
export const tagging = {
  before: passGate,
  async after(tx: Transaction, repositoryId: number): Promise<void> {
    if (await anyInForce(tx, repositoryId)) await settle(tx, sql`f.repository_id = ${repositoryId}`)
  },
}

/** For findings that were observed in a repository, which is held: new ones, changed ones and those that came back. */
export const remember: Remember = async (tx, { repositoryId, findingIds, ...about }) => {
  if (findingIds.length === 0 || !(await anyInForce(tx, repositoryId))) return
  for (let at = 0; at < findingIds.length; at += batchSize) {
    const some = findingIds.slice(at, at + batchSize)
    await settle(tx, sql`f.id = any(${some}::bigint[])`, about)
  }
}

/** Without any, none of its findings is held either. */
async function anyInForce(tx: Transaction, repositoryId: number): Promise<boolean> {
  const rows = await tx.query(sql`select from memory m where m.deployment_id = ${tx.deploymentId} and m.in_force
    and (m.repository_id = ${repositoryId} or m.repository_id is null) limit 1`)
  return rows.length > 0
}

type Astray = { id: number; state: number; memoryId: number }

/** Of what nobody with more say has decided and what is not fixed, among these: who is held by another than they should be. */
async function settle(tx: Transaction, among: Sql, about = { scanId: 0 }): Promise<Settled> {
  const settled = { taken: 0, returned: 0 }
  for (let after = 0; ; ) {
    const astray = await tx.query<Astray>(sql`select f.id, f.state, coalesce(holder.id, 0) as "memoryId"
      from finding f left join lateral (${holderOf}) holder on true
      where f.deployment_id = ${tx.deploymentId} and f.id > ${after} and f.decided_by <= 2 and f.state <> 7 and ${among}
        and coalesce(holder.id, 0) <> case when f.decided_by = 2 then f.decider_id else 0 end
      order by f.id limit ${batchSize}`)
    settled.taken += astray.filter((one) => one.memoryId > 0 && one.state <= ofConcern).length
    settled.returned += await hold(tx, astray, about)
    if (astray.length < batchSize) return settled
    after = astray.at(-1)!.id
  }
}
