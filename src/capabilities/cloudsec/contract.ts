import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../kernel/contract/pagination.ts'
import {
  AnyId,
  DeploymentParams,
  Id,
  IdParameter,
  IdString,
  NamedObject,
  named,
  VersionedObject,
} from '../../kernel/contract/schema.ts'

const path = '/api/notifications/deployments/:deploymentId/cloudsec'
const common = { tag: 'Cloud security', stability: 'experimental', security: 'both' } as const

const ClientId = named(
  'CloudsecClientId',
  Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: '^[!-~]+$',
    description: 'The service account at the cloud-security service, as its OAuth client',
  }),
)
const ApiUrl = named(
  'CloudsecApiUrl',
  Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'Where its API answers: https, without user name, password, query and fragment',
  }),
)
const TokenUrl = named(
  'CloudsecTokenUrl',
  Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'Where it gives tokens: https, without user name, password, query and fragment',
  }),
)
// RFC 6749 appendix A.2: visible characters and spaces.
const ClientSecret = named(
  'CloudsecClientSecret',
  Type.String({
    minLength: 1,
    maxLength: 4096,
    pattern: '^[ -~]+$',
    description: 'Stored encrypted; in no answer',
    writeOnly: true,
  }),
)

export const CloudsecCredential = VersionedObject('CloudsecCredential', {
  id: IdString,
  deploymentId: Id,
  clientId: ClientId,
  apiUrl: ApiUrl,
  tokenUrl: TokenUrl,
})
export type CloudsecCredential = Static<typeof CloudsecCredential>

const NewCloudsecCredential = NamedObject('NewCloudsecCredential', {
  deploymentId: Type.Optional(Id),
  clientId: ClientId,
  clientSecret: ClientSecret,
  apiUrl: ApiUrl,
  tokenUrl: TokenUrl,
})
export type NewCloudsecCredential = Static<typeof NewCloudsecCredential>

const CloudsecCredentialChanges = NamedObject('CloudsecCredentialChanges', {
  id: Type.Optional(IdString),
  deploymentId: Type.Optional(Id),
  clientId: Type.Optional(ClientId),
  clientSecret: Type.Optional(ClientSecret),
  apiUrl: Type.Optional(ApiUrl),
  tokenUrl: Type.Optional(TokenUrl),
})
export type CloudsecCredentialChanges = Static<typeof CloudsecCredentialChanges>

const OneParams = Type.Object({ deploymentId: AnyId, id: IdParameter })
const OneCredential = NamedObject('OneCloudsecCredential', { cloudsecCredential: CloudsecCredential })

export const getCloudsecCredential = endpoint({
  ...common,
  id: 'getCloudsecCredential',
  summary: 'Get a cloud-security credential',
  description: 'The record never holds the secret.',
  permission: 'cloudsec:read',
  method: 'GET',
  path: `${path}/:id`,
  params: OneParams,
  response: OneCredential,
  faults: ['not_found'],
})

export const listCloudsecCredentials = endpoint({
  ...common,
  id: 'listCloudsecCredentials',
  summary: 'List cloud-security credentials',
  description: 'All of the deployment, ordered by id, without their secrets.',
  permission: 'cloudsec:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  query: Type.Object(pageQuery),
  response: Type.Object({
    cloudsecCredentials: Type.Array(CloudsecCredential, { description: 'Ordered by id' }),
    ...pageFields,
  }),
  faults: [],
})

export const createCloudsecCredential = endpoint({
  ...common,
  id: 'createCloudsecCredential',
  summary: 'Create a cloud-security credential',
  description: 'The secret is stored encrypted and is in no answer.',
  permission: 'cloudsec:write',
  method: 'POST',
  path,
  params: DeploymentParams,
  body: NewCloudsecCredential,
  response: OneCredential,
  faults: ['id_mismatch'],
})

export const updateCloudsecCredential = endpoint({
  ...common,
  id: 'updateCloudsecCredential',
  summary: 'Update a cloud-security credential',
  description:
    'What is left out stays. A `tokenUrl` or `apiUrl` of another scheme, host or port takes the secret along only if it is sent again in the same request; otherwise 422 and nothing is changed.',
  permission: 'cloudsec:write',
  method: 'PATCH',
  path: `${path}/:id`,
  params: OneParams,
  body: CloudsecCredentialChanges,
  response: OneCredential,
  faults: ['not_found', 'id_mismatch', 'unprocessable', 'precondition_failed'],
})

export const deleteCloudsecCredential = endpoint({
  ...common,
  id: 'deleteCloudsecCredential',
  summary: 'Delete a cloud-security credential',
  description: 'Its secret goes with it. Answers what it was.',
  permission: 'cloudsec:write',
  method: 'DELETE',
  path: `${path}/:id`,
  params: OneParams,
  response: OneCredential,
  faults: ['not_found', 'precondition_failed'],
})

export const validateCloudsecCredential = endpoint({
  ...common,
  id: 'validateCloudsecCredential',
  summary: 'Validate a cloud-security credential',
  description: 'Asks the cloud-security service for a token with it, and throws the token away.',
  permission: 'cloudsec:write',
  method: 'POST',
  path: `${path}/:id/validate`,
  params: OneParams,
  response: Type.Object({
    valid: Type.Boolean({ description: 'A token was given' }),
    detail: Type.String({ maxLength: 1000, description: 'What failed, and what to do about it; empty if nothing did' }),
  }),
  faults: ['not_found'],
})
export type Verdict = Static<typeof validateCloudsecCredential.response>
