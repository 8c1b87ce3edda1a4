import sql, { empty } from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { type FindingCriteria, repositoriesFor } from '../search/conditions.ts'

export type CountRow = { state: number; severity: number; product: number; count: number }

const tallied: readonly (keyof FindingCriteria)[] = [
  'states',
  'severities',
  'products',
  'repositoryIds',
  'repositories',
  'tags',
  'pullRequests',
]

/** Whether the counters tell how many there are of what is wanted. */
export function isTallied(wanted: FindingCriteria): boolean {
  return Object.entries(wanted).every(
    ([name, value]) => value === undefined || tallied.includes(name as keyof FindingCriteria),
  )
}

/** How many there are of each kind, by the counters. */
export function tally(db: Queryable, actor: Actor, wanted: FindingCriteria): Promise<CountRow[]> {
  const repositories = repositoriesFor(actor, wanted)
  const where = repositories ? sql`in (${repositories})` : sql`= 0`
  const { states, severities, products, pullRequests } = wanted
  return db.query(sql`select state, severity, product, sum(number) as count from (
      select (t.kind & 15)::smallint as state, (t.kind >> 4 & 7)::smallint as severity,
        (t.kind >> 7 & 7)::smallint as product, t.kind >= 1024 as in_pull_request, t.number
      from finding_tally t where t.deployment_id = ${db.deploymentId} and t.repository_id ${where} and t.number > 0
    ) t where true
      ${states ? sql`and state = any(${states}::smallint[])` : empty}
      ${severities ? sql`and severity = any(${severities}::smallint[])` : empty}
      ${products ? sql`and product = any(${products}::smallint[])` : empty}
      ${pullRequests ? sql`and in_pull_request = ${pullRequests === 'only'}` : empty}
    group by state, severity, product`)
}
