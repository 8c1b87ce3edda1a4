import sql, { empty, type Sql } from 'sql-template-tag'
import { stateIs } from '../../../domain/finding-sql.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { visibleTo } from '../../repositories/public.ts'

export type RuleSort = 'severity' | 'repositories' | 'findings' | 'published' | 'id'

export type RuleSearch = {
  source: string
  repositoryId: number | undefined
  /** In lower case: a part of its title or of an id that findings have of it. */
  text: string | undefined
  severities: readonly number[] | undefined
  ecosystems: readonly string[] | undefined
  /** In lower case. */
  dependency: string | undefined
  /** When the thing that a rule names came out, as a scalar of SQL. */
  published: (externalId: Sql) => Sql
  publishedSince: Date | undefined
  order: { by: RuleSort; direction: 'asc' | 'desc' }
  after: RulePosition | undefined
  limit: number
}

/** Where the page before ended: what it is sorted by, as numbers, and the id of the rule. */
export type RulePosition = { rank: number[]; externalId: string }

export type RuleMatch = RulePosition & {
  title: string
  severity: number
  findings: number
  repositories: number
  publishedAt: Date | null
  dependencies: { ecosystem: string; name: string }[]
  total: number
}

const ranks: Record<RuleSort, Sql> = {
  severity: sql`array[severity, repositories, findings]::bigint[]`,
  repositories: sql`array[repositories, severity, findings]::bigint[]`,
  findings: sql`array[findings, severity, repositories]::bigint[]`,
  published: sql`array[coalesce(extract(epoch from "publishedAt")::bigint, 0)]::bigint[]`,
  id: sql`'{}'::bigint[]`,
}

const mostDependencies = 5

/** The rules of a source that have open findings on branches, with what they stand for. */
export function searchRules(db: Queryable, actor: Actor, search: RuleSearch): Promise<RuleMatch[]> {
  const { deploymentId } = db
  const { order, after, limit, published, publishedSince, severities } = search
  const way = order.direction === 'desc' ? sql`desc` : empty
  const needsDate = publishedSince !== undefined || order.by === 'published'
  const date = published(sql`rule.external_id`)
  const standing = sql`f.deployment_id = ${deploymentId} and f.pull_request = 0 and f.state <= ${stateIs.lastOpen}
    and ${visibleTo(actor, sql`f.repository_id`)}
    ${search.repositoryId === undefined ? empty : sql`and f.repository_id = ${search.repositoryId}`}`
  return db.query(sql`with counted as materialized (
      select rule.id, f.repository_id, count(*), max(f.severity) as severity
      from finding_rule rule join finding f on f.rule_id = rule.id and ${standing} ${matching(search)}
      where rule.deployment_id = ${deploymentId} and rule.source = ${search.source}
      group by rule.id, f.repository_id),
    found as materialized (
      select rule.id, rule.external_id as "externalId", sums.*, ${needsDate ? date : sql`null::timestamptz`} as "publishedAt"
      from (select id as rule_id, sum(count)::bigint as findings, count(*) as repositories, max(severity) as severity
        from counted group by id) sums
      join finding_rule rule on rule.deployment_id = ${deploymentId} and rule.id = sums.rule_id
      where true ${severities ? sql`and sums.severity = any(${severities}::smallint[])` : empty}
        ${publishedSince ? sql`and ${date} >= ${publishedSince}` : empty}),
    page as materialized (
      select * from (select found.*, ${ranks[order.by]} as rank from found) ranked ${past(after, order)}
      order by rank ${way}, "externalId" collate "C" ${order.by === 'id' ? way : empty} limit ${limit})
    select page.rank, page."externalId", page.severity, page.findings, page.repositories, shown.*,
      ${needsDate ? sql`page."publishedAt"` : sql`(select ${published(sql`page."externalId"`)})`} as "publishedAt",
      (select count(*) from found) as total
    from page cross join lateral (
      select (array_agg(f.title order by f.severity desc, f.id))[1] as title,
        coalesce((array_agg(distinct (f.content->'dependency') - 'version')
          filter (where jsonb_typeof(f.content->'dependency') = 'object'))[1:${mostDependencies}], '{}') as dependencies
      from finding f where f.rule_id = page.id and ${standing}) shown
    order by page.rank ${way}, page."externalId" collate "C" ${order.by === 'id' ? way : empty}`)
}

function matching({ text, ecosystems, dependency }: RuleSearch): Sql {
  const own = sql`f.content->'dependency'`
  return sql`${
    text === undefined
      ? empty
      : sql`and (strpos(lower(f.title), ${text}) > 0 or strpos(lower(rule.external_id), ${text}) > 0
        or exists (select 1 from unnest(f.vulnerability_ids) id where strpos(lower(id), ${text}) > 0))`
  }
    ${ecosystems ? sql`and ${own}->>'ecosystem' = any(${ecosystems}::text[])` : empty}
    ${dependency === undefined ? empty : sql`and lower(${own}->>'name') = ${dependency}`}`
}

function past(after: RulePosition | undefined, { by, direction }: RuleSearch['order']): Sql {
  if (!after) return empty
  const beyond = direction === 'desc' ? sql`<` : sql`>`
  const further = by === 'id' ? beyond : sql`>`
  return sql`where rank ${beyond} ${after.rank}::bigint[]
    or (rank = ${after.rank}::bigint[] and "externalId" collate "C" ${further} ${after.externalId}::text collate "C")`
}
