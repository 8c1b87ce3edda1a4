import sql from 'sql-template-tag'
import type { PageRequest } from '../../kernel/contract/pagination.ts'
import type { IdentityQueryable, Queryable, Transaction } from '../../kernel/database/database.ts'
import type { SealedValue } from '../../vault/key-ring.ts'
import type { CodeHost } from './contract.ts'

export type CodeHostFields = Pick<
  CodeHost,
  | 'kind'
  | 'apiUrl'
  | 'owners'
  | 'auth'
  | 'appId'
  | 'installationId'
  | 'postsStatus'
  | 'postsComment'
  | 'postsLineComments'
>

export type CodeHostRow = CodeHostFields & {
  id: number
  account: string
  lastOutcome: NonNullable<CodeHost['lastDelivery']>['outcome'] | null
  lastDetail: string
  lastRepository: string
  lastPullRequest: number
  lastAt: Date | null
  lastEventAt: Date | null
  eventCount: number
  createdAt: Date
  version: number
}

const columns = sql`id, kind, api_url as "apiUrl", owners, auth, app_id as "appId", installation_id as "installationId",
  posts_status as "postsStatus", posts_comment as "postsComment", posts_line_comments as "postsLineComments", account,
  last_outcome as "lastOutcome", last_detail as "lastDetail", last_repository as "lastRepository",
  last_pull_request as "lastPullRequest", last_at as "lastAt", last_event_at as "lastEventAt",
  event_count as "eventCount", created_at as "createdAt", version`

/** Taken before the row is there: its secrets are sealed for it, outside the transaction that inserts it. */
export async function nextId(db: { query: IdentityQueryable['query'] }): Promise<number> {
  const [row] = await db.query<{ id: number }>(sql`select nextval('code_host_id_seq') as id`)
  return row!.id
}

/** With one more than the page has. */
export function list(db: Queryable, { after, size }: PageRequest): Promise<CodeHostRow[]> {
  return db.query(sql`select ${columns} from code_host
    where deployment_id = ${db.deploymentId} and id > ${after} order by id limit ${size + 1}`)
}

export async function find(db: Queryable, id: number): Promise<CodeHostRow | undefined> {
  const [row] = await db.query<CodeHostRow>(sql`select ${columns} from code_host
    where deployment_id = ${db.deploymentId} and id = ${id}`)
  return row
}

/** Where, as whom and with what, read together, so that a change meanwhile cannot mix them. */
export async function findWithCredential(
  db: Queryable,
  id: number,
): Promise<(CodeHostRow & { credential: SealedValue }) | undefined> {
  const [row] = await db.query<CodeHostRow & { credential: SealedValue }>(sql`select ${columns}, credential
    from code_host where deployment_id = ${db.deploymentId} and id = ${id}`)
  return row
}

/** The one whose owner is the longest beginning of the name; of several, the oldest. */
export async function findFor(db: Queryable, repository: string): Promise<number | undefined> {
  const [row] = await db.query<{ id: number }>(sql`select host.id from code_host host, unnest(host.owners) as owner
    where host.deployment_id = ${db.deploymentId} and starts_with(lower(${repository}), lower(owner) || '/')
    order by length(owner) desc, host.id limit 1`)
  return row?.id
}

/** Held until the transaction ends. */
export async function lock(tx: Transaction, id: number): Promise<CodeHostRow | undefined> {
  const [row] = await tx.query<CodeHostRow>(sql`select ${columns} from code_host
    where deployment_id = ${tx.deploymentId} and id = ${id} for update`)
  return row
}

export async function insert(
  tx: Transaction,
  id: number,
  host: CodeHostFields,
  sealed: { credential: SealedValue; webhookSecret: SealedValue },
): Promise<CodeHostRow> {
  const [row] = await tx.query<CodeHostRow>(sql`insert into code_host (deployment_id, id, kind, api_url, owners, auth,
      app_id, installation_id, posts_status, posts_comment, posts_line_comments, credential, webhook_secret)
    values (${tx.deploymentId}, ${id}, ${host.kind}, ${host.apiUrl}, ${host.owners}::text[], ${host.auth}, ${host.appId},
      ${host.installationId}, ${host.postsStatus}, ${host.postsComment}, ${host.postsLineComments},
      ${JSON.stringify(sealed.credential)}::sealed_value, ${JSON.stringify(sealed.webhookSecret)}::sealed_value)
    returning ${columns}`)
  return row!
}

/** Without a credential, the stored one stays. Who we are there is asked again. */
export async function update(
  tx: Transaction,
  id: number,
  host: CodeHostFields,
  credential: SealedValue | undefined,
): Promise<CodeHostRow> {
  const sealed = credential ? JSON.stringify(credential) : null
  const [row] = await tx.query<CodeHostRow>(sql`update code_host set api_url = ${host.apiUrl},
      owners = ${host.owners}::text[], auth = ${host.auth}, app_id = ${host.appId},
      installation_id = ${host.installationId}, posts_status = ${host.postsStatus},
      posts_comment = ${host.postsComment}, posts_line_comments = ${host.postsLineComments}, account = '',
      version = version + 1, credential = coalesce(${sealed}::sealed_value, credential)
    where deployment_id = ${tx.deploymentId} and id = ${id} returning ${columns}`)
  return row!
}

export async function replaceWebhookSecret(tx: Transaction, id: number, secret: SealedValue): Promise<CodeHostRow> {
  const [row] = await tx.query<CodeHostRow>(sql`update code_host
    set webhook_secret = ${JSON.stringify(secret)}::sealed_value, version = version + 1
    where deployment_id = ${tx.deploymentId} and id = ${id} returning ${columns}`)
  return row!
}

export async function remove(tx: Transaction, id: number): Promise<void> {
  await tx.query(sql`delete from code_host where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

/** Nothing happens where it was changed since it was asked. */
export async function noteAccount(tx: Transaction, id: number, version: number, account: string): Promise<void> {
  await tx.query(sql`update code_host set account = ${account}
    where deployment_id = ${tx.deploymentId} and id = ${id} and version = ${version}`)
}

export type Delivery = {
  outcome: NonNullable<CodeHostRow['lastOutcome']>
  detail: string
  repository: string
  pullRequest: number
  at: Date
}

export async function noteDelivery(tx: Transaction, id: number, delivery: Delivery): Promise<void> {
  await tx.query(sql`update code_host set last_outcome = ${delivery.outcome}, last_detail = ${delivery.detail},
      last_repository = ${delivery.repository}, last_pull_request = ${delivery.pullRequest}, last_at = ${delivery.at}
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export async function findDeploymentOf(db: IdentityQueryable, id: number): Promise<number | undefined> {
  const [row] = await db.query<{ deployment_id: number }>(sql`select deployment_id from code_host where id = ${id}`)
  return row?.deployment_id
}

export async function findWebhookSecret(
  db: Queryable,
  id: number,
): Promise<(Pick<CodeHostRow, 'kind' | 'owners'> & { webhookSecret: SealedValue }) | undefined> {
  const [row] = await db.query<Pick<CodeHostRow, 'kind' | 'owners'> & { webhookSecret: SealedValue }>(sql`select kind,
    owners, webhook_secret as "webhookSecret" from code_host where deployment_id = ${db.deploymentId} and id = ${id}`)
  return row
}

export async function countEvent(tx: Transaction, id: number, at: Date): Promise<void> {
  await tx.query(sql`update code_host set event_count = event_count + 1, last_event_at = greatest(last_event_at, ${at})
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}
