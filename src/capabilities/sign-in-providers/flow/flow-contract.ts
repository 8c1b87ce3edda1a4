import Type from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { Id, Name, NamedObject, OneOf } from '../../../kernel/contract/schema.ts'
import { BrowserSession } from '../../sessions/public.ts'

const path = '/api/auth/providers'
const common = { tag: 'Sign-in', stability: 'beta', security: 'none', permission: 'anyone' } as const

const ProviderButton = NamedObject('ProviderButton', { id: Id, name: Name })

export const listProviderButtons = endpoint({
  ...common,
  id: 'listProviderButtons',
  summary: 'List where one can sign in',
  description:
    'The providers that are shown to everybody and, with a domain, those that speak for it. Nothing is looked up about accounts.',
  method: 'GET',
  path,
  params: Type.Object({}),
  query: Type.Object({
    domain: Type.Optional(Type.String({ maxLength: 253, description: 'What follows the @ of an address' })),
  }),
  response: Type.Object({ providers: Type.Array(ProviderButton, { description: 'By name; at most 50' }) }),
  faults: [],
})

export const startProviderSignIn = endpoint({
  ...common,
  id: 'startProviderSignIn',
  summary: 'Begin to sign in at a provider',
  description:
    'Answers the address to send the browser to. It comes back to /sign-in/callback/ID within ten minutes; an HttpOnly cookie binds that to this browser.',
  method: 'POST',
  path: `${path}/:providerId/start`,
  params: Type.Object({ providerId: Id }),
  body: Type.Object({
    returnTo: Type.Optional(
      Type.String({ maxLength: 4_000, description: 'Where in the console to go on; anything else becomes its start' }),
    ),
    confirms: Type.Optional(
      Type.Boolean({ description: 'The person is to prove who they are again, for dangerous operations' }),
    ),
  }),
  response: Type.Object({ url: Type.String({ description: 'Where the browser goes on' }) }),
  faults: ['not_found', 'cross_site', 'unavailable'],
  opensSession: true,
  answersSecret: true,
})

export const finishProviderSignIn = endpoint({
  ...common,
  id: 'finishProviderSignIn',
  summary: 'Finish to sign in at a provider',
  description:
    'With what the browser came back with. The session of the browser is always a new one, and the one it had before ends. Where the address already has an account that also belongs elsewhere, its owner signs in and confirms first (`confirm`).',
  method: 'POST',
  path: `${path}/:providerId/finish`,
  params: Type.Object({ providerId: Id }),
  body: Type.Object({
    parameters: Type.String({
      minLength: 1,
      maxLength: 8_000,
      description: 'The query that the browser came back with',
    }),
  }),
  response: Type.Object({
    outcome: OneOf(['signed-in', 'confirm'] as const, 'Whether there is a session now, or a confirmation is needed'),
    session: Type.Union([BrowserSession, Type.Null()], { description: 'The new session; null: not yet' }),
    returnTo: Type.String({ description: 'A path of the console' }),
    provider: Type.String({ description: 'Name of the provider' }),
    email: Type.String({ description: 'The address that the provider vouches for' }),
  }),
  faults: ['forbidden', 'cross_site', 'unavailable'],
  opensSession: true,
  answersSecret: true,
  seconds: 60,
})

export const confirmProviderLink = endpoint({
  id: 'confirmProviderLink',
  summary: 'Link the account with one at a provider',
  description:
    'For whoever was asked to confirm: signed in to the account with the same address, in the same browser, within ten minutes.',
  tag: 'Sign-in',
  stability: 'beta',
  security: 'jwt',
  permission: 'authenticated',
  method: 'POST',
  path: `${path}/confirm`,
  params: Type.Object({}),
  response: Type.Object({
    deploymentId: Id,
    returnTo: Type.String({ description: 'A path of the console' }),
  }),
  faults: ['forbidden', 'cross_site', 'reauthentication_required'],
  reauthentication: 'always',
})

export const backChannelLogout = endpoint({
  ...common,
  id: 'backChannelLogout',
  summary: 'Take a logout from a provider',
  description:
    'OpenID Connect Back-Channel Logout 1.0. The sessions that the token names end within a second on every process.',
  method: 'POST',
  path: `${path}/:providerId/logout`,
  params: Type.Object({ providerId: Id }),
  takesForm: true,
  body: Type.Object({
    logout_token: Type.String({ minLength: 20, maxLength: 16_000, description: 'The logout token, a JWT' }),
  }),
  response: Type.Object({ ended: Type.Integer({ description: 'How many sessions ended' }) }),
  faults: ['malformed_request', 'unavailable'],
})
