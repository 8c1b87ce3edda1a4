import sql from 'sql-template-tag'
import type { IdentityQueryable } from '../../kernel/database/database.ts'
import type { Proof } from '../factors/public.ts'
import { idleSince } from './browser/browser-secret.ts'

export type SessionRow = {
  id: string
  person_id: number
  refreshed_at: Date
  refreshed_from: string
  expires_at: Date
  revoked_at: Date | null
  /** Which token of the session it is: the current one, the one before it, or an older one. */
  place: 'current' | 'previous' | 'older'
}

/** What every session has, whatever it is known by. */
export type NewSession = {
  id: string
  personId: number
  network: string
  openedAt: Date
  expiresAt: Date
  proof: Proof
}

export async function insert(
  db: IdentityQueryable,
  session: NewSession & { familyHash: Buffer; refreshHash: Buffer },
): Promise<void> {
  await db.query(sql`insert into session (id, person_id, family_hash, refresh_hash, refreshed_from, created_at, expires_at, proof)
    values (${session.id}, ${session.personId}, ${session.familyHash}, ${session.refreshHash}, ${session.network},
      ${session.openedAt}, ${session.expiresAt}, ${session.proof})`)
}

/** The session that a refresh token was ever given out for, locked. */
export async function lockByRefreshToken(
  db: IdentityQueryable,
  familyHash: Buffer,
  refreshHash: Buffer,
): Promise<SessionRow | undefined> {
  const [row] =
    await db.query<SessionRow>(sql`select id, person_id, refreshed_at, refreshed_from, expires_at, revoked_at,
      case refresh_hash when ${refreshHash} then 'current' else
        case previous_hash when ${refreshHash} then 'previous' else 'older' end end as place
    from session where family_hash = ${familyHash} for update`)
  return row
}

export async function rotate(
  db: IdentityQueryable,
  id: string,
  to: { refreshHash: Buffer; network: string; at: Date },
): Promise<void> {
  await db.query(sql`update session set refresh_hash = ${to.refreshHash}, previous_hash = refresh_hash,
    refreshed_at = ${to.at}, refreshed_from = ${to.network} where id = ${id}`)
}

export async function revoke(db: IdentityQueryable, id: string): Promise<void> {
  await db.query(sql`update session set revoked_at = now() where id = ${id} and revoked_at is null`)
}

/** Whether the person still has this password; it stays until the transaction ends. */
export async function lockPassword(db: IdentityQueryable, personId: number, passwordHash: string): Promise<boolean> {
  const rows = await db.query(
    sql`select 1 from person where id = ${personId} and password_hash = ${passwordHash} for no key update`,
  )
  return rows.length > 0
}

/** A day after their end: until then a late request learns what happened to its session. */
export async function forgetExpired(db: IdentityQueryable, now: Date): Promise<void> {
  const dayAgo = new Date(now.getTime() - 86_400_000)
  await db.query(sql`delete from session where expires_at < ${dayAgo} or used_at < ${idleSince(dayAgo)}`)
}
