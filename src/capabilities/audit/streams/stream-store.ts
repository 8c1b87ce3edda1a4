import sql, { type Sql } from 'sql-template-tag'
import type { Queryable, Transaction } from '../../../kernel/database/database.ts'
import type { SealedValue } from '../../../vault/key-ring.ts'

export type StreamId = 'webhook' | 'syslog'

export type StreamRow = {
  secret: SealedValue | null
  origin: string
  active: boolean
  position: number
  sent_at: Date | null
  failing_since: Date | null
  failures: number
  error: string
  version: number
}

const columns = sql`secret, origin, active, position, sent_at, failing_since, failures, error, version`

export async function find(db: Queryable, id: StreamId): Promise<StreamRow | undefined> {
  const [row] = await db.query<StreamRow>(
    sql`select ${columns} from audit_stream where deployment_id = ${db.deploymentId} and id = ${id}`,
  )
  return row
}

export async function lock(tx: Transaction, id: StreamId): Promise<StreamRow | undefined> {
  const [row] = await tx.query<StreamRow>(
    sql`select ${columns} from audit_stream where deployment_id = ${tx.deploymentId} and id = ${id} for update`,
  )
  return row
}

type NewStream = { secret: SealedValue | null; origin: string; active: boolean; position: number }

/** False where somebody else was faster. */
export async function insert(tx: Transaction, id: StreamId, made: NewStream): Promise<boolean> {
  const rows = await tx.query(sql`insert into audit_stream (deployment_id, id, secret, origin, active, position)
    values (${tx.deploymentId}, ${id}, ${made.secret && JSON.stringify(made.secret)}::jsonb, ${made.origin}, ${made.active},
      ${made.position})
    on conflict do nothing returning 1`)
  return rows.length > 0
}

/** Whoever changes something wants to know soon whether it helped. */
export async function update(
  tx: Transaction,
  id: StreamId,
  to: { secret: SealedValue | undefined; origin: string; active: boolean },
): Promise<void> {
  const secret = to.secret ? JSON.stringify(to.secret) : null
  await tx.query(sql`update audit_stream set secret = coalesce(${secret}::jsonb, secret), origin = ${to.origin},
      active = ${to.active}, retry_at = null, version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export async function remove(tx: Transaction, id: StreamId): Promise<void> {
  await tx.query(sql`delete from audit_stream where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

/** Only from where the batch began: of two who push the same, one moves on. */
export async function moveOn(
  tx: Transaction,
  id: StreamId,
  { from, to, now }: { from: number; to: number; now: Date },
): Promise<void> {
  await tx.query(sql`update audit_stream set position = ${to}, sent_at = ${now}, failing_since = null, failures = 0,
      retry_at = null, error = ''
    where deployment_id = ${tx.deploymentId} and id = ${id} and position = ${from}`)
}

export async function noteFailure(
  tx: Transaction,
  id: StreamId,
  { error, now, retryAt }: { error: string; now: Date; retryAt: Date },
): Promise<void> {
  await tx.query(sql`update audit_stream set failing_since = coalesce(failing_since, ${now}), failures = failures + 1,
      retry_at = ${retryAt}, error = ${error}
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

/** Logs with something to push, as the worker role sees them: all deployments, no content. */
export function due(now: Date, withSyslog: boolean): Sql {
  const ready = sql`(s.retry_at is null or s.retry_at <= ${now})`
  const free = (lane: Sql) => sql`not exists (select 1 from outbox o where o.deployment_id = h.deployment_id
    and o.lane = ${lane} and o.dead_at is null)`
  return sql`select h.deployment_id as "deploymentId", s.id from audit_stream s
      join audit_head h on h.deployment_id = s.deployment_id
    where s.id = 'webhook' and s.active and h.seq > s.position and ${ready} and ${free(sql`'audit.webhook'`)}
    union all
    select h.deployment_id, 'syslog' from audit_head h
      left join audit_stream s on s.deployment_id = h.deployment_id and s.id = 'syslog'
    where ${withSyslog} and h.seq > coalesce(s.position, 0) and ${ready} and ${free(sql`'audit.syslog'`)}`
}

export type Lag = { logs: number; behind: number; failing: number; since: Date | null }

/** How far the receiver of the operator is behind, over all deployments. */
export const syslogLag = sql`select count(*) as logs, coalesce(sum(h.seq - coalesce(s.position, 0)), 0)::bigint as behind,
    count(s.failing_since) as failing, min(s.failing_since) as since
  from audit_head h left join audit_stream s on s.deployment_id = h.deployment_id and s.id = 'syslog'`
