import Type, { type Static } from 'typebox'
import { permissionNames, roles } from '../../../kernel/access/permission.ts'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import {
  Count,
  Email,
  Id,
  Name,
  NamedObject,
  named,
  OneOf,
  OrNull,
  Slug,
  Timestamp,
} from '../../../kernel/contract/schema.ts'
import { PasskeyCredential, SecondFactorCode } from '../../factors/contract.ts'
import { requirements } from '../../factors/public.ts'

const path = '/api/auth/session'
const Typed = named('TypedPassword', Type.String({ minLength: 1, maxLength: 200, description: 'Password' }))

const common = { tag: 'Sign-in', stability: 'stable', params: Type.Object({}), path } as const

export const BrowserSession = NamedObject('BrowserSession', {
  expiresAt: Timestamp,
  idleExpiresAt: Type.String({ format: 'date-time', description: 'When it ends unless it is used before' }),
  confirmedUntil: Type.String({
    format: 'date-time',
    description: 'Until then dangerous operations do not ask for the password again',
  }),
  provider: OrNull(
    NamedObject(
      'SessionProvider',
      { id: Id, name: Name },
      { description: 'The sign-in provider that it began at; null: it began with a password' },
    ),
  ),
})
export type BrowserSession = Static<typeof BrowserSession>

const OwnDeployment = NamedObject('OwnDeployment', {
  id: Id,
  name: Name,
  slug: Slug,
  role: OneOf(roles, "The caller's role in it"),
  permissions: Type.Array(OneOf(permissionNames, 'A permission'), { description: 'What the credentials allow in it' }),
})

const Server = NamedObject('AboutServer', {
  version: Type.String({ description: 'Version of Gatehouse' }),
  publicUrl: Type.String({ description: 'Where people and programs find it' }),
  https: Type.Boolean({ description: 'Whether that address is encrypted' }),
  secondFactor: OneOf(requirements, 'Who needs a second factor in every deployment'),
})

const Configured = NamedObject('ConfiguredServices', {
  mail: Type.Boolean({ description: 'Invitations and password resets can be mailed' }),
  chat: Type.Boolean({ description: 'The chat app can be installed' }),
  broker: Type.Boolean({ description: 'Registries can be reached through a network broker' }),
  aws: Type.Boolean({ description: 'Registries at AWS can be used by role' }),
  malwareFeeds: Count,
  vulnerabilityFeeds: Count,
})

export const Me = NamedObject('SignedIn', {
  kind: OneOf(['session', 'jwt', 'token'], 'What the request was recognised by'),
  person: Type.Object({ id: Id, name: Type.String({ description: 'Shown name' }), email: Email }),
  operator: Type.Boolean({ description: 'May create deployments' }),
  mustSetUpFactor: Type.Boolean({
    description: 'A second factor is required of the person: until one is set up, nothing else can be done',
  }),
  session: Type.Union([BrowserSession, Type.Null()], { description: 'The session of the browser; null for programs' }),
  deployments: Type.Array(OwnDeployment, { description: 'Those that the credentials reach, ordered by id' }),
  server: Server,
  configured: Configured,
})
export type Me = Static<typeof Me>

export const openSession = endpoint({
  ...common,
  id: 'openSession',
  summary: 'Sign in with a browser',
  description:
    'Sets an HttpOnly cookie that stands for the signed-in person wherever a JSON Web Token does, as long as no Authorization header is sent. It ends after 12 hours without use, and after 30 days. The session that the browser had before ends. Failed sign-ins are limited, and a second factor is asked for, as in /api/auth/login. With the cookie, everything but GET needs to come from a page of this server (Sec-Fetch-Site or Origin), as JSON or as multipart/form-data with an X-Gatehouse header.',
  security: 'none',
  permission: 'anyone',
  method: 'POST',
  body: Type.Object({
    email: Type.String({ minLength: 1, maxLength: 254, description: 'E-mail address' }),
    password: Typed,
    code: Type.Optional(SecondFactorCode),
  }),
  response: Type.Object({ session: BrowserSession }),
  faults: ['unauthenticated', 'second_factor_required', 'forbidden', 'cross_site', 'too_many_requests', 'unavailable'],
  opensSession: true,
  answersSecret: true,
})

export const signInWithPasskey = endpoint({
  ...common,
  id: 'signInWithPasskey',
  summary: 'Sign in with a passkey',
  description:
    'Without a password: the passkey says who it is, and has asked for a finger, a face or a PIN. It answers what `/api/auth/passkey/options` gave. Sets the cookie of a session as /api/auth/session does.',
  security: 'none',
  permission: 'anyone',
  method: 'POST',
  path: '/api/auth/passkey',
  body: Type.Object({ credential: PasskeyCredential }),
  response: Type.Object({ session: BrowserSession }),
  faults: ['unauthenticated', 'forbidden', 'not_configured', 'validation_failed', 'cross_site', 'too_many_requests'],
  opensSession: true,
  answersSecret: true,
})

export const getSession = endpoint({
  ...common,
  id: 'getSession',
  summary: 'Who is signed in, with all a client needs to begin',
  description:
    'The person, their deployments with role and permissions, and what this server is and has configured. By cookie, JSON Web Token or API token.',
  security: 'both',
  permission: 'authenticated',
  method: 'GET',
  beforeSecondFactor: true,
  response: Me,
  faults: [],
})

export const endSession = endpoint({
  ...common,
  id: 'endSession',
  summary: 'Sign out',
  description: 'Ends the session within a second on every process and takes back its cookie.',
  security: 'jwt',
  permission: 'authenticated',
  method: 'DELETE',
  beforeSecondFactor: true,
  response: Type.Object({ signedOut: Type.Boolean({ description: 'Always true' }) }),
  faults: ['cross_site'],
})

export const reauthenticate = endpoint({
  ...common,
  id: 'reauthenticate',
  summary: 'Prove again who you are',
  description:
    'With the password, and with `code` where there is a second factor; or with a passkey instead of both. For five minutes dangerous operations in the session of this browser do not ask again. Wrong passwords are limited as where the password is changed.',
  security: 'jwt',
  permission: 'authenticated',
  method: 'POST',
  path: `${path}/reauthenticate`,
  beforeSecondFactor: true,
  body: Type.Object({
    password: Type.Optional(Typed),
    code: Type.Optional(SecondFactorCode),
    passkey: Type.Optional(PasskeyCredential),
  }),
  response: Type.Object({ session: BrowserSession }),
  faults: [
    'forbidden',
    'second_factor_required',
    'validation_failed',
    'not_configured',
    'cross_site',
    'wrong_credential_kind',
    'token_revoked',
    'too_many_requests',
  ],
})
