import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import * as codes from '../../../domain/finding-codes.ts'
import { stateIs } from '../../../domain/finding-sql.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { asksBesides, type FindingCriteria, repositoriesFor } from '../search/conditions.ts'

export type CountRow = { state: number; severity: number; product: number; count: number }

const tallied: readonly (keyof FindingCriteria)[] = [
  'states',
  'severities',
  'products',
  'repositoryIds',
  'repositories',
  'tags',
  'teams',
  'publiclyExposed',
  'archived',
  'pullRequests',
  'once',
]

/** Whether the counters tell how many there are of what is wanted. */
export function isTallied(wanted: FindingCriteria): boolean {
  return !asksBesides(wanted, tallied)
}

/** How many there are of each kind, by the counters. */
export function tally(db: Queryable, actor: Actor, wanted: FindingCriteria): Promise<CountRow[]> {
  return db.query(sql`select state, severity, product, sum(number) as count
    from ${counters(db.deploymentId, repositoriesFor(actor, wanted), wanted)} group by state, severity, product
    having sum(number) > 0`)
}

/** Whether the deployment has any of these kinds, by the counters alone. */
export async function isAnyTallied(db: Queryable, wanted: FindingCriteria): Promise<boolean> {
  const kinds = counters(db.deploymentId, undefined, { ...wanted, once: undefined })
  const rows = await db.query(sql`select from ${kinds} having sum(number) > 0`)
  return rows.length > 0
}

/** The counters themselves (`t`), as a table with a condition that others may follow. */
export function talliedKinds(actor: Actor, wanted: FindingCriteria): Sql {
  return counters(actor.deploymentId, repositoriesFor(actor, wanted), wanted)
}

export type TalliedColumn = 'repository_id' | 'state' | 'severity' | 'product'

/** How many there are of each value (`key`) of a column, by the counters. */
export function talliedBy(column: TalliedColumn, actor: Actor, wanted: FindingCriteria): Sql {
  const repositories = repositoriesFor(actor, wanted)
  const scope = column === 'repository_id' ? (repositories ?? allOf(actor.deploymentId)) : repositories
  return sql`select ${raw(column)} as key, sum(number) as count
    from ${counters(actor.deploymentId, scope, wanted)} group by 1 having sum(number) > 0`
}

/** Still to be done. */
export const openStates = (['open', 'reopened', 'reviewing', 'fixing'] as const).map(codes.state.code)

/** How many stand open on branches, each thing once, of each severity in each of the repositories, which are a query. */
export function openIn(deploymentId: number, repositories: Sql): Sql {
  const counts = codes.severity.words.map(
    (word) => sql`sum(number) filter (where severity = ${raw(String(codes.severity.code(word)))}) as ${raw(word)}`,
  )
  return sql`select repository_id, ${join(counts)}
    from ${counters(deploymentId, repositories, openOnBranches)} group by repository_id`
}

type Kinds = Partial<Pick<FindingCriteria, 'states' | 'severities' | 'products' | 'pullRequests' | 'once'>>

const openOnBranches: Kinds = { states: openStates, pullRequests: 'none', once: true }

function counters(deploymentId: number, repositories: Sql | undefined, wanted: Kinds): Sql {
  const where = repositories ? sql`in (${repositories})` : sql`= 0`
  return sql`(
      select t.repository_id, (t.kind & 15)::smallint as state, (t.kind >> 4 & 7)::smallint as severity,
        (t.kind >> 7 & 7)::smallint as product, t.kind >= 1024 as in_pull_request, t.number
      from finding_tally t where t.deployment_id = ${deploymentId} and t.repository_id ${where}
      ${wanted.once ? lessDuplicates(deploymentId, repositories ?? allOf(deploymentId), wanted) : empty}
    ) t where true ${areWanted(wanted, sql`in_pull_request`)}`
}

function allOf(deploymentId: number): Sql {
  return sql`select r.id from repository r where r.deployment_id = ${deploymentId}`
}

function areWanted({ states, severities, products, pullRequests }: Kinds, inPullRequest: Sql): Sql {
  return sql`${states ? sql`and state = any(${states}::smallint[])` : empty}
    ${severities ? sql`and severity = any(${severities}::smallint[])` : empty}
    ${products ? sql`and product = any(${products}::smallint[])` : empty}
    ${pullRequests ? sql`and ${inPullRequest} = ${pullRequests === 'only'}` : empty}`
}

/**
 * What counters do not tell of: those that another branch counts, by indexes that have nothing else, looked up for each of the
 * repositories. What stands has an index of its own, because of what was fixed, ignored or ended there are ever more.
 */
function lessDuplicates(deploymentId: number, repositories: Sql, wanted: Kinds): Sql {
  const isAsked = (ofStanding: boolean) => wanted.states?.some((code) => code <= lastStanding === ofStanding) ?? true
  return sql`${isAsked(true) ? lessThose(sql`<=`) : empty} ${isAsked(false) ? lessThose(sql`>`) : empty}`

  function lessThose(than: Sql): Sql {
    return sql`union all select asked.id, less.* from (${repositories}) asked (id) cross join lateral (
      select f.state, f.severity, f.product, f.pull_request > 0 as in_pull_request, (-count(*))::integer as number
      from finding f where f.deployment_id = ${deploymentId} and f.duplicate and f.state ${than} ${stateIs.provisionallyIgnored}
        and (case when f.duplicate then f.repository_id end) = asked.id ${areWanted(wanted, sql`(f.pull_request > 0)`)}
      group by 1, 2, 3, 4 offset 0) less`
  }
}

const lastStanding = codes.state.code('provisionally-ignored')
