import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { DeploymentParams, Id, Name, Slug, Timestamp, VersionedObject } from '../../kernel/contract/schema.ts'

const tag = 'Deployments'
const path = '/api/deployments/v1/deployments'

export const Deployment = VersionedObject('Deployment', {
  id: Id,
  name: Name,
  slug: Slug,
  createdAt: Timestamp,
})
export type Deployment = Static<typeof Deployment>

export const listDeployments = endpoint({
  id: 'listDeployments',
  summary: 'List the deployments that the caller belongs to',
  description: 'Those that the caller belongs to, ordered by id.',
  tag,
  stability: 'stable',
  security: 'both',
  permission: 'authenticated',
  method: 'GET',
  path,
  params: Type.Object({}),
  response: Type.Object({ deployments: Type.Array(Deployment, { description: 'Ordered by id' }) }),
  faults: [],
})

export const createDeployment = endpoint({
  id: 'createDeployment',
  summary: 'Create a deployment',
  description:
    'For operators (the first owner is one), signed in. The caller becomes its owner; default team, ruleboards and policies are made with it.',
  tag,
  stability: 'stable',
  security: 'jwt',
  permission: 'authenticated',
  method: 'POST',
  path,
  params: Type.Object({}),
  body: Type.Object({ name: Name, slug: Type.Optional(Slug) }),
  response: Type.Object({ deployment: Deployment }),
  faults: ['forbidden', 'conflict'],
})

export const getDeployment = endpoint({
  id: 'getDeployment',
  summary: 'Get a deployment',
  description: 'Its name and slug. Only for those who belong to it; to all others it looks as if it did not exist.',
  tag,
  stability: 'stable',
  security: 'both',
  permission: 'deployment:read',
  method: 'GET',
  path: `${path}/:deploymentId`,
  params: DeploymentParams,
  response: Type.Object({ deployment: Deployment }),
  faults: ['not_found'],
})

export const renameDeployment = endpoint({
  id: 'renameDeployment',
  summary: 'Rename a deployment',
  description: 'The slug stays.',
  tag,
  stability: 'stable',
  security: 'both',
  permission: 'deployment:write',
  method: 'PATCH',
  path: `${path}/:deploymentId`,
  params: DeploymentParams,
  body: Type.Object({ name: Name }),
  response: Type.Object({ deployment: Deployment }),
  faults: ['not_found', 'precondition_failed'],
})
