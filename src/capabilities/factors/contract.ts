import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { AnyId, Count, Id, Name, NamedObject, named, OrNull, Timestamp } from '../../kernel/contract/schema.ts'
import { Person } from '../people/contract.ts'

const path = '/api/auth/factors'
const nothing = Type.Object({})

/** What concerns the caller's own account; also for whoever may do nothing else until a factor is set up. */
const own = {
  tag: 'Sign-in',
  stability: 'stable',
  security: 'jwt',
  permission: 'authenticated',
  params: nothing,
  beforeSecondFactor: true,
} as const
const change = { ...own, reauthentication: 'always' } as const
const changeFaults = ['reauthentication_required', 'cross_site', 'conflict'] as const

export const SecondFactorCode = named(
  'SecondFactorCode',
  Type.String({
    minLength: 6,
    maxLength: 40,
    description: 'Six digits of the authenticator app, or a recovery code; blanks and hyphens do not count',
  }),
)

export const PasskeyCredential = named(
  'PasskeyCredential',
  Type.Record(Type.String(), Type.Unknown(), {
    maxProperties: 20,
    description: 'What `PublicKeyCredential.toJSON()` gives in a browser',
  }),
)

const PasskeyOptions = named(
  'PasskeyOptions',
  Type.Record(Type.String(), Type.Unknown(), {
    description:
      'What `PublicKeyCredential.parseCreationOptionsFromJSON()` or `parseRequestOptionsFromJSON()` takes. They work once, for five minutes',
  }),
)

const Passkey = NamedObject('Passkey', {
  id: Id,
  name: Name,
  backedUp: Type.Boolean({ description: 'Kept by a password manager on several devices, not by one device alone' }),
  createdAt: Timestamp,
  lastUsedAt: OrNull(Timestamp),
})

const AuthenticatorApp = NamedObject('AuthenticatorApp', { createdAt: Timestamp, lastUsedAt: OrNull(Timestamp) })

const RecoveryCodes = named(
  'RecoveryCodes',
  Type.Array(Type.String({ description: 'Works once in the place of a code' }), {
    description: 'Shown only now. Empty where those made earlier still count',
  }),
)

export const OwnFactors = NamedObject('OwnFactors', {
  required: Type.Boolean({ description: 'Whether a deployment or the server wants a second factor of the caller' }),
  app: Type.Union([AuthenticatorApp, Type.Null()], { description: 'The authenticator app; null where none is set up' }),
  passkeys: Type.Array(Passkey, { description: 'The oldest first' }),
  recoveryCodes: Type.Object({ left: Count, createdAt: OrNull(Timestamp) }),
  passkeysAt: Type.Object(
    {
      origin: OrNull(Type.String({ description: 'The address at which passkeys work; null: at none' })),
      why: Type.String({ description: 'Why they do not work, or empty' }),
    },
    { description: 'Where passkeys can be used' },
  ),
})
export type OwnFactors = Static<typeof OwnFactors>

export const getOwnFactors = endpoint({
  ...own,
  id: 'getOwnFactors',
  summary: "Show one's own second factors",
  description: 'The authenticator app, passkeys and how many recovery codes are left. Nothing secret.',
  method: 'GET',
  path,
  response: OwnFactors,
  faults: [],
})

export const beginAuthenticatorApp = endpoint({
  ...change,
  id: 'beginAuthenticatorApp',
  summary: 'Begin to set up an authenticator app',
  description:
    'Answers a new secret, to be shown to the app as a QR code or typed in. It counts when a code of it was sent to `…/app/confirm`, within 15 minutes; an app that is set up counts until then.',
  method: 'POST',
  path: `${path}/app`,
  response: Type.Object({
    secret: Type.String({ description: 'In base32 (RFC 4648 §6), as apps take it' }),
    uri: Type.String({ description: 'The same as an otpauth address, for the QR code' }),
  }),
  faults: changeFaults,
  answersSecret: true,
})

const Changed = NamedObject('ChangedFactors', { factors: OwnFactors, recoveryCodes: RecoveryCodes })
export type Changed = Static<typeof Changed>

export const confirmAuthenticatorApp = endpoint({
  ...change,
  id: 'confirmAuthenticatorApp',
  summary: 'Set up the authenticator app',
  description:
    'With the first second factor come ten recovery codes, shown once, and all other sessions of the person end.',
  method: 'POST',
  path: `${path}/app/confirm`,
  body: Type.Object({ code: SecondFactorCode }),
  response: Changed,
  faults: [...changeFaults, 'not_found', 'unprocessable'],
  answersSecret: true,
})

export const removeAuthenticatorApp = endpoint({
  ...change,
  id: 'removeAuthenticatorApp',
  summary: 'Remove the authenticator app',
  description: 'Ends all other sessions of the person. The last factor stays where one is required.',
  method: 'DELETE',
  path: `${path}/app`,
  response: Type.Object({ factors: OwnFactors }),
  faults: [...changeFaults, 'not_found'],
})

export const beginPasskey = endpoint({
  ...change,
  id: 'beginPasskey',
  summary: 'Begin to make a passkey',
  description:
    'What the browser needs for it. `not_configured` where passkeys do not work at the address of the server.',
  method: 'POST',
  path: `${path}/passkeys/options`,
  response: Type.Object({ options: PasskeyOptions }),
  faults: [...changeFaults, 'not_configured'],
  answersSecret: true,
})

export const addPasskey = endpoint({
  ...change,
  id: 'addPasskey',
  summary: 'Keep a new passkey',
  description: 'At most 20 for a person. Recovery codes and sessions as with the authenticator app.',
  method: 'POST',
  path: `${path}/passkeys`,
  body: Type.Object({ name: Name, credential: PasskeyCredential }),
  response: Changed,
  faults: [...changeFaults, 'not_configured', 'unauthenticated', 'validation_failed'],
  answersSecret: true,
})

export const removePasskey = endpoint({
  ...change,
  id: 'removePasskey',
  summary: 'Remove a passkey',
  description: 'Ends all other sessions of the person. The last factor stays where one is required.',
  method: 'DELETE',
  path: `${path}/passkeys/:passkeyId`,
  params: Type.Object({ passkeyId: Id }),
  response: Type.Object({ factors: OwnFactors }),
  faults: [...changeFaults, 'not_found'],
})

export const renewRecoveryCodes = endpoint({
  ...change,
  id: 'renewRecoveryCodes',
  summary: 'Make new recovery codes',
  description: 'Ten, shown once. All earlier ones stop working.',
  method: 'POST',
  path: `${path}/recovery-codes`,
  response: Type.Object({ recoveryCodes: RecoveryCodes }),
  faults: changeFaults,
  answersSecret: true,
})

export const beginPasskeySignIn = endpoint({
  id: 'beginPasskeySignIn',
  summary: 'Begin to sign in with a passkey',
  description:
    'The same for everybody: it names no account. Also for `…/session/reauthenticate`. `not_configured` where passkeys do not work at the address of the server.',
  tag: 'Sign-in',
  stability: 'stable',
  security: 'none',
  permission: 'anyone',
  method: 'POST',
  path: '/api/auth/passkey/options',
  params: nothing,
  response: Type.Object({ options: PasskeyOptions }),
  faults: ['not_configured', 'too_many_requests'],
  answersSecret: true,
})

export const resetFactors = endpoint({
  id: 'resetFactors',
  summary: "Remove a person's second factors",
  description:
    'For somebody who has lost them and their recovery codes. Ends all their sessions. Only for accounts that belong to this deployment alone and are not operators; only owners do it for owners.',
  tag: 'People',
  stability: 'stable',
  security: 'jwt',
  permission: 'people:write',
  method: 'POST',
  path: '/api/people/v1/deployments/:deploymentId/people/:personId/factor-reset',
  params: Type.Object({ deploymentId: AnyId, personId: Id }),
  response: Type.Object({ person: Person }),
  faults: ['not_found', 'forbidden', 'conflict', 'reauthentication_required'],
  reauthentication: 'always',
})
