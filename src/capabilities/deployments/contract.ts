import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import {
  DeploymentParams,
  Id,
  Name,
  NamedObject,
  named,
  OneOf,
  Slug,
  Timestamp,
  VersionedObject,
} from '../../kernel/contract/schema.ts'
import { requirements } from '../factors/public.ts'

const tag = 'Deployments'
const path = '/api/deployments/v1/deployments'

const NewPeopleSee = named(
  'NewPeopleSee',
  OneOf(
    ['all', 'teams'] as const,
    'all: new people join the teams that new repositories join too. teams: they see only what the teams have that somebody puts them into',
  ),
)
export type NewPeopleSee = Static<typeof NewPeopleSee>

const SecondFactorFor = named(
  'SecondFactorFor',
  OneOf(requirements, 'Who needs a second factor: nobody (optional), owners and admins, or everyone'),
)

export const Deployment = VersionedObject('Deployment', {
  id: Id,
  name: Name,
  slug: Slug,
  newPeopleSee: NewPeopleSee,
  secondFactor: SecondFactorFor,
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

const NewDeployment = NamedObject('NewDeployment', {
  name: Name,
  slug: Type.Optional(Slug),
  newPeopleSee: Type.Optional(NewPeopleSee),
})
export type NewDeployment = Static<typeof NewDeployment>

export const createDeployment = endpoint({
  id: 'createDeployment',
  summary: 'Create a deployment',
  description:
    'For operators (the first owner is one), signed in. The caller becomes its owner; default team, ruleboards and policies are made with it. `newPeopleSee` is what `GATEHOUSE_NEW_PEOPLE_SEE` says unless it is given.',
  tag,
  stability: 'stable',
  security: 'jwt',
  permission: 'authenticated',
  method: 'POST',
  path,
  params: Type.Object({}),
  body: NewDeployment,
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

const DeploymentChanges = NamedObject('DeploymentChanges', {
  name: Type.Optional(Name),
  newPeopleSee: Type.Optional(NewPeopleSee),
  secondFactor: Type.Optional(SecondFactorFor),
})
export type DeploymentChanges = Static<typeof DeploymentChanges>

export const renameDeployment = endpoint({
  id: 'renameDeployment',
  summary: 'Change a deployment',
  description:
    'Its name, what new people see, and who needs a second factor; the last takes a signed-in person, not an API token. What is left out stays, and so does the slug.',
  tag,
  stability: 'stable',
  security: 'both',
  permission: 'deployment:write',
  method: 'PATCH',
  path: `${path}/:deploymentId`,
  params: DeploymentParams,
  body: DeploymentChanges,
  response: Type.Object({ deployment: Deployment }),
  faults: ['not_found', 'forbidden', 'precondition_failed', 'reauthentication_required'],
  reauthentication: (body: DeploymentChanges) => body.secondFactor !== undefined,
})
