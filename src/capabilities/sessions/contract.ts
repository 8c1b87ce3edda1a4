import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { NamedObject, named } from '../../kernel/contract/schema.ts'
import { SecondFactorCode } from '../factors/contract.ts'

const tag = 'Sign-in'
const nothing = Type.Object({})

const RefreshToken = named(
  'RefreshToken',
  Type.String({
    minLength: 1,
    maxLength: 200,
    description: 'Single use; each refresh answers with the next one',
  }),
)

export const Session = NamedObject('Session', {
  accessToken: Type.String({ description: 'JSON Web Token for the Authorization header' }),
  refreshToken: RefreshToken,
  expiresIn: Type.Integer({ description: 'Seconds until the access token expires' }),
})
export type Session = Static<typeof Session>

export const login = endpoint({
  id: 'login',
  summary: 'Sign in',
  description:
    'After ten failed sign-ins a minute from one address (of IPv6 a /64), further ones are refused; for an account also after a hundred an hour from addresses where it has not signed in before, twenty from each of them. For an account with a second factor the right password alone answers `second_factor_required`: send `code` besides.',
  tag,
  stability: 'stable',
  security: 'none',
  permission: 'anyone',
  method: 'POST',
  path: '/api/auth/login',
  params: nothing,
  body: Type.Object({
    email: Type.String({ minLength: 1, maxLength: 254, description: 'E-mail address' }),
    password: Type.String({ minLength: 1, maxLength: 200, description: 'Password' }),
    code: Type.Optional(SecondFactorCode),
  }),
  response: Session,
  answersSecret: true,
  faults: ['unauthenticated', 'second_factor_required', 'forbidden', 'too_many_requests', 'unavailable'],
})

export const refresh = endpoint({
  id: 'refresh',
  summary: 'Get a new access token',
  description:
    'A refresh token that comes back, however old, was copied: it ends the session. Only the one before the current, within ten seconds and from the same address, is refused without ending it.',
  tag,
  stability: 'stable',
  security: 'none',
  permission: 'anyone',
  method: 'POST',
  path: '/api/auth/refresh',
  params: nothing,
  body: Type.Object({ refreshToken: RefreshToken }),
  response: Session,
  answersSecret: true,
  faults: ['unauthenticated', 'token_expired', 'token_revoked'],
})

export const logout = endpoint({
  id: 'logout',
  summary: 'Sign out',
  description: 'Ends the session of the JSON Web Token it is called with, within a second on every process.',
  tag,
  stability: 'stable',
  security: 'jwt',
  permission: 'authenticated',
  method: 'POST',
  path: '/api/auth/logout',
  beforeSecondFactor: true,
  params: nothing,
  response: Type.Object({ signedOut: Type.Boolean({ description: 'Always true' }) }),
  faults: [],
})

export const getJwks = endpoint({
  id: 'getJwks',
  summary: 'Public keys of the JSON Web Tokens',
  description:
    'For programs that check the access tokens of people themselves (RFC 7517). Keys stay until no token signed with them is valid.',
  tag,
  stability: 'stable',
  security: 'none',
  permission: 'anyone',
  method: 'GET',
  path: '/.well-known/jwks.json',
  params: nothing,
  response: Type.Object({
    keys: Type.Array(
      Type.Object({
        kty: Type.String({ description: 'Always OKP' }),
        crv: Type.String({ description: 'Always Ed25519' }),
        x: Type.String({ description: 'The public key' }),
        kid: Type.String({ description: 'Key id, as in the header of a token' }),
        alg: Type.String({ description: 'Always EdDSA' }),
        use: Type.String({ description: 'Always sig' }),
      }),
      { description: 'All keys that tokens in use may be signed with' },
    ),
  }),
  faults: [],
})
