import sql from 'sql-template-tag'
import type { IdentityQueryable } from '../../../kernel/database/database.ts'
import type { SealedValue } from '../../../vault/key-ring.ts'

type Identities = { query: IdentityQueryable['query'] }

/** In the place of one that was begun earlier. */
export async function putSetup(
  db: Identities,
  personId: number,
  { secret, expiresAt }: { secret: SealedValue; expiresAt: Date },
): Promise<void> {
  await db.query(sql`insert into totp_setup (id, secret, expires_at)
    values (${personId}, ${JSON.stringify(secret)}::jsonb, ${expiresAt})
    on conflict (id) do update set secret = excluded.secret, expires_at = excluded.expires_at`)
}

export async function findSetup(db: Identities, personId: number, now: Date): Promise<SealedValue | undefined> {
  const [row] = await db.query<{ secret: SealedValue }>(
    sql`select secret from totp_setup where id = ${personId} and expires_at > ${now}`,
  )
  return row?.secret
}

/** False where somebody else has taken it, or begun again. */
export async function takeSetup(db: IdentityQueryable, personId: number, secret: SealedValue): Promise<boolean> {
  const rows = await db.query(sql`delete from totp_setup
    where id = ${personId} and secret = ${JSON.stringify(secret)}::jsonb returning 1`)
  return rows.length > 0
}

export type TotpRow = { secret: SealedValue; created_at: Date; used_at: Date | null; last_step: number }

export async function find(db: Identities, personId: number): Promise<TotpRow | undefined> {
  const [row] = await db.query<TotpRow>(
    sql`select secret, created_at, used_at, last_step from totp_factor where id = ${personId}`,
  )
  return row
}

/** In the place of an earlier one. The step that confirmed it counts as used. */
export async function put(
  db: IdentityQueryable,
  personId: number,
  { secret, step, at }: { secret: SealedValue; step: number; at: Date },
): Promise<void> {
  await db.query(sql`insert into totp_factor (id, secret, created_at, last_step)
    values (${personId}, ${JSON.stringify(secret)}::jsonb, ${at}, ${step})
    on conflict (id) do update set secret = excluded.secret, created_at = excluded.created_at, used_at = null,
      last_step = excluded.last_step`)
}

/** False where that step, or a later one, was accepted before: by whichever process, it is accepted once. */
export async function spendStep(db: IdentityQueryable, personId: number, step: number, at: Date): Promise<boolean> {
  const rows = await db.query(sql`update totp_factor set last_step = ${step}, used_at = ${at}
    where id = ${personId} and last_step < ${step} returning 1`)
  return rows.length > 0
}

export async function remove(db: IdentityQueryable, personId: number): Promise<boolean> {
  await db.query(sql`delete from totp_setup where id = ${personId}`)
  const rows = await db.query(sql`delete from totp_factor where id = ${personId} returning 1`)
  return rows.length > 0
}

export async function removeSince(db: IdentityQueryable, personId: number, since: Date): Promise<boolean> {
  await db.query(sql`delete from totp_setup where id = ${personId}`)
  const rows = await db.query(
    sql`delete from totp_factor where id = ${personId} and created_at >= ${since} returning 1`,
  )
  return rows.length > 0
}

export async function removeExpired(db: Identities, now: Date): Promise<void> {
  await db.query(sql`delete from totp_setup where expires_at <= ${now}`)
}
