import sql from 'sql-template-tag'
import type { IdentityQueryable } from '../../../kernel/database/database.ts'
import { type LiveSession, rolesOfPerson } from '../public.ts'
import type { NewSession } from '../store.ts'

export type BrowserRow = LiveSession & {
  id: string
  person_id: number
  expires_at: Date
  used_at: Date
  confirmed_at: Date
}

export async function insertBrowser(
  db: IdentityQueryable,
  session: NewSession & { cookieHash: Buffer; at: Date },
): Promise<void> {
  await db.query(sql`insert into session (id, person_id, cookie_hash, refreshed_from, expires_at, used_at, confirmed_at)
    values (${session.id}, ${session.personId}, ${session.cookieHash}, ${session.network}, ${session.expiresAt},
      ${session.at}, ${session.at})`)
}

/** Everything a request by a browser needs to know, in one look. */
export async function findByCookie(
  db: { query: IdentityQueryable['query'] },
  cookieHash: Buffer,
): Promise<BrowserRow | undefined> {
  const [row] =
    await db.query<BrowserRow>(sql`select session.id, session.person_id, session.expires_at, session.used_at,
      session.confirmed_at, session.revoked_at is not null as revoked, person.operator, ${rolesOfPerson} as roles
    from session join person on person.id = session.person_id where session.cookie_hash = ${cookieHash}`)
  return row
}

export async function revokeByCookie(db: IdentityQueryable, cookieHash: Buffer): Promise<void> {
  await db.query(sql`update session set revoked_at = coalesce(revoked_at, now()) where cookie_hash = ${cookieHash}`)
}

/** False where the session has ended meanwhile. */
export async function confirm(db: IdentityQueryable, id: string, at: Date): Promise<boolean> {
  const rows = await db.query(
    sql`update session set confirmed_at = ${at} where id = ${id} and cookie_hash is not null and revoked_at is null returning 1`,
  )
  return rows.length > 0
}

export async function noteUsed(
  db: { query: IdentityQueryable['query'] },
  uses: ReadonlyMap<string, Date>,
): Promise<void> {
  await db.query(sql`update session set used_at = greatest(session.used_at, used.at)
    from unnest(${[...uses.keys()]}::uuid[], ${[...uses.values()]}::timestamptz[]) as used (id, at)
    where session.id = used.id and session.cookie_hash is not null`)
}
