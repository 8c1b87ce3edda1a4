import sql from 'sql-template-tag'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Queryable } from '../../kernel/database/database.ts'
import type { Conditions } from './search/conditions.ts'
import { repositoryIsWanted } from './search/search.ts'

type Row = {
  kind: 'listed' | 'unrecognised' | 'none'
  spdxId: string
  dependencyCount: number
  repositoryCount: number
}

/** How many dependencies are under each licence. */
export async function countLicences(db: Queryable, actor: Actor, conditions: Conditions) {
  const { deploymentId } = db
  // First by repository and text, which leaves few rows of many; only those are spread over the ids of an expression.
  const rows = await db.query<Row>(sql`with counted as materialized (
      select d.repository_id, d.licence_id, count(*) as count from dependency d
      where d.deployment_id = ${deploymentId} group by d.repository_id, d.licence_id)
    select case when c.licence_id is null then 'none' when named.id is null then 'unrecognised' else 'listed' end as kind,
      coalesce(named.id, '') as "spdxId", sum(c.count)::bigint as "dependencyCount",
      count(distinct c.repository_id) as "repositoryCount"
    from counted c
    join repository r on r.deployment_id = ${deploymentId} and r.id = c.repository_id ${repositoryIsWanted(actor, conditions)}
    left join licence l on l.deployment_id = ${deploymentId} and l.id = c.licence_id
    left join lateral unnest(l.spdx_ids) named (id) on true
    group by 1, 2 order by 3 desc, 2`)
  const sumOf = (kind: Row['kind']) => rows.find((row) => row.kind === kind)?.dependencyCount ?? 0
  const licences = rows
    .filter((row) => row.kind === 'listed')
    .map(({ spdxId, dependencyCount, repositoryCount }) => ({ spdxId, dependencyCount, repositoryCount }))
  return { licences, unrecognised: sumOf('unrecognised'), withoutLicence: sumOf('none') }
}
