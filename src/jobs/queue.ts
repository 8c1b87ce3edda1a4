import sql, { type Sql } from 'sql-template-tag'

export type ClaimedRow = {
  id: number
  deploymentId: number
  lane: string
  kind: string
  key: string
  payload: unknown
  attempt: number
  /** The trace of the request that it follows from, if there was one. */
  traceparent: string | null
}

export type ClaimRequest = {
  kinds: readonly string[]
  most: number
  mostPerTenant: number
  leaseSeconds: number
  afterTenant: number
  afterLanes: Record<number, string>
}

/** Rows without an id say in which lane to go on: see claim_due_jobs. */
export function claim(request: ClaimRequest): Sql {
  const { kinds, most, mostPerTenant, leaseSeconds, afterTenant, afterLanes } = request
  return sql`select id, deployment_id as "deploymentId", lane, kind, key, payload, attempt, traceparent
    from claim_due_jobs(${kinds}::text[], ${most}, ${mostPerTenant}, make_interval(secs => ${leaseSeconds}),
      ${afterTenant}::bigint, ${JSON.stringify(afterLanes)}::jsonb)`
}

type Held = Pick<ClaimedRow, 'deploymentId' | 'id' | 'attempt'>

export function renew(held: readonly Held[], leaseSeconds: number): Sql {
  return sql`update outbox o set leased_until = statement_timestamp() + make_interval(secs => ${leaseSeconds})
    from jsonb_to_recordset(${JSON.stringify(held)}::jsonb) as held ("deploymentId" bigint, id bigint, attempt integer)
    where o.deployment_id = held."deploymentId" and o.id = held.id and o.attempt = held.attempt
      and o.leased_until is not null`
}

/** Whose lease ran out and was given to another has no say any more: the try has another number then. */
function stillOurs({ deploymentId, id, attempt }: Held): Sql {
  return sql`deployment_id = ${deploymentId} and id = ${id} and attempt = ${attempt} and dead_at is null`
}

export function finish(held: Held): Sql {
  return sql`delete from outbox where ${stillOurs(held)}`
}

export function retryLater(held: Held, seconds: number, error: string): Sql {
  return sql`update outbox set leased_until = null, error = ${error},
      run_at = statement_timestamp() + make_interval(secs => ${seconds})
    where ${stillOurs(held)}`
}

/** As if it had not been tried. */
export function postpone(held: Held, seconds: number, reason: string): Sql {
  return sql`update outbox set leased_until = null, error = ${reason}, attempt = attempt - 1,
      run_at = statement_timestamp() + make_interval(secs => ${seconds})
    where ${stillOurs(held)}`
}

export function bury(held: Held, error: string): Sql {
  return sql`update outbox set leased_until = null, error = ${error}, dead_at = statement_timestamp()
    where ${stillOurs(held)}`
}

export function forgetDead(days: number): Sql {
  return sql`delete from outbox where dead_at < now() - make_interval(days => ${days})`
}

/** Nothing waits for so long: a try that failed comes again within ten hours. */
const longestWaitHours = 12

/** What was put off under a clock that was wrong would wait for that time. */
export function bringForward(): Sql {
  return sql`update outbox set run_at = statement_timestamp() where dead_at is null and leased_until is null
    and run_at > statement_timestamp() and (attempt = 0 and created_at > statement_timestamp() + interval '1 minute'
      or run_at > statement_timestamp() + make_interval(hours => ${longestWaitHours}))`
}

export type Depth = { kind: string; waiting: number; oldestSeconds: number; dead: number }

export function depths(): Sql {
  return sql`select kind, sum(waiting)::bigint as waiting, max(oldest)::float8 as "oldestSeconds",
      sum(dead)::bigint as dead
    from (
      select kind, count(*) as waiting, extract(epoch from now() - min(created_at)) as oldest, 0 as dead
      from outbox where dead_at is null group by kind
      union all
      select kind, 0, 0, count(*) from outbox where dead_at is not null group by kind
    ) counted group by kind`
}
