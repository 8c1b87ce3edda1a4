import sql, { join, type Sql } from 'sql-template-tag'
import { decidedBy, stateIs } from '../../../domain/finding-sql.ts'
import { textArray } from '../../../kernel/database/array-literal.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import {
  type ApplyMemories,
  applyMemoryDecisions,
  type MemoryDecision,
  type ObservedFindings,
  withoutMemory,
} from '../../findings/public.ts'
import { around, coveringMemories, repositoriesOf, type Scope } from '../scope.ts'

type About = { scanId: number; at?: Date | undefined }

const batchSize = 5_000

/** Alone, for whoever changes what memories cover, until the transaction ends. Always before any repository is held. */
export async function lockMemories(tx: Transaction): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock(memory_gate(${tx.deploymentId}::bigint))`)
}

/** Together with others: for whoever changes what repositories carry, not what memories cover. */
async function lockMemoriesShared(tx: Transaction): Promise<void> {
  await tx.query(sql`select pg_advisory_xact_lock_shared(memory_gate(${tx.deploymentId}::bigint))`)
}

/** Nobody else observes or decides anything in these scopes until the transaction ends: what is counted is what is done. */
export async function lockRepositories(tx: Transaction, scopes: readonly Scope[]): Promise<void> {
  const ids = join(
    scopes.map((scope) => repositoriesOf(tx.deploymentId, scope)),
    ' union ',
  )
  await tx.query(sql`select r.id from repository r where r.deployment_id = ${tx.deploymentId} and r.id in (${ids})
    order by r.id for no key update of r`)
}

/**
 * Gives the findings that a memory holds to whom they belong now that it has changed. Answers how many of them are of
 * concern again.
 */
export function reapplyMemory(tx: Transaction, id: number): Promise<number> {
  return reapply(tx, sql`f.decided_by = ${decidedBy.memory} and f.decider_id = ${id}`)
}

/** Gives those in a scope to whom they belong. */
export async function reapplyScope(tx: Transaction, scope: Scope): Promise<void> {
  await reapply(tx, around(tx.deploymentId, scope))
}

/** For a repository that carries other tags than before, and is held. */
export const tagging = {
  before: lockMemoriesShared,
  async after(tx: Transaction, repositoryId: number): Promise<void> {
    if (await anyInForce(tx, repositoryId)) await reapply(tx, sql`f.repository_id = ${repositoryId}`)
  },
}

/** For findings that were observed in a repository, which is held: new ones, changed ones and those that came back. */
const applyToObserved = async (
  tx: Transaction,
  { streamId, ids, fingerprints, ...about }: About & ObservedFindings,
): Promise<void> => {
  for (let at = 0; at < ids.length || at === 0; at += batchSize) {
    const some = { streamId, ids: ids.slice(at, at + batchSize), fingerprints: at === 0 ? fingerprints : [] }
    const { written } = await reapplyBatch(tx, some, about)
    if (ids.length > batchSize) await written
  }
}

export const applyMemories: ApplyMemories = Object.assign(applyToObserved, { areInForce: anyInForce })

/** Without any, none of its findings is held either. */
async function anyInForce(tx: Transaction, repositoryId: number): Promise<boolean> {
  const rows = await tx.query(sql`select from memory m where m.deployment_id = ${tx.deploymentId} and m.in_force
    and (m.repository_id = ${repositoryId} or m.repository_id is null) limit 1`)
  return rows.length > 0
}

/** Among what nobody with more say has decided and what is not fixed, batch by batch. */
async function reapply(tx: Transaction, among: Sql): Promise<number> {
  let returned = 0
  for (let after = 0; ; ) {
    const rows = await tx.query<{ id: number }>(sql`select f.id from finding f
      where f.deployment_id = ${tx.deploymentId} and f.id > ${after} and f.decided_by <= ${decidedBy.memory} and f.state < ${stateIs.fixed} and ${among}
      order by f.id limit ${batchSize}`)
    const ids = rows.map((row) => row.id)
    const applied = await reapplyBatch(tx, { streamId: 0, ids, fingerprints: [] }, { scanId: 0 })
    await applied.written
    returned += applied.returned
    if (ids.length < batchSize) return returned
    after = ids.at(-1)!
  }
}

/** Those of them that another holds than should be held by whom they should. */
async function reapplyBatch(tx: Transaction, { streamId, ids, fingerprints }: ObservedFindings, about: About) {
  if (ids.length + fingerprints.length === 0) return { returned: 0, written: Promise.resolve() }
  const columns = sql`f.id, f.rule_id, f.repository_id, f.path, f.cwes,
    case when f.decided_by = ${decidedBy.memory} then f.decider_id else 0 end as held_by`
  const ofConcern = sql`f.deployment_id = ${tx.deploymentId} and f.decided_by <= ${decidedBy.memory} and f.state < ${stateIs.fixed}`
  const astray = await tx.query<MemoryDecision>(sql`with f as materialized (
      select ${columns} from finding f where ${ofConcern} and f.id = any(${ids}::bigint[])
      union all
      select f.* from unnest(${textArray(fingerprints)}::text[]) as named (fingerprint)
      cross join lateral (select ${columns} from finding f
        where ${ofConcern} and f.stream_id = ${streamId} and f.fingerprint = named.fingerprint offset 0) f
    ), holder as (${coveringMemories(tx.deploymentId)}), astray as materialized (
      select f.id, coalesce(holder.memory_id, 0) as memory_id from f left join holder on holder.finding_id = f.id
      where coalesce(holder.memory_id, 0) <> f.held_by
    )
    select astray.id, astray.memory_id as "memoryId",
      case when astray.memory_id = 0 then ${withoutMemory(tx.deploymentId)} end as without
    from astray order by astray.id`)
  return applyMemoryDecisions(tx, astray, about)
}
