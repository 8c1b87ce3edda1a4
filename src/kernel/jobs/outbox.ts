import { randomUUID } from 'node:crypto'
import sql from 'sql-template-tag'
import { rowsNotCopied } from '../database/given-rows.ts'
import type { Transaction } from '../database/transaction.ts'
import { currentTraceparent } from '../tracing/tracing.ts'

export type NewJob = {
  kind: string
  /** JSON, kept in the clear and seen in dumps: it names secrets, it never holds one. */
  payload: unknown
  /** Sent to receivers, so that they do it once. Made up where absent. */
  key?: string
  /**
   * Jobs of a lane run one after the other; other lanes and tenants do not wait for them. A lane stands for a receiver, not
   * for a record: there should be few. Absent: one lane for each kind.
   */
  lane?: string
}

/** Where those who wait for work listen. */
export const outboxChannel = 'gatehouse_outbox'

/** Written with everything else of the transaction, or not at all. Answers the job's id. */
export async function enqueue(tx: Transaction, job: NewJob): Promise<number> {
  const [id] = await enqueueMany(tx, [job])
  return id!
}

export async function enqueueMany(tx: Transaction, jobs: readonly NewJob[]): Promise<number[]> {
  if (jobs.length === 0) return []
  const rows = jobs.map(({ kind, payload, key = randomUUID(), lane = kind }, at) => ({
    at,
    kind,
    payload,
    key,
    lane,
  }))
  // Ids before the insert, so that each is known to belong to its job. The notification leaves with the commit.
  const added = await tx.query<{ id: number }>(sql`with given as materialized (
      select nextval('outbox_id_seq') as id, given.*
      from jsonb_to_recordset(${JSON.stringify(rows)}::jsonb)
        as given (at integer, kind text, payload jsonb, key text, lane text)
    ), added as (
      insert into outbox (deployment_id, id, kind, payload, key, lane, run_at, traceparent)
      select ${tx.deploymentId}::bigint, id, kind, payload, key, lane, now(),
        ${currentTraceparent() ?? null}::text from given order by at
      ${rowsNotCopied}
    )
    select given.id from given, (select pg_notify(${outboxChannel}, '')::text) as told order by given.at`)
  return added.map(({ id }) => id)
}
