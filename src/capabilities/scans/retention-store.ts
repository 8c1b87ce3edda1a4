import sql, { raw } from 'sql-template-tag'
import type { Transaction } from '../../kernel/database/database.ts'
import { scansOfStreams } from '../findings/public.ts'
import { inventories } from '../inventory/public.ts'

/**
 * Of the next scans after an id, removes those that a later one replaced: of the same kind and source, for the same ref or pull
 * request. What an inventory or findings were last read from stays, so nothing that stands loses its ref and commit. Answers the id
 * to go on after; undefined where there are no older ones.
 */
export async function removeReplaced(
  tx: Transaction,
  { after, before, limit }: { after: number; before: Date; limit: number },
): Promise<number | undefined> {
  const { deploymentId } = tx
  // Looked up for each scan by itself, along the index of its ref or pull request: joined, all scans of its repository would be read.
  // For the same reason the limit is part of the text: a plan for any limit expects a tenth of all scans.
  const later = sql`scan later where later.deployment_id = ${deploymentId} and later.repository_id = old.repository_id
    and later.id > old.id and later.kind = old.kind and later.source = old.source
    and coalesce(later.performed_at, later.created_at) >= old.at`
  const [row] = await tx.query<{ last: number | null }>(sql`with old as materialized (
      select s.id, s.repository_id, s.kind, s.source, s.ref, s.pull_request, coalesce(s.performed_at, s.created_at) as at from scan s
      where s.deployment_id = ${deploymentId} and s.id > ${after} and s.created_at < ${before} order by s.id limit ${raw(String(limit))}),
    removed as (
      delete from scan s using old where s.deployment_id = ${deploymentId} and s.id = old.id
        and case when old.pull_request > 0
          then exists (select 1 from ${later} and later.pull_request > 0 and later.pull_request = old.pull_request)
          else exists (select 1 from ${later} and later.pull_request = 0 and later.ref = old.ref) end
        and not exists (select 1 from ${inventories(deploymentId)} i
          where i.repository_id = old.repository_id and i.scan_id = old.id)
        and not exists (select 1 from ${scansOfStreams(deploymentId)} stream
          where stream.repository_id = old.repository_id and stream.scan_id = old.id))
    select max(id) as last from old`)
  return row?.last ?? undefined
}
