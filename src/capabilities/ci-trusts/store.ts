import sql from 'sql-template-tag'
import type { Role } from '../../kernel/access/permission.ts'
import type { PageRequest } from '../../kernel/contract/pagination.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import type { CiTrust, NewCiTrust } from './contract.ts'

export type TrustRow = Omit<CiTrust, 'createdAt' | 'lastUsedAt'> & {
  createdAt: Date
  lastUsedAt: Date | null
  version: number
  /** Of the service account, as they are now. */
  role: Role
  accountScopes: string[] | null
}

const columns = sql`t.id, t.name, t.person_id as "serviceAccountId", t.provider, t.issuer, t.audience, t.conditions,
  t.repository_claim as "repositoryClaim", t.ref_claim as "refClaim", t.permissions, t.created_by as "createdBy",
  t.created_at as "createdAt", t.last_used_at as "lastUsedAt", t.version, membership.role, account.scopes as "accountScopes"`
const trusts = sql`ci_trust t
  join membership on membership.deployment_id = t.deployment_id and membership.person_id = t.person_id
  join service_account account on account.deployment_id = t.deployment_id and account.person_id = t.person_id`

export function list(db: Queryable, page: PageRequest): Promise<TrustRow[]> {
  return db.query(sql`select ${columns} from ${trusts} where t.deployment_id = ${db.deploymentId} and t.id > ${page.after}
    order by t.id limit ${page.size + 1}`)
}

export function listForIssuer(db: Queryable, issuer: string): Promise<TrustRow[]> {
  return db.query(sql`select ${columns} from ${trusts}
    where t.deployment_id = ${db.deploymentId} and t.issuer = ${issuer} order by t.id`)
}

export async function find(db: Queryable, id: number): Promise<TrustRow | undefined> {
  const [row] = await db.query<TrustRow>(
    sql`select ${columns} from ${trusts} where t.deployment_id = ${db.deploymentId} and t.id = ${id}`,
  )
  return row
}

/** Held until the transaction ends. */
export async function lock(tx: Transaction, id: number): Promise<boolean> {
  const rows = await tx.query(
    sql`select from ci_trust where deployment_id = ${tx.deploymentId} and id = ${id} for update`,
  )
  return rows.length > 0
}

/** Whether it is still what it was; until the transaction ends it stays so. */
export async function holdTrust(tx: Transaction, id: number, version: number): Promise<boolean> {
  const rows = await tx.query(sql`select from ci_trust
    where deployment_id = ${tx.deploymentId} and id = ${id} and version = ${version} for share`)
  return rows.length > 0
}

export async function hasAccount(tx: Transaction, id: number): Promise<boolean> {
  const rows = await tx.query(sql`select from service_account
    where deployment_id = ${tx.deploymentId} and person_id = ${id} for key share`)
  return rows.length > 0
}

/** Undefined where the name is taken. */
export async function insert(tx: Transaction, trust: Required<NewCiTrust>): Promise<number | undefined> {
  const [row] = await tx.query<{
    id: number
  }>(sql`insert into ci_trust (deployment_id, name, person_id, provider, issuer,
      audience, conditions, repository_claim, ref_claim, permissions, created_by)
    values (${tx.deploymentId}, ${trust.name}, ${trust.serviceAccountId}, ${trust.provider}, ${trust.issuer},
      ${trust.audience}, ${JSON.stringify(trust.conditions)}::jsonb, ${trust.repositoryClaim}, ${trust.refClaim},
      ${trust.permissions}::text[], ${tx.actor.personId})
    on conflict (deployment_id, lower(name)) do nothing returning id`)
  return row?.id
}

export async function nameIsTaken(tx: Transaction, name: string, exceptId: number): Promise<boolean> {
  const rows = await tx.query(sql`select from ci_trust
    where deployment_id = ${tx.deploymentId} and lower(name) = lower(${name}) and id <> ${exceptId}`)
  return rows.length > 0
}

/** The tokens that were given by it as it was end, and names are free again. */
export async function replace(tx: Transaction, id: number, trust: Required<NewCiTrust>): Promise<void> {
  await tx.query(sql`update ci_trust set name = ${trust.name}, person_id = ${trust.serviceAccountId},
      provider = ${trust.provider}, issuer = ${trust.issuer}, audience = ${trust.audience},
      conditions = ${JSON.stringify(trust.conditions)}::jsonb, repository_claim = ${trust.repositoryClaim},
      ref_claim = ${trust.refClaim}, permissions = ${trust.permissions}::text[], version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
  await tx.query(sql`update api_token set revoked_at = now()
    where deployment_id = ${tx.deploymentId} and trust_id = ${id} and revoked_at is null`)
  await tx.query(sql`delete from ci_repository where deployment_id = ${tx.deploymentId} and trust_id = ${id}`)
}

export async function remove(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`delete from ci_trust where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

/**
 * False where the name is that of another repository: of another id at the same CI system, or of another CI system. Who comes with it
 * first has it, whichever trust they come by.
 */
export async function claimName(tx: Transaction, trust: TrustRow, name: string, externalId: string): Promise<boolean> {
  // Trusts have rows of their own, so that nothing else would keep two of them from having the name at once.
  const subject = `ci-repository:${tx.deploymentId}:${name}`
  await tx.query(sql`select pg_advisory_xact_lock(hashtextextended(${subject}, 0))`)
  const [first] = await tx.query<{ issuer: string; external_id: string }>(sql`select t.issuer, r.external_id
    from ci_repository r join ci_trust t on t.deployment_id = r.deployment_id and t.id = r.trust_id
    where r.deployment_id = ${tx.deploymentId} and r.name = ${name} order by r.trust_id limit 1`)
  if (first && (first.issuer !== trust.issuer || first.external_id !== externalId)) return false
  await tx.query(sql`insert into ci_repository (deployment_id, trust_id, name, external_id)
    values (${tx.deploymentId}, ${trust.id}, ${name}, ${externalId}) on conflict do nothing`)
  return true
}

export async function noteUsed(tx: Transaction, id: number, at: Date): Promise<void> {
  // Not waited for: another job that says so at the same moment says the same.
  await tx.query(sql`update ci_trust set last_used_at = ${at} where deployment_id = ${tx.deploymentId} and id in (
    select id from ci_trust where deployment_id = ${tx.deploymentId} and id = ${id} for no key update skip locked)`)
}

/** Tokens of jobs that ended long ago. Few at a time: the next job takes out more. */
export async function removeEnded(tx: Transaction, id: number, before: Date): Promise<void> {
  await tx.query(sql`delete from api_token where deployment_id = ${tx.deploymentId} and id in (
    select id from api_token where deployment_id = ${tx.deploymentId} and trust_id = ${id} and expires_at < ${before}
    order by expires_at limit 100 for update skip locked)`)
}
