import sql from 'sql-template-tag'
import type { Actor } from '../../kernel/actor.ts'
import type { Queryable } from '../../kernel/database.ts'
import { visibleTo } from '../repositories/reads.ts'
import type { Stretch } from './collect.ts'
import type { Conditions } from './conditions.ts'
import type { Position } from './position.ts'
import { type Found, repositoryIsWanted } from './search.ts'

export type SummaryRow = { id: number; name: string; matches: number; has_graph: boolean }

type WithProgress<Row> = Row & { broad: boolean; up_to: number | null }

/** For a search by repositories alone: their sums are kept with their inventories. */
export async function listInventories(
  db: Queryable,
  actor: Actor,
  conditions: Conditions,
  from: number,
  limit: number,
): Promise<SummaryRow[]> {
  return db.query(sql`select r.id, r.name, i.dependency_count as matches, i.has_graph from repository r
    join inventory i on i.deployment_id = r.deployment_id and i.repository_id = r.id and i.dependency_count > 0
    where r.deployment_id = ${db.deploymentId} and r.id >= ${from} ${repositoryIsWanted(actor, conditions)}
    order by r.id limit ${limit}`)
}

export const summaryColumns = sql`d.repository_id`

export async function listSummaries(
  db: Queryable,
  actor: Actor,
  conditions: Conditions,
  found: Found,
  limit: number,
): Promise<Stretch<SummaryRow>> {
  return stretch(
    await db.query<
      WithProgress<SummaryRow>
    >(sql`${found} select p.broad, p.up_to, page.* from progress p left join lateral (
      select r.id, r.name, m.matches, coalesce((select i.has_graph from inventory i
        where i.deployment_id = r.deployment_id and i.repository_id = r.id), false) as has_graph
      from (select repository_id, count(*) as matches from found group by repository_id) m
      join repository r on r.deployment_id = ${db.deploymentId} and r.id = m.repository_id ${repositoryIsWanted(actor, conditions)}
      order by r.id limit ${limit}) page on true order by page.id`),
  )
}

export type DependencyRow = {
  id: number
  repository_name: string
  package_version_id: number
  ecosystem: string
  name: string
  version: string
  transitivity: string
  development: boolean
  licence: string | null
  licences: string[] | null
  path: string
  nth: number
  line: number
  resolved: string
}

export const dependencyColumns = sql`d.repository_id, d.package_version_id, d.lockfile_id, d.ordinal`

/**
 * `id` is that of the repository. The order is one that an upload does not change for what it leaves in place: a file may
 * have the same version several times, but which entries of the file those are may change, so they are only counted.
 */
export async function listDependencies(
  db: Queryable,
  actor: Actor,
  conditions: Conditions,
  found: Found,
  after: Position,
  limit: number,
): Promise<Stretch<DependencyRow>> {
  const { deploymentId } = db
  return stretch(
    await db.query<WithProgress<DependencyRow>>(sql`${found}, counted as (
      select f.*, l.path, row_number() over (
        partition by f.repository_id, f.package_version_id, l.path order by f.ordinal)::integer as nth
      from found f
      join lockfile l on l.deployment_id = ${deploymentId} and l.repository_id = f.repository_id and l.id = f.lockfile_id),
    page as materialized (
      select r.id, r.name as repository_name, c.* from counted c
      join repository r on r.deployment_id = ${deploymentId} and r.id = c.repository_id ${repositoryIsWanted(actor, conditions)}
      where (c.repository_id, c.package_version_id, c.path, c.nth)
        > (${after.repositoryId}::bigint, ${after.versionId}::bigint, ${after.path}::text collate "C", ${after.nth}::integer)
      order by c.repository_id, c.package_version_id, c.path, c.nth limit ${limit})
    select p.broad, p.up_to, entry.* from progress p left join (
      select page.id, page.repository_name, page.package_version_id, page.path, page.nth, d.line, d.transitivity,
        d.development, d.resolved, pk.ecosystem, pk.shown_name as name, v.version, licence.expression as licence,
        licence.spdx_ids as licences
      from page
      join dependency d on d.deployment_id = ${deploymentId} and d.repository_id = page.id
        and d.lockfile_id = page.lockfile_id and d.ordinal = page.ordinal
      join package_version v on v.deployment_id = ${deploymentId} and v.id = d.package_version_id
      join package pk on pk.deployment_id = ${deploymentId} and pk.id = d.package_id
      left join licence on licence.deployment_id = ${deploymentId} and licence.id = d.licence_id) entry on true
    order by entry.id, entry.package_version_id, entry.path, entry.nth`),
  )
}

/** Without a match there is still one row, with the progress alone. */
function stretch<Row extends { id: number | null }>(rows: WithProgress<Row>[]): Stretch<Row> {
  const [{ broad, up_to: upTo } = { broad: false, up_to: null }] = rows
  return { rows: rows.filter((row) => row.id !== null), broad, upTo }
}

export async function findRepository(
  db: Queryable,
  actor: Actor,
  id: number,
): Promise<{ name: string; updatedAt: Date | null } | undefined> {
  const [row] = await db.query<{ name: string; updatedAt: Date | null }>(sql`
    select r.name, i.updated_at as "updatedAt" from repository r
    left join inventory i on i.deployment_id = r.deployment_id and i.repository_id = r.id
    where r.deployment_id = ${db.deploymentId} and r.id = ${id} and ${visibleTo(actor, sql`r.id`)}`)
  return row
}

export type LockfileRow = {
  path: string
  format: string
  bytes: number
  dependency_count: number
  problem_count: number
  has_graph: boolean
  scan_id: number
}

export function listLockfiles(db: Queryable, repositoryId: number): Promise<LockfileRow[]> {
  return db.query(sql`select path, format, bytes, dependency_count, problem_count, has_graph, scan_id from lockfile
    where deployment_id = ${db.deploymentId} and repository_id = ${repositoryId} order by path`)
}
