import sql from 'sql-template-tag'
import type { Transaction } from '../../../kernel/database/database.ts'

type Subject = { repositoryId: number; source: string; ref: string }

/** Whether a source ever told all there is about a ref. */
export async function isWholeStream(tx: Transaction, { repositoryId, source, ref }: Subject): Promise<boolean> {
  const rows = await tx.query(sql`select from finding_stream s
    where s.deployment_id = ${tx.deploymentId} and s.repository_id = ${repositoryId} and s.pull_request = 0
      and (case when s.pull_request = 0 then s.ref else '' end) = ${ref} and s.source = ${source} and s.whole`)
  return rows.length > 0
}
