import Type, { type Static } from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { DeploymentParams, named, OrNull, VersionedObject } from '../../../kernel/contract/schema.ts'

const path = '/api/findings/:deploymentId/deadlines'
const common = { tag: 'Findings', stability: 'beta', security: 'both' } as const

const Days = named(
  'DeadlineDays',
  OrNull(Type.Integer({ minimum: 1, maximum: 3_650, description: 'Days from when it was raised; null for no limit' })),
)

export const FindingDeadlines = VersionedObject('FindingDeadlines', {
  critical: Days,
  high: Days,
  medium: Days,
  low: Days,
  info: Days,
})
export type FindingDeadlines = Static<typeof FindingDeadlines>

export const getFindingDeadlines = endpoint({
  ...common,
  id: 'getFindingDeadlines',
  summary: 'Get how long findings may stand',
  description: 'In days, by severity. None has a limit before somebody sets one.',
  permission: 'policies:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  response: FindingDeadlines,
  faults: [],
})

export const replaceFindingDeadlines = endpoint({
  ...common,
  id: 'replaceFindingDeadlines',
  summary: 'Say how long findings may stand',
  description:
    'Counted from when a finding was raised, so it holds at once for all that stand. What pull requests raise is not due: it goes with its pull request.',
  permission: 'policies:write',
  method: 'PUT',
  path,
  params: DeploymentParams,
  body: FindingDeadlines,
  response: FindingDeadlines,
  faults: ['precondition_failed'],
})
