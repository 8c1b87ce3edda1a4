import sql from 'sql-template-tag'
import type { AuditHead, ChainedEvent } from '../../kernel/database/audit-chain.ts'
import type { Queryable } from '../../kernel/database/database.ts'

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

export function list(db: Queryable, before: number, limit: number): Promise<EventRow[]> {
  return db.query(sql`select e.*, coalesce(person.name, '') as person_name, coalesce(token.name, '') as token_name
    from (select seq, at, person_id, token_id, request_id, action, target, detail, hash from audit_event
      where deployment_id = ${db.deploymentId} and seq < ${before} order by seq desc limit ${limit}) e
    left join lateral (select p.name from person p where p.id = e.person_id offset 0) person on true
    left join lateral (select t.name from api_token t
      where t.deployment_id = ${db.deploymentId} and t.id = e.token_id offset 0) token on true
    order by e.seq desc`)
}

export async function head(db: Queryable): Promise<(AuditHead & { at: Date | null }) | undefined> {
  const [row] = await db.query<AuditHead & { at: Date | null }>(sql`select head.seq, head.hash,
      head.keyed_from as "keyedFrom", head.key_version as "keyVersion", head.seal, event.at
    from audit_head head
    left join audit_event event on event.deployment_id = head.deployment_id and event.seq = head.seq
    where head.deployment_id = ${db.deploymentId}`)
  return row
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
