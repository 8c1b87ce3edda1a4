import sql from 'sql-template-tag'
import type { Transaction } from '../../../kernel/database/database.ts'

type Subject = { repositoryId: number; source: string; ref: string }

/** What a source says about a ref; `whole` where it ever told all there is. */
export async function findStream(
  tx: Transaction,
  { repositoryId, source, ref }: Subject,
): Promise<{ id: number; whole: boolean } | undefined> {
  const [row] = await tx.query<{ id: number; whole: boolean }>(sql`select s.id, s.whole from finding_stream s
    where s.deployment_id = ${tx.deploymentId} and s.repository_id = ${repositoryId} and s.pull_request = 0
      and (case when s.pull_request = 0 then s.ref else '' end) = ${ref} and s.source = ${source}`)
  return row
}
