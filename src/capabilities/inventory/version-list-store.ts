import sql, { empty, join } from 'sql-template-tag'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Queryable } from '../../kernel/database/database.ts'
import { tagNames, visibleTo } from '../repositories/public.ts'

/** A version of a repository whose components are known: its default branch, or one whose bill is kept. */
export type KnownVersion = {
  repositoryId: number
  repository: string
  tags: string[]
  version: string
  isDefaultBranch: boolean
  isLatest: boolean
  archived: boolean
  componentCount: number
  updatedAt: Date
}

export type VersionFilter = {
  repositoryId?: number
  name?: string
  version?: string
  latest?: true
  withoutArchived?: boolean
}

/** By name and version; `total` of all that fit. The default branch is the latest where nothing else was said to be. */
export async function listKnownVersions(
  db: Queryable,
  actor: Actor,
  filter: VersionFilter,
  { limit, offset }: { limit: number; offset: number },
): Promise<{ versions: KnownVersion[]; total: number }> {
  const { deploymentId } = db
  const repositories = [
    filter.repositoryId === undefined ? empty : sql`and r.id = ${filter.repositoryId}`,
    filter.name === undefined ? empty : sql`and r.name = ${filter.name}`,
    filter.withoutArchived ? sql`and not r.archived` : empty,
  ]
  const versions = [
    filter.version === undefined ? empty : sql`and version = ${filter.version}`,
    filter.latest ? sql`and "isLatest"` : empty,
  ]
  const rows = await db.query<KnownVersion & { total: number }>(sql`with chosen as materialized (
      select r.id, r.name, r.default_branch, r.archived from repository r
      where r.deployment_id = ${deploymentId} and r.kind = 'code' and ${visibleTo(actor, sql`r.id`)}
        ${join(repositories, ' ')}
    ), known as (
      select r.id as "repositoryId", r.name as repository, r.default_branch as version, true as "isDefaultBranch",
        not exists (select 1 from version_bill b where b.deployment_id = ${deploymentId} and b.repository_id = r.id
          and b.is_latest) as "isLatest",
        r.archived, i.dependency_count as "componentCount", i.updated_at as "updatedAt"
      from chosen r join inventory i on i.deployment_id = ${deploymentId} and i.repository_id = r.id
      union all
      select r.id, r.name, b.version, false, b.is_latest, r.archived, b.component_count, b.updated_at
      from chosen r join version_bill b on b.deployment_id = ${deploymentId} and b.repository_id = r.id
        and b.version <> r.default_branch
    )
    select page.*, ${tagNames} as tags from (
        select *, count(*) over ()::integer as total from known where true ${join(versions, ' ')}
        order by repository collate "C", version collate "C" limit ${limit} offset ${offset}) page
      join repository r on r.deployment_id = ${deploymentId} and r.id = page."repositoryId"
    order by page.repository collate "C", page.version collate "C"`)
  if (rows.length === 0 && offset > 0) {
    return { versions: [], total: (await listKnownVersions(db, actor, filter, { limit: 1, offset: 0 })).total }
  }
  return { versions: rows.map(({ total: _, ...version }) => version), total: rows[0]?.total ?? 0 }
}

/** How many components the inventory of a repository has, each version of a package once. */
export async function countComponents(db: Queryable, repositoryId: number): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`select count(distinct d.package_version_id)::integer as count
    from dependency d where d.deployment_id = ${db.deploymentId} and d.repository_id = ${repositoryId}`)
  return row!.count
}
