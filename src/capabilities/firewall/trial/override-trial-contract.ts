import Type from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { DeploymentParams, Id } from '../../../kernel/contract/schema.ts'
import { NewOverride } from '../contract.ts'
import { RuleTrial } from '../rules/api/rule-contract.ts'

export const tryOverrides = endpoint({
  id: 'tryOverrides',
  summary: 'What other overrides would have done',
  description:
    'As for rules: looks at the versions that clients asked for in the last days, with these overrides made and those deleted, which may be a whole list. What cannot be understood is 422. Nothing is saved.',
  tag: 'Malware firewall',
  stability: 'experimental',
  security: 'both',
  permission: 'firewall:read',
  method: 'POST',
  path: '/api/firewall/v1/deployments/:deploymentId/overrides/trial',
  params: DeploymentParams,
  body: Type.Object({
    create: Type.Optional(Type.Array(NewOverride, { maxItems: 1000, description: 'Overrides to make' })),
    deleteIds: Type.Optional(Type.Array(Id, { maxItems: 1000, description: 'Overrides to delete' })),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, description: 'How far back; 30 by default' })),
  }),
  response: RuleTrial,
  faults: ['unprocessable'],
})
