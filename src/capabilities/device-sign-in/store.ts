import sql from 'sql-template-tag'
import type { Role } from '../../kernel/access/permission.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import type { DeviceKind } from './codes.ts'

export type DeviceRow = {
  id: number
  kind: DeviceKind
  client: string
  host_name: string
  address: string
  scopes: string[]
  days: number
  asked_at: Date
  expires_at: Date
  state: 'pending' | 'approved' | 'denied'
  person_id: number | null
}

const columns = sql`id, kind, client, host_name, address, scopes, days, asked_at, expires_at, state, person_id`

export type NewDevice = {
  deviceHash: Buffer
  codeHash: Buffer
  kind: DeviceKind
  client: string
  hostName: string
  address: string
  scopes: string[]
  days: number
  askedAt: Date
  expiresAt: Date
}

/** False where there is no such deployment. */
export async function insert(tx: Transaction, device: NewDevice): Promise<boolean> {
  const rows =
    await tx.query(sql`insert into device_sign_in (deployment_id, device_hash, code_hash, kind, client, host_name,
      address, scopes, days, asked_at, expires_at)
    select id, ${device.deviceHash}, ${device.codeHash}, ${device.kind}, ${device.client}, ${device.hostName},
      ${device.address}, ${device.scopes}::text[], ${device.days}::integer, ${device.askedAt}, ${device.expiresAt}
    from deployment where id = ${tx.deploymentId} returning 1`)
  return rows.length > 0
}

/** Those that ended. Few at a time: the next that asks takes out more. */
export async function removeEnded(tx: Transaction, before: Date): Promise<void> {
  await tx.query(sql`delete from device_sign_in where deployment_id = ${tx.deploymentId} and id in (
    select id from device_sign_in where deployment_id = ${tx.deploymentId} and expires_at < ${before}
    order by expires_at limit 100 for update skip locked)`)
}

export async function findPending(db: Queryable, codeHash: Buffer, now: Date): Promise<DeviceRow | undefined> {
  const [row] = await db.query<DeviceRow>(sql`select ${columns} from device_sign_in
    where deployment_id = ${db.deploymentId} and code_hash = ${codeHash} and state = 'pending' and expires_at > ${now}`)
  return row
}

/** Decided once, whoever asks at the same moment. */
export async function decide(
  tx: Transaction,
  id: number,
  decision: { state: 'approved' | 'denied'; scopes: string[]; days: number },
): Promise<boolean> {
  const rows = await tx.query(sql`update device_sign_in set state = ${decision.state}, person_id = ${tx.actor.personId},
      scopes = ${decision.scopes}::text[], days = ${decision.days}::integer
    where deployment_id = ${tx.deploymentId} and id = ${id} and state = 'pending' returning 1`)
  return rows.length > 0
}

export async function findByDevice(db: Queryable, deviceHash: Buffer): Promise<DeviceRow | undefined> {
  const [row] = await db.query<DeviceRow>(sql`select ${columns} from device_sign_in
    where deployment_id = ${db.deploymentId} and device_hash = ${deviceHash}`)
  return row
}

/** False where it was polled after `since`. */
export async function notePoll(tx: Transaction, id: number, at: Date, since: Date): Promise<boolean> {
  const rows = await tx.query(sql`update device_sign_in set polled_at = ${at}
    where deployment_id = ${tx.deploymentId} and id = ${id} and (polled_at is null or polled_at <= ${since}) returning 1`)
  return rows.length > 0
}

/** Takes it out: what was decided is handed over once. */
export async function take(tx: Transaction, id: number): Promise<boolean> {
  const rows = await tx.query(
    sql`delete from device_sign_in where deployment_id = ${tx.deploymentId} and id = ${id} returning 1`,
  )
  return rows.length > 0
}

/** The role of a member, as it is now; undefined where they are none any more, or suspended. */
export async function roleOf(db: Queryable, personId: number): Promise<Role | undefined> {
  const [row] = await db.query<{ role: Role }>(sql`select role from membership
    where deployment_id = ${db.deploymentId} and person_id = ${personId} and suspended_at is null`)
  return row?.role
}
