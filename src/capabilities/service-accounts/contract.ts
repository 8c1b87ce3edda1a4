import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../kernel/contract/pagination.ts'
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
import { NewToken, Scope, Token } from '../tokens/contract.ts'

const path = '/api/service-accounts/v1/deployments/:deploymentId/service-accounts'
const common = { tag: 'Service accounts', stability: 'beta', security: 'both' } as const
const OneParams = Type.Object({ deploymentId: AnyId, serviceAccountId: Id })

const ServiceRole = named(
  'ServiceRole',
  OneOf(['readonly', 'member', 'admin'] as const, 'Role in the deployment; a service account is never an owner'),
)
const Description = named(
  'ServiceAccountDescription',
  Type.String({ maxLength: 1000, description: 'What it is for, and who to ask about it' }),
)
const Scopes = named(
  'ServiceAccountScopes',
  Type.Array(Scope, {
    maxItems: 100,
    uniqueItems: true,
    description: 'The permissions it is narrowed to, whatever its tokens say; empty: all of its role',
  }),
)

export const ServiceAccount = VersionedObject('ServiceAccount', {
  id: Id,
  name: Name,
  email: Type.String({ description: 'Takes the place of an e-mail address; no mail can be sent there' }),
  description: Description,
  role: ServiceRole,
  scopes: Scopes,
  createdBy: Type.Integer({ description: 'Id of the person who made it; they may have left' }),
  createdAt: Timestamp,
  tokenCount: Type.Integer({ minimum: 0, description: 'Its tokens that still work' }),
  nextExpiryAt: OrNull(Timestamp),
  lastUsedAt: OrNull(Timestamp),
})
export type ServiceAccount = Static<typeof ServiceAccount>

const NewServiceAccount = NamedObject('NewServiceAccount', {
  name: Name,
  description: Type.Optional(Description),
  role: Type.Optional(ServiceRole),
  scopes: Type.Optional(Scopes),
})
export type NewServiceAccount = Static<typeof NewServiceAccount>

const ServiceAccountChanges = NamedObject('ServiceAccountChanges', {
  description: Type.Optional(Description),
  role: Type.Optional(ServiceRole),
  scopes: Type.Optional(Scopes),
})
export type ServiceAccountChanges = Static<typeof ServiceAccountChanges>

const OneServiceAccount = NamedObject('OneServiceAccount', { serviceAccount: ServiceAccount })

export const listServiceAccounts = endpoint({
  ...common,
  id: 'listServiceAccounts',
  summary: 'List service accounts',
  description: 'The accounts of programs, ordered by id, with how many tokens work and when the next one expires.',
  permission: 'service-accounts:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  query: Type.Object({ ...pageQuery }),
  response: Type.Object({
    serviceAccounts: Type.Array(ServiceAccount, { description: 'A page of accounts' }),
    ...pageFields,
  }),
  faults: [],
})

export const createServiceAccount = endpoint({
  ...common,
  id: 'createServiceAccount',
  summary: 'Make a service account',
  description:
    'It has no password, nobody signs in as it, and it stays when the person who made it leaves. It joins the teams for new people. Nobody gives it more than they have themselves.',
  permission: 'service-accounts:write',
  method: 'POST',
  path,
  params: DeploymentParams,
  body: NewServiceAccount,
  response: OneServiceAccount,
  faults: ['conflict', 'forbidden', 'unprocessable', 'reauthentication_required'],
  reauthentication: 'always',
})

export const updateServiceAccount = endpoint({
  ...common,
  id: 'updateServiceAccount',
  summary: 'Change a service account',
  description: 'What is left out stays. What it loses, its tokens lose within a second.',
  permission: 'service-accounts:write',
  method: 'PATCH',
  path: `${path}/:serviceAccountId`,
  params: OneParams,
  body: ServiceAccountChanges,
  response: OneServiceAccount,
  faults: ['not_found', 'forbidden', 'unprocessable', 'precondition_failed', 'reauthentication_required'],
  reauthentication: 'always',
})

export const deleteServiceAccount = endpoint({
  ...common,
  id: 'deleteServiceAccount',
  summary: 'Delete a service account',
  description: 'Its tokens and its places in teams go with it. What it uploaded stays. Answers what it was.',
  permission: 'service-accounts:write',
  method: 'DELETE',
  path: `${path}/:serviceAccountId`,
  params: OneParams,
  response: OneServiceAccount,
  faults: ['not_found', 'precondition_failed'],
})

export const listServiceAccountTokens = endpoint({
  ...common,
  id: 'listServiceAccountTokens',
  summary: 'List the tokens of a service account',
  description: 'Also those that were revoked or have expired. They are revoked like other tokens.',
  permission: 'service-accounts:read',
  method: 'GET',
  path: `${path}/:serviceAccountId/tokens`,
  params: OneParams,
  response: Type.Object({ tokens: Type.Array(Token, { description: 'Newest first; at most 1000' }) }),
  faults: ['not_found'],
})

export const createServiceAccountToken = endpoint({
  ...common,
  // Made by a token it would end with that one; it is to outlive whoever makes it.
  security: 'jwt',
  id: 'createServiceAccountToken',
  summary: 'Make a token for a service account',
  description:
    'Takes a signed-in person. The secret is in this answer and nowhere else. The token stays when that person leaves.',
  permission: 'service-accounts:write',
  method: 'POST',
  path: `${path}/:serviceAccountId/tokens`,
  params: OneParams,
  body: NewToken,
  response: Type.Object({ token: Token, secret: Type.String({ description: 'The token itself; shown once' }) }),
  faults: ['not_found', 'forbidden', 'reauthentication_required'],
  answersSecret: true,
  reauthentication: 'always',
})
