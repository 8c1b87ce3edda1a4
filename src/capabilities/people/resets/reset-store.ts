import sql from 'sql-template-tag'
import type { IdentityQueryable } from '../../../kernel/database/database.ts'

type Identities = { query: IdentityQueryable['query'] }

export type NewReset = {
  personId: number
  /** Whose holder it is for. */
  email: string
  kind: 'mail' | 'owner' | 'server'
  tokenHash: Buffer
  /** For an owner's link. */
  onlyIn?: { deploymentId: number; madeBy: number }
  now: Date
  expiresAt: Date
}

/** In the place of an earlier one of its kind. False where the account has another address by now. */
export async function put(db: Identities, made: NewReset): Promise<boolean> {
  const rows = await db.query(sql`insert into password_reset (person_id, kind, token_hash, only_in, made_by, created_at,
      expires_at)
    select id, ${made.kind}, ${made.tokenHash}, ${made.onlyIn?.deploymentId ?? null}::bigint,
      ${made.onlyIn?.madeBy ?? null}::bigint, ${made.now}::timestamptz, ${made.expiresAt}::timestamptz
    from person where id = ${made.personId} and lower(email) = lower(${made.email}) for share
    on conflict (person_id, kind) do update set token_hash = excluded.token_hash, only_in = excluded.only_in,
      made_by = excluded.made_by, created_at = excluded.created_at, expires_at = excluded.expires_at returning 1`)
  return rows.length > 0
}

export type ResetRow = {
  person_id: number
  kind: NewReset['kind']
  only_in: number | null
  made_by: number | null
  expires_at: Date
}

export async function find(db: Identities, hash: Buffer): Promise<ResetRow | undefined> {
  const [row] = await db.query<ResetRow>(
    sql`select person_id, kind, only_in, made_by, expires_at from password_reset where token_hash = ${hash}`,
  )
  return row
}

/** Used up with this. */
export async function take(db: IdentityQueryable, hash: Buffer): Promise<ResetRow | undefined> {
  const [row] = await db.query<ResetRow>(
    sql`delete from password_reset where token_hash = ${hash} returning person_id, kind, only_in, made_by, expires_at`,
  )
  return row
}

/** What was given to the holder of one address is nothing of the holder of another. */
export async function removeAll(db: IdentityQueryable, personId: number): Promise<void> {
  await db.query(sql`delete from password_reset where person_id = ${personId}`)
}

/** Nobody joins a deployment with this account until the transaction ends: a membership needs its row. */
export async function lockPerson(db: IdentityQueryable, personId: number): Promise<void> {
  await db.query(sql`select id from person where id = ${personId} for update`)
}

/** Whether one deployment may decide about the whole account: it belongs nowhere else and is not an operator. */
export async function belongsOnlyTo(db: Identities, personId: number, deploymentId: number): Promise<boolean> {
  const [row] = await db.query<{ only: boolean }>(sql`select not operator and array[${deploymentId}::bigint] = array(
      select membership.deployment_id from membership where membership.person_id = person.id) as only
    from person where id = ${personId}`)
  return row?.only ?? false
}

export async function isOwner(db: Identities, personId: number, deploymentId: number): Promise<boolean> {
  const rows = await db.query(sql`select 1 from membership
    where deployment_id = ${deploymentId} and person_id = ${personId} and role = 'owner' and suspended_at is null`)
  return rows.length > 0
}

export async function deploymentsOf(db: Identities, personId: number): Promise<number[]> {
  const rows = await db.query<{ id: number }>(
    sql`select deployment_id as id from membership where person_id = ${personId} order by deployment_id`,
  )
  return rows.map(({ id }) => id)
}

/** Whether a link was mailed to them since. */
export async function wasMailedSince(db: Identities, personId: number, since: Date): Promise<boolean> {
  const rows = await db.query(sql`select 1 from password_reset
    where person_id = ${personId} and kind = 'mail' and created_at > ${since}`)
  return rows.length > 0
}

/** The first deployment, whose outbox has what belongs to the whole instance. */
export async function firstDeployment(db: Identities): Promise<number> {
  const [row] = await db.query<{ id: number }>(sql`select id from deployment order by id limit 1`)
  return row!.id
}

export async function removeExpired(db: Identities, before: Date): Promise<void> {
  await db.query(sql`delete from password_reset where expires_at < ${before}`)
}
