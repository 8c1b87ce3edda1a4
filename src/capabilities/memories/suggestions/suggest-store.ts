import sql, { empty } from 'sql-template-tag'
import { decidedBy, stateIs } from '../../../domain/finding-sql.ts'
import { emailOfPerson } from '../../../domain/person-names.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { visibleTo } from '../../repositories/public.ts'
import { covers, ruleOf } from '../scope.ts'
import type { IgnoredFinding } from './suggestible.ts'

/**
 * The latest decisions of people, in all repositories the actor sees or in some of them. Ordered by path, byte by byte, which
 * puts what is in one folder next to each other.
 */
export function listIgnored(
  db: Queryable,
  actor: Actor,
  repositoryIds: readonly number[] | undefined,
  most: number,
): Promise<(IgnoredFinding & { repositoryId: number })[]> {
  const those = repositoryIds ? sql`and f.repository_id = any(${repositoryIds}::bigint[])` : empty
  return db.query(sql`select * from (select f.id, f.repository_id as "repositoryId", r.external_id as rule, f.reason, f.path,
      f.decider_id as "personId", ${emailOfPerson(db.deploymentId, sql`f.decider_id`)} as email, coalesce(h.note, '') as note, f.state_at as at
    from finding f ${ruleOf(db.deploymentId)}
    left join finding_history h on h.deployment_id = f.deployment_id and h.finding_id = f.id and h.seq = f.change_count
    where f.deployment_id = ${db.deploymentId} and f.decided_by = ${decidedBy.person} and f.state in (${stateIs.provisionallyIgnored}, ${stateIs.ignored}) and f.reason <> 0
      and ${visibleTo(actor, sql`f.repository_id`)} ${those}
    order by f.state_at desc, f.id desc limit ${most}) latest order by path collate "C", id`)
}

/** Whether memories in force cover all of these findings: then there is nothing to suggest. */
export async function allCovered(db: Queryable, findingIds: readonly number[]): Promise<boolean> {
  const rows = await db.query(sql`select from finding f ${ruleOf(db.deploymentId)}
    where f.deployment_id = ${db.deploymentId} and f.id = any(${findingIds}::bigint[])
      and not exists (select 1 from memory m where m.in_force and ${covers(db.deploymentId)}) limit 1`)
  return rows.length === 0
}

export async function repositoriesWith(db: Queryable, findingIds: readonly number[]): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`select distinct f.repository_id as id from finding f
    where f.deployment_id = ${db.deploymentId} and f.id = any(${findingIds}::bigint[]) order by 1`)
  return rows.map((row) => row.id)
}
