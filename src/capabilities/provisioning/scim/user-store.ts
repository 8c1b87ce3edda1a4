import sql, { empty, type Sql } from 'sql-template-tag'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import type { Filter } from './filter.ts'
import type { Names, UserAttributes } from './user-attributes.ts'

export type UserRow = {
  id: number
  person_id: number | null
  user_name: string
  external_id: string
  address: string
  names: Names
  active: boolean
  made_account: boolean
  created_at: Date
  changed_at: Date
  version: number
}
export type UserWithGroups = UserRow & { groups: { id: number; name: string }[] }

/** What users can be asked for by, in lower case, and what is meant by it. */
export const userFilters = {
  username: 'userName',
  externalid: 'externalId',
  id: 'id',
  emails: 'address',
  'emails.value': 'address',
  'emails[type eq "work"].value': 'address',
}

const columns = sql`u.id, u.person_id, u.user_name, u.external_id, u.address, u.names, u.active, u.made_account, u.created_at,
  u.changed_at, u.version`

const groups = sql`coalesce((select json_agg(json_build_object('id', g.id, 'name', g.display_name) order by g.id)
    from provisioned_member m join provisioned_group g on g.deployment_id = m.deployment_id and g.id = m.group_id
    where m.deployment_id = u.deployment_id and m.user_id = u.id), '[]') as groups`

export function list(
  db: Queryable,
  filter: Filter,
  { offset, limit }: { offset: number; limit: number },
): Promise<UserWithGroups[]> {
  return db.query(sql`select ${columns}, ${groups} from provisioned_user u
    where u.deployment_id = ${db.deploymentId} ${matching(filter)} order by u.id offset ${offset} limit ${limit}`)
}

export async function count(db: Queryable, filter: Filter): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`select count(*) as count from provisioned_user u
    where u.deployment_id = ${db.deploymentId} ${matching(filter)}`)
  return row!.count
}

function matching(filter: Filter): Sql {
  return filter.reduce((all, { attribute, value }) => sql`${all} and ${condition(attribute, value)}`, empty)
}

function condition(attribute: string, value: string): Sql {
  if (attribute === 'userName') return sql`lower(u.user_name) = lower(${value})`
  if (attribute === 'externalId') return sql`u.external_id = ${value}`
  if (attribute === 'address') return sql`lower(u.address) = lower(${value})`
  return sql`u.id = ${idOf(value)}`
}

/** 0, which nothing has, for what is not an id. */
export function idOf(text: string): number {
  return /^[1-9][0-9]{0,14}$/.test(text) ? Number(text) : 0
}

export async function find(db: Queryable, id: number): Promise<UserWithGroups | undefined> {
  const [row] = await db.query<UserWithGroups>(sql`select ${columns}, ${groups} from provisioned_user u
    where u.deployment_id = ${db.deploymentId} and u.id = ${id}`)
  return row
}

/** Those of the ids that there are. */
export async function known(tx: Transaction, ids: readonly number[]): Promise<Set<number>> {
  const rows = await tx.query<{ id: number }>(sql`select id from provisioned_user
    where deployment_id = ${tx.deploymentId} and id = any(${[...ids]}::bigint[])`)
  return new Set(rows.map((row) => row.id))
}

/** Undefined where somebody has the name or the address already. */
export async function insert(tx: Transaction, user: UserAttributes, now: Date): Promise<number | undefined> {
  const [row] = await tx.query<{ id: number }>(sql`insert into provisioned_user
      (deployment_id, user_name, external_id, address, names, active, created_at, changed_at)
    values (${tx.deploymentId}, ${user.userName}, ${user.externalId}, ${user.address}, ${JSON.stringify(user.names)}::jsonb,
      ${user.active}, ${now}, ${now})
    on conflict do nothing returning id`)
  return row?.id
}

/** Whether another user has the name or the address. */
export async function isTaken(tx: Transaction, id: number, user: UserAttributes): Promise<boolean> {
  const rows =
    await tx.query(sql`select 1 from provisioned_user where deployment_id = ${tx.deploymentId} and id <> ${id}
    and (lower(user_name) = lower(${user.userName}) or lower(address) = lower(${user.address}))`)
  return rows.length > 0
}

export async function update(tx: Transaction, id: number, user: UserAttributes, now: Date): Promise<void> {
  await tx.query(sql`update provisioned_user set user_name = ${user.userName}, external_id = ${user.externalId},
      address = ${user.address}, names = ${JSON.stringify(user.names)}::jsonb, active = ${user.active}, changed_at = ${now},
      version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export async function link(tx: Transaction, id: number, personId: number, madeAccount: boolean): Promise<void> {
  await tx.query(sql`update provisioned_user set person_id = ${personId}, made_account = ${madeAccount}
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export async function remove(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`delete from provisioned_user where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export function attributesOf(row: UserRow): UserAttributes {
  const { user_name: userName, external_id: externalId, address, names, active } = row
  return { userName, externalId, address, names, active }
}
