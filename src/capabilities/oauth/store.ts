import sql, { empty } from 'sql-template-tag'
import type { Role } from '../../kernel/access/permission.ts'
import type { Queryable, Transaction } from '../../kernel/database/database.ts'

export type GrantRow = {
  id: number
  person_id: number
  client_hash: Buffer
  client_name: string
  redirect_uri: string
  resource: string
  scopes: string[]
  code_challenge: string
  code_expires_at: Date
  expires_at: Date
  token_id: number | null
  refreshed_at: Date | null
  refreshed_from: string | null
}

const columns = sql`id, person_id, client_hash, client_name, redirect_uri, resource, scopes, code_challenge,
  code_expires_at, expires_at, token_id, refreshed_at, refreshed_from`

export type NewGrant = {
  clientHash: Buffer
  clientName: string
  redirectUri: string
  resource: string
  scopes: readonly string[]
  codeHash: Buffer
  codeChallenge: string
  codeExpiresAt: Date
  createdAt: Date
  expiresAt: Date
}

export async function insert(tx: Transaction, grant: NewGrant): Promise<number> {
  const [row] = await tx.query<{ id: number }>(sql`insert into oauth_grant (deployment_id, person_id, client_hash,
      client_name, redirect_uri, resource, scopes, code_hash, code_challenge, code_expires_at, created_at, expires_at)
    values (${tx.deploymentId}, ${tx.actor.personId}, ${grant.clientHash}, ${grant.clientName}, ${grant.redirectUri},
      ${grant.resource}, ${grant.scopes}::text[], ${grant.codeHash}, ${grant.codeChallenge}, ${grant.codeExpiresAt},
      ${grant.createdAt}, ${grant.expiresAt}) returning id`)
  return row!.id
}

export async function findByCode(db: Queryable, codeHash: Buffer): Promise<GrantRow | undefined> {
  const [row] = await db.query<GrantRow>(sql`select ${columns} from oauth_grant
    where deployment_id = ${db.deploymentId} and code_hash = ${codeHash}`)
  return row
}

export async function findByFamily(db: Queryable, familyHash: Buffer): Promise<GrantRow | undefined> {
  const [row] = await db.query<GrantRow>(sql`select ${columns} from oauth_grant
    where deployment_id = ${db.deploymentId} and family_hash = ${familyHash}`)
  return row
}

/** As it is now, until the transaction ends: the first use of a code or a refresh token is the only one. */
export async function lock(tx: Transaction, id: number): Promise<GrantRow | undefined> {
  const [row] = await tx.query<GrantRow>(sql`select ${columns} from oauth_grant
    where deployment_id = ${tx.deploymentId} and id = ${id} for update`)
  return row
}

/** Which refresh token of its family this is. */
export async function placeOf(
  tx: Transaction,
  id: number,
  refreshHash: Buffer,
): Promise<'current' | 'previous' | 'older'> {
  const [row] = await tx.query<{ place: 'current' | 'previous' | 'older' }>(sql`select case ${refreshHash}::bytea
      when refresh_hash then 'current' when previous_hash then 'previous' else 'older' end as place
    from oauth_grant where deployment_id = ${tx.deploymentId} and id = ${id}`)
  return row!.place
}

export async function begin(
  tx: Transaction,
  id: number,
  given: { tokenId: number; family: Buffer; refresh: Buffer },
): Promise<void> {
  await tx.query(sql`update oauth_grant set token_id = ${given.tokenId}, family_hash = ${given.family},
      refresh_hash = ${given.refresh}
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

export async function rotate(
  tx: Transaction,
  id: number,
  to: { refresh: Buffer; at: Date; network: string },
): Promise<void> {
  await tx.query(sql`update oauth_grant set refresh_hash = ${to.refresh}, previous_hash = refresh_hash,
      refreshed_at = ${to.at}, refreshed_from = ${to.network}
    where deployment_id = ${tx.deploymentId} and id = ${id}`)
}

/** Codes that nobody used in time. Few at a time: the next connection takes out more. */
export async function removeUnused(tx: Transaction, before: Date): Promise<void> {
  await tx.query(sql`delete from oauth_grant where deployment_id = ${tx.deploymentId} and id in (
    select id from oauth_grant where deployment_id = ${tx.deploymentId} and token_id is null
      and code_expires_at < ${before} order by code_expires_at limit 100 for update skip locked)`)
}

/** The tokens of grants that ended before. Few at a time, too. */
export async function listEndedTokens(tx: Transaction, before: Date): Promise<number[]> {
  const rows = await tx.query<{ id: number }>(sql`select token_id as id from oauth_grant
    where deployment_id = ${tx.deploymentId} and token_id is not null and expires_at < ${before}
    order by expires_at limit 100 for update skip locked`)
  return rows.map(({ id }) => id)
}

/** The role of a member, as it is now; undefined where they are none any more, or suspended. */
export async function roleOf(db: Queryable, personId: number): Promise<Role | undefined> {
  const [row] = await db.query<{ role: Role }>(sql`select role from membership
    where deployment_id = ${db.deploymentId} and person_id = ${personId} and suspended_at is null`)
  return row?.role
}

export type ConnectedRow = {
  token_id: number
  person_id: number
  client_name: string
  redirect_uri: string
  scopes: string[]
  created_at: Date
  expires_at: Date
  last_used_at: Date | null
}

/** Those that have not ended, of one person or of everybody. */
export function listConnected(db: Queryable, personId: number | undefined, now: Date): Promise<ConnectedRow[]> {
  return db.query(sql`select g.token_id, g.person_id, g.client_name, g.redirect_uri, g.scopes, g.created_at, g.expires_at,
      token.last_used_at
    from oauth_grant g join api_token token on token.deployment_id = g.deployment_id and token.id = g.token_id
    where g.deployment_id = ${db.deploymentId} and token.deployment_id = ${db.deploymentId}
      and token.revoked_at is null and g.expires_at > ${now}
      ${personId === undefined ? empty : sql`and g.person_id = ${personId}`}
    order by g.id desc limit 1000`)
}
