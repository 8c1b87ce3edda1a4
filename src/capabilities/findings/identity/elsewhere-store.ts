import sql, { type Sql } from 'sql-template-tag'
import { decidedBy, stateIs } from '../../../domain/finding-sql.ts'
import { textArray } from '../../../kernel/database/array-literal.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import type { KnownFinding, Names } from './pairing.ts'

export type Start = { state: number; reason: number; decidedBy: number; deciderId: number }

export type ElsewhereRow = KnownFinding & {
  stream_id: number
  pull_request: number
  reason: number
  decider_id: number
  /** Of what has ended or come back, when it was decided about before. */
  state_at: Date
}

/** Of a finding `f`: an ElsewhereRow. */
export function columns(deploymentId: number): Sql {
  return sql`f.id, f.stream_id, f.pull_request, f.fingerprint, f.context, f.start_line, f.state, f.reason, f.decided_by,
    f.decider_id, f.absent, case when f.state in (${stateIs.reopened}, ${stateIs.ended}) and f.decided_by = ${decidedBy.person}
      then (select max(h.at) from finding_history h where h.deployment_id = ${deploymentId} and h.finding_id = f.id
        and h.decided_by = ${decidedBy.person}) else f.state_at end as state_at`
}

/** Which stream is not elsewhere: its id, as an expression. */
type Here = { repositoryId: number; streamId: Sql }

/**
 * What people decided on other branches and pull requests of the repository about what has these names, the last decision last,
 * with all that is equal to it there. A look into the index of what people decided for each name, and one into that of identities
 * for each group that is found, in which ';' follows ':'. What was several groups in releases before is one now.
 */
export function listElsewhere(
  tx: Transaction,
  { repositoryId, streamId }: Here,
  names: Names,
): Promise<ElsewhereRow[]> {
  const decided = (
    key: Sql,
  ) => sql`f.deployment_id = ${tx.deploymentId} and f.repository_id = ${repositoryId} and ${key}
    and f.decided_by = ${decidedBy.person} and f.stream_id <> ${streamId}`
  // Under row-level security PostgreSQL 15 looks into no index for what `||` makes.
  const firsts = Array.from(names.groups, (group) => `${group}:`)
  const afters = Array.from(names.groups, (group) => `${group};`)
  const wholes = Array.from(names.groups, (group) => names.formerGroups.get(group)?.name ?? group)
  return tx.query(sql`with named as materialized (
      select * from unnest(${textArray(firsts)}::text[], ${textArray(afters)}::text[], ${textArray(wholes)}::text[])
        as t (first, after, whole)
    ), found as materialized (
      select distinct f.stream_id, t.whole from named t
      cross join lateral (select f.stream_id from finding f
        where ${decided(sql`f.fingerprint >= t.first and f.fingerprint < t.after`)} offset 0) f)
    select f.* from unnest(${textArray([...names.single])}::text[]) as t (name)
    cross join lateral (select ${columns(tx.deploymentId)} from finding f where ${decided(sql`f.fingerprint = t.name`)} offset 0) f
    union all
    select f.* from found join named t on t.whole = found.whole
    cross join lateral (select ${columns(tx.deploymentId)} from finding f where f.deployment_id = ${tx.deploymentId}
      and f.stream_id = found.stream_id and f.fingerprint >= t.first and f.fingerprint < t.after offset 0) f
    order by state_at, id`)
}
