import Type, { type Static } from 'typebox'
import { ShownFeed } from '../../feeds/shown-feed.ts'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { Count, NamedObject, OneOf, OrNull, Timestamp } from '../../kernel/contract/schema.ts'

const SystemCheck = NamedObject('SystemCheck', {
  part: Type.String({ description: 'What was looked at' }),
  state: OneOf(['ok', 'warning', 'problem'], 'How it is'),
  detail: Type.String({ description: 'What was seen' }),
  advice: Type.String({ description: 'What to do; empty where there is nothing to do' }),
})
export type SystemCheck = Static<typeof SystemCheck>

const QueueFigures = NamedObject('QueueFigures', {
  kind: Type.String({ description: 'Kind of job' }),
  waiting: Count,
  oldestSeconds: Type.Number({ minimum: 0, description: 'How long the oldest of them has waited' }),
  dead: Count,
})

const DatabaseStatus = NamedObject('DatabaseStatus', {
  version: Type.String({ description: 'Version of PostgreSQL' }),
  bytes: OrNull(Type.Integer({ minimum: 0, description: 'Size on disk; null where PostgreSQL does not tell' })),
  connections: Count,
  waiting: Count,
  clockDifferenceMs: Type.Number({ description: 'How far its clock is ahead of this process; negative: behind' }),
})

const KeyStatus = NamedObject('KeyStatus', {
  scope: Type.String({ description: 'Whose they are: instance, audit, or the id of a deployment' }),
  versions: Count,
  newestAt: Timestamp,
})

export const SystemStatus = NamedObject('SystemStatus', {
  healthy: Type.Boolean({ description: 'No check found a problem' }),
  at: Timestamp,
  version: Type.String({ description: 'Version of Gatehouse' }),
  startedAt: Timestamp,
  checks: Type.Array(SystemCheck, { description: 'What `gatehouse doctor` looks at, without what takes long' }),
  malwareFeeds: Type.Array(ShownFeed, { description: 'Feeds of malicious packages' }),
  vulnerabilityFeeds: Type.Array(ShownFeed, { description: 'Feeds of vulnerabilities' }),
  queue: Type.Array(QueueFigures, { description: 'Jobs of all deployments, by kind; kinds without any are left out' }),
  database: DatabaseStatus,
  keys: Type.Array(KeyStatus, { description: 'Data keys, without the keys themselves' }),
})
export type SystemStatus = Static<typeof SystemStatus>

export const getSystemStatus = endpoint({
  id: 'getSystemStatus',
  summary: 'Whether everything is healthy',
  description:
    'For operators: it speaks of the whole machine. Feeds, queue, database, keys, and the quick checks of `gatehouse doctor`; recounts and the chains of audit logs take long and are checked by that command alone. Figures are of the process that answers, the queue and the database are shared by all.',
  tag: 'Health',
  stability: 'experimental',
  security: 'both',
  permission: 'authenticated',
  method: 'GET',
  path: '/api/system/v1/status',
  params: Type.Object({}),
  response: SystemStatus,
  faults: ['forbidden', 'unavailable'],
})
