import sql from 'sql-template-tag'
import type { IdentityQueryable } from '../../../kernel/database/database.ts'
import { mustSetUpFactor, type Requirement } from '../../factors/public.ts'
import { type LiveSession, liveSession, rightsInSession } from '../public.ts'
import type { NewSession } from '../store.ts'

export type BrowserRow = LiveSession & {
  id: string
  person_id: number
  expires_at: Date
  used_at: Date
  confirmed_at: Date
  provider: { id: number; name: string } | null
}

/** The sign-in provider that a session began at, and what it knows it by. */
export type BeganAt = { providerId: number; subject: string; sid: string | undefined }

export async function insertBrowser(
  db: IdentityQueryable,
  session: NewSession & { cookieHash: Buffer; at: Date; confirmedAt?: Date; beganAt?: BeganAt },
): Promise<void> {
  const { beganAt } = session
  await db.query(sql`insert into session (id, person_id, cookie_hash, refreshed_from, created_at, expires_at, used_at,
      confirmed_at, proof, provider_id, provider_subject, provider_sid)
    values (${session.id}, ${session.personId}, ${session.cookieHash}, ${session.network}, ${session.openedAt},
      ${session.expiresAt}, ${session.at}, ${session.confirmedAt ?? session.at}, ${session.proof},
      ${beganAt?.providerId ?? null}, ${beganAt?.subject ?? null}, ${beganAt?.sid ?? null})`)
}

/** Everything a request by a browser needs to know, in one look. */
export async function findByCookie(
  db: { query: IdentityQueryable['query'] },
  cookieHash: Buffer,
  requirement: Requirement,
): Promise<BrowserRow | undefined> {
  const [row] =
    await db.query<BrowserRow>(sql`select session.id, session.person_id, session.expires_at, session.used_at,
      session.confirmed_at, session.revoked_at is not null as revoked, ${rightsInSession},
      ${mustSetUpFactor(requirement)} as must_set_up,
      case when began_at.id is not null then json_build_object('id', began_at.id, 'name', began_at.name) end as provider
    from ${liveSession} where session.cookie_hash = ${cookieHash}`)
  return row
}

export async function revokeByCookie(db: IdentityQueryable, cookieHash: Buffer): Promise<void> {
  await db.query(sql`update session set revoked_at = now() where cookie_hash = ${cookieHash} and revoked_at is null`)
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
