import sql, { type Sql } from 'sql-template-tag'
import type { Actor } from '../../kernel/access/actor.ts'
import type { Queryable } from '../../kernel/database/database.ts'
import * as codes from './codes.ts'
import { matches } from './search/conditions.ts'

/** What others write about an issue elsewhere: tickets, messages. */
export type IssueDigest = { id: number; title: string; description: string; severity: string; filePaths: string[] }

/** Those of the ids that are issues the actor sees. */
export async function describeIssues(db: Queryable, actor: Actor, ids: readonly number[]): Promise<IssueDigest[]> {
  type Row = { id: number; title: string; description: string; severity: number; filePaths: string[] }
  const rows = await db.query<Row>(sql`select i.id, i.title, i.content ->> 'description' as description, i.severity,
      i.content -> 'filePaths' as "filePaths" from issue i
    where i.deployment_id = ${db.deploymentId} and i.id = any(${ids}::bigint[]) and ${matches(actor, {})} order by i.id`)
  return rows.map((row) => ({ ...row, severity: codes.severity.name(row.severity) }))
}

/** A condition that holds where the id in `column` is that of an issue the actor sees. */
export function visibleIssue(actor: Actor, column: Sql): Sql {
  return sql`exists (select 1 from issue i where i.deployment_id = ${actor.deploymentId} and i.id = ${column}
    and ${matches(actor, {})})`
}

/** Whether the issue is fixed; null where there is none. */
export function fixedIssue(deployment: Sql, column: Sql): Sql {
  return sql`(select fixable.triage_state = ${codes.state.code('TRIAGE_STATE_FIXED')} from issue fixable
    where fixable.deployment_id = ${deployment} and fixable.id = ${column})`
}
