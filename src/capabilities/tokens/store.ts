import sql, { empty, type Sql } from 'sql-template-tag'
import type { BoundSubject } from '../../kernel/access/bound-subject.ts'
import type { Audience } from '../../kernel/access/identity.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'
import type { TokenQuery } from './contract.ts'
import { soonDays } from './reminders/stages.ts'

export type TokenRow = {
  id: number
  person_id: number
  is_service: boolean
  made_by: number | null
  name: string
  hint: string
  web_api: boolean
  scopes: string[] | null
  created_at: Date
  expires_at: Date
  last_used_at: Date | null
  revoked_at: Date | null
}

const stored = sql`id, person_id, made_by, name, hint, web_api, scopes, created_at, expires_at, last_used_at, revoked_at`
const columns = sql`${stored},
  exists (select 1 from service_account s where s.deployment_id = api_token.deployment_id
    and s.person_id = api_token.person_id) as is_service`

export async function insert(
  tx: Transaction,
  token: {
    personId: number
    name: string
    hash: Buffer
    hint: string
    webApi: boolean
    scopes: string[] | null
    expiresAt: Date
    /** The token that makes it; 0 for a signed-in person. */
    parentId: number
    ci?: { trustId: number; bound: BoundSubject } | undefined
    audience?: Audience | undefined
  },
): Promise<TokenRow> {
  const [row] = await tx.query<TokenRow>(sql`with made as (insert into api_token
      (deployment_id, person_id, made_by, name, hash, hint, web_api, scopes, expires_at, parent_id, trust_id, bound,
        audience)
    values (${tx.deploymentId}, ${token.personId}, ${tx.actor.personId}, ${token.name}, ${token.hash}, ${token.hint},
      ${token.webApi}, ${token.scopes}::text[], ${token.expiresAt}, nullif(${token.parentId}::bigint, 0),
      ${token.ci?.trustId ?? null}, ${token.ci ? JSON.stringify(token.ci.bound) : null}::jsonb, ${token.audience ?? null})
    returning ${stored})
    select made.*, exists (select 1 from service_account s where s.deployment_id = ${tx.deploymentId}
      and s.person_id = ${token.personId}) as is_service from made`)
  return row!
}

/** When a token expires. It is not revoked until the transaction ends; undefined if it is already. */
export async function holdExpiry(tx: Transaction, id: number): Promise<Date | undefined> {
  const [row] = await tx.query<{ expires_at: Date }>(sql`select expires_at from api_token
    where deployment_id = ${tx.deploymentId} and id = ${id} and revoked_at is null for share`)
  return row?.expires_at
}

/**
 * Which tokens, and of whom; undefined: everybody's. Without those of CI jobs, which come and go, and of connected programs, which
 * are renewed and have a list of their own.
 */
export type Wanted = TokenQuery & { personId: number | undefined; now: Date }

export function list(db: Queryable, wanted: Wanted): Promise<TokenRow[]> {
  return db.query(sql`select ${columns} from api_token where ${matches(db, wanted)} order by id desc limit 1000`)
}

export async function count(db: Queryable, wanted: Wanted): Promise<number> {
  const [row] = await db.query<{ count: number }>(
    sql`select count(*) as count from api_token where ${matches(db, wanted)}`,
  )
  return row!.count
}

function matches(db: Queryable, { personId, text, state, now }: Wanted): Sql {
  return sql`deployment_id = ${db.deploymentId} and trust_id is null and audience is null ${ownedBy(personId)}
    ${text === undefined ? empty : sql`and strpos(lower(name || ' ' || hint), lower(${text})) > 0`}
    ${state === undefined ? empty : inState(state, now)}`
}

function inState(state: NonNullable<TokenQuery['state']>, now: Date): Sql {
  if (state === 'revoked') return sql`and revoked_at is not null`
  if (state === 'expired') return sql`and revoked_at is null and expires_at <= ${now}`
  const usable = sql`and revoked_at is null and expires_at > ${now}`
  if (state === 'active') return usable
  return sql`${usable} and expires_at < ${now}::timestamptz + make_interval(days => ${soonDays}::integer)`
}

/** Those that work and end before `until`: of the person, and with `services` of all service accounts. */
export function listExpiring(
  db: Queryable,
  { personId, services, now, until }: { personId: number; services: boolean; now: Date; until: Date },
): Promise<TokenRow[]> {
  const ofServices = services
    ? sql`or person_id in (select s.person_id from service_account s where s.deployment_id = ${db.deploymentId})`
    : empty
  return db.query(sql`select ${columns} from api_token
    where deployment_id = ${db.deploymentId} and revoked_at is null and trust_id is null and audience is null
      and expires_at > ${now} and expires_at <= ${until} and (person_id = ${personId} ${ofServices})
    order by expires_at, id limit 100`)
}

/** False where it was revoked. */
export async function renew(
  tx: Transaction,
  id: number,
  to: { hash: Buffer; hint: string; expiresAt: Date },
): Promise<boolean> {
  const rows =
    await tx.query(sql`update api_token set hash = ${to.hash}, hint = ${to.hint}, expires_at = ${to.expiresAt}
    where deployment_id = ${tx.deploymentId} and id = ${id} and revoked_at is null returning 1`)
  return rows.length > 0
}

export async function removeTokens(tx: Transaction, ids: readonly number[]): Promise<void> {
  await tx.query(sql`delete from api_token where deployment_id = ${tx.deploymentId} and id = any(${ids}::bigint[])`)
}

/** Keeps the first time of revocation. */
export async function revoke(tx: Transaction, id: number, personId: number | undefined): Promise<TokenRow | undefined> {
  const [row] = await tx.query<TokenRow>(sql`update api_token set revoked_at = coalesce(revoked_at, this.moment)
    from (select now() as moment) this where deployment_id = ${tx.deploymentId} and id = ${id} ${ownedBy(personId)} returning ${columns}`)
  return row
}

/**
 * The tokens that were made by this one, and by those. A generation that somebody is just making is waited for and found by
 * the next look; once its maker is revoked there is no other.
 */
export async function revokeDescendants(tx: Transaction, id: number): Promise<number[]> {
  const revoked: number[] = []
  for (let parents = [id]; parents.length > 0; ) {
    const rows = await tx.query<{ id: number }>(sql`update api_token set revoked_at = now()
      where deployment_id = ${tx.deploymentId} and parent_id = any(${parents}::bigint[]) and revoked_at is null
      returning id`)
    parents = rows.map((row) => row.id)
    revoked.push(...parents)
  }
  return revoked
}

function ownedBy(personId: number | undefined) {
  return personId === undefined ? empty : sql`and person_id = ${personId}`
}
