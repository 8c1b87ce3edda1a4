import sql from 'sql-template-tag'
import type { Queryable } from '../../kernel/database.ts'

export type EventRow = {
  seq: number
  at: Date
  person_id: number
  token_id: number
  request_id: string
  action: string
  target: string
  detail: Record<string, unknown>
  hash: Buffer
}

export function list(db: Queryable, before: number, limit: number): Promise<EventRow[]> {
  return db.query(sql`select seq, at, person_id, token_id, request_id, action, target, detail, hash from audit_event
    where deployment_id = ${db.deploymentId} and seq < ${before} order by seq desc limit ${limit}`)
}

/** The first event whose hash, place or end of chain is not what the events before it say; undefined when all is well. */
export async function firstBreak(db: Queryable): Promise<{ seq: number; reason: string } | undefined> {
  const [row] = await db.query<{ seq: number; reason: string }>(sql`
    with chain as (
      select event.seq, event.hash, row_number() over (order by event.seq) as place,
        audit_hash(coalesce(lag(event.hash) over (order by event.seq), '\\x'::bytea), event) as expected
      from audit_event event where event.deployment_id = ${db.deploymentId}
    ), breaks as (
      select seq, case when seq <> place then 'an event is missing before it' else 'it was changed' end as reason
      from chain where seq <> place or hash <> expected
      union all
      select head.seq, 'the end of the log is missing' from audit_head head
      where head.deployment_id = ${db.deploymentId}
        and not exists (select from chain where chain.seq = head.seq and chain.hash = head.hash)
    )
    select seq, reason from breaks order by seq limit 1`)
  return row
}
