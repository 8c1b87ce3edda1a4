import sql, { empty, join, type Sql } from 'sql-template-tag'
import { type Actor, seesEverything } from '../../../kernel/access/actor.ts'
import { visibleTo } from '../../repositories/public.ts'
import { repositoriesOfTeams } from '../../teams/public.ts'
import { type Further, furtherParts, type Parts } from './further-parts.ts'

type Span = { since: Date | undefined; until: Date | undefined }
type Several<T> = T[] | undefined

/** What findings are asked for, in the words of the tables. */
export type FindingCriteria = {
  states: Several<number>
  reasons: Several<number>
  severities: Several<number>
  products: Several<number>
  confidences: Several<number>
  reachabilities: Several<number>
  validities: Several<number>
  categories: Several<number>
  repositoryIds: Several<number>
  repositories: Several<string>
  tags: Several<string>
  refs: Several<string>
  pullRequests: 'only' | 'none' | undefined
  pullRequest: number | undefined
  once: true | undefined
  silenced: boolean | undefined
  malicious: boolean | undefined
  sources: Several<string>
  ruleIds: Several<string>
  cwes: Several<string>
  vulnerabilityIds: Several<string>
  pathPrefix: string | undefined
  text: string | undefined
  raised: Span | undefined
  fixed: Span | undefined
  teams: Several<string>
  publiclyExposed: boolean | undefined
  archived: boolean | undefined
  /** None of its parts may hold. */
  not: FindingCriteria | undefined
} & Further

/** Whether something is asked besides these parts. */
export function asksBesides(wanted: FindingCriteria, parts: readonly (keyof FindingCriteria)[]): boolean {
  return Object.entries(wanted).some(
    ([name, value]) => value !== undefined && !parts.includes(name as keyof FindingCriteria),
  )
}

/** The repositories that the actor sees and asks for, as a query; undefined: all there are. */
export function repositoriesFor(actor: Actor, wanted: FindingCriteria): Sql | undefined {
  const conditions = real(repositoryParts(wanted, actor.deploymentId))
  const excluded = wanted.not ? real(repositoryParts(wanted.not, actor.deploymentId)).map(unless) : []
  if (seesEverything(actor) && conditions.length + excluded.length === 0) return undefined
  return sql`select r.id from repository r where r.deployment_id = ${actor.deploymentId}
    and ${visibleTo(actor, sql`r.id`)} ${all([...conditions, ...excluded])}`
}

/** What is asked of the repository (`r`) of a finding. */
function repositoryParts(wanted: FindingCriteria, deploymentId: number): Parts {
  const { repositoryIds, repositories, tags, teams, publiclyExposed, archived, scanIds } = wanted
  return [
    repositoryIds && sql`r.id = any(${repositoryIds}::bigint[])`,
    repositories && sql`r.name = any(${repositories}::text[])`,
    tags &&
      sql`exists (select 1 from repository_tag rt join tag t on t.deployment_id = rt.deployment_id and t.id = rt.tag_id
        where rt.deployment_id = r.deployment_id and rt.repository_id = r.id and t.name = any(${tags}::text[]))`,
    teams && sql`r.id in (${repositoriesOfTeams(deploymentId, teams)})`,
    publiclyExposed !== undefined && sql`r.publicly_exposed = ${publiclyExposed}`,
    archived !== undefined && sql`r.archived = ${archived}`,
    // The scan itself is asked of the finding; this leads to its repository, and not through all findings.
    scanIds &&
      sql`r.id in (select scan.repository_id from scan
      where scan.deployment_id = ${deploymentId} and scan.id = any(${scanIds}::bigint[]))`,
  ]
}

/** The rules of these names, of whatever source, as a query. */
export function rulesFor(ruleIds: readonly string[], deploymentId: number): Sql {
  return sql`select rule.id from finding_rule rule
    where rule.deployment_id = ${deploymentId} and rule.external_id = any(${ruleIds}::text[])`
}

/** What a finding (`f`) itself tells. */
export function onFinding(wanted: FindingCriteria, deploymentId: number): Sql {
  const excluded = wanted.not ? real(findingParts(wanted.not, deploymentId)).map(unless) : []
  return all([...findingParts(wanted, deploymentId), ...excluded])
}

/** The part of it that the index of kinds has, of one of them (`f`); undefined where nothing of it is asked. */
export function onKind(wanted: FindingCriteria): Sql | undefined {
  const parts = [...real(kindParts(wanted)), ...(wanted.not ? real(kindParts(wanted.not)).map(unless) : [])]
  return parts.length === 0 ? undefined : join(parts, ' and ')
}

const among = (column: Sql, values: Several<number>) => values && sql`${column} = any(${values}::smallint[])`

function kindParts(wanted: FindingCriteria): Parts {
  return [
    among(sql`f.reason`, wanted.reasons),
    among(sql`f.decided_by`, wanted.deciders),
    among(sql`f.validity`, wanted.validities),
    among(sql`f.reachability`, wanted.reachabilities),
    among(sql`f.confidence`, wanted.confidences),
    among(sql`f.category`, wanted.categories),
    wanted.malicious !== undefined && sql`f.malicious = ${wanted.malicious}`,
    wanted.silenced !== undefined && sql`f.silenced = ${wanted.silenced}`,
    wanted.once && sql`not f.duplicate`,
  ]
}

function findingParts(wanted: FindingCriteria, deploymentId: number): Parts {
  return [
    ...kindParts(wanted),
    among(sql`f.state`, wanted.states),
    among(sql`f.severity`, wanted.severities),
    among(sql`f.product`, wanted.products),
    wanted.pullRequests && (wanted.pullRequests === 'only' ? sql`f.pull_request > 0` : sql`f.pull_request = 0`),
    wanted.pullRequest !== undefined && sql`f.pull_request = ${wanted.pullRequest}`,
    wanted.ruleIds && sql`f.rule_id = any(array(${rulesFor(wanted.ruleIds, deploymentId)}))`,
    ofStreams(wanted, deploymentId),
    wanted.cwes && sql`f.cwes && ${wanted.cwes}::text[]`,
    wanted.vulnerabilityIds && sql`f.vulnerability_ids && ${wanted.vulnerabilityIds}::text[]`,
    wanted.pathPrefix !== undefined && sql`starts_with(f.path, ${wanted.pathPrefix})`,
    wanted.text !== undefined &&
      sql`(strpos(lower(f.title), lower(${wanted.text})) > 0 or strpos(lower(f.message), lower(${wanted.text})) > 0)`,
    within(sql`f.raised_at`, wanted.raised),
    within(sql`f.fixed_at`, wanted.fixed),
    ...furtherParts(wanted, deploymentId),
  ]
}

/** A part of the above, by itself: when it may have been raised. */
export function raisedWithin({ raised, standingAt }: FindingCriteria): Sql {
  return all([within(sql`f.raised_at`, raised), standingAt && sql`f.raised_at <= ${standingAt}`])
}

export function within(column: Sql, span: Span | undefined): Sql | undefined {
  const ends = real([span?.since && sql`${column} >= ${span.since}`, span?.until && sql`${column} < ${span.until}`])
  return ends.length === 0 ? undefined : sql`(${join(ends, ' and ')})`
}

function ofStreams(wanted: FindingCriteria, deploymentId: number): Sql | undefined {
  if (!wanted.refs && !wanted.sources) return undefined
  // 'is true' keeps the planner from joining: the streams are hashed once and each row looks itself up.
  return sql`(f.stream_id in (${streamsFor({ ...wanted, pullRequest: undefined }, deploymentId)})) is true`
}

/** The streams of these branches, sources and pull requests, as a query. */
export function streamsFor({ refs, sources, pullRequest }: FindingCriteria, deploymentId: number): Sql {
  return sql`select s.id from finding_stream s where s.deployment_id = ${deploymentId} ${all([
    refs && sql`s.ref = any(${refs}::text[])`,
    sources && sql`s.source = any(${sources}::text[])`,
    pullRequest !== undefined && sql`s.pull_request = ${pullRequest}`,
  ])}`
}

/** Everything at once, for one finding (`f`) after the other. */
export function matches(actor: Actor, wanted: FindingCriteria): Sql {
  return sql`true ${onFinding(wanted, actor.deploymentId)} ${inRepositories(actor, wanted)}`
}

export function inRepositories(actor: Actor, wanted: FindingCriteria): Sql {
  const repositories = repositoriesFor(actor, wanted)
  return repositories ? sql`and (f.repository_id in (${repositories})) is true` : empty
}

function all(conditions: Parts): Sql {
  const there = real(conditions)
  return there.length === 0 ? empty : sql`and ${join(there, ' and ')}`
}

function real(conditions: Parts): Sql[] {
  return conditions.filter((condition) => condition instanceof Object)
}

/** What is not known is not excluded. */
function unless(condition: Sql): Sql {
  return sql`(${condition}) is not true`
}
