import sql from 'sql-template-tag'
import type { IdentityQueryable, Queryable, Transaction } from '../../../kernel/database/database.ts'
import type { SealedValue } from '../../../vault/key-ring.ts'

export type AutomatedKind = 'sast' | 'sca' | 'secrets' | 'scaMaliciousDeps' | 'aiSast'

export type InstanceSettings = {
  projectId: string
  issueTypeId: string
  fields: Record<string, unknown>
  subtaskIssueTypeId: string
  /** Empty where nothing is fired. */
  fixedTransitionId: string
  automated: AutomatedKind[]
}
export type InstanceRow = InstanceSettings & {
  id: number
  url: string
  email: string
  /** Null where it is disconnected. */
  apiToken: SealedValue | null
  /** Another one with each new token: a refusal of the former one says nothing about it. */
  tokenNumber: number
  authRevokedAt: Date | null
  polledAt: Date | null
  version: number
}

const columns = sql`id, url, email, api_token as "apiToken", token_number as "tokenNumber",
  auth_revoked_at as "authRevokedAt", polled_at as "polledAt", project_id as "projectId",
  issue_type_id as "issueTypeId", fields, subtask_issue_type_id as "subtaskIssueTypeId",
  fixed_transition_id as "fixedTransitionId", automated, version`

/** Taken before the row is there: its token is sealed for it, outside the transaction that inserts it. */
export async function nextId(db: { query: IdentityQueryable['query'] }): Promise<number> {
  const [row] = await db.query<{ id: number }>(sql`select nextval('ticketing_instance_id_seq') as id`)
  return row!.id
}

/** The connected ones. */
export function list(db: Queryable): Promise<InstanceRow[]> {
  return db.query(sql`select ${columns} from ticketing_instance
    where deployment_id = ${db.deploymentId} and api_token is not null order by id`)
}

export async function find(db: Queryable, id: number): Promise<InstanceRow | undefined> {
  const [row] = await db.query<InstanceRow>(sql`select ${columns} from ticketing_instance
    where deployment_id = ${db.deploymentId} and id = ${id} and api_token is not null`)
  return row
}

/** Connected or not. */
export async function findAt(db: Queryable, url: string): Promise<InstanceRow | undefined> {
  const [row] = await db.query<InstanceRow>(sql`select ${columns} from ticketing_instance
    where deployment_id = ${db.deploymentId} and url = ${url}`)
  return row
}

/** Held until the transaction ends. */
export async function lock(tx: Transaction, id: number): Promise<InstanceRow | undefined> {
  const [row] = await tx.query<InstanceRow>(sql`select ${columns} from ticketing_instance
    where deployment_id = ${tx.deploymentId} and id = ${id} and api_token is not null for update`)
  return row
}

/** Undefined where the site is already connected. */
export async function connect(
  tx: Transaction,
  id: number,
  to: { url: string; email: string; token: SealedValue },
): Promise<InstanceRow | undefined> {
  const [row] =
    await tx.query<InstanceRow>(sql`insert into ticketing_instance (deployment_id, id, url, email, api_token)
    values (${tx.deploymentId}, ${id}, ${to.url}, ${to.email}, ${JSON.stringify(to.token)}::jsonb)
    on conflict (deployment_id, id) do update set email = excluded.email, api_token = excluded.api_token,
      token_number = ticketing_instance.token_number + 1, auth_revoked_at = null, version = ticketing_instance.version + 1
      where ticketing_instance.api_token is null and ticketing_instance.url = excluded.url
    returning ${columns}`)
  return row
}

/** Without a token, the stored one stays. */
export async function reconnect(
  tx: Transaction,
  id: number,
  to: { url: string; email: string; token: SealedValue | undefined },
): Promise<InstanceRow> {
  const token = to.token ? JSON.stringify(to.token) : null
  const [row] = await tx.query<InstanceRow>(sql`update ticketing_instance set url = ${to.url}, email = ${to.email},
      api_token = coalesce(${token}::jsonb, api_token),
      token_number = token_number + (${token}::text is not null)::int,
      auth_revoked_at = case when ${token}::text is null then auth_revoked_at end, version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id} returning ${columns}`)
  return row!
}

export async function configure(tx: Transaction, id: number, to: InstanceSettings): Promise<InstanceRow> {
  const [row] = await tx.query<InstanceRow>(sql`update ticketing_instance set project_id = ${to.projectId},
      issue_type_id = ${to.issueTypeId}, fields = ${JSON.stringify(to.fields)}::jsonb,
      subtask_issue_type_id = ${to.subtaskIssueTypeId}, fixed_transition_id = ${to.fixedTransitionId},
      automated = ${to.automated}, version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id} returning ${columns}`)
  return row!
}

export async function disconnect(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`update ticketing_instance set api_token = null, version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

/** Whether it was news: only the very token that was refused counts. */
export async function markRevoked(tx: Transaction, id: number, tokenNumber: number, now: Date): Promise<boolean> {
  const rows = await tx.query(sql`update ticketing_instance set auth_revoked_at = ${now}, version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id} and token_number = ${tokenNumber}
      and api_token is not null and auth_revoked_at is null returning 1 as revoked`)
  return rows.length > 0
}

/** The tracker took the token after all: what it said before was about something else. */
export async function markAccepted(tx: Transaction, id: number, tokenNumber: number): Promise<boolean> {
  const rows = await tx.query(sql`update ticketing_instance set auth_revoked_at = null, version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id} and token_number = ${tokenNumber}
      and auth_revoked_at is not null returning 1 as accepted`)
  return rows.length > 0
}

export async function markPolled(tx: Transaction, id: number, at: Date): Promise<void> {
  await tx.query(sql`update ticketing_instance set polled_at = ${at}
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export async function markPollAsked(tx: Transaction, id: number, at: Date): Promise<void> {
  await tx.query(sql`update ticketing_instance set poll_asked_at = ${at}
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}
