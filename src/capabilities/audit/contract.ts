import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../kernel/contract/pagination.ts'
import { DeploymentParams, NamedObject, Timestamp } from '../../kernel/contract/schema.ts'

export const AuditEvent = NamedObject('AuditEvent', {
  seq: Type.Integer({ description: 'Place in the chain, from 1, without gaps' }),
  at: Timestamp,
  personId: Type.Integer({ description: 'Who did it; 0 for the system, and for whoever is not known' }),
  personName: Type.String({ description: 'Name of the person; empty for nobody, and for whoever has left' }),
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

export const listAuditEvents = endpoint({
  id: 'listAuditEvents',
  summary: 'Read the audit log',
  description: 'Newest first. The chain of hashes is checked by `gatehouse doctor` and `gatehouse audit verify`.',
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
