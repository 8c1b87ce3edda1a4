import Type, { type Static } from 'typebox'
import type { Download } from '../../kernel/contract/api.ts'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../kernel/contract/pagination.ts'
import { DeploymentParams, NamedObject, Timestamp } from '../../kernel/contract/schema.ts'

export const AuditEvent = NamedObject('AuditEvent', {
  seq: Type.Integer({ description: 'Place in the chain, from 1, without gaps' }),
  at: Timestamp,
  personId: Type.Integer({ description: 'Who did it; 0 for the system, and for whoever is not known' }),
  personName: Type.String({ description: 'Name of the person, of one who has left their name then; empty for nobody' }),
  tokenId: Type.Integer({ description: 'The token they used; 0 when signed in' }),
  tokenName: Type.String({ description: 'Name of the token; empty for none' }),
  requestId: Type.String({ description: 'The request it happened in' }),
  action: Type.String({ description: 'What was done, for example team.update' }),
  target: Type.String({ description: 'What it was done to, for example team:7' }),
  detail: Type.Record(Type.String(), Type.Unknown(), { description: 'What changed' }),
  hash: Type.String({
    description: 'HMAC-SHA-256, with a key of this installation, over the hash before it and this event, hex',
  }),
})
export type AuditEvent = Static<typeof AuditEvent>

const part = (example: string) =>
  Type.Optional(Type.String({ minLength: 1, maxLength: 200, description: `Only those with this in it, as ${example}` }))

const filterFields = {
  since: Type.Optional(Timestamp),
  until: Type.Optional(Timestamp),
  action: part('team.update'),
  target: part('team:7'),
  personId: Type.Optional(
    Type.Integer({
      minimum: 0,
      maximum: Number.MAX_SAFE_INTEGER,
      description: 'Only what this person did; 0: the system',
    }),
  ),
}

const AuditFilter = NamedObject('AuditFilter', filterFields, {
  description: 'All parts must hold. since belongs to the time, until does not',
})
export type AuditFilter = Static<typeof AuditFilter>

export const listAuditEvents = endpoint({
  id: 'listAuditEvents',
  summary: 'Read the audit log',
  description:
    'Newest first. With a filter, one request looks through 50,000 events at most: a page may then have fewer entries than asked for, or none, and go on all the same. The chain of hashes is checked by `verifyAuditLog`, `gatehouse doctor` and `gatehouse audit verify`.',
  tag: 'Audit log',
  stability: 'stable',
  security: 'both',
  permission: 'audit:read',
  method: 'GET',
  path: '/api/audit/v1/deployments/:deploymentId/events',
  params: DeploymentParams,
  query: Type.Object({
    pageSize: Type.Optional(
      Type.Integer({ minimum: 1, maximum: 1000, description: 'Most entries a page, 1 to 1,000; 100 by default' }),
    ),
    cursor: pageQuery.cursor,
    ...filterFields,
  }),
  response: Type.Object({
    events: Type.Array(AuditEvent, { description: 'Newest first' }),
    ...pageFields,
  }),
  faults: [],
})

export const AuditHead = NamedObject('AuditHead', {
  deploymentId: Type.Integer({ description: 'Whose log it is' }),
  seq: Type.Integer({ description: 'The place of the newest event' }),
  hash: Type.String({ description: 'Its hash, which stands for it and for everything before it, hex' }),
  at: Timestamp,
})
export type AuditHead = Static<typeof AuditHead>

export const getAuditHead = endpoint({
  id: 'getAuditHead',
  summary: 'Read the head of the audit log',
  description:
    'Kept outside of Gatehouse, it shows later that nothing up to it was changed or removed: give it to `gatehouse audit verify --heads`.',
  tag: 'Audit log',
  stability: 'stable',
  security: 'both',
  permission: 'audit:read',
  method: 'GET',
  path: '/api/audit/v1/deployments/:deploymentId/head',
  params: DeploymentParams,
  response: Type.Object({ head: AuditHead }),
  faults: ['not_found'],
})

const KeptHead = NamedObject('KeptAuditHead', {
  seq: Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER, description: 'The place of the event' }),
  hash: Type.String({ pattern: '^[0-9a-fA-F]{64}$', maxLength: 64, description: 'Its hash when it was kept' }),
})

const AuditBreak = NamedObject('AuditBreak', {
  seq: Type.Integer({ description: 'The first event that is not what it should be' }),
  reason: Type.String({ description: 'What is wrong with it' }),
})

export const verifyAuditLog = endpoint({
  id: 'verifyAuditLog',
  summary: 'Check the chain of the audit log',
  description:
    'Makes every hash again, from what the events say, and compares; with heads that were kept elsewhere also that those are still part of it. One at a time; a million events take some ten seconds. Changes nothing.',
  tag: 'Audit log',
  stability: 'experimental',
  security: 'both',
  permission: 'audit:read',
  method: 'POST',
  path: '/api/audit/v1/deployments/:deploymentId/verify',
  params: DeploymentParams,
  body: Type.Object({
    heads: Type.Optional(Type.Array(KeptHead, { maxItems: 1_000, description: 'Ends of the log that were kept' })),
  }),
  response: Type.Object({
    whole: Type.Boolean({ description: 'Whether nothing was changed or removed' }),
    events: Type.Integer({ minimum: 0, description: 'How many events the log has' }),
    brokenAt: Type.Union([AuditBreak, Type.Null()], {
      description: 'Where the chain breaks first; null where it is whole',
    }),
  }),
  faults: ['unavailable'],
  seconds: 300,
})

export const exportAuditEvents = endpoint({
  id: 'exportAuditEvents',
  summary: 'Export the audit log',
  description:
    'All events that the filter matches, oldest first, one JSON object a line. The export is audited itself.',
  tag: 'Audit log',
  stability: 'experimental',
  security: 'both',
  permission: 'audit:read',
  method: 'POST',
  path: '/api/audit/v1/deployments/:deploymentId/export',
  params: DeploymentParams,
  body: Type.Object({
    filter: Type.Optional(AuditFilter),
    chained: Type.Optional(
      Type.Boolean({
        description:
          'With `chained`, what the hash of each event is over besides the hash before it, and `keyVersion`, the key it was made with',
      }),
    ),
  }),
  response: Type.Unsafe<Download>({ type: 'object', description: 'An event a line' }),
  download: { mediaTypes: ['application/x-ndjson'] },
  faults: [],
})
