import sql, { empty, type Sql } from 'sql-template-tag'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import type { Filter } from './filter.ts'
import { idOf } from './user-store.ts'

export type GroupRow = {
  id: number
  display_name: string
  external_id: string
  created_at: Date
  changed_at: Date
  version: number
}
export type GroupMember = { group_id: number; id: number; name: string }
export type GroupAttributes = { displayName: string; externalId: string }

/** What groups can be asked for by, in lower case, and what is meant by it. */
export const groupFilters = {
  displayname: 'displayName',
  externalid: 'externalId',
  id: 'id',
  members: 'member',
  'members.value': 'member',
}

const columns = sql`g.id, g.display_name, g.external_id, g.created_at, g.changed_at, g.version`

export function list(
  db: Queryable,
  filter: Filter,
  { offset, limit }: { offset: number; limit: number },
): Promise<GroupRow[]> {
  return db.query(sql`select ${columns} from provisioned_group g
    where g.deployment_id = ${db.deploymentId} ${matching(filter)} order by g.id offset ${offset} limit ${limit}`)
}

export async function count(db: Queryable, filter: Filter): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`select count(*) as count from provisioned_group g
    where g.deployment_id = ${db.deploymentId} ${matching(filter)}`)
  return row!.count
}

function matching(filter: Filter): Sql {
  return filter.reduce((all, { attribute, value }) => sql`${all} and ${condition(attribute, value)}`, empty)
}

function condition(attribute: string, value: string): Sql {
  if (attribute === 'displayName') return sql`lower(g.display_name) = lower(${value})`
  if (attribute === 'externalId') return sql`g.external_id = ${value}`
  if (attribute === 'id') return sql`g.id = ${idOf(value)}`
  return sql`exists (select 1 from provisioned_member m
    where m.deployment_id = g.deployment_id and m.group_id = g.id and m.user_id = ${idOf(value)})`
}

export function membersOf(db: Queryable, groupIds: readonly number[]): Promise<GroupMember[]> {
  return db.query(sql`select m.group_id, u.id, u.user_name as name
    from provisioned_member m join provisioned_user u on u.deployment_id = m.deployment_id and u.id = m.user_id
    where m.deployment_id = ${db.deploymentId} and m.group_id = any(${[...groupIds]}::bigint[]) order by m.group_id, u.id`)
}

export async function find(db: Queryable, id: number): Promise<GroupRow | undefined> {
  const [row] = await db.query<GroupRow>(
    sql`select ${columns} from provisioned_group g where g.deployment_id = ${db.deploymentId} and g.id = ${id}`,
  )
  return row
}

/** Undefined where the name is taken. */
export async function insert(tx: Transaction, group: GroupAttributes, now: Date): Promise<number | undefined> {
  const [row] = await tx.query<{ id: number }>(sql`insert into provisioned_group
      (deployment_id, display_name, external_id, created_at, changed_at)
    values (${tx.deploymentId}, ${group.displayName}, ${group.externalId}, ${now}, ${now})
    on conflict do nothing returning id`)
  return row?.id
}

export async function isTaken(tx: Transaction, id: number, displayName: string): Promise<boolean> {
  const rows =
    await tx.query(sql`select 1 from provisioned_group where deployment_id = ${tx.deploymentId} and id <> ${id}
    and lower(display_name) = lower(${displayName})`)
  return rows.length > 0
}

export async function update(tx: Transaction, id: number, group: GroupAttributes, now: Date): Promise<void> {
  await tx.query(sql`update provisioned_group set display_name = ${group.displayName}, external_id = ${group.externalId},
      changed_at = ${now}, version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export async function remove(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`delete from provisioned_group where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export async function setMembers(
  tx: Transaction,
  groupId: number,
  { add, remove: gone }: { add: readonly number[]; remove: readonly number[] },
): Promise<void> {
  await tx.query(sql`delete from provisioned_member where deployment_id = ${tx.deploymentId} and group_id = ${groupId}
    and user_id = any(${[...gone]}::bigint[])`)
  await tx.query(sql`insert into provisioned_member (deployment_id, group_id, user_id)
    select ${tx.deploymentId}::bigint, ${groupId}::bigint, given.id from unnest(${[...add]}::bigint[]) as given (id)
    on conflict do nothing`)
}
