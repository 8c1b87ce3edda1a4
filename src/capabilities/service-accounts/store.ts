import sql from 'sql-template-tag'
import type { PageRequest } from '../../kernel/contract/pagination.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import type { ServiceAccount } from './contract.ts'

export type AccountRow = {
  id: number
  name: string
  email: string
  description: string
  role: ServiceAccount['role']
  scopes: string[] | null
  created_by: number
  created_at: Date
  version: number
  token_count: number
  next_expiry_at: Date | null
  last_used_at: Date | null
}

function accounts(now: Date) {
  return sql`select s.person_id as id, s.name, person.email, s.description, membership.role, s.scopes, s.created_by, s.created_at,
      s.version, live.token_count, live.next_expiry_at, used.last_used_at
    from service_account s
    join membership on membership.deployment_id = s.deployment_id and membership.person_id = s.person_id
    join person on person.id = s.person_id
    cross join lateral (select count(*) as token_count, min(t.expires_at) as next_expiry_at from api_token t
      where t.deployment_id = s.deployment_id and t.person_id = s.person_id and t.revoked_at is null
        and t.trust_id is null and t.expires_at > ${now}) live
    cross join lateral (select max(t.last_used_at) as last_used_at from api_token t
      where t.deployment_id = s.deployment_id and t.person_id = s.person_id) used`
}

export function list(db: Queryable, now: Date, page: PageRequest): Promise<AccountRow[]> {
  return db.query(sql`${accounts(now)} where s.deployment_id = ${db.deploymentId} and s.person_id > ${page.after}
    order by s.person_id limit ${page.size + 1}`)
}

export async function find(db: Queryable, now: Date, id: number): Promise<AccountRow | undefined> {
  const [row] = await db.query<AccountRow>(
    sql`${accounts(now)} where s.deployment_id = ${db.deploymentId} and s.person_id = ${id}`,
  )
  return row
}

/** Held until the transaction ends. The membership first, as those do who change roles of people. */
export async function lock(tx: Transaction, id: number): Promise<boolean> {
  await tx.query(sql`select from membership where deployment_id = ${tx.deploymentId} and person_id = ${id} for update`)
  const rows = await tx.query(sql`select from service_account
    where deployment_id = ${tx.deploymentId} and person_id = ${id} for update`)
  return rows.length > 0
}

export async function count(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{ count: number }>(
    sql`select count(*) as count from service_account where deployment_id = ${tx.deploymentId}`,
  )
  return row!.count
}

export async function createAccount(tx: Transaction, address: string, name: string): Promise<number> {
  const [row] = await tx.query<{ id: number }>(sql`select create_service_account(${address}, ${name}) as id`)
  return row!.id
}

/** False where the name is taken. */
export async function insert(
  tx: Transaction,
  account: { id: number; name: string; description: string; scopes: string[] | null },
): Promise<boolean> {
  const rows = await tx.query(sql`insert into service_account
      (deployment_id, person_id, name, description, scopes, created_by)
    values (${tx.deploymentId}, ${account.id}, ${account.name}, ${account.description}, ${account.scopes}::text[],
      ${tx.actor.personId})
    on conflict (deployment_id, lower(name)) do nothing returning 1`)
  return rows.length > 0
}

export async function update(
  tx: Transaction,
  id: number,
  to: { description: string; role: string; scopes: string[] | null },
): Promise<void> {
  await tx.query(sql`update service_account set description = ${to.description}, scopes = ${to.scopes}::text[],
      version = version + 1 where deployment_id = ${tx.deploymentId} and person_id = ${id}`)
  await tx.query(sql`update membership set role = ${to.role}, version = version + 1
    where deployment_id = ${tx.deploymentId} and person_id = ${id} and role <> ${to.role}`)
}

export async function remove(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`select remove_service_account(${id}::bigint)`)
}
