import Type, { type Static } from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import {
  DeploymentParams,
  NamedObject,
  OneOf,
  OrNull,
  Timestamp,
  VersionedObject,
} from '../../../kernel/contract/schema.ts'

const path = '/api/audit/v1/deployments/:deploymentId/webhook'
const common = { tag: 'Audit log', stability: 'beta', security: 'both', path, params: DeploymentParams } as const

const AuditWebhook = VersionedObject('AuditWebhook', {
  configured: Type.Boolean({ description: 'Whether there is one' }),
  origin: Type.String({ description: 'Scheme, host and port of its address; empty where there is none' }),
  active: Type.Boolean({ description: 'Whether events are pushed' }),
  position: Type.Integer({ minimum: 0, description: 'Everything up to this event was taken' }),
  behind: Type.Integer({ minimum: 0, description: 'How many events were not taken yet' }),
  sentAt: OrNull(Timestamp),
  failingSince: OrNull(Timestamp),
  error: Type.String({ description: 'Why the last try failed; empty where it did not' }),
})
export type AuditWebhook = Static<typeof AuditWebhook>

const Wanted = NamedObject('AuditWebhookSettings', {
  url: Type.Optional(
    Type.String({
      minLength: 1,
      maxLength: 2000,
      description: 'Where batches of events are posted; never shown again',
    }),
  ),
  signingKey: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'whsec_ and the base64 of 24 to 64 random bytes' }),
  ),
  active: Type.Optional(Type.Boolean({ description: 'Off: events wait, and none is lost' })),
  from: Type.Optional(
    OneOf(['now', 'beginning'] as const, 'For a new one: with which event it begins; now unless told otherwise'),
  ),
})
export type AuditWebhookSettings = Static<typeof Wanted>

const OneWebhook = NamedObject('OneAuditWebhook', { webhook: AuditWebhook })

export const getAuditWebhook = endpoint({
  ...common,
  id: 'getAuditWebhook',
  summary: 'Read where audit events are pushed',
  description: 'And how far: which event was the last that the receiver took, and what went wrong.',
  permission: 'audit:read',
  method: 'GET',
  response: OneWebhook,
  faults: [],
})

export const setAuditWebhook = endpoint({
  ...common,
  id: 'setAuditWebhook',
  summary: 'Push audit events to a webhook',
  description:
    'In order, at least once, signed as webhooks of automations are. Address and signing key come together; what is left out stays.',
  permission: 'audit:write',
  method: 'PUT',
  body: Wanted,
  response: OneWebhook,
  faults: ['unprocessable', 'precondition_failed', 'reauthentication_required'],
  reauthentication: 'always',
})

export const removeAuditWebhook = endpoint({
  ...common,
  id: 'removeAuditWebhook',
  summary: 'Push audit events no more',
  description: 'The log itself stays. Answers what there is afterwards.',
  permission: 'audit:write',
  method: 'DELETE',
  response: OneWebhook,
  faults: ['not_found', 'precondition_failed', 'reauthentication_required'],
  reauthentication: 'always',
})
