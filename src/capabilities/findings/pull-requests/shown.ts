import sql from 'sql-template-tag'
import { stateIs } from '../../../domain/finding-sql.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import { type ToldFinding, type ToldRow, toldColumns, toldFinding } from '../lifecycle/told-finding.ts'

/** What a pull request is told: what is open in it and policies show, and what else blocks it. The worst first. */
export async function shownInPullRequest(
  db: Queryable,
  { repositoryId, pullRequest }: { repositoryId: number; pullRequest: number },
  blockingIds: readonly string[],
  most: number,
): Promise<{ findings: ToldFinding[]; total: number }> {
  const rows = await db.query<ToldRow & { total: number }>(sql`select ${toldColumns}, f.total
    from (
      select f.*, count(*) over () as total from finding_stream s
        cross join lateral (select * from finding f
          where f.deployment_id = ${db.deploymentId} and f.stream_id = s.id and f.state <= ${stateIs.lastOpen}
            and (not f.silenced or f.id = any(${blockingIds}::bigint[])) offset 0) f
        where s.deployment_id = ${db.deploymentId} and s.repository_id = ${repositoryId}
          and s.pull_request = ${pullRequest} and s.pull_request > 0
        order by f.id = any(${blockingIds}::bigint[]) desc, f.severity desc, f.path, f.start_line, f.id limit ${most}) f
    join finding_rule rule on rule.deployment_id = ${db.deploymentId} and rule.id = f.rule_id
    join deployment on deployment.id = ${db.deploymentId}
    order by f.id = any(${blockingIds}::bigint[]) desc, f.severity desc, f.path, f.start_line, f.id`)
  const findings = rows.map(({ total: _, ...row }) => toldFinding(row))
  return { findings, total: Number(rows[0]?.total ?? 0) }
}
