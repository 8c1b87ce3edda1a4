import Type, { type Static } from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { AnyId, Count, IdParameter, NamedObject, Timestamp } from '../../../kernel/contract/schema.ts'
import { PolicyRule, RuleModeName } from '../contract.ts'

const TrialChange = NamedObject('PolicyTrialChange', {
  rule: Type.String({ description: 'Id of a rule that something was found by; empty for findings that name none' }),
  from: RuleModeName,
  to: RuleModeName,
  findings: Count,
  pullRequests: Count,
})

export const PolicyTrial = NamedObject('PolicyTrial', {
  since: Timestamp,
  findings: Count,
  pullRequests: Count,
  blockedBefore: Count,
  blockedAfter: Count,
  changes: Type.Array(TrialChange, {
    maxItems: 1_000,
    description: 'Rules that would be treated otherwise, the most findings first',
  }),
})
export type PolicyTrial = Static<typeof PolicyTrial>

export const tryPolicyRules = endpoint({
  id: 'tryPolicyRules',
  summary: 'What other rules would have changed',
  description:
    'Looks at what pull requests of the last days brought and was recorded, in repositories that the caller sees: how it is treated by the policy in force for this kind of findings, and how it would be if this policy were in force with these rules. Findings of rules that were disabled were never recorded. Nothing is saved. It also takes findings:read.',
  tag: 'Policies',
  stability: 'experimental',
  security: 'both',
  permission: 'policies:read',
  method: 'POST',
  path: '/api/policies/v1/deployments/:deploymentId/policies/:policyId/trial',
  params: Type.Object({ deploymentId: AnyId, policyId: IdParameter }),
  body: Type.Object({
    rules: Type.Array(PolicyRule, { maxItems: 2_000, description: 'The rules that are tried' }),
    days: Type.Optional(Type.Integer({ minimum: 1, maximum: 365, description: 'How far back; 90 by default' })),
  }),
  response: PolicyTrial,
  faults: ['not_found', 'forbidden', 'validation_failed'],
})
