import sql, { empty, join, raw, type Sql } from 'sql-template-tag'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Queryable } from '../../kernel/database/database.ts'
import { openIn } from '../findings/public.ts'
import { inventories } from '../inventory/public.ts'
import { blocksPullRequest } from '../scans/public.ts'
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

const severities = ['critical', 'high', 'medium', 'low', 'info'] as const
const openOf = (severity: (typeof severities)[number]) => sql`coalesce(counted.${raw(severity)}, 0)`

/** What repositories are ordered by, before their name, and which figures that takes. */
const ranks: Record<RepositorySort, { rank: Sql; from: readonly Figure[] }> = {
  name: { rank: sql`'{}'::bigint[]`, from: [] },
  severity: { rank: sql`array[${join(severities.map(openOf))}]::bigint[]`, from: ['open'] },
  open: { rank: sql`array[${join(severities.map(openOf), ' + ')}]::bigint[]`, from: ['open'] },
  dependencies: { rank: sql`array[coalesce(i.dependency_count, 0)]::bigint[]`, from: ['dependencies'] },
  lastScan: {
    rank: sql`array[coalesce(floor(extract(epoch from last.at) * 1000), 0)]::bigint[]`,
    from: ['lastScan'],
  },
  blocked: { rank: sql`array[stopped.count]::bigint[]`, from: ['blocked'] },
}

/** For all repositories only what they are ordered and chosen by; the other figures for those that are shown. */
export function search(
  db: Queryable,
  actor: Actor,
  filter: RepositorySearchFilter,
  { order, after, limit }: { order: Order; after: Position | undefined; limit: number },
): Promise<FigureRow[]> {
  const { deploymentId } = db
  const { rank, from } = ranks[order.by]
  const byName = order.by === 'name' && order.direction === 'desc' ? sql`desc` : empty
  const way = order.direction === 'desc' ? sql`desc` : empty
  return db.query(sql`with chosen as materialized (
      select r.id, r.name from repository r ${figures(deploymentId, chosenBy(filter))}
      where r.deployment_id = ${deploymentId} and ${visibleTo(actor, sql`r.id`)} ${conditions(deploymentId, filter)}),
    found as (select r.id, r.name, ${rank} as rank from chosen r ${figures(deploymentId, from, sql`chosen`)}),
    page as materialized (
      select * from found ${past(after, order)} order by rank ${way}, name collate "C" ${byName} limit ${limit})
    select r.deployment_id, r.id, r.name, r.archived, r.publicly_exposed, r.default_branch, r.kind, r.created_at, r.version,
      r.web_url, r.link_templates, ${join(severities.map((severity) => sql`${openOf(severity)} as ${raw(severity)}`))}, coalesce(i.dependency_count, 0) as dependencies, last.id as scan_id,
      last.at as scan_at, stopped.count as blocked, page.rank, (select count(*) from chosen) as total,
      ${tagNamesOf(deploymentId, sql`r.id`)} as tags, coalesce((select json_agg(
        json_build_object('id', team.id, 'slug', team.slug, 'name', team.name) order by team.name collate "C", team.id)
      from team_repository held join team on team.deployment_id = held.deployment_id and team.id = held.team_id
      where held.deployment_id = ${deploymentId} and held.repository_id = r.id), '[]') as teams
    from page cross join lateral (
      select r.* from repository r where r.deployment_id = ${deploymentId} and r.id = page.id offset 0) r
    ${figures(deploymentId, allFigures)}
    order by page.rank ${way}, page.name collate "C" ${byName}`)
}

function past(after: Position | undefined, { by, direction }: Order): Sql {
  if (!after) return empty
  const beyond = direction === 'desc' ? sql`<` : sql`>`
  const further = by === 'name' ? beyond : sql`>`
  return sql`where rank ${beyond} ${after.rank}::bigint[]
    or (rank = ${after.rank}::bigint[] and name collate "C" ${further} ${after.name}::text collate "C")`
}

const allFigures = ['open', 'dependencies', 'lastScan', 'blocked'] as const
type Figure = (typeof allFigures)[number]

function chosenBy({ neverScanned, blocked }: RepositorySearchFilter): Figure[] {
  return [
    ...(neverScanned === undefined ? [] : (['lastScan'] as const)),
    ...(blocked === undefined ? [] : (['blocked'] as const)),
  ]
}

/**
 * Tables with the figures of a repository (`r`), at most one row of each. Where `all` is a table of all that are asked about, the
 * counters of those are read at once.
 */
function figures(deploymentId: number, wanted: readonly Figure[], all?: Sql): Sql {
  const tables: Record<Figure, Sql> = {
    open: sql`left join lateral (${openIn(deploymentId, all ? sql`select id from ${all}` : sql`select r.id`)}) counted
      on counted.repository_id = r.id`,
    dependencies: sql`left join ${inventories(deploymentId)} i on i.repository_id = r.id`,
    lastScan: sql`left join lateral (select s.id, coalesce(s.performed_at, s.created_at) as at from scan s
      where s.deployment_id = ${deploymentId} and s.repository_id = r.id order by s.id desc limit 1) last on true`,
    blocked: sql`cross join lateral (select count(*) from scan s
      where s.deployment_id = ${deploymentId} and s.repository_id = r.id and ${blocksPullRequest(deploymentId)}) stopped`,
  }
  const parts = allFigures.filter((figure) => wanted.includes(figure)).map((figure) => tables[figure])
  return parts.length > 0 ? join(parts, '\n') : empty
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
