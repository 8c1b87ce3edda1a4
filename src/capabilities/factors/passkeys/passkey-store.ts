import sql from 'sql-template-tag'
import type { IdentityQueryable } from '../../../kernel/database/database.ts'

type Identities = { query: IdentityQueryable['query'] }

export type PasskeyRow = {
  id: number
  person_id: number
  credential_id: string
  public_key: Buffer
  counter: number
  transports: string[]
  backed_up: boolean
  name: string
  created_at: Date
  used_at: Date | null
}

const columns = sql`id, person_id, credential_id, public_key, counter, transports, backed_up, name, created_at, used_at`

export async function putChallenge(
  db: Identities,
  challenge: { hash: Buffer; personId: number | null; expiresAt: Date },
): Promise<void> {
  await db.query(sql`insert into passkey_challenge (hash, person_id, expires_at)
    values (${challenge.hash}, ${challenge.personId}, ${challenge.expiresAt})`)
}

/** Used up with this, whatever becomes of the answer to it. */
export async function takeChallenge(
  db: Identities,
  { hash, personId }: { hash: Buffer; personId: number | null },
  now: Date,
): Promise<boolean> {
  const rows = await db.query<{ valid: boolean }>(sql`delete from passkey_challenge
    where hash = ${hash} and person_id is not distinct from ${personId}::bigint returning expires_at > ${now} as valid`)
  return rows[0]?.valid ?? false
}

export async function removeExpired(db: Identities, now: Date): Promise<void> {
  await db.query(sql`delete from passkey_challenge where expires_at <= ${now}`)
}

export function listOf(db: Identities, personId: number): Promise<PasskeyRow[]> {
  return db.query(sql`select ${columns} from passkey where person_id = ${personId} order by id`)
}

export async function findByCredential(db: Identities, credentialId: string): Promise<PasskeyRow | undefined> {
  const [row] = await db.query<PasskeyRow>(sql`select ${columns} from passkey where credential_id = ${credentialId}`)
  return row
}

/** What authenticators know the person by. */
export async function handleOf(db: Identities, personId: number): Promise<string> {
  const [row] = await db.query<{ handle: string }>(
    sql`select passkey_handle as handle from person where id = ${personId}`,
  )
  return row?.handle ?? ''
}

/** Undefined where somebody has that credential already. */
export async function insert(
  db: IdentityQueryable,
  passkey: Omit<PasskeyRow, 'id' | 'used_at'>,
): Promise<PasskeyRow | undefined> {
  const [row] = await db.query<PasskeyRow>(sql`insert into passkey
      (person_id, credential_id, public_key, counter, transports, backed_up, name, created_at)
    values (${passkey.person_id}, ${passkey.credential_id}, ${passkey.public_key}, ${passkey.counter},
      ${passkey.transports}, ${passkey.backed_up}, ${passkey.name}, ${passkey.created_at})
    on conflict (credential_id) do nothing returning ${columns}`)
  return row
}

/**
 * False where its counter did not go on: another device signs with a copy of it (WebAuthn §6.1.1). Passkeys that are kept by
 * several devices do not count at all.
 */
export async function spend(
  db: IdentityQueryable,
  id: number,
  { counter, at }: { counter: number; at: Date },
): Promise<boolean> {
  const rows = await db.query(sql`update passkey set counter = ${counter}, used_at = ${at}
    where id = ${id} and (counter < ${counter} or (counter = 0 and ${counter}::bigint = 0)) returning 1`)
  return rows.length > 0
}

/** Of this person alone: nobody else's can be named. */
export async function remove(db: IdentityQueryable, personId: number, id: number): Promise<PasskeyRow | undefined> {
  const [row] = await db.query<PasskeyRow>(
    sql`delete from passkey where person_id = ${personId} and id = ${id} returning ${columns}`,
  )
  return row
}

export async function removeAll(db: IdentityQueryable, personId: number): Promise<number> {
  const rows = await db.query(sql`delete from passkey where person_id = ${personId} returning 1`)
  return rows.length
}

export async function removeSince(db: IdentityQueryable, personId: number, since: Date): Promise<number> {
  const rows = await db.query(
    sql`delete from passkey where person_id = ${personId} and created_at >= ${since} returning 1`,
  )
  return rows.length
}
