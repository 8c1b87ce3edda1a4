import sql from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Conditions } from './conditions.ts'
import { type FoundRelations, repositoryIsWanted } from './search.ts'
import type { SearchStep } from './search-in-steps.ts'

export type SummaryRow = { id: number; name: string; matches: number; has_graph: boolean }

export type WithProgress<Row> = Row & { broad: boolean; up_to: number | null }

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
  found: FoundRelations,
  limit: number,
): Promise<SearchStep<SummaryRow>> {
  return stretch(
    await db.query<
      WithProgress<SummaryRow>
    >(sql`${found} select p.broad, p.up_to, page.* from progress p left join lateral (
      select r.id, r.name, m.matches, coalesce((select i.has_graph from inventory i
        where i.deployment_id = ${db.deploymentId} and i.repository_id = r.id), false) as has_graph
      from (select repository_id, count(*) as matches from found group by repository_id) m
      join repository r on r.deployment_id = ${db.deploymentId} and r.id = m.repository_id ${repositoryIsWanted(actor, conditions)}
      order by r.id limit ${limit}) page on true order by page.id`),
  )
}

/** Without a match there is still one row, with the progress alone. */
export function stretch<Row extends { id: number | null }>(rows: WithProgress<Row>[]): SearchStep<Row> {
  const [{ broad, up_to: upTo } = { broad: false, up_to: null }] = rows
  return { rows: rows.filter((row) => row.id !== null), broad, upTo }
}
