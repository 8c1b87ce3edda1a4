import sql, { empty, join, type Sql } from 'sql-template-tag'
import { type Assignees, isAssigned } from '../../../domain/assignees.ts'
import { type Actor, seesEverything } from '../../../kernel/access/actor.ts'
import { visibleTo } from '../../repositories/public.ts'

type Span = { since?: Date | undefined; until?: Date | undefined }

/** What issues are asked for, in the words of the tables. */
export type IssueCriteria = {
  states?: number[] | undefined
  reasons?: number[] | undefined
  severities?: number[] | undefined
  repositoryIds?: number[] | undefined
  title?: string | undefined
  assignees?: Assignees | undefined
  created?: Span | undefined
  lastDetected?: Span | undefined
}

/** The sets of repositories whose issues the actor sees and asks for, as a query; undefined: all there are. */
export function scopesFor(actor: Actor, repositoryIds: readonly number[] | undefined): Sql | undefined {
  const held = sql`select held.scope_id from issue_scope_repository held
    where held.deployment_id = ${actor.deploymentId} and ${visibleTo(actor, sql`held.repository_id`)}`
  if (repositoryIds) return sql`${held} and held.repository_id = any(${repositoryIds}::bigint[])`
  if (seesEverything(actor)) return undefined
  return sql`${held} union all
    select whole.id from issue_scope whole where whole.deployment_id = ${actor.deploymentId} and whole.key = ''`
}

/** Holds for the cells (`row` is an issue or a counter) that are asked for. */
export function inCells(row: Sql, wanted: IssueCriteria): Sql {
  return all([
    wanted.states && sql`${row}.triage_state = any(${wanted.states}::smallint[])`,
    wanted.reasons && sql`${row}.triage_reason = any(${wanted.reasons}::smallint[])`,
    wanted.severities && sql`${row}.severity = any(${wanted.severities}::smallint[])`,
  ])
}

/** What only the issue itself (`i`) can tell. */
export function beyondCells(deploymentId: number, { title, assignees, created, lastDetected }: IssueCriteria): Sql {
  return all([
    title !== undefined && sql`strpos(lower(i.title), lower(${title})) > 0`,
    assignees && isAssigned(deploymentId, 'issue', sql`i.id`, assignees),
    created?.since && sql`i.created_at >= ${created.since}`,
    created?.until && sql`i.created_at < ${created.until}`,
    lastDetected?.since && sql`i.last_detected_at >= ${lastDetected.since}`,
    lastDetected?.until && sql`i.last_detected_at < ${lastDetected.until}`,
  ])
}

/** Everything at once, for one issue (`i`) after the other. */
export function matches(actor: Actor, wanted: IssueCriteria): Sql {
  const scopes = scopesFor(actor, wanted.repositoryIds)
  const inScope = scopes ? sql`and i.scope_id in (${scopes})` : empty
  return sql`true ${inCells(sql`i`, wanted)} ${beyondCells(actor.deploymentId, wanted)} ${inScope}`
}

function all(conditions: (Sql | false | undefined)[]): Sql {
  const real = conditions.filter((condition) => condition instanceof Object)
  return real.length === 0 ? empty : sql`and ${join(real, ' and ')}`
}
