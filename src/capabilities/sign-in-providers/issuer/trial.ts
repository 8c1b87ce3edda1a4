import * as openid from 'openid-client'
import type { ProviderTrial } from '../contract.ts'
import type { OpenIdClients, ProviderClient } from './openid-client.ts'
import { ProviderProblem, problemOf } from './provider-problem.ts'

type Check = ProviderTrial['checks'][number]

/** What can be tried without anybody signing in, up to the first check that fails. */
export async function tryProvider(
  clients: OpenIdClients,
  client: ProviderClient,
  redirectUri: string,
): Promise<ProviderTrial> {
  const checks: Check[] = []
  const check = async <T>(what: string, run: () => Promise<{ detail: string; found: T }>): Promise<T> => {
    try {
      const { detail, found } = await run()
      checks.push({ what, passed: true, detail })
      return found
    } catch (error) {
      const { message } = problemOf(error)
      checks.push({ what, passed: false, detail: message })
      throw new Failed()
    }
  }
  try {
    const config = await check('Configuration', async () => {
      const found = await clients.configure(client)
      return { detail: `${client.issuer} was found and can be used.`, found }
    })
    await check('Keys', async () => {
      const count = await countKeys(clients, config)
      return { detail: count === 1 ? 'It has one key.' : `It has ${count} keys.`, found: undefined }
    })
    await check('Client and secret', async () => {
      await redeemNothing(config, redirectUri)
      return { detail: 'It knows the client with its secret.', found: undefined }
    })
  } catch (error) {
    if (!(error instanceof Failed)) throw error
  }
  return { works: checks.every(({ passed }) => passed), checks }
}

class Failed extends Error {}

async function countKeys(clients: OpenIdClients, config: openid.Configuration): Promise<number> {
  const headers = { accept: 'application/json' }
  const options = { method: 'GET', headers, body: undefined, redirect: 'manual' } as const
  const response = await clients.fetch(config.serverMetadata().jwks_uri!, options)
  const { keys } = (await response.json().catch(() => ({}))) as { keys?: unknown }
  if (response.status === 200 && Array.isArray(keys) && keys.length > 0) return keys.length
  throw new ProviderProblem(`It answers ${response.status} without keys at its jwks_uri.`)
}

/** RFC 6749 §5.2: a client that is known learns that the code is wrong (invalid_grant), any other that it is not known. */
async function redeemNothing(config: openid.Configuration, redirectUri: string): Promise<void> {
  const code = 'gatehouse-tries-whether-the-client-is-known'
  try {
    await openid.genericGrantRequest(config, 'authorization_code', {
      code,
      redirect_uri: redirectUri,
      code_verifier: openid.randomPKCECodeVerifier(),
    })
  } catch (error) {
    if (error instanceof openid.ResponseBodyError && error.error === 'invalid_grant') return
    const problem = problemOf(error)
    throw new ProviderProblem(`${problem.message} Check the client id, the secret and the kind of client.`)
  }
  throw new ProviderProblem('It accepts a code that it never gave out.')
}
