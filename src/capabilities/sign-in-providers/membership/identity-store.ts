import sql from 'sql-template-tag'
import type { IdentityQueryable, Transaction } from '../../../kernel/database/database.ts'

type Identities = { query: IdentityQueryable['query'] }

/** Whose an account of an issuer is, in the eyes of one deployment. */
export type Subject = { deploymentId: number; issuer: string; subject: string }

export async function findPerson(
  db: Identities,
  { deploymentId, issuer, subject }: Subject,
): Promise<number | undefined> {
  const [row] = await db.query<{ person_id: number }>(sql`select person_id from sign_in_identity
    where deployment_id = ${deploymentId} and issuer = ${issuer} and subject = ${subject}`)
  return row?.person_id
}

/** False where the account of the issuer is somebody's already. */
export async function link(db: Identities, subject: Subject, personId: number): Promise<boolean> {
  const rows = await db.query(sql`insert into sign_in_identity (deployment_id, issuer, subject, person_id)
    values (${subject.deploymentId}, ${subject.issuer}, ${subject.subject}, ${personId})
    on conflict do nothing returning 1`)
  return rows.length > 0
}

/** Whether the person already has another account at the issuer: an address may have been given to somebody else. */
export async function hasIdentityAt(
  db: Identities,
  { deploymentId, issuer }: Subject,
  personId: number,
): Promise<boolean> {
  const rows = await db.query(sql`select from sign_in_identity
    where deployment_id = ${deploymentId} and issuer = ${issuer} and person_id = ${personId}`)
  return rows.length > 0
}

/** Taken before the account is there: the transaction that makes it is its own. */
export async function nextAccountId(db: Identities): Promise<number> {
  const [row] = await db.query<{ id: number }>(sql`select nextval('person_id_seq') as id`)
  return row!.id
}

/** False where the address has an account. */
export async function createAccount(
  tx: Transaction,
  account: { id: number; providerId: number; email: string; name: string },
): Promise<boolean> {
  const [row] = await tx.query<{ made: boolean }>(sql`select create_provider_account(${account.id}::bigint,
    ${account.providerId}::bigint, ${account.email}, ${account.name}) as made`)
  return row!.made
}
