import sql from 'sql-template-tag'
import type { IdentityQueryable, Queryable, Transaction } from '../../../kernel/database/database.ts'
import type { Aging } from './stages.ts'

/** The deployments that have a token which ends in between. */
export async function deploymentsWithExpiring(
  db: { query: IdentityQueryable['query'] },
  now: Date,
  until: Date,
): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`select distinct deployment_id as id from api_token
    where revoked_at is null and trust_id is null and audience is null and expires_at > ${now} and expires_at <= ${until} order by id`)
  return rows.map(({ id }) => id)
}

export type ExpiringToken = Aging & { id: number; person_id: number; name: string; owner: string; is_service: boolean }

const columns = sql`token.id, token.person_id, token.name, token.created_at, token.expires_at, token.reminded_days,
  person.name as owner, person.is_service`

/** Held until the transaction ends; those that somebody else holds are left to them. */
export function lockExpiring(tx: Transaction, now: Date, until: Date): Promise<ExpiringToken[]> {
  return tx.query(sql`select ${columns} from api_token token join person on person.id = token.person_id
    where token.deployment_id = ${tx.deploymentId} and token.revoked_at is null and token.trust_id is null
      and token.audience is null
      and token.expires_at > ${now} and token.expires_at <= ${until}
    order by token.expires_at, token.id limit 10000 for update of token skip locked`)
}

export async function noteReminded(tx: Transaction, reminded: { id: number; days: number }[]): Promise<void> {
  const ids = reminded.map(({ id }) => id)
  const days = reminded.map((each) => each.days)
  await tx.query(sql`update api_token set reminded_days = given.days
    from unnest(${ids}::bigint[], ${days}::integer[]) as given (id, days)
    where api_token.deployment_id = ${tx.deploymentId} and api_token.id = given.id`)
}

/** The people who look after service accounts. */
export async function listAdmins(db: Queryable): Promise<number[]> {
  const rows = await db.query<{ id: number }>(sql`select person.id
    from membership join person on person.id = membership.person_id
    where membership.deployment_id = ${db.deploymentId} and membership.role in ('owner', 'admin') and not person.is_service and membership.suspended_at is null
    order by person.id`)
  return rows.map(({ id }) => id)
}

/** Where to write to a person who still belongs to the deployment. */
export async function findAddress(db: Queryable, personId: number): Promise<string | undefined> {
  const [row] = await db.query<{ email: string }>(sql`select person.email
    from membership join person on person.id = membership.person_id
    where membership.deployment_id = ${db.deploymentId} and person.id = ${personId} and not person.is_service and membership.suspended_at is null`)
  return row?.email
}

/** Those of the tokens that still work. */
export function listLive(db: Queryable, ids: readonly number[], now: Date): Promise<ExpiringToken[]> {
  return db.query(sql`select ${columns} from api_token token join person on person.id = token.person_id
    where token.deployment_id = ${db.deploymentId} and token.id = any(${ids}::bigint[])
      and token.revoked_at is null and token.expires_at > ${now} order by token.expires_at, token.id`)
}
