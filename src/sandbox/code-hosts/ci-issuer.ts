import { exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT } from 'jose'
import { type Clock, systemClock } from '../../kernel/time/clock.ts'
import { startLocalServer } from '../local-server.ts'

type PrivateKey = Awaited<ReturnType<typeof generateKeyPair>>['privateKey']
type Key = { kid: string; privateKey: PrivateKey; jwk: Record<string, unknown> }

/** An OpenID Connect issuer as CI systems have one: discovery, keys that rotate, and tokens for jobs. */
export async function startCiIssuer({ clock = systemClock }: { clock?: Clock } = {}) {
  const keys: Key[] = []
  const seen: string[] = []
  const control: {
    /** What it says of itself, where that is to be something else. */
    configuration?: Record<string, string>
    /** The claims of the job that asks for its token, and what it asks with, as in GitHub Actions. */
    job?: { claims: JWTPayload; token: string }
  } = {}
  const server = await startLocalServer(async ({ path, query, headers }) => {
    const place = `/${path.join('/')}`
    seen.push(place)
    const configuration = { issuer: server.url, jwks_uri: `${server.url}/jwks`, ...control.configuration }
    if (place === '/.well-known/openid-configuration') return { body: configuration }
    if (place === '/jwks') return { body: { keys: keys.map(({ jwk }) => jwk) } }
    if (place === '/job-token' && control.job && headers.authorization === `Bearer ${control.job.token}`) {
      return { body: { value: await sign({ ...control.job.claims, aud: query.get('audience') ?? '' }) } }
    }
    return { status: 404 }
  })

  /** A new key in the place of all others. */
  async function rotate(kid: string): Promise<void> {
    keys.splice(0, keys.length, await makeKey(kid))
  }

  /** The claims signed with the newest key, for ten minutes unless they say otherwise. */
  function sign(claims: JWTPayload, header: Partial<JWTHeaderParameters> = {}): Promise<string> {
    const { kid, privateKey } = keys.at(-1)!
    const now = Math.floor(clock.now().getTime() / 1000)
    return new SignJWT({ iss: server.url, iat: now, exp: now + 600, sub: 'job', ...claims })
      .setProtectedHeader({ alg: 'RS256', kid, typ: 'JWT', ...header })
      .sign(privateKey)
  }

  await rotate('key-1')
  return { url: server.url, seen, control, rotate, sign, close: server.close }
}

async function makeKey(kid: string): Promise<Key> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  return { kid, privateKey, jwk: { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' } }
}
