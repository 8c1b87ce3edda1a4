import sql from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import { visibleTo } from '../../repositories/public.ts'
import { type FindingCriteria, matches } from '../search/conditions.ts'
import type { FindingFilter } from '../search/filter.ts'
import { readFilter } from '../search/read-filter.ts'

/** What a decision about a finding starts from. */
export type LockedFinding = {
  id: number
  repository_id: number
  pull_request: number
  state: number
  reason: number
  decided_by: number
  decider_id: number
  version: number
}

const standing = sql`f.id, f.repository_id, f.pull_request, f.state, f.reason, f.decided_by, f.decider_id, f.version`

/**
 * Held until the transaction ends. First their repositories, which keeps observations and other decisions away: of what stands
 * on several branches another one may have to count instead (see duplicates.ts), and two who decide at once would each go by
 * what the other is changing. Then the findings themselves; both in the order of ids, so that two who want the same do not
 * wait for each other in a circle.
 */
export async function lock(
  tx: Transaction,
  actor: Actor,
  ids: readonly number[],
  wanted?: FindingCriteria,
): Promise<LockedFinding[]> {
  const given = sql`f.deployment_id = ${tx.deploymentId} and f.id = any(${ids}::bigint[])`
  await tx.query(sql`select r.id from repository r where r.deployment_id = ${tx.deploymentId}
    and r.id in (select f.repository_id from finding f where ${given}) order by r.id for no key update of r`)
  // Once they are held: until then they could change.
  const still = wanted ? matches(actor, wanted) : visibleTo(actor, sql`f.repository_id`)
  return tx.query(sql`select ${standing} from finding f where ${given} and ${still} order by f.id for update of f`)
}

/** The same for findings whose repositories are held already. Answers those that the actor sees. */
export function lockMore(
  tx: Transaction,
  actor: Actor,
  ids: readonly number[],
): Promise<Pick<LockedFinding, 'id' | 'state' | 'reason'>[]> {
  return tx.query(sql`select f.id, f.state, f.reason from finding f
    where f.deployment_id = ${tx.deploymentId} and f.id = any(${ids}::bigint[]) and ${visibleTo(actor, sql`f.repository_id`)}
    order by f.id for update of f`)
}

/** The same, for others who have a filter. */
export function matchingFindings(db: Queryable, actor: Actor, filter: FindingFilter, limit: number): Promise<number[]> {
  return listMatching(db, actor, readFilter(actor, filter), limit)
}

export async function listMatching(
  db: Queryable,
  actor: Actor,
  wanted: FindingCriteria,
  limit: number,
): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`select f.id from finding f
    where f.deployment_id = ${db.deploymentId} and ${matches(actor, wanted)} order by f.id limit ${limit}`)
  return rows.map((row) => row.id)
}
