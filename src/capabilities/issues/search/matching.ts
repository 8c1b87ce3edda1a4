import sql from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { matches } from './conditions.ts'
import type { IssueFilter } from './filter.ts'
import { readFilter } from './read-filter.ts'

/** Ids of the issues that the actor sees and a filter matches, for others who have one. */
export async function matchingIssues(
  db: Queryable,
  actor: Actor,
  filter: IssueFilter,
  limit: number,
): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`select i.id from issue i
    where i.deployment_id = ${db.deploymentId} and ${matches(actor, readFilter(actor, filter))} order by i.id limit ${limit}`)
  return rows.map((row) => row.id)
}
