import sql, { empty, type Sql } from 'sql-template-tag'
import type { PageRequest } from '../../kernel/contract/pagination.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'

export type DeadLetterRow = {
  id: number
  kind: string
  lane: string
  key: string
  attempt: number
  error: string
  created_at: Date
  dead_at: Date
}

const columns = sql`id, kind, lane, key, attempt, error, created_at, dead_at`

/** With one more than the page has. */
export function list(db: Queryable, wanted: Wanted, { after, size }: PageRequest): Promise<DeadLetterRow[]> {
  return db.query(sql`select ${columns} from outbox where deployment_id = ${db.deploymentId} and dead_at is not null
    and id > ${after} ${those(wanted)} order by id limit ${size + 1}`)
}

export type Wanted = { kind?: string; text?: string }

export async function count(db: Queryable, wanted: Wanted): Promise<number> {
  const [row] = await db.query<{ count: number }>(sql`select count(*) as count from outbox
    where deployment_id = ${db.deploymentId} and dead_at is not null ${those(wanted)}`)
  return row!.count
}

/** Held until the transaction ends. */
export async function lock(tx: Transaction, id: number): Promise<DeadLetterRow | undefined> {
  const [row] = await tx.query<DeadLetterRow>(sql`select ${columns} from outbox
    where deployment_id = ${tx.deploymentId} and id = ${id} and dead_at is not null for update`)
  return row
}

/** In the order of ids, as far as nobody else is at them. */
export async function lockSome(tx: Transaction, kind: string | undefined, most: number): Promise<number[]> {
  const ofKind = kind === undefined ? empty : sql`and kind = ${kind}`
  const rows = await tx.query<{ id: number }>(sql`select id from outbox where deployment_id = ${tx.deploymentId}
    and dead_at is not null ${ofKind} order by id limit ${most} for update skip locked`)
  return rows.map(({ id }) => id)
}

export async function revive(tx: Transaction, ids: readonly number[], channel: string): Promise<void> {
  await tx.query(sql`with revived as (
      update outbox set dead_at = null, attempt = 0, run_at = now()
      where deployment_id = ${tx.deploymentId} and id = any(${ids}::bigint[]))
    select pg_notify(${channel}, '')`)
}

export async function remove(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`delete from outbox where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

/** They are read in the order of ids until the page is full, from the few that are dead. */
function those({ kind, text }: Wanted): Sql {
  return sql`${kind === undefined ? empty : sql`and kind = ${kind}`}
    ${text === undefined ? empty : sql`and strpos(lower(kind || ' ' || key || ' ' || error), lower(${text})) > 0`}`
}
