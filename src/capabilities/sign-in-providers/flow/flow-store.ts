import sql from 'sql-template-tag'
import type { IdentityQueryable } from '../../../kernel/database/database.ts'

type Identities = { query: IdentityQueryable['query'] }

/** What a provider has proved, until the owner of the account confirms that it is theirs. */
export type Proof = { issuer: string; subject: string; email: string; name: string; groups: string[] }

export type Flow = {
  secretHash: Buffer
  deploymentId: number
  providerId: number
  returnTo: string
  confirms: boolean
  replacedHash: Buffer | null
  proved: Proof | null
  expiresAt: Date
}

export async function insert(db: Identities, flow: Omit<Flow, 'proved'>): Promise<void> {
  await db.query(sql`insert into sign_in_flow (deployment_id, secret_hash, provider_id, return_to, confirms, replaced_hash,
      expires_at)
    values (${flow.deploymentId}, ${flow.secretHash}, ${flow.providerId}, ${flow.returnTo}, ${flow.confirms},
      ${flow.replacedHash}, ${flow.expiresAt})`)
}

const columns = sql`secret_hash as "secretHash", deployment_id as "deploymentId", provider_id as "providerId",
  return_to as "returnTo", confirms, replaced_hash as "replacedHash", proved, expires_at as "expiresAt"`

/** Used up with this: what comes back a second time finds nothing. */
export async function take(db: Identities, secretHash: Buffer): Promise<Flow | undefined> {
  const [row] = await db.query<Flow>(
    sql`delete from sign_in_flow where secret_hash = ${secretHash} returning ${columns}`,
  )
  return row
}

/** Put back, to be confirmed. */
export async function keepProof(db: Identities, flow: Flow, proved: Proof): Promise<void> {
  await db.query(sql`insert into sign_in_flow (deployment_id, secret_hash, provider_id, return_to, confirms, replaced_hash,
      proved, expires_at)
    values (${flow.deploymentId}, ${flow.secretHash}, ${flow.providerId}, ${flow.returnTo}, ${flow.confirms},
      ${flow.replacedHash}, ${JSON.stringify(proved)}::jsonb, ${flow.expiresAt})`)
}

export async function removeExpired(db: Identities, now: Date): Promise<void> {
  await db.query(sql`with flows as (delete from sign_in_flow where expires_at < ${now})
    delete from logout_token where expires_at < ${now}`)
}
