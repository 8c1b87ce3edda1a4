import { exportJWK, generateKeyPair, type JWTHeaderParameters, type JWTPayload, SignJWT, UnsecuredJWT } from 'jose'
import { startLocalServer } from '../../src/sandbox/local-server.ts'

/** An OpenID provider that answers whatever a test wants: what real ones do only when they are broken or in strange hands. */
export async function startHostileIssuer() {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true })
  const stranger = await generateKeyPair('RS256', { extractable: true })
  const kid = 'key-1'
  const keys = [{ ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }]
  const control: {
    configuration?: Record<string, unknown>
    /** The claims of the next ID token. */
    claims: JWTPayload
    /** How it is signed. */
    signing: 'right' | 'none' | 'stranger' | 'secret'
    userInfo?: Record<string, unknown>
  } = { claims: {}, signing: 'right' }
  const server = await startLocalServer(async ({ path }) => {
    const place = `/${path.join('/')}`
    if (place === '/.well-known/openid-configuration') {
      const endpoints = {
        issuer: server.url,
        authorization_endpoint: `${server.url}/authorize`,
        token_endpoint: `${server.url}/token`,
        jwks_uri: `${server.url}/jwks`,
        response_types_supported: ['code'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256', 'HS256', 'none'],
        ...(control.userInfo && { userinfo_endpoint: `${server.url}/userinfo` }),
      }
      return { body: { ...endpoints, ...control.configuration } }
    }
    if (place === '/jwks') return { body: { keys } }
    if (place === '/userinfo') return { body: control.userInfo ?? {} }
    if (place !== '/token') return { status: 404 }
    return { body: { access_token: 'an-access-token', token_type: 'Bearer', id_token: await idToken() } }
  })

  function idToken(): Promise<string> | string {
    const now = Math.floor(Date.now() / 1000)
    const claims = { iss: server.url, aud: 'gatehouse', iat: now, exp: now + 300, ...control.claims }
    if (control.signing === 'none') return new UnsecuredJWT(claims).encode()
    return sign(claims, control.signing)
  }

  function sign(
    claims: JWTPayload,
    signing: 'right' | 'stranger' | 'secret' = 'right',
    header: Partial<JWTHeaderParameters> = {},
  ): Promise<string> {
    const alg = signing === 'secret' ? 'HS256' : 'RS256'
    const key = signing === 'secret' ? Buffer.from('a secret that only the client has') : undefined
    const pair = signing === 'right' ? privateKey : stranger.privateKey
    return new SignJWT(claims).setProtectedHeader({ alg, kid, ...header }).sign(key ?? pair)
  }

  return { url: server.url, seen: server.seen, control, sign, close: server.close }
}
