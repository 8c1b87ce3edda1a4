import sql from 'sql-template-tag'
import type { Queryable, WorkerQueryable } from '../../../kernel/database/database.ts'
import type { EpssScore } from './score-list.ts'

/** The highest score of these ids; null where no list has one of them. */
export async function epssOf(db: Queryable, ids: readonly string[]): Promise<Omit<EpssScore, 'cve'> | null> {
  const [row] = await db.query<Omit<EpssScore, 'cve'>>(sql`select probability, percentile from epss_score
    where cve = any(${[...ids]}::text[]) order by probability desc, percentile desc limit 1`)
  return row ?? null
}

export async function scoresOf(tx: WorkerQueryable, feedId: number): Promise<Map<string, EpssScore>> {
  const rows = await tx.query<EpssScore>(sql`select cve, probability, percentile from epss_score
    where feed_id = ${feedId}`)
  return new Map(rows.map((row) => [row.cve, row]))
}

export async function upsert(tx: WorkerQueryable, feedId: number, scores: readonly EpssScore[]): Promise<void> {
  await tx.query(sql`insert into epss_score (cve, feed_id, probability, percentile)
    select cve, ${feedId}::bigint, probability, percentile from unnest(${scores.map(({ cve }) => cve)}::text[],
      ${scores.map(({ probability }) => probability)}::real[],
      ${scores.map(({ percentile }) => percentile)}::real[]) as given (cve, probability, percentile)
    on conflict (cve, feed_id) do update set probability = excluded.probability, percentile = excluded.percentile`)
}

export async function remove(tx: WorkerQueryable, feedId: number, cves: readonly string[]): Promise<void> {
  await tx.query(sql`delete from epss_score where feed_id = ${feedId} and cve = any(${[...cves]}::text[])`)
}

export async function removeAll(tx: WorkerQueryable, feedId: number): Promise<void> {
  await tx.query(sql`delete from epss_score where feed_id = ${feedId}`)
}
