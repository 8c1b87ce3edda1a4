import { randomBytes } from 'node:crypto'
import sql from 'sql-template-tag'
import type { Database, IdentityQueryable, Transaction } from '../../kernel/database/database.ts'
import { endAllSessions } from '../sessions/public.ts'
import { belongsOnlyTo, lockPerson, removeAll } from './resets/reset-store.ts'

/** An account of a program: nobody signs in as it, and no mail reaches its address (RFC 2606 §2). */
export async function createProgramAccount(tx: Transaction, slug: string, name: string): Promise<number> {
  const address = `${slug}@${randomBytes(5).toString('hex')}.service-account.invalid`
  const [row] = await tx.query<{ id: number }>(sql`select create_service_account(${address}, ${name}) as id`)
  return row!.id
}

/** An account without a password for an address that was provisioned. Undefined where the address has an account. */
export async function createProvisionedAccount(
  tx: Transaction,
  provisionedId: number,
  name: string,
): Promise<number | undefined> {
  const [row] = await tx.query<{ id: number | null }>(
    sql`select create_provisioned_account(${provisionedId}::bigint, ${name}) as id`,
  )
  return row?.id ?? undefined
}

/**
 * Of a member who is suspended. Sessions are of the account: they end where it belongs to this deployment alone, and elsewhere
 * just do not reach it.
 */
export async function endSessionsOfMember(db: Database, personId: number, deploymentId: number): Promise<void> {
  await db.identity(async (tx) => {
    await lockPerson(tx, personId)
    if (!(await isSuspended(tx, personId, deploymentId))) return
    if (await belongsOnlyTo(tx, personId, deploymentId)) await endAllSessions(tx, personId)
  })
}

async function isSuspended(tx: IdentityQueryable, personId: number, deploymentId: number): Promise<boolean> {
  const rows = await tx.query(sql`select from membership
    where deployment_id = ${deploymentId} and person_id = ${personId} and suspended_at is not null`)
  return rows.length > 0
}

type Change = { personId: number; deploymentId: number; email: string; name: string }

/** Name and address of an account that belongs to this deployment alone. An address that another account has stays theirs. */
export async function changeProvisionedAccount(db: Database, { personId, deploymentId, email, name }: Change) {
  const [same] = await db.identityQuery(
    sql`select from person where id = ${personId} and email = ${email} and name = ${name}`,
  )
  if (same) return
  await db.identity(async (tx) => {
    // Nobody joins another deployment with it until this is over.
    await lockPerson(tx, personId)
    if (!(await belongsOnlyTo(tx, personId, deploymentId))) return
    const [taken] = await tx.query(
      sql`select id from person where lower(email) = lower(${email}) and id <> ${personId}`,
    )
    if (taken) await tx.query(sql`update person set name = ${name} where id = ${personId}`)
    else await changeAddress(tx, { personId, email, name })
  })
}

/** Whose address it is now nobody has shown, and nothing that was set up before is of its holder. Nor are the links in their mail. */
async function changeAddress(
  tx: IdentityQueryable,
  { personId, email, name }: Omit<Change, 'deploymentId'>,
): Promise<void> {
  const [other] = await tx.query(sql`select id from person where id = ${personId} and lower(email) <> lower(${email})`)
  if (other) await removeAll(tx, personId)
  await tx.query(sql`update person set name = ${name}, email = ${email},
      unclaimed_since = case when lower(email) = lower(${email}) then unclaimed_since else created_at end,
      claimed_at = case when lower(email) = lower(${email}) then claimed_at end
    where id = ${personId}`)
}

/** Of an account that was made for a directory, nothing is left when it belongs nowhere and nobody has given it a password. */
export async function removeUnusedAccount(db: Database, personId: number): Promise<void> {
  await db.identity(async (tx) => {
    await lockPerson(tx, personId)
    await tx.query(sql`delete from person where id = ${personId} and password_hash = '' and not operator
      and not exists (select 1 from membership where membership.person_id = person.id)`)
  })
}
