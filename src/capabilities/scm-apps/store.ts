import sql, { empty, type Sql } from 'sql-template-tag'
import type { PageRequest } from '../../kernel/contract/pagination.ts'
import type { IdentityQueryable, Queryable, Transaction } from '../../kernel/database/database.ts'
import type { SealedValue } from '../../vault/key-ring.ts'
import type { InstalledApp } from './contract.ts'

export type AppRow = {
  id: number
  slug: string
  base_url: string
  tenant_id: string
  client_id: string
  organization_name: string
  project_name: string
  status: InstalledApp['status']
  webhook_secret: SealedValue | null
  webhook_ids: string[]
  failed_step: string | null
  failed_detail: string | null
  failed_at: Date | null
  created_at: Date
  last_event_at: Date | null
  event_count: number
  version: number
}

const columns = sql`id, slug, base_url, tenant_id, client_id, organization_name, project_name, status, webhook_secret,
  webhook_ids, failed_step, failed_detail, failed_at, created_at, last_event_at, event_count, version`

function theApp(db: Queryable, id: number): Sql {
  return sql`deployment_id = ${db.deploymentId} and id = ${id}`
}

export function list(db: Queryable, page: PageRequest): Promise<AppRow[]> {
  return db.query(sql`select ${columns} from scm_app
    where deployment_id = ${db.deploymentId} and id > ${page.after} order by id limit ${page.size + 1}`)
}

export async function find(db: Queryable, id: number): Promise<AppRow | undefined> {
  const [row] = await db.query<AppRow>(sql`select ${columns} from scm_app where ${theApp(db, id)}`)
  return row
}

/** Held until the transaction ends. */
export async function lock(tx: Transaction, id: number): Promise<AppRow | undefined> {
  const [row] = await tx.query<AppRow>(sql`select ${columns} from scm_app where ${theApp(tx, id)} for update`)
  return row
}

export type NewApp = {
  slug: string
  baseUrl: string
  tenantId: string
  clientId: string
  organizationName: string
  projectName: string
}

/** Undefined where the slug is taken. */
export async function insert(tx: Transaction, app: NewApp): Promise<number | undefined> {
  const [row] = await tx.query<{ id: number }>(sql`insert into scm_app
      (deployment_id, slug, base_url, tenant_id, client_id, organization_name, project_name)
    values (${tx.deploymentId}, ${app.slug}, ${app.baseUrl}, ${app.tenantId}, ${app.clientId}, ${app.organizationName},
      ${app.projectName})
    on conflict (deployment_id, slug) do nothing returning id`)
  return row?.id
}

export async function bumpVersion(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`update scm_app set version = version + 1 where ${theApp(tx, id)}`)
}

export async function remove(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`delete from scm_app where ${theApp(tx, id)}`)
}

export type NewSecret = { sealed: SealedValue; hash: Buffer }

/**
 * Takes the lease, unless another holds one that has not run out. A secret is kept only where there is none yet.
 * Undefined where the app does not exist or the lease is taken.
 */
export async function claim(
  tx: Transaction,
  id: number,
  lease: { id: string; seconds: number },
  secret: NewSecret | undefined,
): Promise<AppRow | undefined> {
  const withSecret = secret
    ? sql`, webhook_secret = coalesce(webhook_secret, ${JSON.stringify(secret.sealed)}::sealed_value),
        webhook_secret_hash = coalesce(webhook_secret_hash, ${secret.hash})`
    : empty
  const [row] = await tx.query<AppRow>(sql`update scm_app
    set lease = ${lease.id}, lease_until = now() + make_interval(secs => ${lease.seconds}) ${withSecret}
    where ${theApp(tx, id)} and (lease is null or lease_until < now()) returning ${columns}`)
  return row
}

export type Failure = { step: string; detail: string; at: Date }

/** Nothing happens where the lease has gone to another meanwhile. */
export async function release(tx: Transaction, id: number, lease: string, failure: Failure | undefined): Promise<void> {
  const withFailure = failure
    ? sql`, failed_step = ${failure.step}, failed_detail = ${failure.detail}, failed_at = ${failure.at}`
    : empty
  await tx.query(sql`update scm_app set lease = null, lease_until = null ${withFailure}
    where ${theApp(tx, id)} and lease = ${lease}`)
}

/** Undefined where the lease is no longer ours. */
export async function markReady(
  tx: Transaction,
  id: number,
  lease: string,
  webhookIds: readonly string[],
): Promise<AppRow | undefined> {
  const [row] = await tx.query<AppRow>(sql`update scm_app
    set status = 'SCM_APP_STATUS_READY', webhook_ids = ${webhookIds}::text[], failed_step = null, failed_detail = null,
      failed_at = null, version = version + 1
    where ${theApp(tx, id)} and lease = ${lease} returning ${columns}`)
  return row
}

export type EventSource = { deployment_id: number; webhook_secret_hash: Buffer | null }

export async function findEventSource(db: IdentityQueryable, id: number): Promise<EventSource | undefined> {
  const [row] = await db.query<EventSource>(
    sql`select deployment_id, webhook_secret_hash from scm_app where id = ${id}`,
  )
  return row
}

export async function countEvent(tx: Transaction, id: number, at: Date): Promise<void> {
  await tx.query(sql`update scm_app set event_count = event_count + 1, last_event_at = greatest(last_event_at, ${at})
    where ${theApp(tx, id)}`)
}
