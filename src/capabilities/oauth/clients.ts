import { createHash } from 'node:crypto'
import type { Clock } from '../../kernel/time/clock.ts'
import type { CursorSeal } from '../../vault/cursor-seal.ts'
import { OAuthFault } from './oauth-fault.ts'
import { requireRedirectUri } from './redirect-uri.ts'

/** A program as it described itself. Nobody has checked any of it. */
export type Client = { name: string; redirectUris: string[]; registeredAt: number }

export type Clients = ReturnType<typeof createClients>

const prefix = 'gthc_'
const binding = 'oauth client'
const mostText = 1_000

/**
 * RFC 7591 without a table: the id of a client says what was registered, under a seal of ours. Registering is open to everybody, and
 * leaves nothing behind that somebody could fill.
 */
export function createClients(seal: CursorSeal, clock: Clock) {
  function register(name: string | undefined, redirectUris: string[]): { clientId: string; client: Client } {
    for (const uri of redirectUris) requireRedirectUri(uri)
    if (redirectUris.join('').length > mostText) {
      throw new OAuthFault('invalid_redirect_uri', `Redirect URIs have at most ${mostText} characters together.`)
    }
    const client = {
      name: name?.trim() || 'A program without a name',
      redirectUris,
      registeredAt: Math.floor(clock.now().getTime() / 1000),
    }
    return { clientId: prefix + seal.write(binding, client), client }
  }

  function find(clientId: string): Client | undefined {
    if (!clientId.startsWith(prefix)) return undefined
    return seal.read(binding, clientId.slice(prefix.length)) as Client | undefined
  }

  return { register, find }
}

export function hashOf(text: string): Buffer {
  return createHash('sha256').update(text).digest()
}
