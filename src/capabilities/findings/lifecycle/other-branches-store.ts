import sql from 'sql-template-tag'
import { decidedBy, stateIs } from '../../../domain/finding-sql.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import { columns } from '../identity/elsewhere-store.ts'
import type { BranchRow } from '../identity/followers.ts'
import { thingsOf } from '../ingest/duplicate-store.ts'

/**
 * All that is equal to the findings with these ids, but for its code, on the branches of their repositories that have not ended: of
 * the same source, the findings themselves among it. Without what observations call fixed. A look into an index for each.
 */
export function listOnBranches(
  tx: Transaction,
  repositoryIds: readonly number[],
  ids: readonly number[],
): Promise<BranchRow[]> {
  return tx.query(sql`with ${thingsOf(tx.deploymentId, repositoryIds, ids)}
    select thing.repository_id, thing.source, s.ref, f.* from thing
    cross join lateral (select s.id, s.ref from finding_stream s
      where s.deployment_id = ${tx.deploymentId} and s.repository_id = thing.repository_id and s.pull_request = 0
        and s.source = thing.source and s.ended_at is null offset 0) s
    cross join lateral (select ${columns(tx.deploymentId)} from finding f
      where f.deployment_id = ${tx.deploymentId} and f.stream_id = s.id and f.fingerprint >= thing.thing
        and f.fingerprint < thing.after and finding_thing(f.fingerprint) = thing.thing
        and (f.state <> ${stateIs.fixed} or f.decided_by = ${decidedBy.person}) offset 0) f
    order by f.state_at, f.id`)
}
