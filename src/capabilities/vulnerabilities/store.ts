import sql from 'sql-template-tag'
import type { OsvPackage } from '../../formats/osv/record.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { PageRequest } from '../../kernel/contract/pagination.ts'
import type { Queryable } from '../../kernel/database/database.ts'
import { visibleTo } from '../repositories/public.ts'
import type { VulnerableRepository } from './contract.ts'
import { within } from './matching/match-store.ts'

export type VulnerabilityRow = {
  id: number
  externalId: string
  ids: string[]
  live: boolean
  listed: boolean
  publishedAt: Date
  modifiedAt: Date
  withdrawnAt: Date | null
  severity: number
  vector: string
  score: number
  cwes: string[]
  summary: string
  details: string
  links: string[]
  packages: OsvPackage[]
}

/** All records that have the id, or an id of one that has it. Of a record that several feeds have, what the latest says. */
export function listNamed(db: Queryable, id: string): Promise<VulnerabilityRow[]> {
  return db.query(sql`select distinct on (external_id) id, external_id as "externalId", ids, live, listed,
      published_at as "publishedAt", modified_at as "modifiedAt", withdrawn_at as "withdrawnAt", severity, vector, score,
      cwes, summary, details, links, packages
    from vulnerability
    where ids && array(select unnest(named.ids) from vulnerability named where named.ids @> array[${id}]::text[])
    order by external_id, listed desc, modified_at desc`)
}

const mostDependencies = 100

/** What the records name in the inventories, by repository. */
export function listRepositories(
  db: Queryable,
  actor: Actor,
  vulnerabilities: readonly number[],
  page: PageRequest,
): Promise<(Omit<VulnerableRepository, 'repositoryId'> & { id: number })[]> {
  return db.query(sql`with version as materialized (
      select distinct v.id from vulnerability_range r
      join package p on p.deployment_id = ${db.deploymentId} and p.name = r.name and p.ecosystem = r.ecosystem
      join package_version v on v.deployment_id = ${db.deploymentId} and v.package_id = p.id and v.version <> ''
        and ${within(sql`v.order_key`)}
      where r.vulnerability_id = any(${vulnerabilities}::bigint[]) and r.live
    ), page as materialized (
      select d.repository_id, count(*) as entries from dependency d
      where d.deployment_id = ${db.deploymentId} and d.package_version_id = any(array(select id from version))
        and d.repository_id > ${page.after} and ${visibleTo(actor, sql`d.repository_id`)}
      group by d.repository_id order by d.repository_id limit ${page.size + 1}
    )
    select rep.id, rep.name as repository, page.entries as "dependencyCount", entry.list as dependencies from page
    join repository rep on rep.deployment_id = ${db.deploymentId} and rep.id = page.repository_id
    cross join lateral (
      select jsonb_agg(jsonb_build_object('ecosystem', ecosystem, 'name', name, 'version', version,
        'lockfilePath', path, 'line', line)) as list
      from (
        select p.ecosystem, p.shown_name as name, v.version, l.path, d.line from dependency d
        join package_version v on v.deployment_id = d.deployment_id and v.id = d.package_version_id
        join package p on p.deployment_id = d.deployment_id and p.id = d.package_id
        join lockfile l on l.deployment_id = d.deployment_id and l.repository_id = d.repository_id and l.id = d.lockfile_id
        where d.deployment_id = ${db.deploymentId} and d.repository_id = page.repository_id
          and d.package_version_id = any(array(select id from version))
        order by l.path, d.ordinal limit ${mostDependencies}
      ) listed
    ) entry
    order by rep.id`)
}
