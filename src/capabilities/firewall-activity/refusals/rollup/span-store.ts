import sql from 'sql-template-tag'
import type { Queryable, Transaction } from '../../../../kernel/database/database.ts'
import { rowsNotCopied } from '../../../../kernel/database/given-rows.ts'
import { forgottenOf, piecesOf, type SpanGrain, unknownBefore } from './spans.ts'

export type Span = { grain: SpanGrain; start: Date; until: Date }

/** The beginnings of spans between two moments that had requests and are not added up as they are now, the latest first. */
export async function staleStarts(db: Queryable, grain: SpanGrain, since: Date, until: Date): Promise<Date[]> {
  const rows = await db.query<{ start: Date }>(sql`with ${forgottenOf(db)}
    select had.start from (
      select activity.start, sum(activity.allowed + activity.blocked) as requests from firewall_activity activity
      where activity.deployment_id = ${db.deploymentId} and activity.grain = ${grain}
        and activity.start >= ${since} and activity.start < ${until}
      group by activity.start) had
    cross join forgotten
    left join firewall_refusal_span span on span.deployment_id = ${db.deploymentId} and span.grain = ${grain}
      and span.start = had.start
    where (span.requests = had.requests and span.unknown_before = ${unknownBefore(sql`span.start`, sql`span.until`)}) is not true
    order by had.start desc`)
  return rows.map(({ start }) => start)
}

/** From smaller spans where those count, and else from the refusals. What is added up and the number of requests are of one moment. */
export async function addUpSpan(tx: Transaction, { grain, start, until }: Span): Promise<void> {
  const { deploymentId } = tx
  const ofSpan = sql`deployment_id = ${deploymentId} and grain = ${grain} and start = ${start}`
  // A month of a million refusals takes its time once; given up half-way, it would be begun again for ever.
  await tx.query(sql`set local statement_timeout = '10min'`)
  await tx.query(sql`delete from firewall_refusal_sum where ${ofSpan}`)
  await tx.query(sql`delete from firewall_refusal_span where ${ofSpan}`)
  await tx.query(sql`with ${piecesOf(tx, { since: start, until })},
    span as (
      insert into firewall_refusal_span (deployment_id, grain, start, until, requests, unknown_before)
      select ${deploymentId}::bigint, ${grain}::"char", ${start}::timestamptz, ${until}::timestamptz,
        (select coalesce(sum(allowed + blocked), 0) from firewall_activity where ${ofSpan}),
        ${unknownBefore(sql`${start}::timestamptz`, sql`${until}::timestamptz`)} from forgotten ${rowsNotCopied})
    insert into firewall_refusal_sum (deployment_id, grain, start, artifact_id, person_id, token_id, advisory_id, rule, watched,
      ecosystem, version, count, first_at, last_at)
    select ${deploymentId}::bigint, ${grain}::"char", ${start}::timestamptz, artifact_id, person_id, token_id, advisory_id, rule,
      watched, min(ecosystem), min(version), sum(count), min(first_at), max(last_at) from (
        select refused.* from piece cross join lateral (
          select artifact_id, person_id, token_id, advisory_id, rule, watched, ecosystem, version, count, first_at, last_at
          from firewall_refusal_sum sum
          where sum.deployment_id = ${deploymentId} and sum.grain = piece.grain and sum.start = piece.start offset 0) refused
        union all
        select refused.* from piece cross join lateral (
          select artifact_id, person_id, token_id, advisory_id, rule, watched, artifact.ecosystem, artifact.version, count, at, at
          from firewall_refusal refusal
          cross join lateral (select artifact.ecosystem, artifact.version from firewall_artifact artifact
            where artifact.deployment_id = ${deploymentId} and artifact.id = refusal.artifact_id offset 0) artifact
          where refusal.deployment_id = ${deploymentId} and refusal.at >= piece.start and refusal.at < piece.until offset 0) refused
        where piece.grain is null) refused
    group by artifact_id, person_id, token_id, advisory_id, rule, watched
    ${rowsNotCopied}`)
}

/** The spans that a period is part of: what they say of it is not known any more. */
export async function forgetSpans(tx: Transaction, since: Date, until: Date): Promise<void> {
  await tx.query(sql`with gone as (
      delete from firewall_refusal_span where deployment_id = ${tx.deploymentId} and grain in ('h', 'd', 'm')
        and start < ${until} and until > ${since}
      returning grain, start)
    delete from firewall_refusal_sum sum using gone
    where sum.deployment_id = ${tx.deploymentId} and sum.grain = gone.grain and sum.start = gone.start`)
}
