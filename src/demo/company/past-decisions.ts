import sql from 'sql-template-tag'
import type { Database } from '../../kernel/database/database.ts'

/**
 * People decide when the demo is made. So that its year looks like one, what they decided about findings and issues is moved
 * to a moment between when each came up and now, the same at every start. The audit log keeps the true times.
 */
export async function spreadDecisions(db: Database, deploymentId: number): Promise<void> {
  const actor = {
    deploymentId,
    personId: 0,
    tokenId: 0,
    role: 'owner' as const,
    permissions: new Set<never>(),
    requestId: 'demo',
  }
  await db.transaction(actor, async (tx) => {
    // Only what was decided last moves: after what came before it.
    await tx.query(sql`with decided as materialized (
        select before.id, before.seq, before.at + (now() - before.at) * ${share(sql`before.id`)} as at from (
          select f.id, f.change_count as seq, coalesce(h.at, f.raised_at) as at
          from finding f left join finding_history h
            on h.deployment_id = f.deployment_id and h.finding_id = f.id and h.seq = f.change_count - 1
          where f.deployment_id = ${deploymentId} and f.decided_by = 4 and f.change_count > 0) before
      ), moved as (
        update finding_history h set at = decided.at from decided
        where h.deployment_id = ${deploymentId} and h.finding_id = decided.id and h.seq = decided.seq
      )
      update finding f set state_at = decided.at, fixed_at = case when f.fixed_at is not null then decided.at end
      from decided where f.deployment_id = ${deploymentId} and f.id = decided.id`)
    // Their days are counted again.
    await tx.query(sql`insert into finding_days_due select deployment_id, id from repository where deployment_id = ${deploymentId}
      on conflict do nothing`)
    await tx.query(sql`with moved as (
        update issue i set triaged_at = i.created_at + (now() - i.created_at) * ${share(sql`i.id`)}
        where i.deployment_id = ${deploymentId} and i.decided_by = 'person'
        returning i.id, i.triaged_at, i.activity_count
      )
      update issue_activity a set at = moved.triaged_at from moved
      where a.deployment_id = ${deploymentId} and a.issue_id = moved.id and a.seq = moved.activity_count`)
  })
}

/** A part of a whole between a twentieth and nineteen, by a number that is as good as drawn. */
function share(id: ReturnType<typeof sql>) {
  return sql`(0.05 + 0.9 * ((${id} * 7919) % 1000) / 1000.0)`
}
