import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../kernel/contract/pagination.ts'
import {
  AnyId,
  DeploymentParams,
  Id,
  IdString,
  Name,
  NamedObject,
  named,
  OneOf,
  OrNull,
  Timestamp,
  VersionedObject,
} from '../../kernel/contract/schema.ts'

const path = '/api/tokens/v1/deployments/:deploymentId/ci-trusts'
const common = { tag: 'CI trusts', stability: 'beta', security: 'both' } as const
const OneParams = Type.Object({ deploymentId: AnyId, trustId: Id })

/** All that a job needs, and nothing that outlives it. */
const trustPermissions = [
  'scans:write',
  'scans:read',
  'repositories:read',
  'dependencies:read',
  'findings:read',
  'packages:read',
] as const

const ClaimName = named(
  'ClaimName',
  Type.String({ minLength: 1, maxLength: 100, pattern: '^[A-Za-z0-9_.:/-]+$', description: 'Name of a claim' }),
)
const Condition = NamedObject('ClaimCondition', {
  claim: ClaimName,
  values: Type.Array(Type.String({ minLength: 1, maxLength: 500, description: 'A value, compared as it is' }), {
    minItems: 1,
    maxItems: 100,
    description: 'The claim is one of these, to the character',
  }),
})

const fields = {
  name: Name,
  serviceAccountId: Id,
  provider: OneOf(
    ['github', 'gitlab', 'other'] as const,
    'Which claims have the repository, ref, commit and pull request; for other the fields below say it',
  ),
  issuer: Type.String({
    minLength: 9,
    maxLength: 500,
    description: 'The `iss` of the tokens; its keys are found by OpenID Connect discovery',
  }),
  audience: Type.String({ minLength: 1, maxLength: 500, description: 'The `aud` of the tokens, to the character' }),
  conditions: Type.Array(Condition, {
    minItems: 1,
    maxItems: 20,
    description:
      'All of them hold. For GitHub one of them is repository_id, repository_owner_id or enterprise_id, for GitLab project_id or namespace_id: names can be taken over, ids cannot',
  }),
  repositoryClaim: Type.String({ maxLength: 100, description: 'For other: the claim with the name of the repository' }),
  refClaim: Type.String({ maxLength: 100, description: 'For other: the claim with the branch or tag' }),
  permissions: Type.Array(OneOf(trustPermissions, 'A permission'), {
    minItems: 1,
    maxItems: trustPermissions.length,
    uniqueItems: true,
    description: 'What the jobs may do in their own repository, as far as the service account may',
  }),
}

export const CiTrust = VersionedObject('CiTrust', {
  id: Id,
  ...fields,
  createdBy: Type.Integer({ description: 'Id of the person who made it; they may have left' }),
  createdAt: Timestamp,
  lastUsedAt: OrNull(Timestamp),
})
export type CiTrust = Static<typeof CiTrust>

const NewCiTrust = NamedObject('NewCiTrust', {
  ...fields,
  repositoryClaim: Type.Optional(fields.repositoryClaim),
  refClaim: Type.Optional(fields.refClaim),
})
export type NewCiTrust = Static<typeof NewCiTrust>

const OneTrust = NamedObject('OneCiTrust', { trust: CiTrust })

export const listCiTrusts = endpoint({
  ...common,
  id: 'listCiTrusts',
  summary: 'List CI trusts',
  description: 'Which tokens of which CI systems are taken, and what they may do.',
  permission: 'service-accounts:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  query: Type.Object({ ...pageQuery }),
  response: Type.Object({ trusts: Type.Array(CiTrust, { description: 'A page of them, by id' }), ...pageFields }),
  faults: [],
})

const write = { ...common, permission: 'service-accounts:write' } as const
// By a signed-in person: a lost token must not give access that outlives it.
const byPerson = { ...write, security: 'jwt' } as const
const writeFaults = ['conflict', 'forbidden', 'unprocessable', 'reauthentication_required'] as const

export const createCiTrust = endpoint({
  ...byPerson,
  id: 'createCiTrust',
  summary: 'Trust a CI system',
  description: 'Takes a signed-in person: jobs get tokens by it for as long as it is there.',
  method: 'POST',
  path,
  params: DeploymentParams,
  body: NewCiTrust,
  response: OneTrust,
  faults: writeFaults,
  reauthentication: 'always',
})

export const replaceCiTrust = endpoint({
  ...byPerson,
  id: 'replaceCiTrust',
  summary: 'Change a CI trust',
  description: 'Replaces all of it. Takes a signed-in person. Tokens that were given before end.',
  method: 'PUT',
  path: `${path}/:trustId`,
  params: OneParams,
  body: NewCiTrust,
  response: OneTrust,
  faults: ['not_found', 'precondition_failed', ...writeFaults],
  reauthentication: 'always',
})

export const deleteCiTrust = endpoint({
  ...write,
  id: 'deleteCiTrust',
  summary: 'Trust a CI system no more',
  description: 'The tokens that jobs have by it end within a second. Answers what it was.',
  method: 'DELETE',
  path: `${path}/:trustId`,
  params: OneParams,
  response: OneTrust,
  faults: ['not_found', 'precondition_failed'],
})

const exchangeGrant = 'urn:ietf:params:oauth:grant-type:token-exchange'
const idTokenTypes = ['urn:ietf:params:oauth:token-type:jwt', 'urn:ietf:params:oauth:token-type:id_token'] as const
const accessTokenType = 'urn:ietf:params:oauth:token-type:access_token'

export const exchangeToken = endpoint({
  id: 'exchangeToken',
  summary: 'Exchange the token of a CI job',
  description:
    'RFC 8693, as a form or as JSON. A token that a trust of the deployment takes becomes an API token of 15 minutes for the repository and ref that its claims name, and for no other.',
  tag: 'CI trusts',
  stability: 'beta',
  security: 'none',
  permission: 'anyone',
  method: 'POST',
  path: '/api/tokens/v1/exchange',
  params: Type.Object({}),
  takesForm: true,
  body: Type.Object({
    grant_type: OneOf([exchangeGrant], 'Always this'),
    subject_token: Type.String({ minLength: 20, maxLength: 16_000, description: 'The token of the job, a JWT' }),
    subject_token_type: OneOf(idTokenTypes, 'What it is'),
    requested_token_type: Type.Optional(OneOf([accessTokenType], 'Always this')),
    audience: Type.Optional(
      Type.String({ maxLength: 500, description: 'Must be that of the trust where it is given' }),
    ),
    deployment_id: IdString,
  }),
  response: Type.Object({
    access_token: Type.String({ description: 'The API token' }),
    issued_token_type: OneOf([accessTokenType], 'What it is'),
    token_type: OneOf(['Bearer'], 'How it is sent'),
    expires_in: Type.Integer({ description: 'Seconds; 900' }),
    scope: Type.String({ description: 'Its permissions, with spaces between them' }),
    repository: Type.String({ description: 'The repository that it is for' }),
    ref: Type.String({ description: 'The branch or tag that it is for' }),
  }),
  faults: ['unauthenticated', 'unavailable', 'too_many_requests'],
  answersSecret: true,
})
export type ExchangeRequest = Static<typeof exchangeToken.body & {}>
