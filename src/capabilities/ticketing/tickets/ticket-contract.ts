import Type, { type Static } from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../../kernel/contract/pagination.ts'
import {
  AnyId,
  DeploymentParams,
  Id,
  IdParameter,
  IdString,
  NamedObject,
  OneOf,
  OrNull,
  Timestamp,
  VersionedObject,
} from '../../../kernel/contract/schema.ts'

const path = '/api/notifications/deployments/:deploymentId/tickets'
const common = { tag: 'Ticketing', stability: 'experimental', security: 'both' } as const

const text = (description: string) => Type.String({ maxLength: 1000, description })
const SubjectIds = (description: string) => Type.Array(IdString, { maxItems: 100, description })

export const Ticket = VersionedObject('Ticket', {
  id: Id,
  instanceId: Id,
  state: OneOf(
    ['TICKET_STATE_CREATING', 'TICKET_STATE_READY', 'TICKET_STATE_FAILED'],
    'Whether it is there: it is made in the background',
  ),
  detail: text('Why it is not there yet, or never will be; empty if all is well'),
  key: text('What it is called at the tracker, for example SEC-12; empty until it is there'),
  url: text('Where people find it; empty until it is there'),
  summary: text('Its title at the tracker'),
  statusName: text('Its status at the tracker, as last seen'),
  isClosed: Type.Boolean({ description: 'Its status counts as done at the tracker' }),
  closedAt: OrNull(Timestamp),
  statusSeenAt: OrNull(Timestamp),
  transition: OneOf(
    ['TICKET_TRANSITION_NONE', 'TICKET_TRANSITION_DUE', 'TICKET_TRANSITION_FIRED', 'TICKET_TRANSITION_FAILED'],
    'What became of the transition for fixed things',
  ),
  transitionDetail: text('Why the transition failed; empty if it did not'),
  findingIds: SubjectIds('Findings it is about, of those that the caller sees'),
  issueIds: SubjectIds('Issues it is about, of those that the caller sees'),
  createdBy: Type.Integer({ minimum: 0, description: 'The person who made or linked it; 0: it happened by itself' }),
  createdAt: Timestamp,
})
export type Ticket = Static<typeof Ticket>

const OneTicket = NamedObject('OneTicket', { ticket: Ticket })
const OneParams = Type.Object({ deploymentId: AnyId, ticketId: Id })

const Subjects = {
  findingIds: Type.Optional(SubjectIds('Findings it is about')),
  issueIds: Type.Optional(SubjectIds('Issues it is about')),
}
const InstanceId = Type.Optional(
  Type.Integer({
    minimum: 1,
    maximum: Number.MAX_SAFE_INTEGER,
    description: 'The tracker; needed if there are several',
  }),
)

export const listTickets = endpoint({
  ...common,
  id: 'listTickets',
  summary: 'List tickets',
  description: 'Those that are about something the caller sees.',
  permission: 'tickets:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  query: Type.Object({
    findingId: Type.Optional(IdParameter),
    issueId: Type.Optional(IdParameter),
    instanceId: Type.Optional(Id),
    ...pageQuery,
  }),
  response: Type.Object({ tickets: Type.Array(Ticket, { description: 'Ordered by id' }), ...pageFields }),
  faults: [],
})

export const getTicket = endpoint({
  ...common,
  id: 'getTicket',
  summary: 'Get a ticket',
  description: 'One that is about something the caller sees.',
  permission: 'tickets:read',
  method: 'GET',
  path: `${path}/:ticketId`,
  params: OneParams,
  response: OneTicket,
  faults: ['not_found'],
})

const NewTicket = NamedObject('NewTicket', {
  instanceId: InstanceId,
  ...Subjects,
  parentKey: Type.Optional(
    Type.String({
      maxLength: 100,
      pattern: '^[A-Za-z][A-Za-z0-9_]*-[0-9]+$',
      description: 'Makes it a subtask of this ticket',
    }),
  ),
})
export type NewTicket = Static<typeof NewTicket>

export const createTicket = endpoint({
  ...common,
  id: 'createTicket',
  summary: 'Make a ticket for findings and issues',
  description:
    'One ticket for all of them. It is made in the background, exactly once, whatever fails meanwhile; look at `state`. A finding or issue may have only one ticket: what has one already is 409, naming it. One for exactly the same that is not there yet is answered and tried again.',
  permission: 'tickets:write',
  method: 'POST',
  path,
  params: DeploymentParams,
  body: NewTicket,
  response: OneTicket,
  faults: ['conflict', 'unprocessable'],
})

const Link = NamedObject('TicketLink', {
  instanceId: InstanceId,
  key: Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^[A-Za-z0-9_-]+$',
    description: 'What the ticket is called at the tracker, for example SEC-12',
  }),
  ...Subjects,
})
export type Link = Static<typeof Link>

export const linkTicket = endpoint({
  ...common,
  id: 'linkTicket',
  summary: 'Link findings and issues to a ticket that exists',
  description:
    'The ticket gets the label `gatehouse` at the tracker, by which its changes are noticed. What has a ticket already is 409, naming it.',
  permission: 'tickets:write',
  method: 'POST',
  path: `${path}/link`,
  params: DeploymentParams,
  body: Link,
  response: OneTicket,
  faults: ['conflict', 'not_configured', 'unprocessable', 'too_many_requests'],
})

const Unlink = NamedObject('TicketUnlink', Subjects)
export type Unlink = Static<typeof Unlink>

export const unlinkTicket = endpoint({
  ...common,
  id: 'unlinkTicket',
  summary: 'Unlink findings and issues from a ticket',
  description:
    'The ticket itself stays at the tracker; here it is forgotten with its last link. While it is being made nothing can be unlinked: 409.',
  permission: 'tickets:write',
  method: 'POST',
  path: `${path}/:ticketId/unlink`,
  params: OneParams,
  body: Unlink,
  response: OneTicket,
  faults: ['not_found', 'conflict', 'unprocessable'],
})
