import { type Actor, requireOwnPermissions, seesEverything } from '../../kernel/access/actor.ts'
import { Fault } from '../../kernel/contract/fault.ts'
import type { Database } from '../../kernel/database/database.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import { removeTokens } from '../tokens/public.ts'
import { type Client, type Clients, hashOf } from './clients.ts'
import { isChallenge, newCode } from './codes.ts'
import type { AuthorizationRequest, ConnectedProgram, Connection } from './contract.ts'
import type { OAuthError } from './oauth-fault.ts'
import { isRegistered, redirectKindOf } from './redirect-uri.ts'
import { type McpScope, scopesIn } from './scopes.ts'
import * as store from './store.ts'

export type Authorization = ReturnType<typeof createAuthorization>

const codeSeconds = 60
// What they did can be looked up by their names for so long.
const daysKept = 30
const dayMs = 86_400_000

type Parts = { db: Database; clock: Clock; clients: Clients }
type Problem = { error: OAuthError; detail: string }

/** A person decides whether a program may act for them (RFC 6749 §4.1, as OAuth 2.1 narrows it). */
export function createAuthorization({ db, clock, clients }: Parts) {
  function show(request: AuthorizationRequest, origin: string) {
    const { name } = clientOf(request)
    const problem = problemWith(request, origin)
    const { redirectUri, state, scope } = request
    const { error, detail } = problem ?? { error: 'access_denied', detail: 'The person did not allow it.' }
    return {
      name,
      goesTo: redirectKindOf(redirectUri)!,
      host: hostOf(redirectUri),
      scopes: scopesIn(scope),
      problem: problem?.detail ?? null,
      backTo: answerTo(redirectUri, { error, error_description: detail, state, iss: origin }),
    }
  }

  /** Everything is looked at again: what the page showed is not what it sends. */
  async function connect(actor: Actor, { request, scopes, expiresInDays }: Connection, origin: string) {
    const client = clientOf(request)
    const problem = problemWith(request, origin)
    if (problem) throw new Fault('unprocessable', problem.detail)
    const wanted: readonly string[] = scopesIn(request.scope)
    const extra = scopes.filter((scope) => !wanted.includes(scope))
    if (extra.length > 0) throw new Fault('unprocessable', `The program did not ask for: ${extra.join(', ')}.`)
    requireOwnPermissions(actor, scopes)
    const now = clock.now()
    const { redirectUri, state, codeChallenge } = request
    const grant = {
      clientHash: hashOf(request.clientId),
      clientName: client.name,
      redirectUri,
      resource: resourceOf(origin),
      scopes,
      codeChallenge,
      codeExpiresAt: new Date(now.getTime() + codeSeconds * 1000),
      createdAt: now,
      expiresAt: new Date(now.getTime() + expiresInDays * dayMs),
    }
    return db.transaction(actor, async (tx) => {
      // In here, so that a repetition answers with the code that was stored.
      const code = newCode(actor.deploymentId)
      await store.removeUnused(tx, now)
      await removeTokens(tx, await store.listEndedTokens(tx, new Date(now.getTime() - daysKept * dayMs)))
      const id = await store.insert(tx, { ...grant, codeHash: hashOf(code) })
      const detail = { client: client.name, redirectUri, scopes, days: expiresInDays }
      tx.audit({ action: 'connected-program.approve', target: `connected-program:${id}`, detail })
      return { redirectTo: answerTo(redirectUri, { code, state, iss: origin }) }
    })
  }

  async function list(actor: Actor): Promise<{ programs: ConnectedProgram[] }> {
    const whose = seesEverything(actor) ? undefined : actor.personId
    const rows = await store.listConnected(db.as(actor), whose, clock.now())
    return { programs: rows.map(toProgram) }
  }

  /** Whoever cannot be told where to send the answer is told nothing there: the person is, here. */
  function clientOf({ clientId, redirectUri }: AuthorizationRequest): Client {
    const client = clients.find(clientId)
    if (!client) throw new Fault('not_found', 'No such program is registered here. Connect it again from its own side.')
    if (!isRegistered(redirectUri, client.redirectUris)) {
      throw new Fault('unprocessable', 'The program did not register the address that its code should go to.')
    }
    return client
  }

  return { show, connect, list }
}

/** The one resource that tokens are for. */
export function resourceOf(origin: string): string {
  return `${origin}/mcp`
}

function problemWith(request: AuthorizationRequest, origin: string): Problem | undefined {
  if (request.responseType !== 'code') {
    return { error: 'unsupported_response_type', detail: 'The program asks for something other than a code.' }
  }
  if (request.codeChallengeMethod !== 'S256' || !isChallenge(request.codeChallenge)) {
    return { error: 'invalid_request', detail: 'The program does not protect its code with PKCE (S256).' }
  }
  if (request.resource !== '' && request.resource !== resourceOf(origin)) {
    return {
      error: 'invalid_target',
      detail: `The program asks for a token for something other than ${resourceOf(origin)}.`,
    }
  }
  if (scopesIn(request.scope).length === 0) {
    return { error: 'invalid_scope', detail: 'The program asks for nothing that there is here.' }
  }
  return undefined
}

/** RFC 6749 §4.1.2, and RFC 9207: the answer names who gives it. What the address has already stays. */
function answerTo(redirectUri: string, parameters: Record<string, string>): string {
  const url = new URL(redirectUri)
  for (const [name, value] of Object.entries(parameters)) if (value !== '') url.searchParams.set(name, value)
  return url.href
}

function hostOf(redirectUri: string): string {
  const { protocol, hostname } = new URL(redirectUri)
  return redirectKindOf(redirectUri) === 'app' ? protocol.slice(0, -1) : hostname
}

function toProgram(row: store.ConnectedRow): ConnectedProgram {
  return {
    tokenId: row.token_id,
    personId: row.person_id,
    name: row.client_name,
    host: hostOf(row.redirect_uri),
    scopes: row.scopes as McpScope[],
    createdAt: row.created_at.toISOString(),
    expiresAt: row.expires_at.toISOString(),
    lastUsedAt: row.last_used_at?.toISOString() ?? null,
  }
}
