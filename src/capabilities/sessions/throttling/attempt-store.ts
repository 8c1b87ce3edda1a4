import sql from 'sql-template-tag'
import type { IdentityQueryable } from '../../../kernel/database/database.ts'

/** `message`: what is said in the place of the sentence about sign-ins. */
export type Limit = { key: string; most: number; seconds: number; message?: string }

/**
 * Counts one more, unless there are as many within the window already. Whoever counts for the same key waits for the row. Attempts that
 * are still to come were made under a clock that was wrong, and would keep people out until that time.
 */
export async function take(db: IdentityQueryable, { key, most, seconds }: Limit, now: Date): Promise<boolean> {
  const since = new Date(now.getTime() - seconds * 1000)
  const keptUntil = new Date(now.getTime() + seconds * 1000)
  const counts = sql`at > ${since} and at <= ${latest(now)}`
  const rows = await db.query(sql`insert into sign_in_attempt as known (key, failed_at, kept_until)
    values (${key}, array[${now}::timestamptz], ${keptUntil})
    on conflict (key) do update set kept_until = excluded.kept_until,
      failed_at = array(select at from unnest(known.failed_at) at where ${counts}) || excluded.failed_at
      where (select count(*) from unnest(known.failed_at) at where ${counts}) < ${most}
    returning 1`)
  return rows.length > 0
}

/** When the next one fits: the oldest that still counts leaves the window. */
export async function freeAt(db: IdentityQueryable, { key, seconds }: Limit, now: Date): Promise<Date> {
  const since = new Date(now.getTime() - seconds * 1000)
  const [row] = await db.query<{ oldest: Date | null }>(sql`select min(at) as oldest
    from sign_in_attempt, unnest(failed_at) at where key = ${key} and at > ${since} and at <= ${latest(now)}`)
  return new Date((row?.oldest ?? since).getTime() + seconds * 1000)
}

/** Clocks of several processes differ a little. */
function latest(now: Date): Date {
  return new Date(now.getTime() + 60_000)
}

/** Takes one of that time back, not all: several may have come in the same moment. */
export async function giveBack(db: IdentityQueryable, key: string, at: Date): Promise<void> {
  await db.query(sql`update sign_in_attempt
    set failed_at = failed_at[:array_position(failed_at, ${at}::timestamptz) - 1]
      || failed_at[array_position(failed_at, ${at}::timestamptz) + 1:]
    where key = ${key} and array_position(failed_at, ${at}::timestamptz) is not null`)
}

export async function forgetOld(db: IdentityQueryable, now: Date): Promise<void> {
  await db.query(sql`delete from sign_in_attempt where kept_until < ${now}`)
}
