import sql from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { wantedRepositories } from '../packages/wanted-repositories.ts'
import type { Conditions } from '../search/conditions.ts'
import { licencesOfInventory } from './count-store.ts'

type Row = {
  /** SPDX id; '' for texts that are none, null where files give none. */
  licence: string | null
  dependencyCount: number
  repositoryCount: number
}

/**
 * How many dependencies are under each licence: as they were counted repository by repository, and as they are where an inventory is
 * not counted yet.
 */
export async function countLicences(db: Queryable, actor: Actor, conditions: Conditions) {
  const { deploymentId } = db
  const rows = await db.query<Row>(sql`with ${wantedRepositories(actor, conditions)},
    state as materialized (
      select i.repository_id, c.licences, c.dependency_counts from inventory i
      left join inventory_licences c on c.deployment_id = ${deploymentId} and c.repository_id = i.repository_id
        and c.scan_id = i.scan_id
      where i.deployment_id = ${deploymentId} and (i.repository_id in (select id from wanted_repository)) is true)
    select licence, sum(count) as "dependencyCount", count(*) as "repositoryCount" from (
      select unnest(i.licences) as licence, unnest(i.dependency_counts) as count from state i
      union all
      select each.licence, each.count from state i
      cross join lateral (${licencesOfInventory(deploymentId)} offset 0) each where i.licences is null) counted
    group by licence order by 2 desc, 1`)
  const sumOf = (licence: string | null) => rows.find((row) => row.licence === licence)?.dependencyCount ?? 0
  const licences = rows.flatMap(({ licence, ...counts }) => (licence ? [{ spdxId: licence, ...counts }] : []))
  return { licences, unrecognised: sumOf(''), withoutLicence: sumOf(null) }
}
