import sql, { empty, type Sql } from 'sql-template-tag'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Queryable } from '../../kernel/database/database.ts'
import { openInRepository } from '../findings/public.ts'
import { inventories } from '../inventory/public.ts'
import { repositoriesOfTeams } from '../teams/public.ts'
import { visibleTo } from './public.ts'
import type { RepositorySearchFilter, RepositorySort } from './search-contract.ts'
import type { RepositoryRow } from './store.ts'
import { tagNamesOf } from './tag-names.ts'

export type FigureRow = RepositoryRow & {
  rank: number[]
  total: number
  info: number
  low: number
  medium: number
  high: number
  critical: number
  dependencies: number
  scan_id: number | null
  scan_at: Date | null
  blocked: number
  teams: { id: number; slug: string; name: string }[]
}

export type Order = { by: RepositorySort; direction: 'asc' | 'desc' }
export type Position = { rank: number[]; name: string }

/** What repositories are ordered by, before their name. */
const ranks: Record<RepositorySort, Sql> = {
  name: sql`'{}'::bigint[]`,
  severity: sql`array[critical, high, medium, low, info]::bigint[]`,
  open: sql`array[critical + high + medium + low + info]::bigint[]`,
  dependencies: sql`array[dependencies]::bigint[]`,
  lastScan: sql`array[coalesce(floor(extract(epoch from scan_at) * 1000), 0)]::bigint[]`,
  blocked: sql`array[blocked]::bigint[]`,
}

export function search(
  db: Queryable,
  actor: Actor,
  filter: RepositorySearchFilter,
  { order, after, limit }: { order: Order; after: Position | undefined; limit: number },
): Promise<FigureRow[]> {
  const byName = order.by === 'name' && order.direction === 'desc' ? sql`desc` : empty
  const way = order.direction === 'desc' ? sql`desc` : empty
  return db.query(sql`with found as materialized (${figures(db.deploymentId, actor, filter)}),
    ranked as (select found.*, ${ranks[order.by]} as rank from found)
    select page.*, (select count(*) from found) as total, ${tagNamesOf(db.deploymentId, sql`page.id`)} as tags, coalesce((select json_agg(
        json_build_object('id', team.id, 'slug', team.slug, 'name', team.name) order by team.name collate "C", team.id)
      from team_repository held join team on team.deployment_id = held.deployment_id and team.id = held.team_id
      where held.deployment_id = ${db.deploymentId} and held.repository_id = page.id), '[]') as teams
    from (select * from ranked ${past(after, order)}
      order by rank ${way}, name collate "C" ${byName} limit ${limit}) page
    order by page.rank ${way}, page.name collate "C" ${byName}`)
}

function past(after: Position | undefined, { by, direction }: Order): Sql {
  if (!after) return empty
  const beyond = direction === 'desc' ? sql`<` : sql`>`
  const further = by === 'name' ? beyond : sql`>`
  return sql`where rank ${beyond} ${after.rank}::bigint[]
    or (rank = ${after.rank}::bigint[] and name collate "C" ${further} ${after.name}::text collate "C")`
}

function figures(deploymentId: number, actor: Actor, filter: RepositorySearchFilter): Sql {
  const count = (severity: Sql) => sql`coalesce(sum(count) filter (where severity = ${severity}), 0)::bigint`
  return sql`select r.deployment_id, r.id, r.name, r.archived, r.publicly_exposed, r.default_branch, r.kind, r.created_at,
      r.version, r.web_url, r.link_templates, counted.*, coalesce(i.dependency_count, 0) as dependencies, last.id as scan_id, last.at as scan_at,
      coalesce(stopped.count, 0) as blocked
    from repository r
    cross join lateral (select ${count(sql`1`)} as info, ${count(sql`2`)} as low, ${count(sql`3`)} as medium,
        ${count(sql`4`)} as high, ${count(sql`5`)} as critical
      from (${openInRepository(deploymentId, sql`r.id`)}) open) counted
    left join ${inventories(deploymentId)} i on i.repository_id = r.id
    left join lateral (select s.id, coalesce(s.performed_at, s.created_at) as at from scan s
      where s.deployment_id = ${deploymentId} and s.repository_id = r.id order by s.id desc limit 1) last on true
    cross join lateral (select count(*) from scan s
      where s.deployment_id = ${deploymentId} and s.repository_id = r.id and s.blocked and s.pull_request > 0
        and not exists (select 1 from scan newer where newer.deployment_id = ${deploymentId}
          and newer.repository_id = s.repository_id and newer.pull_request = s.pull_request and newer.pull_request > 0
          and newer.id > s.id)) stopped
    where r.deployment_id = ${deploymentId} and ${visibleTo(actor, sql`r.id`)} ${conditions(deploymentId, filter)}`
}

function conditions(deploymentId: number, filter: RepositorySearchFilter): Sql {
  const { ids, text, tags, teams, publiclyExposed, neverScanned, blocked } = filter
  const archived = filter.archived ?? (ids ? undefined : false)
  const tagged = sql`exists (select 1 from repository_tag rt join tag t on t.deployment_id = rt.deployment_id and t.id = rt.tag_id
    where rt.deployment_id = ${deploymentId} and rt.repository_id = r.id and t.name = any(${tags}::text[]))`
  return sql`${archived === undefined ? empty : sql`and r.archived = ${archived}`}
    ${ids ? sql`and r.id = any(${ids}::bigint[])` : empty}
    ${text === undefined ? empty : sql`and strpos(lower(r.name), lower(${text})) > 0`}
    ${tags ? sql`and ${tagged}` : empty}
    ${teams ? sql`and r.id in (${repositoriesOfTeams(deploymentId, teams)})` : empty}
    ${publiclyExposed === undefined ? empty : sql`and r.publicly_exposed = ${publiclyExposed}`}
    ${neverScanned === undefined ? empty : sql`and (last.id is null) = ${neverScanned}`}
    ${blocked === undefined ? empty : sql`and (stopped.count > 0) = ${blocked}`}`
}
