import sql, { raw } from 'sql-template-tag'
import type { WorkerQueryable } from '../kernel/database.ts'

/** What is known about a feed. */
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

/** What feeds are about: malicious packages, or vulnerabilities. Tables and audited actions are named by it. */
export type FeedKind = 'advisory' | 'vulnerability'
export type FeedBook = ReturnType<typeof feedBook>

/** The feeds of one kind, each with what became of the last attempts, and the revision of all that they brought. */
export function feedBook(kind: FeedKind) {
  const feed = raw(`${kind}_feed`)
  const state = raw(`${kind}_state`)
  const columns = sql`id, place, record_count as "recordCount", tag, checked_at as "checkedAt",
    activated_at as "activatedAt", problem, attempted_at as "attemptedAt"`

  /** Without those that were removed. */
  function list(db: WorkerQueryable): Promise<FeedRow[]> {
    return db.query(sql`select ${columns} from ${feed} where checked_at is not null or problem <> ''
      or attempted_at is null order by id`)
  }

  /** Made where it is not there yet. */
  async function ensure(db: WorkerQueryable, place: string): Promise<FeedRow> {
    await db.query(sql`insert into ${feed} (place) values (${place}) on conflict (place) do nothing`)
    const [row] = await db.query<FeedRow>(sql`select ${columns} from ${feed} where place = ${place}`)
    return row!
  }

  async function noteActivation(
    tx: WorkerQueryable,
    id: number,
    { recordCount, tag, at }: { recordCount: number; tag: string; at: Date },
  ): Promise<void> {
    await tx.query(sql`update ${feed} set record_count = ${recordCount}, tag = ${tag}, checked_at = ${at},
      activated_at = ${at}, attempted_at = ${at}, problem = '' where id = ${id}`)
  }

  /** Nothing new: what is active is still what the feed has. */
  async function noteCurrent(tx: WorkerQueryable, id: number, at: Date): Promise<void> {
    await tx.query(sql`update ${feed} set checked_at = ${at}, attempted_at = ${at}, problem = '' where id = ${id}`)
  }

  /** Answers whether it is another problem than the last time. */
  async function noteProblem(tx: WorkerQueryable, id: number, problem: string, at: Date): Promise<boolean> {
    const [before] = await tx.query<{ problem: string }>(sql`select problem from ${feed} where id = ${id} for update`)
    await tx.query(sql`update ${feed} set problem = ${problem}, attempted_at = ${at} where id = ${id}`)
    return before?.problem !== problem
  }

  /** As if it had never been read; its row stays for what refers to it. */
  async function forget(tx: WorkerQueryable, id: number): Promise<void> {
    await tx.query(sql`update ${feed} set record_count = 0, tag = '', checked_at = null, activated_at = null, problem = '',
      attempted_at = coalesce(attempted_at, now()) where id = ${id}`)
  }

  /** Whoever activates comes one after the other. Answers the revision that is active. */
  async function lockRevision(tx: WorkerQueryable): Promise<number> {
    const [row] = await tx.query<{ revision: number }>(sql`select revision from ${state} for update`)
    return row!.revision
  }

  async function setRevision(tx: WorkerQueryable, revision: number): Promise<void> {
    await tx.query(sql`update ${state} set revision = ${revision}`)
  }

  return { kind, list, ensure, noteActivation, noteCurrent, noteProblem, forget, lockRevision, setRevision }
}
