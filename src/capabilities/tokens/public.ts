import sql from 'sql-template-tag'
import type { BoundSubject } from '../../kernel/access/bound-subject.ts'
import type { Audience } from '../../kernel/access/identity.ts'
import type { Role } from '../../kernel/access/permission.ts'
import type { IdentityQueryable, Queryable } from '../../kernel/database/database.ts'
import type { Token } from './contract.ts'
import { toToken } from './issue-token.ts'
import { list } from './store.ts'

export { expiryAfter, issueToken, renewSecret, revokeToken } from './issue-token.ts'
export type { TokenService as TokenMaker } from './service.ts'
export { removeTokens } from './store.ts'
export { hashToken, hasValidChecksum, looksLikeToken } from './token-format.ts'

export type KnownToken = {
  id: number
  deployment_id: number
  person_id: number
  role: Role
  operator: boolean
  web_api: boolean
  scopes: string[] | null
  expires_at: Date
  revoked_at: Date | null
  bound: BoundSubject | null
  audience: Audience | null
  /** The membership of its owner is. */
  suspended: boolean
}

/** A token with the membership of its owner and, where that is one, the service account. */
export const tokenWithOwner = sql`api_token token
  join membership on membership.deployment_id = token.deployment_id and membership.person_id = token.person_id
  left join service_account account on account.deployment_id = token.deployment_id and account.person_id = token.person_id`

/** Of a token with its owner: what a service account is narrowed to now narrows its tokens, too. */
export const narrowed = sql`case when account.scopes is null then token.scopes when token.scopes is null then account.scopes
  else array(select unnest(token.scopes) intersect select unnest(account.scopes)) end`

/** The token, with the role its owner has now: who is demoted takes their tokens along. */
export async function findByHash(
  db: { query: IdentityQueryable['query'] },
  hash: Buffer,
): Promise<KnownToken | undefined> {
  const [row] = await db.query<KnownToken>(sql`select token.id, token.deployment_id, token.person_id, membership.role,
      person.operator, token.web_api, ${narrowed} as scopes, token.expires_at, token.revoked_at,
      token.bound, token.audience, membership.suspended_at is not null as suspended
    from ${tokenWithOwner} join person on person.id = token.person_id
    where token.hash = ${hash}`)
  return row
}

export async function noteUse(
  db: { query: IdentityQueryable['query'] },
  uses: Map<number, { deploymentId: number; at: Date }>,
): Promise<void> {
  const ids = [...uses.keys()]
  const deployments = [...uses.values()].map((use) => use.deploymentId)
  const times = [...uses.values()].map((use) => use.at)
  await db.query(sql`update api_token token set last_used_at = used.at
    from unnest(${deployments}::bigint[], ${ids}::bigint[], ${times}::timestamptz[]) as used (deployment_id, id, at)
    where token.deployment_id = used.deployment_id and token.id = used.id`)
}

/** The tokens of one person or service account, newest first. */
export async function listTokensOf(db: Queryable, personId: number): Promise<Token[]> {
  return (await list(db, { personId, now: new Date() })).map((row) => toToken(db.deploymentId, row))
}
