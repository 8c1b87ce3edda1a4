import sql from 'sql-template-tag'
import type { Change } from '../../../feeds/activate.ts'
import type { KnownRecord } from '../../../feeds/replace-records.ts'
import type { WorkerQueryable } from '../../../kernel/database/database.ts'
import type { AdvisoryRow } from './advisory-row.ts'

/** Where processes listen for news of advisories and of what deployments decide. */
export const firewallChannel = 'gatehouse_firewall'

export async function knownAdvisories(db: WorkerQueryable, feedId: number): Promise<Map<string, KnownRecord>> {
  const rows = await db.query<KnownRecord & { id: string }>(
    sql`select id, digest, listed from advisory where feed_id = ${feedId}`,
  )
  return new Map(rows.map(({ id, ...known }) => [id, known]))
}

/** Which of these name every version of a package already. */
export async function wholeAlready(db: WorkerQueryable, feedId: number, ids: string[]): Promise<Set<string>> {
  const rows = await db.query<{ id: string }>(
    sql`select id from advisory where feed_id = ${feedId} and id = any(${ids}::text[]) and whole`,
  )
  return new Set(rows.map((row) => row.id))
}

export async function upsert(tx: WorkerQueryable, { feedId, revision }: Change, rows: AdvisoryRow[]): Promise<void> {
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
export async function unlist(tx: WorkerQueryable, { feedId, revision }: Change, ids: string[]): Promise<void> {
  await tx.query(sql`update advisory set live = false, listed = false, whole = false, digest = '', revision = ${revision}
    where feed_id = ${feedId} and id = any(${ids}::text[])`)
}

/** Answers with the ids of those that were. */
export async function unlistAll(tx: WorkerQueryable, { feedId, revision }: Change): Promise<string[]> {
  const rows = await tx.query<{ id: string }>(sql`update advisory
    set live = false, listed = false, whole = false, digest = '', revision = ${revision}
    where feed_id = ${feedId} and listed returning id`)
  return rows.map(({ id }) => id)
}

/** Tells every process; leaves with the commit. */
export async function notify(tx: WorkerQueryable): Promise<void> {
  await tx.query(sql`select pg_notify(${firewallChannel}, '')`)
}

/** What tells a process whether what it knows is still all there is. */
export type Signs = { revision: number; checkedAt: Date | null; configurations: string; missesFeed: boolean }

/** `configured` are the places of the feeds that there ought to be, whether anybody has looked at them yet or not. */
export async function readSigns(db: WorkerQueryable, configured: readonly string[]): Promise<Signs> {
  const [row] = await db.query<Signs>(sql`select (select revision from advisory_state) as revision,
    (select min(checked_at) from advisory_feed) as "checkedAt",
    exists (select 1 from advisory_feed where checked_at is null and (problem <> '' or attempted_at is null))
      or not ${[...configured]}::text[] <@ array(select place from advisory_feed where checked_at is not null)
      as "missesFeed",
    (select count(*) || ' ' || coalesce(sum(rules), 0) from firewall_deployment) as configurations`)
  return row!
}

export async function readRevision(db: WorkerQueryable): Promise<number> {
  const [row] = await db.query<{ revision: number }>(sql`select revision from advisory_state`)
  return row!.revision
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
