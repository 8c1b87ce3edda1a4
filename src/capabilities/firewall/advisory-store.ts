import sql from 'sql-template-tag'
import type { WorkerQueryable } from '../../kernel/database.ts'
import type { AdvisoryRow } from './advisory-row.ts'

export type FeedRow = {
  id: number
  place: string
  recordCount: number
  tag: string
  checkedAt: Date | null
  activatedAt: Date | null
  problem: string
  attemptedAt: Date | null
}

const feedColumns = sql`id, place, record_count as "recordCount", tag, checked_at as "checkedAt",
  activated_at as "activatedAt", problem, attempted_at as "attemptedAt"`

/** Where processes listen for news of advisories and of the rules of deployments. */
export const firewallChannel = 'gatehouse_firewall'

/** Without those that were removed, or never came to anything. */
export function listFeeds(db: WorkerQueryable): Promise<FeedRow[]> {
  return db.query(
    sql`select ${feedColumns} from advisory_feed where checked_at is not null or problem <> '' order by id`,
  )
}

/** Made where it is not there yet. */
export async function ensureFeed(db: WorkerQueryable, place: string): Promise<FeedRow> {
  await db.query(sql`insert into advisory_feed (place) values (${place}) on conflict (place) do nothing`)
  const [row] = await db.query<FeedRow>(sql`select ${feedColumns} from advisory_feed where place = ${place}`)
  return row!
}

/** Whoever activates comes one after the other. Answers the revision that is active. */
export async function lockRevision(tx: WorkerQueryable): Promise<number> {
  const [row] = await tx.query<{ revision: number }>(sql`select revision from advisory_state for update`)
  return row!.revision
}

export async function setRevision(tx: WorkerQueryable, revision: number): Promise<void> {
  await tx.query(sql`update advisory_state set revision = ${revision}`)
}

export type KnownAdvisory = { id: string; digest: string; listed: boolean; whole: boolean }

export function knownAdvisories(db: WorkerQueryable, feedId: number): Promise<KnownAdvisory[]> {
  return db.query(sql`select id, digest, listed, whole from advisory where feed_id = ${feedId}`)
}

export async function upsert(
  tx: WorkerQueryable,
  feedId: number,
  revision: number,
  rows: AdvisoryRow[],
): Promise<void> {
  await tx.query(sql`insert into advisory
      (feed_id, id, live, listed, whole, modified_at, summary, packages, digest, revision)
    select ${feedId}::bigint, id, live, true, whole, modified, summary, packages, digest, ${revision}::bigint
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb) as given
      (id text, live boolean, whole boolean, modified timestamptz, summary text, packages jsonb, digest text)
    on conflict (feed_id, id) do update set live = excluded.live, listed = true, whole = excluded.whole,
      modified_at = excluded.modified_at, summary = excluded.summary, packages = excluded.packages,
      digest = excluded.digest, revision = excluded.revision`)
}

/** Its row stays, so that whoever knows it learns that it is gone. */
export async function unlist(tx: WorkerQueryable, feedId: number, revision: number, ids: string[]): Promise<void> {
  await tx.query(sql`update advisory set live = false, listed = false, whole = false, digest = '', revision = ${revision}
    where feed_id = ${feedId} and id = any(${ids}::text[])`)
}

export async function noteActivation(
  tx: WorkerQueryable,
  feedId: number,
  { recordCount, tag, at }: { recordCount: number; tag: string; at: Date },
): Promise<void> {
  await tx.query(sql`update advisory_feed set record_count = ${recordCount}, tag = ${tag}, checked_at = ${at},
    activated_at = ${at}, attempted_at = ${at}, problem = '' where id = ${feedId}`)
}

/** Nothing new: what is active is still what the feed has. */
export async function noteCurrent(tx: WorkerQueryable, feedId: number, at: Date): Promise<void> {
  await tx.query(
    sql`update advisory_feed set checked_at = ${at}, attempted_at = ${at}, problem = '' where id = ${feedId}`,
  )
}

/** Answers whether it is another problem than the last time. */
export async function noteProblem(tx: WorkerQueryable, feedId: number, problem: string, at: Date): Promise<boolean> {
  const [before] = await tx.query<{ problem: string }>(
    sql`select problem from advisory_feed where id = ${feedId} for update`,
  )
  await tx.query(sql`update advisory_feed set problem = ${problem}, attempted_at = ${at} where id = ${feedId}`)
  return before?.problem !== problem
}

/** Its advisories stay as rows that are no longer listed. */
export async function forgetFeed(tx: WorkerQueryable, feedId: number, revision: number): Promise<void> {
  await tx.query(sql`update advisory set live = false, listed = false, whole = false, digest = '', revision = ${revision}
    where feed_id = ${feedId} and listed`)
  await tx.query(sql`update advisory_feed set record_count = 0, tag = '', checked_at = null, activated_at = null,
    problem = '' where id = ${feedId}`)
}

/** Tells every process; leaves with the commit. */
export async function notify(tx: WorkerQueryable): Promise<void> {
  await tx.query(sql`select pg_notify(${firewallChannel}, '')`)
}

/** In the log of every deployment: advisories are everybody's. */
export async function auditEverywhere(
  tx: WorkerQueryable,
  action: string,
  target: string,
  detail: object,
): Promise<void> {
  const deployments = await tx.query<{ id: number }>(sql`select id from deployment order by id`)
  for (const { id } of deployments) {
    // The chain's rows are under the policy of their tenant, for whoever appends too.
    await tx.query(sql`select set_config('gatehouse.deployment', ${String(id)}, true)`)
    await tx.query(sql`select audit_append(${id}::bigint, 0::bigint, 0::bigint, ${'feed-sync'}, ${action}, ${target},
      ${JSON.stringify(detail)}::jsonb)`)
  }
  await tx.query(sql`select set_config('gatehouse.deployment', '', true)`)
}

/** What tells a process whether what it knows is still all there is. */
export type Signs = { revision: number; checkedAt: Date | null; rules: string }

export async function readSigns(db: WorkerQueryable): Promise<Signs> {
  const [row] = await db.query<Signs>(sql`select (select revision from advisory_state) as revision,
    (select min(checked_at) from advisory_feed) as "checkedAt",
    (select count(*) || ' ' || coalesce(sum(rules), 0) from firewall_deployment) as rules`)
  return row!
}

export type LoadedAdvisory = { feedId: number; id: string; live: boolean; packages: AdvisoryRow['packages'] }

/** Advisories that changed after a revision, by feed and id, a batch after a position. */
export function changedAfter(
  db: WorkerQueryable,
  revision: number,
  after: { feedId: number; id: string },
  limit: number,
): Promise<LoadedAdvisory[]> {
  return db.query(sql`select feed_id as "feedId", id, live, case when live then packages else '[]'::jsonb end as packages
    from advisory where revision > ${revision} and (feed_id, id) > (${after.feedId}, ${after.id})
    order by feed_id, id limit ${limit}`)
}
