import sql from 'sql-template-tag'
import type { Role } from '../../kernel/access/permission.ts'
import type { IdentityQueryable, Queryable, Transaction } from '../../kernel/database/database.ts'
import type { SealedValue } from '../../vault/key-ring.ts'
import type { GroupMapping, SignInProviderChange } from './contract.ts'

export type ProviderFields = Omit<SignInProviderChange, 'clientSecret'>

export type ProviderRow = ProviderFields & {
  id: number
  mapping: GroupMapping[]
  defaultRole: Role | null
  createdAt: Date
  lastUsedAt: Date | null
  version: number
}

const columns = sql`id, name, issuer, client_id as "clientId", scopes, domains, emails_are_verified as "emailsAreVerified",
  groups_claim as "groupsClaim", mapping, default_role as "defaultRole", listed, instance_wide as "instanceWide",
  enforced, break_glass_id as "breakGlassId", created_at as "createdAt", last_used_at as "lastUsedAt", version`

/** Taken before the row is there: its secret is sealed for it, outside the transaction that inserts it. */
export async function nextId(db: { query: IdentityQueryable['query'] }): Promise<number> {
  const [row] = await db.query<{ id: number }>(sql`select nextval('sign_in_provider_id_seq') as id`)
  return row!.id
}

export function list(db: Queryable): Promise<ProviderRow[]> {
  return db.query(sql`select ${columns} from sign_in_provider where deployment_id = ${db.deploymentId} order by id`)
}

export type ProviderWithSecret = ProviderRow & { clientSecret: SealedValue }

export async function findWithSecret(db: Queryable, id: number): Promise<ProviderWithSecret | undefined> {
  const [row] = await db.query<ProviderWithSecret>(sql`select ${columns}, client_secret as "clientSecret"
    from sign_in_provider where deployment_id = ${db.deploymentId} and id = ${id}`)
  return row
}

/** Held until the transaction ends. */
export async function lock(tx: Transaction, id: number): Promise<ProviderRow | undefined> {
  const [row] = await tx.query<ProviderRow>(sql`select ${columns} from sign_in_provider
    where deployment_id = ${tx.deploymentId} and id = ${id} for update`)
  return row
}

export async function isNameTaken(tx: Transaction, name: string, but: number): Promise<boolean> {
  const rows = await tx.query(sql`select from sign_in_provider
    where deployment_id = ${tx.deploymentId} and lower(name) = lower(${name}) and id <> ${but}`)
  return rows.length > 0
}

/** Undefined where the name is taken. */
export async function insert(
  tx: Transaction,
  id: number,
  made: ProviderFields,
  secret: SealedValue,
): Promise<ProviderRow | undefined> {
  const [row] =
    await tx.query<ProviderRow>(sql`insert into sign_in_provider (deployment_id, id, name, issuer, client_id,
      client_secret, scopes, domains, emails_are_verified, groups_claim, mapping, default_role, listed, instance_wide,
      enforced, break_glass_id)
    overriding system value
    values (${tx.deploymentId}, ${id}, ${made.name}, ${made.issuer}, ${made.clientId}, ${JSON.stringify(secret)}::jsonb,
      ${made.scopes}, ${made.domains}, ${made.emailsAreVerified}, ${made.groupsClaim},
      ${JSON.stringify(made.mapping)}::jsonb, ${made.defaultRole}, ${made.listed}, ${made.instanceWide}, ${made.enforced},
      ${made.breakGlassId})
    on conflict (deployment_id, lower(name)) do nothing returning ${columns}`)
  return row
}

/** Without a secret, the stored one stays. */
export async function replace(
  tx: Transaction,
  id: number,
  to: ProviderFields,
  secret: SealedValue | undefined,
): Promise<ProviderRow> {
  const [row] = await tx.query<ProviderRow>(sql`update sign_in_provider set name = ${to.name}, issuer = ${to.issuer},
      client_id = ${to.clientId}, scopes = ${to.scopes}, domains = ${to.domains},
      emails_are_verified = ${to.emailsAreVerified}, groups_claim = ${to.groupsClaim},
      mapping = ${JSON.stringify(to.mapping)}::jsonb, default_role = ${to.defaultRole}, listed = ${to.listed},
      instance_wide = ${to.instanceWide}, enforced = ${to.enforced}, break_glass_id = ${to.breakGlassId},
      client_secret = coalesce(${secret ? JSON.stringify(secret) : null}::jsonb, client_secret::jsonb)::sealed_value,
      version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id} returning ${columns}`)
  return row!
}

export async function remove(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`delete from sign_in_provider where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export async function noteUsed(tx: Transaction, id: number, at: Date): Promise<void> {
  await tx.query(sql`update sign_in_provider set last_used_at = ${at}
    where deployment_id = ${tx.deploymentId} and id = ${id} and (last_used_at is null or last_used_at < ${at})`)
}

/** Whether a member is an owner who is not suspended, which stays so until the transaction ends. */
export async function lockOwner(tx: Transaction, personId: number): Promise<boolean> {
  const rows = await tx.query(sql`select from membership
    where deployment_id = ${tx.deploymentId} and person_id = ${personId} and role = 'owner' and suspended_at is null
    for share`)
  return rows.length > 0
}

export async function hasPassword(db: { query: IdentityQueryable['query'] }, personId: number): Promise<boolean> {
  const rows = await db.query(sql`select from person where id = ${personId} and password_hash <> ''`)
  return rows.length > 0
}

/** A provider as everybody may know it, wherever it belongs. */
export type PublicProvider = { id: number; name: string; deploymentId: number; issuer: string; clientId: string }

const publicColumns = sql`id, name, deployment_id as "deploymentId", issuer, client_id as "clientId"`

export async function findPublic(
  db: { query: IdentityQueryable['query'] },
  id: number,
): Promise<PublicProvider | undefined> {
  const [row] = await db.query<PublicProvider>(sql`select ${publicColumns} from sign_in_provider where id = ${id}`)
  return row
}

export function listPublic(db: { query: IdentityQueryable['query'] }, domain: string): Promise<PublicProvider[]> {
  return db.query(sql`select ${publicColumns} from sign_in_provider where listed or ${domain} = any(domains)
    order by lower(name), id limit 50`)
}

export async function isBreakGlassOwner(tx: Transaction, personId: number): Promise<boolean> {
  const rows = await tx.query(sql`select from sign_in_provider
    where deployment_id = ${tx.deploymentId} and break_glass_id = ${personId} limit 1`)
  return rows.length > 0
}
