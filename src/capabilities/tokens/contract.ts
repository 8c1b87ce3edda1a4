import Type, { type Static } from 'typebox'
import { onlyFetchesPackages } from '../../kernel/access/package-scope.ts'
import { permissionNames } from '../../kernel/access/permission.ts'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import {
  AnyId,
  Count,
  DeploymentParams,
  Id,
  Name,
  NamedObject,
  named,
  OneOf,
  OrNull,
  Timestamp,
} from '../../kernel/contract/schema.ts'

const tag = 'Tokens'
const path = '/api/tokens/v1/deployments/:deploymentId/tokens'

export const Scope = named('Permission', OneOf(permissionNames, 'A permission'))

export const Token = NamedObject('Token', {
  id: Id,
  deploymentId: Id,
  personId: Type.Integer({ description: 'Whose token it is; it can do at most what they can' }),
  isService: Type.Boolean({ description: 'Whether that is a service account' }),
  madeBy: Type.Integer({
    description: 'Id of the person or service account that made it; 0 if that was not recorded',
  }),
  name: Name,
  hint: Type.String({ description: 'Beginning and end of the token' }),
  webApi: Type.Boolean({ description: 'Whether the Web API takes it' }),
  scopes: Type.Array(Scope, { description: 'The permissions it is narrowed to; empty: all of its owner' }),
  createdAt: Timestamp,
  expiresAt: Timestamp,
  lastUsedAt: OrNull(Timestamp),
  revokedAt: OrNull(Timestamp),
})
export type Token = Static<typeof Token>

export const NewToken = NamedObject('NewToken', {
  name: Name,
  webApi: Type.Optional(Type.Boolean({ description: 'Off unless asked for' })),
  scopes: Type.Optional(
    Type.Array(Scope, { minItems: 1, maxItems: 100, description: 'Narrow it to these permissions' }),
  ),
  expiresInDays: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: 365,
      description:
        'Default 90, or what is left of the token it is made with. To outlive that one takes a signed-in person',
    }),
  ),
})
export type NewToken = Static<typeof NewToken>

export const createToken = endpoint({
  id: 'createToken',
  summary: 'Make an API token',
  description:
    'The secret is in this answer and nowhere else. A token can make only tokens that can do no more than itself and live no longer; they are revoked with it.',
  tag,
  stability: 'stable',
  security: 'both',
  permission: 'tokens:write',
  method: 'POST',
  path,
  params: DeploymentParams,
  body: NewToken,
  response: Type.Object({ token: Token, secret: Type.String({ description: 'The token itself; shown once' }) }),
  faults: ['forbidden', 'reauthentication_required'],
  answersSecret: true,
  reauthentication: ({ scopes }: NewToken) => !onlyFetchesPackages(scopes),
})

/** `expiring`: within 14 days. */
const tokenStates = ['active', 'expiring', 'expired', 'revoked'] as const

export const TokenQuery = Type.Object({
  text: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'In the name or the hint, in upper or lower case' }),
  ),
  state: Type.Optional(
    OneOf(tokenStates, 'Only those that can be used; of these, those that expire within 14 days; or those that cannot'),
  ),
})
export type TokenQuery = Static<typeof TokenQuery>

export const listTokens = endpoint({
  id: 'listTokens',
  summary: 'List API tokens',
  description: "One's own; owners and admins see all of the deployment. At most the newest 1,000; `total` counts all.",
  tag,
  stability: 'stable',
  security: 'both',
  permission: 'tokens:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  query: TokenQuery,
  response: Type.Object({ tokens: Type.Array(Token, { description: 'Newest first' }), total: Count }),
  faults: [],
})

export const revokeToken = endpoint({
  id: 'revokeToken',
  summary: 'Revoke an API token',
  description:
    'Takes effect within a second on every process, also for the tokens that were made with it. Revoking it again changes nothing.',
  tag,
  stability: 'stable',
  security: 'both',
  permission: 'tokens:write',
  method: 'DELETE',
  path: `${path}/:tokenId`,
  params: Type.Object({ deploymentId: AnyId, tokenId: Id }),
  response: Type.Object({ token: Token }),
  faults: ['not_found'],
})

export const listExpiringTokens = endpoint({
  id: 'listExpiringTokens',
  summary: 'List the API tokens that expire soon',
  description: "Within 14 days: one's own, and for owners and admins those of service accounts too.",
  tag,
  stability: 'beta',
  security: 'both',
  permission: 'tokens:read',
  method: 'GET',
  path: '/api/tokens/v1/deployments/:deploymentId/expiring-tokens',
  params: DeploymentParams,
  response: Type.Object({ tokens: Type.Array(Token, { description: 'The first to expire first; at most 100' }) }),
  faults: [],
})

export const introspectSelf = endpoint({
  id: 'introspectSelf',
  summary: 'Who am I, and what may I do',
  description:
    'The person and the deployments that the credentials of this request reach, with the permissions in each.',
  tag,
  stability: 'stable',
  security: 'both',
  permission: 'authenticated',
  method: 'GET',
  path: '/api/tokens/v1/self',
  params: Type.Object({}),
  response: Type.Object({
    kind: OneOf(['token', 'jwt'], 'The kind of credentials'),
    personId: Type.Integer({ description: 'Whose they are' }),
    tokenId: Type.Integer({ description: '0 for a JSON Web Token' }),
    operator: Type.Boolean({ description: 'May create deployments' }),
    deployments: Type.Array(
      Type.Object({
        deploymentId: Id,
        role: Type.String({ description: 'Role in it' }),
        permissions: Type.Array(Scope, { description: 'What the credentials allow in it' }),
      }),
      { description: 'The deployments that the credentials reach' },
    ),
  }),
  faults: [],
})

export const revokeSelf = endpoint({
  id: 'revokeSelf',
  summary: 'Revoke the API token of this request',
  description:
    'Whatever it may do else: who has a token may give it back. Takes effect within a second, also for tokens made with it.',
  tag,
  stability: 'beta',
  security: 'token',
  permission: 'authenticated',
  method: 'DELETE',
  path: '/api/tokens/v1/self',
  params: Type.Object({}),
  response: Type.Object({ revoked: Type.Boolean({ description: 'Always true' }) }),
  faults: [],
})
