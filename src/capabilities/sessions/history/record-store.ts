import sql from 'sql-template-tag'
import type { IdentityQueryable, Transaction } from '../../../kernel/database/database.ts'

export type AccountEvent = {
  deployment_id: number
  id: number
  actor_id: number
  request_id: string
  action: string
  target: string
  detail: Record<string, unknown>
}

const columns = sql`deployment_id, id, actor_id, request_id, action, target, detail`

/** For the audit log of each deployment that the person belongs to. */
export function insertEvents(
  db: IdentityQueryable,
  personId: number,
  event: { actorId: number; requestId: string; action: string; detail: Record<string, unknown> },
): Promise<AccountEvent[]> {
  return db.query(sql`insert into account_event (deployment_id, actor_id, request_id, action, target, detail)
    select deployment_id, ${event.actorId}, ${event.requestId}, ${event.action}, ${`person:${personId}`},
      ${JSON.stringify(event.detail)}::jsonb
    from membership where person_id = ${personId} returning ${columns}`)
}

export function listEvents(db: IdentityQueryable, limit: number): Promise<AccountEvent[]> {
  return db.query(sql`select ${columns} from account_event order by id limit ${limit}`)
}

/** False where somebody else has taken it. */
export async function takeEvent(tx: Transaction, id: number): Promise<boolean> {
  const rows = await tx.query(sql`delete from account_event
    where deployment_id = ${tx.deploymentId} and id = ${id} returning 1`)
  return rows.length > 0
}

const mostNetworks = 5

/** One row for each account, whatever is tried; person 0 stands for all accounts that do not exist. */
export async function noteFailure(db: IdentityQueryable, personId: number, network: string, now: Date): Promise<void> {
  await db.query(sql`insert into failed_sign_in as known (person_id, since, failures, networks)
    values (${personId}, ${now}, 1, array[${network}])
    on conflict (person_id) do update set failures = known.failures + 1,
      networks = case when known.networks @> excluded.networks or cardinality(known.networks) >= ${mostNetworks}
        then known.networks else known.networks || excluded.networks end`)
}

export type Failures = { person_id: number; since: Date; failures: number; networks: string[] }

export function takeFailures(db: IdentityQueryable, before: Date): Promise<Failures[]> {
  return db.query(sql`delete from failed_sign_in where since <= ${before}
    returning person_id, since, failures, networks`)
}
