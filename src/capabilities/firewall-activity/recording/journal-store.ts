import sql from 'sql-template-tag'
import type { Transaction } from '../../../kernel/database/database.ts'
import type { Segment } from './segment.ts'

/**
 * Whether a segment of a journal is still to be counted; it is not from the end of this transaction on. Segments come in
 * their order. Nobody looks for a journal after a year.
 */
export async function claimSegment(tx: Transaction, { journal, number }: Segment): Promise<boolean> {
  const rows = await tx.query<{
    isFirst: boolean
  }>(sql`insert into firewall_journal as known (deployment_id, journal, segment)
    values (${tx.deploymentId}, ${journal}, ${number})
    on conflict (deployment_id, journal) do update set segment = excluded.segment, counted_at = excluded.counted_at
      where known.segment < excluded.segment
    returning xmax = 0 as "isFirst"`)
  if (rows[0]?.isFirst) {
    await tx.query(sql`delete from firewall_journal
      where deployment_id = ${tx.deploymentId} and counted_at < now() - interval '1 year'`)
  }
  return rows.length > 0
}
