import sql from 'sql-template-tag'
import type { Change } from '../../../feeds/activate.ts'
import type { KnownRecord } from '../../../feeds/replace-records.ts'
import type { WorkerQueryable } from '../../../kernel/database/database.ts'
import type { RecordRow } from './record-row.ts'

const mostAtOnce = 1_000

export async function knownRecords(db: WorkerQueryable, feedId: number): Promise<Map<string, KnownRecord>> {
  const rows = await db.query<KnownRecord & { id: string }>(
    sql`select external_id as id, digest, listed from vulnerability where feed_id = ${feedId}`,
  )
  return new Map(rows.map(({ id, ...known }) => [id, known]))
}

export async function upsert(tx: WorkerQueryable, { feedId, revision }: Change, rows: RecordRow[]): Promise<void> {
  const stored = await tx.query<{ id: number; externalId: string }>(sql`insert into vulnerability
      (feed_id, external_id, ids, live, listed, published_at, modified_at, withdrawn_at, severity, severity_source, vector,
        score, cwes, summary, details, links, packages, digest)
    select ${feedId}::bigint, id, ids, live, true, published, modified, withdrawn, severity, "severitySource", vector,
      score, cwes, summary, details, links, packages, digest
    from jsonb_to_recordset(${JSON.stringify(rows.map(({ ranges, ...row }) => row))}::jsonb) as given
      (id text, ids text[], live boolean, published timestamptz, modified timestamptz, withdrawn timestamptz,
        severity smallint, "severitySource" smallint, vector text, score real, cwes text[], summary text, details text,
        links text[], packages jsonb, digest text)
    on conflict (feed_id, external_id) do update set ids = excluded.ids, live = excluded.live, listed = true,
      published_at = excluded.published_at, modified_at = excluded.modified_at, withdrawn_at = excluded.withdrawn_at,
      severity = excluded.severity, severity_source = excluded.severity_source, vector = excluded.vector,
      score = excluded.score, cwes = excluded.cwes, summary = excluded.summary, details = excluded.details,
      links = excluded.links, packages = excluded.packages, digest = excluded.digest
    returning id, external_id as "externalId"`)
  await endRanges(
    tx,
    revision,
    stored.map((row) => row.id),
  )
  await insertRanges(tx, revision, rows, new Map(stored.map((row) => [row.externalId, row.id])))
}

async function endRanges(tx: WorkerQueryable, revision: number, ids: readonly number[]): Promise<void> {
  await tx.query(sql`update vulnerability_range set live = false, revision = ${revision}
    where vulnerability_id = any(${ids}::bigint[]) and live`)
}

async function insertRanges(
  tx: WorkerQueryable,
  revision: number,
  rows: readonly RecordRow[],
  ids: ReadonlyMap<string, number>,
): Promise<void> {
  const ranges = rows.flatMap((row) => row.ranges.map((range) => ({ ...range, id: ids.get(row.id)! })))
  if (ranges.length === 0) return
  await tx.query(sql`insert into vulnerability_range
      (vulnerability_id, ecosystem, name, lower, upper, upper_inclusive, fixed, live, revision)
    select id, ecosystem, name, decode(lower, 'hex'), decode(upper, 'hex'), upper_inclusive, fixed, true, ${revision}::bigint
    from unnest(${ranges.map((one) => one.id)}::bigint[], ${ranges.map((one) => one.ecosystem)}::text[],
      ${ranges.map((one) => one.name)}::text[], ${ranges.map((one) => one.lower)}::text[],
      ${ranges.map((one) => one.upper)}::text[], ${ranges.map((one) => one.upperInclusive)}::boolean[],
      ${ranges.map((one) => one.fixed)}::text[]) as given (id, ecosystem, name, lower, upper, upper_inclusive, fixed)`)
}

/** They are no longer in their feed. The rows stay: why a finding is gone is told by them. */
export async function unlist(tx: WorkerQueryable, { feedId, revision }: Change, ids: string[]): Promise<void> {
  for (let at = 0; at < ids.length; at += mostAtOnce) {
    const some = ids.slice(at, at + mostAtOnce)
    const rows = await tx.query<{ id: number }>(sql`update vulnerability set live = false, listed = false, digest = ''
      where feed_id = ${feedId} and external_id = any(${some}::text[]) returning id`)
    await endRanges(
      tx,
      revision,
      rows.map((row) => row.id),
    )
  }
}

export async function unlistAll(tx: WorkerQueryable, change: Change): Promise<void> {
  const listed = await tx.query<{ id: string }>(
    sql`select external_id as id from vulnerability where feed_id = ${change.feedId} and listed`,
  )
  await unlist(
    tx,
    change,
    listed.map((row) => row.id),
  )
}

/** What has ended and every deployment has looked at. */
export async function dropEnded(tx: WorkerQueryable): Promise<void> {
  await tx.query(sql`delete from vulnerability_range where not live and revision <= (
    select coalesce(min(coalesce(done.revision, 0)), 0) from deployment
    left join vulnerability_deployment done on done.deployment_id = deployment.id)`)
}
