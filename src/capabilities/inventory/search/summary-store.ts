import sql from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { Conditions } from './conditions.ts'
import { eachIdIsWanted, type FoundRelations, repositoryIsWanted, stateIsWanted } from './search.ts'
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

export async function listSummaries(
  db: Queryable,
  actor: Actor,
  conditions: Conditions,
  counted: FoundRelations,
  limit: number,
): Promise<SearchStep<SummaryRow>> {
  return stretch(
    await db.query<
      WithProgress<SummaryRow>
    >(sql`${counted} select p.broad, p.up_to, page.* from progress p left join lateral (
      select r.id, r.name, m.matches, coalesce((select i.has_graph from inventory i
        where i.deployment_id = ${db.deploymentId} and i.repository_id = r.id), false) as has_graph
      -- In their order, and each by its key, so that no more of them are looked at than are shown.
      from (select c.repository_id, c.matches from counted c where ${eachIdIsWanted(actor, conditions, sql`c.repository_id`)}
        order by c.repository_id offset 0) m
      cross join lateral (select r.id, r.name from repository r where r.deployment_id = ${db.deploymentId}
        and r.id = m.repository_id ${stateIsWanted(db.deploymentId, conditions)} offset 0) r
      order by m.repository_id limit ${limit}) page on true order by page.id`),
  )
}

/** Without a match there is still one row, with the progress alone. */
export function stretch<Row extends { id: number | null }>(rows: WithProgress<Row>[]): SearchStep<Row> {
  const [{ broad, up_to: upTo } = { broad: false, up_to: null }] = rows
  return { rows: rows.filter((row) => row.id !== null), broad, upTo }
}
