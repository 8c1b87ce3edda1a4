import sql from 'sql-template-tag'
import type { PageRequest } from '../../kernel/contract/pagination.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import { rowsNotCopied } from '../../kernel/database/given-rows.ts'
import type { ProvisioningRole, ProvisioningRule } from './contract.ts'

export type SettingsRow = {
  enabled: boolean
  person_id: number
  default_role: ProvisioningRole
  last_request_at: Date | null
  version: number
}

const columns = sql`enabled, person_id, default_role, last_request_at, version`

export async function find(db: Queryable): Promise<SettingsRow | undefined> {
  const [row] = await db.query<SettingsRow>(
    sql`select ${columns} from provisioning where deployment_id = ${db.deploymentId}`,
  )
  return row
}

/** Held until the transaction ends: what a directory does to a deployment happens one after the other. */
export async function lock(tx: Transaction): Promise<SettingsRow | undefined> {
  const [row] = await tx.query<SettingsRow>(
    sql`select ${columns} from provisioning where deployment_id = ${tx.deploymentId} for no key update`,
  )
  return row
}

/** False where somebody else was faster. */
export async function insert(tx: Transaction, personId: number): Promise<boolean> {
  const rows = await tx.query(sql`insert into provisioning (deployment_id, enabled, person_id, default_role)
    values (${tx.deploymentId}, false, ${personId}, 'member') on conflict do nothing returning 1`)
  return rows.length > 0
}

export async function update(
  tx: Transaction,
  { enabled, defaultRole }: { enabled: boolean; defaultRole: ProvisioningRole },
): Promise<void> {
  await tx.query(sql`update provisioning set enabled = ${enabled}, default_role = ${defaultRole}, version = version + 1
    where deployment_id = ${tx.deploymentId}`)
}

export function listRules(db: Queryable): Promise<ProvisioningRule[]> {
  return db.query(sql`select group_name as "group", role, team_id as "teamId" from provisioning_rule
    where deployment_id = ${db.deploymentId} order by place`)
}

export async function replaceRules(tx: Transaction, rules: readonly ProvisioningRule[]): Promise<void> {
  await tx.query(sql`delete from provisioning_rule where deployment_id = ${tx.deploymentId}`)
  const rows = rules.map(({ group, role, teamId }, place) => ({ place, group, role, teamId }))
  await tx.query(sql`insert into provisioning_rule (deployment_id, place, group_name, role, team_id)
    select ${tx.deploymentId}::bigint, given.place, given."group", given.role, given."teamId"
    from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
      as given (place integer, "group" text, role text, "teamId" bigint)
    ${rowsNotCopied}`)
}

export type ShownUserRow = {
  id: number
  user_name: string
  address: string
  person_id: number | null
  active: boolean
  suspended: boolean
  created_at: Date
  changed_at: Date
}

export function listUsers(db: Queryable, page: PageRequest): Promise<ShownUserRow[]> {
  return db.query(sql`select u.id, u.user_name, u.address, u.person_id, u.active,
      coalesce(membership.suspended_at is not null, false) as suspended, u.created_at, u.changed_at
    from provisioned_user u
    left join membership on membership.deployment_id = u.deployment_id and membership.person_id = u.person_id
    where u.deployment_id = ${db.deploymentId} and u.id > ${page.after} order by u.id limit ${page.size + 1}`)
}

export type ShownGroupRow = { id: number; name: string; members: number; changed_at: Date }

export function listGroups(db: Queryable, page: PageRequest): Promise<ShownGroupRow[]> {
  return db.query(sql`select g.id, g.display_name as name, g.changed_at, (select count(*) from provisioned_member m
      where m.deployment_id = g.deployment_id and m.group_id = g.id) as members
    from provisioned_group g where g.deployment_id = ${db.deploymentId} and g.id > ${page.after}
    order by g.id limit ${page.size + 1}`)
}

export type RequestRow = { id: number; at: Date; method: string; path: string; status: number; detail: string }

const keptRequests = 500

export function listRequests(db: Queryable, limit: number): Promise<RequestRow[]> {
  return db.query(sql`select id, at, method, path, status, detail from provisioning_request
    where deployment_id = ${db.deploymentId} order by id desc limit ${limit}`)
}

export async function noteRequest(tx: Transaction, request: Omit<RequestRow, 'id'>): Promise<void> {
  await tx.query(sql`insert into provisioning_request (deployment_id, at, method, path, status, detail)
    values (${tx.deploymentId}, ${request.at}, ${request.method}, ${request.path}, ${request.status}, ${request.detail})`)
  await tx.query(sql`delete from provisioning_request where deployment_id = ${tx.deploymentId} and id <= (
    select id from provisioning_request where deployment_id = ${tx.deploymentId}
    order by id desc offset ${keptRequests} limit 1)`)
}

/** To the half minute: a directory that asks a thousand times writes it down a few times. */
export async function noteUse(tx: Transaction, now: Date): Promise<void> {
  const before = new Date(now.getTime() - 30_000)
  await tx.query(sql`update provisioning set last_request_at = ${now} where deployment_id = ${tx.deploymentId}
    and (last_request_at is null or last_request_at < ${before})`)
}
