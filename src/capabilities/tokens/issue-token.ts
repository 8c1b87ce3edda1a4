import type { BoundSubject } from '../../kernel/access/bound-subject.ts'
import type { Audience } from '../../kernel/access/identity.ts'
import type { Permission } from '../../kernel/access/permission.ts'
import type { Transaction } from '../../kernel/database/database.ts'
import type { NewToken, Token } from './contract.ts'
import * as store from './store.ts'
import { hashToken, hintOf, makeToken } from './token-format.ts'

const defaultDays = 90

export function expiryAfter(now: Date, days = defaultDays): Date {
  return new Date(now.getTime() + days * 86_400_000)
}

type Issue = {
  /** Whose it is: the actor themselves, or a service account. */
  personId: number
  /** The token that makes it, which it ends with; 0 for a signed-in person. */
  parentId: number
  wanted: NewToken
  scopes: string[] | null
  expiresAt: Date
  /** Of a CI job: the trust that it came by, and what it speaks for. */
  ci?: { trustId: number; bound: BoundSubject }
  /** The one resource that it is for. */
  audience?: Audience
}

/** Makes a token and writes down who did. The secret is in the answer and nowhere else. */
export async function issueToken(
  tx: Transaction,
  { personId, parentId, wanted, scopes, expiresAt, ci, audience }: Issue,
): Promise<{ token: Token; secret: string }> {
  const secret = makeToken()
  const { name, webApi = false } = wanted
  const made = { personId, parentId, name, webApi, scopes, expiresAt, hash: hashToken(secret), hint: hintOf(secret) }
  const row = await store.insert(tx, { ...made, ci, audience })
  const forOther = personId === tx.actor.personId ? {} : { for: personId }
  if (!ci)
    tx.audit({ action: 'token.create', target: `token:${row.id}`, detail: { name, webApi, scopes, ...forOther } })
  return { token: toToken(tx.deploymentId, row), secret }
}

/** Puts a new secret in place of the former one, which stops to work. Undefined where the token was revoked. */
export async function renewSecret(tx: Transaction, id: number, expiresAt: Date): Promise<string | undefined> {
  const secret = makeToken()
  const renewed = await store.renew(tx, id, { hash: hashToken(secret), hint: hintOf(secret), expiresAt })
  return renewed ? secret : undefined
}

/** With those that were made by it; undefined where there is none, or none of this person. */
export async function revokeToken(
  tx: Transaction,
  id: number,
  personId: number | undefined,
): Promise<Token | undefined> {
  const row = await store.revoke(tx, id, personId)
  if (!row) return undefined
  const descendants = await store.revokeDescendants(tx, id)
  tx.audit({ action: 'token.revoke', target: `token:${id}`, detail: { name: row.name, descendants } })
  return toToken(tx.deploymentId, row)
}

export function toToken(deploymentId: number, row: store.TokenRow): Token {
  return {
    id: row.id,
    deploymentId,
    personId: row.person_id,
    isService: row.is_service,
    madeBy: row.made_by ?? 0,
    name: row.name,
    hint: row.hint,
    webApi: row.web_api,
    scopes: (row.scopes ?? []) as Permission[],
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
    revokedAt: row.revoked_at?.toISOString() ?? null,
  }
}
