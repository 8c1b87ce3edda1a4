import sql, { empty, type Sql } from 'sql-template-tag'
import { nameOfPerson } from '../../domain/person-names.ts'
import type { AuditAnchor, AuditHead, ChainedEvent } from '../../kernel/database/audit-chain.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import type { AuditFilter } from './contract.ts'

export type EventRow = {
  seq: number
  at: Date
  person_id: number
  token_id: number
  person_name: string
  token_name: string
  request_id: string
  action: string
  target: string
  detail: Record<string, unknown>
  hash: Buffer
}

/** From `low` on and below `high`; both are places in the chain. */
export type Span = { low: number; high: number }

export function list(
  db: Queryable,
  { low, high }: Span,
  filter: AuditFilter,
  { limit, oldestFirst = false }: { limit: number; oldestFirst?: boolean },
): Promise<EventRow[]> {
  const order = oldestFirst ? sql`asc` : sql`desc`
  return db.query(sql`select e.*, ${nameOfPerson(db.deploymentId, sql`e.person_id`)} as person_name, coalesce(token.name, '') as token_name
    from (select seq, at, person_id, token_id, request_id, action, target, detail, hash from audit_event
      where deployment_id = ${db.deploymentId} and seq >= ${low} and seq < ${high} ${matching(filter)}
      order by seq ${order} limit ${limit}) e
    left join lateral (select t.name from api_token t
      where t.deployment_id = ${db.deploymentId} and t.id = e.token_id offset 0) token on true
    order by e.seq ${order}`)
}

function matching({ since, until, action, target, personId }: AuditFilter): Sql {
  return sql`${since === undefined ? empty : sql`and at >= ${new Date(since)}`}
    ${until === undefined ? empty : sql`and at < ${new Date(until)}`}
    ${personId === undefined ? empty : sql`and person_id = ${personId}`}
    ${action === undefined ? empty : sql`and strpos(action, ${action}) > 0`}
    ${target === undefined ? empty : sql`and strpos(target, ${target}) > 0`}`
}

/**
 * The place of the first event that is not before a moment; one behind the last where all are. Places have no gaps and times
 * go with them, so it is found by halving: some twenty looks by the primary key in a million.
 */
export async function placeOf(db: Queryable, at: Date): Promise<number> {
  const [row] = await db.query<{ place: number }>(sql`with recursive halving (low, high) as (
      select coalesce((select anchor.seq from audit_anchor anchor where anchor.deployment_id = ${db.deploymentId}), 0),
        seq + 1 from audit_head where deployment_id = ${db.deploymentId}
      union all
      select case when middle.at < ${at} then middle.seq else low end,
        case when middle.at < ${at} then high else middle.seq end
      from halving cross join lateral (select e.seq, e.at from audit_event e
        where e.deployment_id = ${db.deploymentId} and e.seq = (halving.low + halving.high) / 2 offset 0) middle
      where halving.high - halving.low > 1)
    select high as place from halving order by high - low limit 1`)
  return row?.place ?? 1
}

export async function head(db: Queryable): Promise<(AuditHead & { at: Date | null }) | undefined> {
  const [row] = await db.query<AuditHead & { at: Date | null }>(sql`select head.seq, head.hash,
      head.keyed_from as "keyedFrom", head.key_version as "keyVersion", head.seal, event.at
    from audit_head head
    left join audit_event event on event.deployment_id = head.deployment_id and event.seq = head.seq
    where head.deployment_id = ${db.deploymentId}`)
  return row
}

/** Undefined as long as nothing was removed. */
export async function anchor(db: Queryable): Promise<AuditAnchor | undefined> {
  const [row] = await db.query<AuditAnchor>(sql`select seq, hash, key_version as "keyVersion", seal from audit_anchor
    where deployment_id = ${db.deploymentId}`)
  return row
}

/** The place up to which each of these receivers has taken the log; undefined where there is none. */
export async function takenUpTo(db: Queryable, receivers: readonly string[]): Promise<number | undefined> {
  const [row] = await db.query<{ position: number | null }>(sql`select min(position) as position from audit_stream
    where deployment_id = ${db.deploymentId} and id = any(${receivers}::text[])`)
  return row?.position ?? undefined
}

export async function forget(tx: Transaction, upTo: number, keyVersion: number, seal: Buffer): Promise<void> {
  await tx.query(sql`select audit_forget(${tx.deploymentId}::bigint, ${upTo}::bigint, ${keyVersion}::integer, ${seal})`)
}

type ChainedRow = ChainedEvent & { hash: Buffer; keyVersion: number | null }

/** Oldest first, with everything that the chain is made of. */
export function listChained(
  db: Queryable,
  { after, upTo, limit }: { after: number; upTo: number; limit: number },
): Promise<ChainedRow[]> {
  return db.query(sql`select deployment_id as "deploymentId", seq, (extract(epoch from at) * 1000000)::bigint as at,
      person_id as "personId", token_id as "tokenId", request_id as "requestId", action, target, detail::text as detail,
      hash, key_version as "keyVersion"
    from audit_event where deployment_id = ${db.deploymentId} and seq > ${after} and seq <= ${upTo}
    order by seq limit ${limit}`)
}
