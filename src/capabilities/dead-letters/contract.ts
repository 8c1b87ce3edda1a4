import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../kernel/contract/pagination.ts'
import {
  AnyId,
  Count,
  DeploymentParams,
  IdParameter,
  IdString,
  NamedObject,
  named,
  Timestamp,
} from '../../kernel/contract/schema.ts'

const path = '/api/jobs/v1/deployments/:deploymentId/dead-letters'
const common = { tag: 'Jobs', stability: 'experimental', security: 'both' } as const

const Kind = named(
  'JobKind',
  Type.String({ minLength: 1, maxLength: 100, description: 'Kind of job, for example automation.action' }),
)

const DeadLetter = NamedObject('DeadLetter', {
  id: IdString,
  kind: Kind,
  lane: Type.String({ description: 'Whom it waited for: the jobs of a receiver run one after the other' }),
  key: Type.String({ description: 'What the receiver knows it by; stays the same when it is tried again' }),
  attempts: Count,
  error: Type.String({ description: 'Why the last try failed' }),
  createdAt: Timestamp,
  deadAt: Timestamp,
})
export type DeadLetter = Static<typeof DeadLetter>

export const listDeadLetters = endpoint({
  ...common,
  id: 'listDeadLetters',
  summary: 'List dead letters',
  description: 'Jobs that were given up after many tries. They are kept for 30 days.',
  permission: 'jobs:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  query: Type.Object({
    ...pageQuery,
    kind: Type.Optional(Kind),
    text: Type.Optional(
      Type.String({ minLength: 1, maxLength: 200, description: 'In kind, key or error, in upper or lower case' }),
    ),
  }),
  response: Type.Object({
    deadLetters: Type.Array(DeadLetter, { description: 'Ordered by id' }),
    total: Count,
    ...pageFields,
  }),
  faults: [],
})

const OneParams = Type.Object({ deploymentId: AnyId, deadLetterId: IdParameter })

export const replayDeadLetter = endpoint({
  ...common,
  id: 'replayDeadLetter',
  summary: 'Try a dead letter again',
  description: 'At once, with all its tries before it. Answers what it was.',
  permission: 'jobs:write',
  method: 'POST',
  path: `${path}/:deadLetterId/replay`,
  params: OneParams,
  response: Type.Object({ deadLetter: DeadLetter }),
  faults: ['not_found'],
})

export const replayDeadLetters = endpoint({
  ...common,
  id: 'replayDeadLetters',
  summary: 'Try dead letters again',
  description: 'All of them, or those of a kind; at most 10,000 in one call.',
  permission: 'jobs:write',
  method: 'POST',
  path: `${path}/replay`,
  params: DeploymentParams,
  body: Type.Object({ kind: Type.Optional(Kind) }),
  response: Type.Object({ replayed: Count }),
  faults: [],
})

export const deleteDeadLetter = endpoint({
  ...common,
  id: 'deleteDeadLetter',
  summary: 'Throw a dead letter away',
  description: 'Answers what it was.',
  permission: 'jobs:write',
  method: 'DELETE',
  path: `${path}/:deadLetterId`,
  params: OneParams,
  response: Type.Object({ deadLetter: DeadLetter }),
  faults: ['not_found'],
})
