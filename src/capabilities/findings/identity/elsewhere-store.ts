import sql from 'sql-template-tag'
import { decidedBy, stateIs } from '../../../domain/finding-sql.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import { groupOf, type KnownFinding } from './pairing.ts'

export type Start = { state: number; reason: number; decidedBy: number; deciderId: number }

export type ElsewhereRow = KnownFinding & {
  stream_id: number
  pull_request: number
  reason: number
  decider_id: number
  state_at: Date
}

const columns = sql`f.id, f.stream_id, f.pull_request, f.fingerprint, f.context, f.start_line, f.state, f.reason, f.decided_by,
  f.decider_id, f.absent, f.state_at`

/**
 * What people ignore on other branches and pull requests of the repository, the last decision last, with all that is equal to
 * it there: those of the groups that are `wanted`, and those that are in no group.
 */
export async function listElsewhere(
  tx: Transaction,
  repositoryId: number,
  streamId: number,
  wanted: ReadonlySet<string>,
): Promise<ElsewhereRow[]> {
  const rows = await tx.query<ElsewhereRow>(sql`select ${columns}
    from finding f where f.deployment_id = ${tx.deploymentId} and f.repository_id = ${repositoryId}
      and f.decided_by = ${decidedBy.person} and f.state in (${stateIs.provisionallyIgnored}, ${stateIs.ignored}) and f.stream_id <> ${streamId}
    order by f.state_at, f.id`)
  const groups = new Map<string, { streamId: number; group: string }>()
  for (const { stream_id, fingerprint } of rows) {
    const group = groupOf(fingerprint)
    if (group !== undefined && wanted.has(group)) groups.set(`${stream_id} ${group}`, { streamId: stream_id, group })
  }
  const single = rows.filter(({ fingerprint }) => groupOf(fingerprint) === undefined)
  if (groups.size === 0) return single
  const asked = [...groups.values()]
  // A look into the index of identities for each group, in which ';' follows ':'.
  const whole = await tx.query<ElsewhereRow>(sql`select f.* from unnest(${asked.map((one) => one.streamId)}::bigint[],
      ${asked.map(({ group }) => `${group}:`)}::text[], ${asked.map(({ group }) => `${group};`)}::text[])
      as t (stream_id, first, after)
    cross join lateral (select ${columns} from finding f where f.deployment_id = ${tx.deploymentId}
      and f.stream_id = t.stream_id and f.fingerprint >= t.first and f.fingerprint < t.after offset 0) f
    order by f.state_at, f.id`)
  return [...single, ...whole]
}
