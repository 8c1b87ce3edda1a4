import sql, { empty, type Sql } from 'sql-template-tag'
import { type Assignees, isAssigned } from '../../../domain/assignees.ts'
import * as codes from '../../../domain/finding-codes.ts'
import { stateIs } from '../../../domain/finding-sql.ts'
import { atStage, countedAs, type GuardrailsFigure, ofStageProduct, type Stage, type StageProduct } from '../cell.ts'
import { isOverdue } from '../deadlines/store.ts'

import type { Happening } from './filter.ts'

/** Conditions, where they are asked for. */
export type Parts = (Sql | false | undefined | '')[]

type Several<T> = T[] | undefined

export type Further = {
  findingIds: Several<number>
  stage: Stage | undefined
  stageProduct: StageProduct | undefined
  guardrailsFigure: GuardrailsFigure | undefined
  scanIds: Several<number>
  dependency: { ecosystem?: string; name: string; version?: string } | undefined
  deciders: Several<number>
  hasTicket: boolean | undefined
  happened: Happening | undefined
  standingAt: Date | undefined
  happenedAt: { since: Date | undefined; until: Date | undefined } | undefined
  owasp: Several<string>
  paths: Several<string>
  overdue: boolean | undefined
  assignees: Assignees | undefined
  firstVulnerabilityIds: Several<string>
}

const sca = codes.product.code('sca')

/** What is asked for by the numbers of reports, by lists of ids, and by what is only shown. */
export function furtherParts(wanted: Further, deploymentId: number): Parts {
  return [
    wanted.findingIds && sql`f.id = any(${wanted.findingIds}::bigint[])`,
    wanted.scanIds && sql`f.scan_id = any(${wanted.scanIds}::bigint[])`,
    wanted.stage && atStage(wanted.stage),
    wanted.stageProduct && ofStageProduct(wanted.stageProduct),
    wanted.guardrailsFigure && countedAs(wanted.guardrailsFigure),
    wanted.hasTicket !== undefined && withTicket(wanted.hasTicket, deploymentId),
    (wanted.happened || wanted.happenedAt) && changed(wanted, deploymentId),
    wanted.standingAt && standingAt(wanted.standingAt, deploymentId),
    wanted.dependency && aboutDependency(wanted.dependency),
    wanted.paths && sql`f.path = any(${wanted.paths}::text[])`,
    wanted.firstVulnerabilityIds && sql`f.vulnerability_ids[1] = any(${wanted.firstVulnerabilityIds}::text[])`,
    wanted.assignees && isAssigned(deploymentId, 'finding', sql`f.id`, wanted.assignees),
    wanted.overdue !== undefined &&
      (wanted.overdue ? isOverdue(deploymentId) : sql`(${isOverdue(deploymentId)}) is not true`),
    wanted.owasp && sql`f.content->'owasp' ?| ${wanted.owasp}::text[]`,
  ]
}

/** 'is true' keeps the planner from joining: the tickets are hashed once and each row looks itself up. */
function withTicket(has: boolean, deploymentId: number): Sql {
  const found = sql`f.id in (select ts.subject_id from ticket_subject ts
    where ts.deployment_id = ${deploymentId} and ts.kind = 'finding')`
  return has ? sql`(${found}) is true` : sql`(${found}) is not true`
}

/** As the activity report counts it. Of one finding after the other: a page looks at few of them, and the history of a year is long. */
function changed(wanted: Pick<Further, 'happened' | 'happenedAt'>, deploymentId: number): Sql {
  return sql`exists (select from finding_history h where h.deployment_id = ${deploymentId} and h.finding_id = f.id
    ${changeOf(wanted)} offset 0)`
}

/** What is asked of a change (`h`). */
export function changeOf({ happened, happenedAt }: Pick<Further, 'happened' | 'happenedAt'>): Sql {
  const { since, until } = happenedAt ?? {}
  return sql`${since ? sql`and h.at >= ${since}` : empty} ${until ? sql`and h.at < ${until}` : empty}
    ${happened ? sql`and ${became[happened]}` : empty}`
}

const into = (state: Sql) => sql`h.to_state = ${state} and h.from_state <> ${state}`
const became: Record<Happening, Sql> = {
  fixed: into(stateIs.fixed),
  reopened: sql`h.from_state = ${stateIs.fixed} and h.to_state <> ${stateIs.fixed}`,
  ignored: into(stateIs.ignored),
  provisionallyIgnored: into(stateIs.provisionallyIgnored),
}

/** As the trends report counts it: by the last change up to then, else by what the first change after it was from. */
function standingAt(moment: Date, deploymentId: number): Sql {
  const change = (column: Sql, more: Sql) => sql`(select ${column} from finding_history h
    where h.deployment_id = ${deploymentId} and h.finding_id = f.id ${more} limit 1)`
  const before = change(sql`h.to_state`, sql`and h.at <= ${moment} order by h.at desc, h.seq desc`)
  const after = change(sql`h.from_state`, sql`and h.at > ${moment} order by h.at, h.seq`)
  return sql`f.pull_request = 0 and not f.duplicate and f.raised_at <= ${moment}
    and coalesce(${before}, ${after}, f.state) <= ${stateIs.provisionallyIgnored}`
}

/** Only findings about dependencies are unpacked. */
function aboutDependency({ ecosystem, name, version }: NonNullable<Further['dependency']>): Sql {
  const given = {
    name,
    ...(ecosystem === undefined ? {} : { ecosystem }),
    ...(version === undefined ? {} : { version }),
  }
  return sql`(f.product = ${sca} and f.content->'dependency' @> ${JSON.stringify(given)}::jsonb)`
}
