import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import {
  AnyId,
  DeploymentParams,
  Email,
  Id,
  NamedObject,
  named,
  OneOf,
  OrNull,
  VersionedObject,
} from '../../kernel/contract/schema.ts'

const path = '/api/notifications/deployments/:deploymentId/ticketing/v2'
const common = { tag: 'Ticketing', stability: 'experimental', security: 'both' } as const

const text = (description: string) => Type.String({ maxLength: 500, description })
/** An id as the tracker gives it; it goes into addresses and queries there. */
const TrackerId = (description: string) => Type.String({ maxLength: 100, pattern: '^[A-Za-z0-9_-]*$', description })

const Fields = named(
  'TicketFields',
  Type.Record(
    Type.String({ pattern: '^[A-Za-z0-9_]{1,60}$' }),
    Type.Unknown({ description: 'Its value, as the tracker takes it' }),
    { maxProperties: 50, description: 'Further fields of new tickets, by the id of the field at the tracker' },
  ),
)
const automated = (what: string) => Type.Boolean({ description: `New ${what} get a ticket by themselves` })
const AutomationStates = NamedObject('TicketAutomationStates', {
  sast: automated('findings in code'),
  sca: automated('vulnerable dependencies'),
  secrets: automated('secrets'),
  scaMaliciousDeps: automated('malicious dependencies'),
  aiSast: automated('issues of agentic workflows'),
})
export type AutomationStates = Static<typeof AutomationStates>

const FixedTransitionState = NamedObject(
  'FixedTransitionState',
  {
    trackerTransitionId: TrackerId('The transition that is fired'),
    serviceAggregateState: OneOf(
      ['AGGREGATE_STATE_FIXED'],
      'When it is fired: everything that the ticket was made for or linked to is fixed',
    ),
  },
  { description: 'What happens at the tracker when things are fixed here; null: nothing' },
)
const ProjectId = named(
  'TrackerProjectId',
  TrackerId('The project that tickets are made in; empty where it is not configured'),
)
const IssueTypeId = named('TrackerIssueTypeId', TrackerId('Their issue type; empty where it is not configured'))
const SubtaskIssueTypeId = named(
  'TrackerSubtaskTypeId',
  TrackerId('The issue type of tickets below another ticket; empty where there is none'),
)

export const TicketingInstance = NamedObject('TicketingInstance', {
  id: Id,
  isConfigured: Type.Boolean({ description: 'Project and issue type are chosen: tickets can be made' }),
  isAuthRevoked: Type.Boolean({ description: 'The tracker refuses the credentials; connect again' }),
  instanceType: OneOf(['INSTANCE_TYPE_JIRA'], 'The kind of tracker'),
  subdomain: text("The name of the site at the tracker's provider, or its host"),
  projectId: ProjectId,
  issueTypeId: IssueTypeId,
  fields: Fields,
  automationStates: AutomationStates,
  subtaskIssueTypeId: SubtaskIssueTypeId,
  fixedTransitionState: OrNull(FixedTransitionState),
})
export type TicketingInstance = Static<typeof TicketingInstance>

const Url = named(
  'TrackerUrl',
  Type.String({
    minLength: 1,
    maxLength: 2048,
    description: 'The site, for example https://example.atlassian.net',
  }),
)
// Both halves of a Basic login (RFC 7617 §2): a user name has no colon.
const AccountEmail = named(
  'TrackerEmail',
  Type.String({ ...Email, pattern: '^[^\\s@:]+@[^\\s@:]+$', description: 'Whose API token it is' }),
)
const ApiToken = named(
  'TrackerApiToken',
  Type.String({
    minLength: 1,
    maxLength: 4096,
    pattern: '^[!-~]+$',
    description: 'Stored encrypted; in no answer',
    writeOnly: true,
  }),
)

const Connection = NamedObject('TrackerConnection', { url: Url, email: Email })
const Check = NamedObject('TrackerCheck', {
  ok: Type.Boolean({ description: 'The tracker knows us, and has what is configured' }),
  problems: Type.Array(
    Type.Object({
      pointer: text('What it is about, for example /projectId; empty for the connection'),
      detail: Type.String({ maxLength: 1000, description: 'What is wrong, and what to do about it' }),
    }),
    { description: 'Empty if nothing is wrong' },
  ),
})
export type Check = Static<typeof Check>

const OneParams = Type.Object({ deploymentId: AnyId, instanceId: Id })
const OneInstance = VersionedObject('ConnectedInstance', { instance: TicketingInstance, connection: Connection })
export type OneInstance = Static<typeof OneInstance>
const CheckedInstance = VersionedObject('CheckedInstance', {
  instance: TicketingInstance,
  connection: Connection,
  check: Check,
})
export type CheckedInstance = Static<typeof CheckedInstance>

export const listTicketingInstances = endpoint({
  ...common,
  id: 'listTicketingInstances',
  summary: 'Get external ticketing instances',
  description: 'The issue-tracking systems linked to the deployment.',
  permission: 'ticketing:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  response: Type.Object({ instances: Type.Array(TicketingInstance, { description: 'Ordered by id' }) }),
  faults: [],
})

const NewConnection = NamedObject('NewTrackerConnection', { url: Url, email: AccountEmail, apiToken: ApiToken })
export type NewConnection = Static<typeof NewConnection>

export const connectTicketing = endpoint({
  ...common,
  id: 'connectTicketing',
  summary: 'Connect a tracker',
  description:
    'Keeps the credentials encrypted, then tries them; `check` says how that went. A site that was connected before comes back with its configuration and tickets. One that is connected now: 409.',
  permission: 'ticketing:write',
  method: 'POST',
  path,
  params: DeploymentParams,
  body: NewConnection,
  response: CheckedInstance,
  faults: ['conflict'],
})

export const getTicketingInstance = endpoint({
  ...common,
  id: 'getTicketingInstance',
  summary: 'Get a tracker with its connection',
  description: 'With the address and account it is connected by; the API token is in no answer.',
  permission: 'ticketing:write',
  method: 'GET',
  path: `${path}/:instanceId`,
  params: OneParams,
  response: OneInstance,
  faults: ['not_found'],
})

const ConnectionChanges = NamedObject('TrackerConnectionChanges', {
  url: Type.Optional(Url),
  email: Type.Optional(AccountEmail),
  apiToken: Type.Optional(ApiToken),
})
export type ConnectionChanges = Static<typeof ConnectionChanges>

export const reconnectTicketing = endpoint({
  ...common,
  id: 'reconnectTicketing',
  summary: 'Change the connection of a tracker',
  description:
    'What is left out stays. Another site or another account needs the API token in the same request; otherwise 422 and nothing is changed. With a new token, what waited for it is tried again.',
  permission: 'ticketing:write',
  method: 'PATCH',
  path: `${path}/:instanceId/connection`,
  params: OneParams,
  body: ConnectionChanges,
  response: CheckedInstance,
  faults: ['not_found', 'conflict', 'unprocessable', 'precondition_failed'],
})

const Configuration = NamedObject('TicketingConfiguration', {
  projectId: Type.Optional(ProjectId),
  issueTypeId: Type.Optional(IssueTypeId),
  fields: Type.Optional(Fields),
  subtaskIssueTypeId: Type.Optional(SubtaskIssueTypeId),
  fixedTransitionState: Type.Optional(OrNull(FixedTransitionState)),
  automationStates: Type.Optional(Type.Partial(AutomationStates)),
})
export type Configuration = Static<typeof Configuration>

const fromOutside = ['not_found', 'conflict', 'not_configured', 'unprocessable', 'too_many_requests'] as const

export const configureTicketing = endpoint({
  ...common,
  id: 'configureTicketing',
  summary: 'Configure a tracker',
  description:
    'What is left out stays. Held against the tracker: a project, issue type, field or transition that it does not have, or a field that it wants and is not given, is 422, naming each, and nothing is changed.',
  permission: 'ticketing:write',
  method: 'PATCH',
  path: `${path}/:instanceId`,
  params: OneParams,
  body: Configuration,
  response: OneInstance,
  faults: [...fromOutside, 'precondition_failed'],
})

export const validateTicketing = endpoint({
  ...common,
  id: 'validateTicketing',
  summary: 'Hold a tracker against its configuration',
  description: 'Tries the credentials, and whether the tracker still has everything that is configured.',
  permission: 'ticketing:write',
  method: 'POST',
  path: `${path}/:instanceId/validate`,
  params: OneParams,
  response: Check,
  faults: ['not_found'],
})

export const disconnectTicketing = endpoint({
  ...common,
  id: 'disconnectTicketing',
  summary: 'Disconnect a tracker',
  description:
    'Forgets its credentials. Which tickets belong to what is kept for when the same site is connected again. Answers what it was.',
  permission: 'ticketing:write',
  method: 'DELETE',
  path: `${path}/:instanceId`,
  params: OneParams,
  response: OneInstance,
  faults: ['not_found', 'precondition_failed'],
})

const Choice = { id: text('Its id at the tracker'), name: text('Its name') }

export const getTicketingChoices = endpoint({
  ...common,
  id: 'getTicketingChoices',
  summary: 'See what can be configured',
  description: 'Asked from the tracker each time.',
  permission: 'ticketing:write',
  method: 'GET',
  path: `${path}/:instanceId/choices`,
  params: OneParams,
  query: Type.Object({
    projectId: Type.Optional(TrackerId('Shows its issue types')),
    issueTypeId: Type.Optional(TrackerId('With a project: shows fields and transitions')),
  }),
  response: Type.Object({
    projects: Type.Array(Type.Object({ ...Choice, key: text('What its tickets begin with') }), {
      description: 'Projects the account sees',
    }),
    issueTypes: Type.Array(
      Type.Object({ ...Choice, isSubtask: Type.Boolean({ description: 'For tickets below another one' }) }),
      { description: 'Of the project' },
    ),
    fields: Type.Array(Type.Object({ ...Choice, isRequired: Type.Boolean({ description: 'No ticket without it' }) }), {
      description: 'Of the issue type',
    }),
    transitions: Type.Array(Type.Object(Choice), { description: 'Of the issue type, as far as they can be seen' }),
  }),
  faults: fromOutside,
})
export type Choices = Static<typeof getTicketingChoices.response>
