import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../kernel/contract/pagination.ts'
import {
  Count,
  DeploymentParams,
  Email,
  Id,
  NamedObject,
  named,
  OneOf,
  OrNull,
  Timestamp,
  VersionedObject,
} from '../../kernel/contract/schema.ts'
import { Token } from '../tokens/contract.ts'

const path = '/api/provisioning/v1/deployments/:deploymentId'
const common = { tag: 'Provisioning', stability: 'beta', security: 'both' } as const

const ProvisioningRole = named(
  'ProvisioningRole',
  OneOf(['readonly', 'member', 'admin'] as const, 'Role in the deployment; a directory makes nobody an owner'),
)
export type ProvisioningRole = Static<typeof ProvisioningRole>

const ProvisioningRule = NamedObject('ProvisioningRule', {
  group: Type.String({ minLength: 1, maxLength: 320, description: 'Name of a group in the directory' }),
  role: OrNull(ProvisioningRole),
  teamId: OrNull(Type.Integer({ minimum: 1, description: 'Team that people of the group are in; null: none' })),
})
export type ProvisioningRule = Static<typeof ProvisioningRule>

const Rules = named(
  'ProvisioningRules',
  Type.Array(ProvisioningRule, {
    maxItems: 200,
    description:
      'What groups give. Of several roles, the one that allows most; without any role here, roles are left to people',
  }),
)

export const Provisioning = VersionedObject('Provisioning', {
  enabled: Type.Boolean({ description: 'Whether requests of the directory are taken' }),
  baseUrl: Type.String({ description: 'Where the directory sends them' }),
  defaultRole: ProvisioningRole,
  rules: Rules,
  tokens: Type.Array(Token, { description: 'Those of the directory, newest first; also those that no longer work' }),
  users: Count,
  groups: Count,
  lastRequestAt: OrNull(Timestamp),
})
export type Provisioning = Static<typeof Provisioning>

const ProvisioningChanges = NamedObject('ProvisioningChanges', {
  enabled: Type.Optional(Type.Boolean({ description: 'Off: every request of the directory is refused' })),
  defaultRole: Type.Optional(ProvisioningRole),
  rules: Type.Optional(Rules),
})
export type ProvisioningChanges = Static<typeof ProvisioningChanges>

export const getProvisioning = endpoint({
  ...common,
  id: 'getProvisioning',
  summary: 'Read how people are provisioned',
  description:
    'By the directory of a company (SCIM 2.0): where it sends requests, its tokens, and what its groups give.',
  permission: 'provisioning:read',
  method: 'GET',
  path: `${path}/settings`,
  params: DeploymentParams,
  response: Type.Object({ provisioning: Provisioning }),
  faults: [],
})

export const updateProvisioning = endpoint({
  ...common,
  id: 'updateProvisioning',
  summary: 'Change how people are provisioned',
  description: 'What is left out stays. Roles and teams of everybody who was provisioned follow at once.',
  permission: 'provisioning:write',
  method: 'PATCH',
  path: `${path}/settings`,
  params: DeploymentParams,
  body: ProvisioningChanges,
  response: Type.Object({ provisioning: Provisioning }),
  faults: ['precondition_failed', 'unprocessable', 'reauthentication_required'],
  reauthentication: 'always',
})

export const createProvisioningToken = endpoint({
  ...common,
  security: 'jwt',
  id: 'createProvisioningToken',
  summary: 'Make a token for the directory',
  description:
    'Takes a signed-in owner. It can do nothing but provision people and groups of this deployment. The secret is in this answer and nowhere else. Revoke it like other tokens.',
  permission: 'provisioning:sync',
  method: 'POST',
  path: `${path}/tokens`,
  params: DeploymentParams,
  body: NamedObject('NewProvisioningToken', {
    expiresInDays: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, description: 'Default 365' })),
  }),
  response: Type.Object({ token: Token, secret: Type.String({ description: 'The token itself; shown once' }) }),
  faults: ['unprocessable', 'reauthentication_required'],
  answersSecret: true,
  reauthentication: 'always',
})

const ProvisionedUser = NamedObject('ProvisionedUser', {
  id: Id,
  userName: Type.String({ description: 'How the directory knows them' }),
  email: Email,
  personId: OrNull(Type.Integer({ description: 'The person; null while they are not here' })),
  state: OneOf(
    ['active', 'suspended', 'invited', 'inactive'] as const,
    'A member; a member whom the directory keeps out; asked to join with an account they have elsewhere; neither here nor wanted',
  ),
  createdAt: Timestamp,
  changedAt: Timestamp,
})

export const listProvisionedUsers = endpoint({
  ...common,
  id: 'listProvisionedUsers',
  summary: 'List the people that the directory has provisioned',
  description: 'Ordered by id.',
  permission: 'provisioning:read',
  method: 'GET',
  path: `${path}/users`,
  params: DeploymentParams,
  query: Type.Object({ ...pageQuery }),
  response: Type.Object({ users: Type.Array(ProvisionedUser, { description: 'A page of them' }), ...pageFields }),
  faults: [],
})
export type ProvisionedUser = Static<typeof ProvisionedUser>

const ProvisionedGroup = NamedObject('ProvisionedGroup', {
  id: Id,
  name: Type.String({ description: 'Its name in the directory' }),
  members: Count,
  changedAt: Timestamp,
})
export type ProvisionedGroup = Static<typeof ProvisionedGroup>

export const listProvisionedGroups = endpoint({
  ...common,
  id: 'listProvisionedGroups',
  summary: 'List the groups that the directory has provisioned',
  description: 'Ordered by id.',
  permission: 'provisioning:read',
  method: 'GET',
  path: `${path}/groups`,
  params: DeploymentParams,
  query: Type.Object({ ...pageQuery }),
  response: Type.Object({ groups: Type.Array(ProvisionedGroup, { description: 'A page of them' }), ...pageFields }),
  faults: [],
})

const ProvisioningRequest = NamedObject('ProvisioningRequest', {
  id: Id,
  at: Timestamp,
  method: Type.String({ description: 'Of the request' }),
  path: Type.String({ description: 'What follows /scim/v2' }),
  status: Type.Integer({ description: 'How it was answered' }),
  detail: Type.String({ description: 'Why it was refused; empty where it was not' }),
})
export type ProvisioningRequest = Static<typeof ProvisioningRequest>

export const listProvisioningRequests = endpoint({
  ...common,
  id: 'listProvisioningRequests',
  summary: 'List what the directory changed and what it was refused',
  description: 'The newest 100. Requests that only read and were answered are left out.',
  permission: 'provisioning:read',
  method: 'GET',
  path: `${path}/requests`,
  params: DeploymentParams,
  response: Type.Object({ requests: Type.Array(ProvisioningRequest, { description: 'Newest first' }) }),
  faults: [],
})
