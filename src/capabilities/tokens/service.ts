import { type Actor, requireOwnPermissions, requireSignedInPerson, seesEverything } from '../../kernel/access/actor.ts'
import type { Identity } from '../../kernel/access/identity.ts'
import { type Permission, permissionNames, permitted } from '../../kernel/access/permission.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database, Transaction } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { NewToken, Token, TokenQuery } from './contract.ts'
import { expiryAfter, issueToken, revokeToken, toToken } from './issue-token.ts'
import { soonDays } from './reminders/stages.ts'
import * as store from './store.ts'

export type TokenService = ReturnType<typeof createTokenService>

export function createTokenService(db: Database, clock: Clock) {
  async function create(actor: Actor, wanted: NewToken): Promise<{ token: Token; secret: string }> {
    // It would neither be bound to what the job may speak for, nor end when the trust is changed.
    if (actor.bound) throw new Fault('forbidden', 'The token of a CI job makes no other tokens; use it as it is.')
    const scopes = scopesFor(actor, wanted.scopes)
    return db.transaction(actor, async (tx) => {
      const expiresAt = await expiryFor(tx, wanted.expiresInDays)
      return issueToken(tx, { personId: actor.personId, parentId: actor.tokenId, wanted, scopes, expiresAt })
    })
  }

  /** A token makes tokens that expire with it at the latest; a longer life is for a signed-in person to give. */
  async function expiryFor(tx: Transaction, days: number | undefined): Promise<Date> {
    const expiresAt = expiryAfter(clock.now(), days)
    if (tx.actor.tokenId === 0) return expiresAt
    const latest = await store.holdExpiry(tx, tx.actor.tokenId)
    if (!latest) throw new Fault('token_revoked', 'The token was revoked.')
    if (expiresAt <= latest) return expiresAt
    if (days !== undefined) requireSignedInPerson(tx.actor, `A token that lives longer than ${latest.toISOString()}`)
    return latest
  }

  async function listExpiring(actor: Actor): Promise<{ tokens: Token[] }> {
    const now = clock.now()
    const until = new Date(now.getTime() + soonDays * 86_400_000)
    const whose = { personId: actor.personId, services: seesEverything(actor) }
    const rows = await store.listExpiring(db.as(actor), { ...whose, now, until })
    return { tokens: rows.map((row) => toToken(actor.deploymentId, row)) }
  }

  async function list(actor: Actor, query: TokenQuery = {}): Promise<{ tokens: Token[]; total: number }> {
    const [rows, total] = await Promise.all([store.list(db.as(actor), wanted(actor, query)), count(actor, query)])
    return { tokens: rows.map((row) => toToken(actor.deploymentId, row)), total }
  }

  function count(actor: Actor, query: TokenQuery): Promise<number> {
    return store.count(db.as(actor), wanted(actor, query))
  }

  function wanted(actor: Actor, query: TokenQuery): store.Wanted {
    return { ...query, personId: seesEverything(actor) ? undefined : actor.personId, now: clock.now() }
  }

  function revoke(actor: Actor, tokenId: number): Promise<Token> {
    return db.transaction(actor, async (tx) => {
      const token = await revokeToken(tx, tokenId, seesEverything(actor) ? undefined : actor.personId)
      if (!token) throw new Fault('not_found', `No token ${tokenId}.`)
      return token
    })
  }

  /** A token that may do nothing else may still end itself. */
  function revokeSelf({ roles, personId, tokenId }: Identity, requestId: string): Promise<Token> {
    const [deploymentId, role] = [...roles][0]!
    const actor = { deploymentId, personId, tokenId, role, permissions: permitted(role, []), requestId }
    return revoke(actor, tokenId)
  }

  function introspect(caller: Identity) {
    const deployments = [...caller.roles].map(([deploymentId, role]) => ({
      deploymentId,
      role,
      permissions: [...permitted(role, caller.scopes)],
    }))
    return {
      kind: caller.kind,
      personId: caller.personId,
      tokenId: caller.tokenId,
      operator: caller.operator,
      deployments,
    }
  }

  return { create, list, listExpiring, count, revoke, revokeSelf, introspect }
}

/** A narrowed token makes only tokens that are at least as narrow; nobody asks for more than they have. */
function scopesFor(actor: Actor, wanted: Permission[] | undefined): string[] | null {
  requireOwnPermissions(actor, wanted ?? [])
  if (wanted) return [...new Set(wanted)]
  const narrowed = actor.permissions.size < permitted(actor.role, undefined).size
  return narrowed ? permissionNames.filter((name) => actor.permissions.has(name)) : null
}
