import * as openid from 'openid-client'
import type { Outbound } from '../../../outbound/client/client.ts'
import { serviceUrlProblem } from '../../../outbound/ssrf-guard/service-url.ts'
import { guardedFetch } from './guarded-fetch.ts'
import { ProviderProblem, problemOf } from './provider-problem.ts'

export type ProviderClient = { issuer: string; clientId: string; clientSecret: string }

// Neither none nor anything with a shared secret: a public key must not be taken for one.
export const algorithms = ['RS256', 'RS384', 'RS512', 'PS256', 'PS384', 'PS512', 'ES256', 'ES384', 'ES512', 'EdDSA']

export type OpenIdClients = ReturnType<typeof createOpenIdClients>

/** Asks providers by way of openid-client. Nothing is kept between sign-ins, so new keys and addresses count at once. */
export function createOpenIdClients(outbound: Outbound) {
  const fetch = guardedFetch(outbound)

  /** Discovers the provider. What is missing for a safe sign-in is a problem. */
  async function configure({ issuer, clientId, clientSecret }: ProviderClient): Promise<openid.Configuration> {
    const insecure = issuer.startsWith('http:')
    try {
      const found = await openid.discovery(new URL(issuer), clientId, undefined, openid.None(), {
        [openid.customFetch]: fetch,
        execute: insecure ? [openid.allowInsecureRequests] : [],
      })
      const config = new openid.Configuration(
        usable(found.serverMetadata(), issuer),
        clientId,
        { client_secret: clientSecret },
        authentication(found.serverMetadata(), clientSecret),
      )
      config[openid.customFetch] = fetch
      if (insecure) openid.allowInsecureRequests(config)
      // Without it, an ID token counts without its signature because it came over TLS.
      openid.enableNonRepudiationChecks(config)
      return config
    } catch (error) {
      throw problemOf(error)
    }
  }

  return { configure, fetch }
}

function usable(metadata: Readonly<openid.ServerMetadata>, issuer: string): openid.ServerMetadata {
  if (metadata.issuer !== issuer)
    throw new ProviderProblem(`It calls itself ${metadata.issuer}: enter that, to the character.`)
  for (const name of ['authorization_endpoint', 'token_endpoint', 'jwks_uri'] as const) {
    const address = metadata[name]
    if (typeof address !== 'string') throw new ProviderProblem(`Its configuration has no ${name}.`)
    const problem = serviceUrlProblem(address.split('?')[0]!)
    if (problem) throw new ProviderProblem(`The ${name} in its configuration ${problem}.`)
  }
  const methods = metadata.code_challenge_methods_supported
  // Many take PKCE without saying so; one that says what it takes has to take S256.
  if (methods !== undefined && !methods.includes('S256')) throw new ProviderProblem('It does not take PKCE with S256.')
  const offered = metadata.id_token_signing_alg_values_supported ?? ['RS256']
  const accepted = offered.filter((name) => algorithms.includes(name))
  if (accepted.length === 0) throw new ProviderProblem('It signs ID tokens with no algorithm that is accepted.')
  return { ...metadata, id_token_signing_alg_values_supported: accepted }
}

/** OpenID Connect Discovery 1.0 §3: client_secret_basic is what counts where nothing is said. */
function authentication(metadata: Readonly<openid.ServerMetadata>, secret: string): openid.ClientAuth {
  const methods = metadata.token_endpoint_auth_methods_supported ?? ['client_secret_basic']
  if (methods.includes('client_secret_basic')) return openid.ClientSecretBasic(secret)
  if (methods.includes('client_secret_post')) return openid.ClientSecretPost(secret)
  throw new ProviderProblem('It takes a client secret neither in a header nor in a form.')
}
