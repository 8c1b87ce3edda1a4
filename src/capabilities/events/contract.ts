import Type from 'typebox'
import { changeNames } from '../../kernel/changes/change.ts'
import type { EventStream } from '../../kernel/contract/api.ts'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { DeploymentParams, named } from '../../kernel/contract/schema.ts'

const EventId = named(
  'EventId',
  Type.String({
    pattern: '^[0-9]{1,16}-[0-9]{1,16}$',
    maxLength: 40,
    description: 'The id of the last event that was received; the Last-Event-ID header counts before it',
  }),
)

export const streamEvents = endpoint({
  id: 'streamEvents',
  summary: 'Hear what changes, as server-sent events',
  description: `A text/event-stream that goes on for up to 15 minutes. Each event 'changed' has the names of what changed and nothing else, as {"changed":["findings"]}: of ${changeNames.join(', ')}. Callers hear only of what they may read, and of repositories they see. With the id of the last event it goes on from there; where that is more than 50 minutes ago, the first event names everything. A comment comes every 15 seconds. It ends within a second after the session or token, or when the role of its person changes.`,
  tag: 'Deployments',
  stability: 'experimental',
  security: 'both',
  permission: 'deployment:read',
  method: 'GET',
  path: '/api/events/v1/deployments/:deploymentId/stream',
  params: DeploymentParams,
  query: Type.Object({ lastEventId: Type.Optional(EventId) }),
  response: Type.Unsafe<EventStream>({ type: 'object', description: 'Events as they come' }),
  download: { mediaTypes: ['text/event-stream'] },
  events: true,
  faults: ['malformed_request', 'too_many_requests', 'unavailable'],
})
