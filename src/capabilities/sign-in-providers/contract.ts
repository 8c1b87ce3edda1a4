import Type, { type Static } from 'typebox'
import { roles } from '../../kernel/access/permission.ts'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import {
  AnyId,
  DeploymentParams,
  Id,
  Name,
  NamedObject,
  named,
  OneOf,
  OrNull,
  Timestamp,
  VersionedObject,
} from '../../kernel/contract/schema.ts'

const path = '/api/sign-in/v1/deployments/:deploymentId/providers'
const common = { tag: 'Sign-in providers', stability: 'beta', security: 'both' } as const
const OneParams = Type.Object({ deploymentId: AnyId, providerId: Id })

const Domain = named(
  'MailDomain',
  Type.String({
    minLength: 1,
    maxLength: 253,
    pattern: '^[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?(\\.[A-Za-z0-9]([A-Za-z0-9-]*[A-Za-z0-9])?)*$',
    description: 'What follows the @ of an address, for example example.com',
  }),
)

const GroupMapping = NamedObject('GroupMapping', {
  group: Type.String({ minLength: 1, maxLength: 300, description: 'A group as the provider writes it' }),
  role: OrNull(OneOf(roles, 'The role of its members; null: the group is about teams alone')),
  teams: Type.Array(Id, { maxItems: 50, uniqueItems: true, description: 'Ids of the teams that its members are in' }),
})
export type GroupMapping = Static<typeof GroupMapping>

const fields = {
  name: Name,
  issuer: Type.String({
    minLength: 9,
    maxLength: 500,
    description:
      'The issuer, to the character as the provider writes it; the rest is found by OpenID Connect discovery',
  }),
  clientId: Type.String({ minLength: 1, maxLength: 300, description: 'The client as the provider knows it' }),
  scopes: Type.Array(
    Type.String({ minLength: 1, maxLength: 100, pattern: '^[!#-\\[\\]-~]+$', description: 'A scope' }),
    {
      maxItems: 20,
      uniqueItems: true,
      description: 'What is asked for in addition to openid, for example email, profile and groups',
    },
  ),
  domains: Type.Array(Domain, {
    minItems: 1,
    maxItems: 100,
    uniqueItems: true,
    description: 'The domains whose addresses it may speak for',
  }),
  emailsAreVerified: Type.Boolean({
    description:
      'It never says whether an address is verified, and you know that each is. Microsoft Entra ID is such a provider',
  }),
  groupsClaim: Type.String({
    maxLength: 200,
    pattern: '^[^\\s]*$',
    description: 'The claim with the groups, with dots between the names of nested ones; empty where there is none',
  }),
  mapping: Type.Array(GroupMapping, {
    maxItems: 200,
    description: 'What the groups give. With it, roles and these teams follow the groups at every sign-in',
  }),
  defaultRole: OrNull(
    OneOf(roles, 'The role of whoever is in no group with a role; null: they do not come in. New people get it too'),
  ),
  listed: Type.Boolean({
    description: 'Shown to everybody on the sign-in page; otherwise to whoever types an address of its domains',
  }),
  instanceWide: Type.Boolean({
    description: 'Its sessions reach every deployment of the person, not this one alone. Only operators decide this',
  }),
  enforced: Type.Boolean({
    description:
      'People reach this deployment only in sessions that began at one of its providers, except for the break-glass owner',
  }),
  breakGlassId: OrNull(
    named(
      'BreakGlassId',
      Type.Integer({
        minimum: 1,
        maximum: Number.MAX_SAFE_INTEGER,
        description: 'Id of the owner who may also sign in with their password; required where it is enforced',
      }),
    ),
  ),
}

export const SignInProvider = VersionedObject('SignInProvider', {
  id: Id,
  ...fields,
  redirectUri: Type.String({ description: 'To be entered at the provider as the redirect URI' }),
  backChannelLogoutUri: Type.String({ description: 'To be entered at the provider for back-channel logout' }),
  createdAt: Timestamp,
  lastUsedAt: OrNull(Timestamp),
})
export type SignInProvider = Static<typeof SignInProvider>

const ClientSecret = named(
  'ClientSecret',
  Type.String({ minLength: 1, maxLength: 1_000, description: 'The secret of the client. It is never answered' }),
)
const NewSignInProvider = NamedObject('NewSignInProvider', { ...fields, clientSecret: ClientSecret })
export type NewSignInProvider = Static<typeof NewSignInProvider>

const SignInProviderChange = NamedObject('SignInProviderChange', {
  ...fields,
  clientSecret: Type.Optional(ClientSecret),
})
export type SignInProviderChange = Static<typeof SignInProviderChange>

const OneProvider = NamedObject('OneSignInProvider', { provider: SignInProvider })

export const listSignInProviders = endpoint({
  ...common,
  id: 'listSignInProviders',
  summary: 'List sign-in providers',
  description: 'All of the deployment, by id; at most 50.',
  permission: 'sign-in-providers:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  response: Type.Object({ providers: Type.Array(SignInProvider, { description: 'By id' }) }),
  faults: [],
})

// By a signed-in person: a lost token must not give access that outlives it.
const byPerson = {
  ...common,
  permission: 'sign-in-providers:write',
  security: 'jwt',
  reauthentication: 'always',
} as const
const writeFaults = ['conflict', 'forbidden', 'unprocessable', 'reauthentication_required'] as const

export const createSignInProvider = endpoint({
  ...byPerson,
  id: 'createSignInProvider',
  summary: 'Add a sign-in provider',
  description:
    'Takes a signed-in owner. The provider is asked for its configuration first. It can be enforced once somebody has signed in through it.',
  method: 'POST',
  path,
  params: DeploymentParams,
  body: NewSignInProvider,
  response: OneProvider,
  faults: writeFaults,
})

export const replaceSignInProvider = endpoint({
  ...byPerson,
  id: 'replaceSignInProvider',
  summary: 'Change a sign-in provider',
  description:
    'Replaces all of it but the client secret, which stays unless it is given. With another issuer or client the secret is needed again, and sessions that began at it end.',
  method: 'PUT',
  path: `${path}/:providerId`,
  params: OneParams,
  body: SignInProviderChange,
  response: OneProvider,
  faults: ['not_found', 'precondition_failed', ...writeFaults],
})

export const deleteSignInProvider = endpoint({
  ...byPerson,
  id: 'deleteSignInProvider',
  summary: 'Remove a sign-in provider',
  description: 'Sessions that began at it end within a second. Accounts stay. Answers what it was.',
  method: 'DELETE',
  path: `${path}/:providerId`,
  params: OneParams,
  response: OneProvider,
  faults: ['not_found', 'precondition_failed', 'forbidden', 'reauthentication_required'],
})

export const trySignInProvider = endpoint({
  ...common,
  id: 'trySignInProvider',
  summary: 'Try a sign-in provider',
  description:
    'Asks it for its configuration and keys, and whether it knows the client with its secret: a code that does not exist is redeemed, and what it says about that tells.',
  permission: 'sign-in-providers:write',
  method: 'POST',
  path: `${path}/:providerId/try`,
  params: OneParams,
  response: Type.Object({
    works: Type.Boolean({ description: 'Nothing was found that keeps people from signing in' }),
    checks: Type.Array(
      NamedObject('ProviderCheck', {
        what: Type.String({ description: 'What was tried' }),
        passed: Type.Boolean({ description: 'Whether it went well' }),
        detail: Type.String({ description: 'What was found, and what to do about it' }),
      }),
      { description: 'In the order in which they were tried' },
    ),
  }),
  faults: ['not_found'],
})
export type ProviderTrial = Static<typeof trySignInProvider.response>
