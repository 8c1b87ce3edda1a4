import sql from 'sql-template-tag'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'

type Place = { repositoryId: number; pullRequest: number }

/** Findings that ever had a comment on their line in this pull request. */
export async function listCommented(db: Queryable, { repositoryId, pullRequest }: Place): Promise<string[]> {
  const [row] = await db.query<{ findings: number[] }>(sql`select commented_findings as findings
    from pull_request_feedback where deployment_id = ${db.deploymentId} and repository_id = ${repositoryId}
      and pull_request = ${pullRequest}`)
  return (row?.findings ?? []).map(String)
}

/** Nothing happens where the repository or the code host is gone. */
export async function noteCommented(
  tx: Transaction,
  { repositoryId, pullRequest }: Place,
  codeHostId: number,
  findingIds: readonly string[],
  at: Date,
): Promise<void> {
  await tx.query(sql`insert into pull_request_feedback
      (deployment_id, repository_id, pull_request, code_host_id, commented_findings, delivered_at)
    select ${tx.deploymentId}, r.id, ${pullRequest}, host.id, ${findingIds}::bigint[], ${at}
    from repository r join code_host host on host.deployment_id = r.deployment_id and host.id = ${codeHostId}
    where r.deployment_id = ${tx.deploymentId} and r.id = ${repositoryId}
    on conflict (deployment_id, repository_id, pull_request) do update
      set code_host_id = excluded.code_host_id, commented_findings = excluded.commented_findings,
        delivered_at = excluded.delivered_at`)
}
