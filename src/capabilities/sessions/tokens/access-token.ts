import { errors, jwtVerify, SignJWT } from 'jose'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Clock } from '../../../kernel/time/clock.ts'
import type { SigningKeys } from './signing-keys.ts'

const issuer = 'gatehouse'
const audience = 'gatehouse-api'
const maxRemembered = 10_000

export const accessTokenSeconds = 15 * 60

export type Claims = { personId: number; sessionId: string; expiresAt: number }

export type AccessTokens = ReturnType<typeof createAccessTokens>

/** JSON Web Tokens of signed-in people (RFC 7519, RFC 8037). Only EdDSA with a key of ours is accepted. */
export function createAccessTokens(keys: SigningKeys, clock: Clock) {
  // A signature that was right stays right, so each token's is checked once. Expiry and revocation are not remembered.
  const remembered = new Map<string, Claims>()

  async function issue(personId: number, sessionId: string): Promise<string> {
    const { kid, privateKey } = await keys.current()
    const now = Math.floor(clock.now().getTime() / 1000)
    return new SignJWT({ sid: sessionId })
      .setProtectedHeader({ alg: 'EdDSA', kid, typ: 'at+jwt' })
      .setIssuer(issuer)
      .setAudience(audience)
      .setSubject(String(personId))
      .setIssuedAt(now)
      .setExpirationTime(now + accessTokenSeconds)
      .sign(privateKey)
  }

  async function verify(token: string): Promise<Claims> {
    const claims = remembered.get(token) ?? (await check(token))
    if (claims.expiresAt <= clock.now().getTime())
      throw new Fault('token_expired', 'The JSON Web Token has expired; refresh it.')
    return claims
  }

  async function check(token: string): Promise<Claims> {
    const claims = await read(token)
    if (remembered.size >= maxRemembered) remembered.clear()
    remembered.set(token, claims)
    return claims
  }

  async function read(token: string): Promise<Claims> {
    try {
      const { payload } = await jwtVerify(
        token,
        async (header) => {
          const key = header.kid === undefined ? undefined : await keys.find(header.kid)
          if (!key) throw new errors.JWKSNoMatchingKey()
          return key
        },
        {
          algorithms: ['EdDSA'],
          issuer,
          audience,
          typ: 'at+jwt',
          currentDate: clock.now(),
          requiredClaims: ['exp', 'sub', 'sid'],
        },
      )
      return { personId: Number(payload.sub), sessionId: String(payload.sid), expiresAt: payload.exp! * 1000 }
    } catch (error) {
      if (error instanceof Fault) throw error
      if (error instanceof errors.JWTExpired)
        throw new Fault('token_expired', 'The JSON Web Token has expired; refresh it.')
      if (error instanceof errors.JOSEError || error instanceof TypeError) {
        throw new Fault('unauthenticated', 'The JSON Web Token is not valid.', { cause: error })
      }
      throw error
    }
  }

  return { issue, verify }
}
