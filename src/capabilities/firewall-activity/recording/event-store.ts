import sql from 'sql-template-tag'
import type { Transaction } from '../../../kernel/database/database.ts'
import { rowsNotCopied } from '../../../kernel/database/given-rows.ts'
import type { Artifact, EventBatch } from './event-batch.ts'

/** A package that was refused, or would have been by what only watches, and why. */
export type RefusedArtifact = Artifact & { rule: string; reason: string; watched: boolean }

/**
 * Everything about a batch, or nothing. Counters are taken in the order of their keys, so that two batches cannot block each other.
 * Answers what was refused for the first time in a day.
 */
export async function writeBatch(tx: Transaction, batch: EventBatch): Promise<RefusedArtifact[]> {
  const ids = await ensureArtifacts(tx, batch.artifacts)
  const firstRefused = await notRefusedBefore(tx, batch, ids)
  const identified = <Row extends { artifact: number }>(rows: Row[]) =>
    JSON.stringify(rows.map((row) => ({ ...row, artifact: ids[row.artifact] })))

  await tx.query(sql`insert into firewall_second (deployment_id, at, ecosystem, allowed, blocked)
    select ${tx.deploymentId}::bigint, at, ecosystem, allowed, blocked
    from jsonb_to_recordset(${JSON.stringify(batch.seconds)}::jsonb) as given
      (at timestamptz, ecosystem text, allowed smallint[], blocked smallint[]) ${rowsNotCopied}`)
  await tx.query(sql`insert into firewall_activity as counter (deployment_id, grain, start, ecosystem, allowed, blocked)
    select ${tx.deploymentId}::bigint, grain, start, ecosystem, allowed, blocked
    from jsonb_to_recordset(${JSON.stringify(batch.activity)}::jsonb) as given
      (grain "char", start timestamptz, ecosystem text, allowed bigint, blocked bigint)
    order by grain, start, ecosystem
    on conflict (deployment_id, grain, start, ecosystem) do update
      set allowed = counter.allowed + excluded.allowed, blocked = counter.blocked + excluded.blocked`)
  if (batch.refusals.length > 0) {
    await tx.query(sql`insert into firewall_refusal
        (deployment_id, at, artifact_id, advisory_id, person_id, token_id, rule, reason, client, address, watched, count)
      select ${tx.deploymentId}::bigint, at, artifact, advisory, person, token, rule, reason, client, address, watched, count
      from jsonb_to_recordset(${identified(batch.refusals)}::jsonb) as given
        (at timestamptz, artifact bigint, advisory text, person bigint, token bigint, rule text, reason text, client text,
          address text, watched boolean, count integer)
      ${rowsNotCopied}`)
  }
  if (batch.blocked.length > 0) await addToTotals(tx, identified(batch.blocked))
  if (batch.fetches.length > 0) {
    await tx.query(sql`insert into firewall_fetch as known
        (deployment_id, artifact_id, person_id, token_id, first_at, last_at)
      select ${tx.deploymentId}::bigint, artifact, person, token, first, last
      from jsonb_to_recordset(${identified(batch.fetches)}::jsonb) as given
        (artifact bigint, person bigint, token bigint, first timestamptz, last timestamptz)
      order by artifact, person, token
      on conflict (deployment_id, artifact_id, person_id, token_id) do update set last_at = excluded.last_at
        where excluded.last_at - known.last_at > interval '1 hour'`)
  }
  return firstRefused
}

/** A build that asks a hundred times for the same is one piece of news; that it is refused now, where it was watched before, another. */
async function notRefusedBefore(tx: Transaction, { artifacts, refusals }: EventBatch, ids: readonly number[]) {
  if (refusals.length === 0) return []
  const since = refusals.reduce((first, { at }) => (at < first ? at : first), refusals[0]!.at)
  const asked = [...new Set(refusals.map(({ artifact }) => artifact))]
  const known = await tx.query<{ id: number; watched: boolean }>(sql`select asked.id, way.watched
    from unnest(${asked.map((at) => ids[at]!)}::bigint[]) as asked (id) cross join (values (true), (false)) as way (watched)
    where exists (select 1 from firewall_refusal refusal where refusal.deployment_id = ${tx.deploymentId}
      and refusal.artifact_id = asked.id and refusal.at > ${since}::timestamptz - interval '1 day'
      and refusal.watched = way.watched)`)
  const before = new Set(known.map(({ id, watched }) => `${id} ${watched}`))
  const firsts = new Map<string, RefusedArtifact>()
  for (const { artifact, rule, reason, watched } of refusals) {
    const key = `${ids[artifact]} ${watched}`
    if (!before.has(key) && !firsts.has(key)) firsts.set(key, { ...artifacts[artifact]!, rule, reason, watched })
  }
  return [...firsts.values()]
}

/** Who counts first takes hold of what is counted, in one order everywhere; then nobody else moves its totals. */
async function addToTotals(tx: Transaction, blocked: string): Promise<void> {
  const given = sql`jsonb_to_recordset(${blocked}::jsonb) as given (hour timestamptz, artifact bigint, advisory text, count bigint)`
  const held = sql`(select culprit.id, given.hour, given.count from ${given}
    join firewall_culprit culprit on culprit.deployment_id = ${tx.deploymentId}
      and culprit.artifact_id = given.artifact and culprit.advisory_id = given.advisory) held`
  await tx.query(sql`insert into firewall_culprit as known (deployment_id, artifact_id, advisory_id, total, first_hour, last_hour)
    select ${tx.deploymentId}::bigint, artifact, advisory, sum(count), min(hour), max(hour) from ${given}
    group by artifact, advisory order by artifact, advisory collate "C"
    on conflict (deployment_id, artifact_id, advisory_id) do update set total = known.total + excluded.total,
      first_hour = least(known.first_hour, excluded.first_hour), last_hour = greatest(known.last_hour, excluded.last_hour)`)
  await tx.query(sql`insert into firewall_total (deployment_id, culprit_id, hour, total)
    select ${tx.deploymentId}::bigint, held.id, held.hour, coalesce((
      select before.total from firewall_total before
      where before.deployment_id = ${tx.deploymentId} and before.culprit_id = held.id and before.hour < held.hour
      order by before.hour desc limit 1), 0)
    from ${held}
    on conflict (deployment_id, culprit_id, hour) do nothing`)
  // Also those of later hours: another process may be ahead.
  await tx.query(sql`update firewall_total total set total = total.total + more.count
    from (
      select later.culprit_id, later.hour, sum(held.count) as count from ${held}
      join firewall_total later on later.deployment_id = ${tx.deploymentId} and later.culprit_id = held.id
        and later.hour >= held.hour
      group by 1, 2) more
    where total.deployment_id = ${tx.deploymentId} and total.culprit_id = more.culprit_id and total.hour = more.hour`)
}

/** Their ids, in the order given. */
async function ensureArtifacts(tx: Transaction, artifacts: EventBatch['artifacts']): Promise<number[]> {
  const given = JSON.stringify(artifacts)
  await tx.query(sql`insert into firewall_artifact (deployment_id, ecosystem, name, version)
    select ${tx.deploymentId}::bigint, ecosystem, name, version
    from jsonb_to_recordset(${given}::jsonb) as given (ecosystem text, name text, version text)
    order by name, version, ecosystem
    on conflict do nothing`)
  const rows = await tx.query<{ id: number }>(sql`select artifact.id
    from rows from (jsonb_to_recordset(${given}::jsonb) as (ecosystem text, name text, version text))
      with ordinality as given (ecosystem, name, version, place)
    join firewall_artifact artifact on artifact.deployment_id = ${tx.deploymentId} and artifact.name = given.name
      and artifact.version = given.version and artifact.ecosystem = given.ecosystem
    order by given.place`)
  return rows.map(({ id }) => id)
}
