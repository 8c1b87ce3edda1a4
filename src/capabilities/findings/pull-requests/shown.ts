import sql from 'sql-template-tag'
import { stateIs } from '../../../domain/finding-sql.ts'
import * as names from '../../../domain/wire-names.ts'
import type { Queryable } from '../../../kernel/database/database.ts'

export type ShownFinding = {
  id: string
  title: string
  message: string
  severity: ReturnType<typeof names.severityNames.ofCode>
  /** Empty where it is in no file. */
  path: string
  /** From 1; 0 where unknown. */
  line: number
  rule: string
  advisories: string[]
  dependency: { name: string; version: string } | null
  /** Path of its page in the console. */
  page: string
}

type Row = Omit<ShownFinding, 'id' | 'severity'> & { id: number; severity: number; total: number }

/** What a pull request is told: what stands open in it and policies show, and what blocks it besides. The worst first. */
export async function shownInPullRequest(
  db: Queryable,
  { repositoryId, pullRequest }: { repositoryId: number; pullRequest: number },
  blockingIds: readonly string[],
  most: number,
): Promise<{ findings: ShownFinding[]; total: number }> {
  const rows = await db.query<Row>(sql`select f.id, f.title, f.message, f.severity, f.path, f.start_line as line,
      rule.external_id as rule, f.vulnerability_ids as advisories,
      nullif(f.content->'dependency', 'null'::jsonb) as dependency,
      '/d/' || deployment.slug || '/findings/' || f.id as page, f.total
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
  const findings = rows.map(({ total: _, ...row }) => ({
    ...row,
    id: String(row.id),
    severity: names.severityNames.ofCode(row.severity),
  }))
  return { findings, total: Number(rows[0]?.total ?? 0) }
}
