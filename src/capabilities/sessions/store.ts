import sql from 'sql-template-tag'
import type { IdentityQueryable } from '../../kernel/database.ts'

export type SessionRow = {
  id: string
  person_id: number
  refreshed_at: Date
  expires_at: Date
  revoked_at: Date | null
  current: boolean
}

export async function insert(
  db: IdentityQueryable,
  session: { id: string; personId: number; refreshHash: Buffer; expiresAt: Date },
): Promise<void> {
  await db.query(sql`insert into session (id, person_id, refresh_hash, expires_at)
    values (${session.id}, ${session.personId}, ${session.refreshHash}, ${session.expiresAt})`)
}

/** The session that a refresh token belongs or last belonged to, locked. */
export async function lockByRefreshToken(db: IdentityQueryable, hash: Buffer): Promise<SessionRow | undefined> {
  const [row] = await db.query<SessionRow>(sql`select id, person_id, refreshed_at, expires_at, revoked_at,
      refresh_hash = ${hash} as current
    from session where refresh_hash = ${hash} or previous_hash = ${hash} for update`)
  return row
}

export async function rotate(db: IdentityQueryable, id: string, from: Buffer, to: Buffer, at: Date): Promise<void> {
  await db.query(
    sql`update session set refresh_hash = ${to}, previous_hash = ${from}, refreshed_at = ${at} where id = ${id}`,
  )
}

export async function revoke(db: IdentityQueryable, id: string): Promise<void> {
  await db.query(sql`update session set revoked_at = coalesce(revoked_at, now()) where id = ${id}`)
}
