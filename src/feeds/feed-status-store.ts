import sql, { raw } from 'sql-template-tag'
import type { WorkerQueryable } from '../kernel/database/database.ts'

/** What is known about a feed. */
export type FeedRow = {
  id: number
  place: string
  recordCount: number
  tag: string
  checkedAt: Date | null
  activatedAt: Date | null
  problem: string
  problemKind: ProblemKind | ''
  attemptedAt: Date | null
}

/** Nobody answers there, or what is there is not taken over. */
export type ProblemKind = 'unreachable' | 'refused'

/** What feeds are about: malicious packages, vulnerabilities, which of those are exploited, or how probably. Tables and audited actions are named by it. */
export type FeedKind = 'advisory' | 'vulnerability' | 'exploited' | 'epss'

/**
 * Raised when the same feed comes out otherwise than before: it is read again then, though it has not changed. A process of the release
 * before may read it meanwhile as it did, and what it leaves is read once more.
 */
const readers: Record<FeedKind, number> = { advisory: 0, vulnerability: 1, exploited: 0, epss: 0 }

/** Of problems that change with every attempt, no more than this many are told until the feed comes in again. */
const mostTold = 20

export type FeedStatusStore = ReturnType<typeof feedStatusStore>

/** The feeds of one kind, each with what became of the last attempts, and the revision of all that they brought. */
export function feedStatusStore(kind: FeedKind) {
  const feed = raw(`${kind}_feed`)
  const state = raw(`${kind}_state`)
  // In front of the tag. What another reader left has none, as if it had never been read.
  const reader = readers[kind] === 0 ? '' : `reader ${readers[kind]} `
  const columns = sql`id, place, record_count as "recordCount",
    case when starts_with(tag, ${reader}) then substr(tag, ${reader.length + 1}) else '' end as tag, checked_at as "checkedAt",
    activated_at as "activatedAt", problem, problem_kind as "problemKind", attempted_at as "attemptedAt"`

  const solved = sql`problem = '', problem_kind = '', told = '{}'`

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
    await tx.query(sql`update ${feed} set record_count = ${recordCount}, tag = ${reader + tag}, checked_at = ${at},
      activated_at = ${at}, attempted_at = ${at}, ${solved} where id = ${id}`)
  }

  /** Nothing new: what is active is still what the feed has. */
  async function noteCurrent(tx: WorkerQueryable, id: number, at: Date): Promise<void> {
    await tx.query(sql`update ${feed} set checked_at = ${at}, attempted_at = ${at}, ${solved} where id = ${id}`)
  }

  /**
   * Answers whether it is news. That a feed cannot be reached is told once until it comes in again, however the words for it
   * change from one attempt to the next; so is each other problem.
   */
  async function noteProblem(
    tx: WorkerQueryable,
    id: number,
    { kind, problem, at }: { kind: ProblemKind; problem: string; at: Date },
  ): Promise<boolean> {
    const [before] = await tx.query<{ told: string[] }>(sql`select told from ${feed} where id = ${id} for update`)
    const told = before?.told ?? []
    const news = kind === 'unreachable' ? kind : problem
    const isNews = !told.includes(news) && told.length < mostTold
    await tx.query(sql`update ${feed} set problem = ${problem}, problem_kind = ${kind}, attempted_at = ${at},
      told = ${isNews ? [...told, news] : told}::text[] where id = ${id}`)
    return isNews
  }

  /** As if it had never been read; its row stays for what refers to it. */
  async function forget(tx: WorkerQueryable, id: number): Promise<void> {
    await tx.query(sql`update ${feed} set attempted_at = now() where id = ${id} and attempted_at is null`)
    await tx.query(sql`update ${feed} set record_count = 0, tag = '', checked_at = null, activated_at = null, ${solved}
      where id = ${id}`)
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
