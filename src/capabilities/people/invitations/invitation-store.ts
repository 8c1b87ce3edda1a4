import sql from 'sql-template-tag'
import type { Role } from '../../../kernel/access/permission.ts'
import type { IdentityQueryable, Queryable, Transaction } from '../../../kernel/database/database.ts'

export type Delivery = 'mail' | 'link'

export type InvitationRow = {
  id: number
  email: string
  name: string
  role: Role
  delivery: Delivery
  invited_by: number
  created_at: Date
  expires_at: Date
  mailed_at: Date | null
  version: number
}

export type NewInvitation = {
  email: string
  name: string
  role: Role
  delivery: Delivery
  tokenHash: Buffer
  now: Date
  expiresAt: Date
}

const columns = sql`id, email, name, role, delivery, invited_by, created_at, expires_at, mailed_at, version`

export function list(db: Queryable): Promise<InvitationRow[]> {
  return db.query(sql`select ${columns} from invitation where deployment_id = ${db.deploymentId} order by id`)
}

export async function count(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    sql`select count(*) as count from invitation where deployment_id = ${tx.deploymentId}`,
  )
  return row!.count
}

/** In the place of one that has expired. Undefined where the address has one that has not. */
export async function insert(tx: Transaction, made: NewInvitation): Promise<InvitationRow | undefined> {
  await tx.query(sql`delete from invitation where deployment_id = ${tx.deploymentId}
    and lower(email) = lower(${made.email}) and expires_at <= ${made.now}`)
  const [row] = await tx.query<InvitationRow>(sql`insert into invitation
      (deployment_id, email, name, role, delivery, token_hash, invited_by, created_at, expires_at)
    values (${tx.deploymentId}, ${made.email}, ${made.name}, ${made.role}, ${made.delivery}, ${made.tokenHash},
      ${tx.actor.personId}, ${made.now}, ${made.expiresAt})
    on conflict (deployment_id, lower(email)) do nothing returning ${columns}`)
  return row
}

export async function find(db: Queryable, id: number): Promise<InvitationRow | undefined> {
  const [row] = await db.query<InvitationRow>(
    sql`select ${columns} from invitation where deployment_id = ${db.deploymentId} and id = ${id}`,
  )
  return row
}

/** Held until the transaction ends. */
export async function lock(tx: Transaction, id: number): Promise<InvitationRow | undefined> {
  const [row] = await tx.query<InvitationRow>(sql`select ${columns} from invitation
    where deployment_id = ${tx.deploymentId} and id = ${id} for update`)
  return row
}

/** The same, if its link is still the one with this hash. */
export async function lockByHash(tx: Transaction, id: number, hash: Buffer): Promise<InvitationRow | undefined> {
  const [row] = await tx.query<InvitationRow>(sql`select ${columns} from invitation
    where deployment_id = ${tx.deploymentId} and id = ${id} and token_hash = ${hash} for update`)
  return row
}

type Renewal = { delivery: Delivery; tokenHash: Buffer; expiresAt: Date }

export async function renew(tx: Transaction, id: number, to: Renewal): Promise<InvitationRow> {
  const [row] = await tx.query<InvitationRow>(sql`update invitation set delivery = ${to.delivery},
      token_hash = ${to.tokenHash}, invited_by = ${tx.actor.personId}, expires_at = ${to.expiresAt}, mailed_at = null,
      version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id} returning ${columns}`)
  return row!
}

export async function remove(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`delete from invitation where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

/** Undefined where the address has none. */
export async function removeFor(tx: Transaction, email: string): Promise<number | undefined> {
  const [row] = await tx.query<{ id: number }>(sql`delete from invitation
    where deployment_id = ${tx.deploymentId} and lower(email) = lower(${email}) returning id`)
  return row?.id
}

/** Those that one person has sent, and nobody has accepted. */
export function removeSentBy(tx: Transaction, personId: number): Promise<{ id: number; email: string }[]> {
  return tx.query(sql`delete from invitation
    where deployment_id = ${tx.deploymentId} and invited_by = ${personId} returning id, email`)
}

export type Mailable = InvitationRow & { deployment: string; inviter: string }

/** Gives the invitation the link that is about to be mailed. Undefined where it is gone, renewed or expired. */
export async function replaceHash(
  tx: Transaction,
  invitation: { id: number; version: number },
  hash: Buffer,
  now: Date,
): Promise<Mailable | undefined> {
  const [row] = await tx.query<Mailable>(sql`update invitation set token_hash = ${hash}
    from deployment, person
    where invitation.deployment_id = ${tx.deploymentId} and invitation.id = ${invitation.id}
      and invitation.version = ${invitation.version} and invitation.expires_at > ${now}
      and deployment.id = invitation.deployment_id and person.id = invitation.invited_by
    returning invitation.id, invitation.email, invitation.name, invitation.role, invitation.delivery,
      invitation.invited_by, invitation.created_at, invitation.expires_at, invitation.mailed_at, invitation.version,
      deployment.name as deployment, person.name as inviter`)
  return row
}

export async function noteMailed(tx: Transaction, id: number, version: number, now: Date): Promise<void> {
  await tx.query(sql`update invitation set mailed_at = ${now}
    where deployment_id = ${tx.deploymentId} and id = ${id} and version = ${version}`)
}

export type FoundInvitation = InvitationRow & {
  deployment_id: number
  deployment: string
  inviter: string
  /** Whose address it is, if it has an account. */
  account_id: number | null
}

/** What a link leads to, in whichever deployment. */
export async function findByHash(
  db: { query: IdentityQueryable['query'] },
  hash: Buffer,
): Promise<FoundInvitation | undefined> {
  const [row] = await db.query<FoundInvitation>(sql`select invitation.*, deployment.name as deployment,
      inviter.name as inviter, (select id from person where lower(person.email) = lower(invitation.email)) as account_id
    from invitation join deployment on deployment.id = invitation.deployment_id
      join person inviter on inviter.id = invitation.invited_by
    where invitation.token_hash = ${hash}`)
  return row
}

/** Taken before the account is there: the transaction that makes it is its own. */
export async function nextAccountId(db: { query: IdentityQueryable['query'] }): Promise<number> {
  const [row] = await db.query<{ id: number }>(sql`select nextval('person_id_seq') as id`)
  return row!.id
}

/** False where the address has an account. */
export async function createAccount(
  tx: Transaction,
  invitation: { id: number; hash: Buffer },
  account: { name: string; passwordHash: string },
): Promise<boolean> {
  const [row] = await tx.query<{ made: boolean }>(sql`select create_invited_account(${tx.actor.personId}::bigint,
    ${invitation.id}::bigint, ${invitation.hash}::bytea, ${account.name}, ${account.passwordHash}) as made`)
  return row!.made
}

export async function sessionStands(tx: Transaction, sessionId: string): Promise<boolean> {
  const [row] = await tx.query<{ stands: boolean }>(
    sql`select session_stands(${sessionId}::uuid, ${tx.actor.personId}::bigint) as stands`,
  )
  return row!.stands
}

export async function removeExpired(db: { query: IdentityQueryable['query'] }, before: Date): Promise<void> {
  await db.query(sql`delete from invitation where expires_at < ${before}`)
}
