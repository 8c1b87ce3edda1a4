import sql from 'sql-template-tag'
import type { OsvPackage } from '../../formats/osv/record.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import type { PageRequest } from '../../kernel/contract/pagination.ts'
import type { Queryable } from '../../kernel/database/database.ts'
import { joinPackages, joinVersions, listRepositoriesWith } from '../inventory/public.ts'
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

/** What the records name in the inventories, by repository. */
export function listRepositories(
  db: Queryable,
  actor: Actor,
  vulnerabilities: readonly number[],
  page: PageRequest,
): Promise<(Omit<VulnerableRepository, 'repositoryId' | 'ignored'> & { id: number })[]> {
  const deployment = sql`${db.deploymentId}`
  const versions = sql`select distinct v.id from vulnerability_range r
    ${joinPackages(deployment, sql`r`)} ${joinVersions(deployment, within)}
    where r.vulnerability_id = any(${vulnerabilities}::bigint[]) and r.live`
  return listRepositoriesWith(db, actor, versions, page)
}
