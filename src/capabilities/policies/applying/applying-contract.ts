import Type, { type Static } from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import {
  AnyId,
  Id,
  IdString,
  Name,
  NamedObject,
  OneOf,
  OrNull,
  Slug,
  Timestamp,
} from '../../../kernel/contract/schema.ts'

const productTypes = ['PRODUCT_TYPE_SAST', 'PRODUCT_TYPE_SECRETS'] as const

const AppliedPolicy = NamedObject('AppliedPolicy', {
  productType: OneOf(productTypes, 'What kind of findings it is about'),
  policyId: IdString,
  name: Name,
  why: Type.String({ description: 'Why it applies, in a sentence' }),
  rule: OrNull(
    Type.String({ description: 'The pattern that decides about the rule that was asked about; null: none' }),
  ),
  mode: Type.String({
    description: 'What it then does: monitor, comment, block or disabled; empty where no rule was asked about',
  }),
  since: {
    ...OrNull(Timestamp),
    description: 'Since when the pattern has had this mode in the policy in force; null where that is not known',
  },
})

const AppliedRuleboard = NamedObject('AppliedRuleboard', {
  slug: Slug,
  name: Name,
  type: OneOf(['RULEBOARD_TYPE_SAST', 'RULEBOARD_TYPE_SECRETS'], 'What its rules look for'),
  why: Type.String({ description: 'Why it applies, in a sentence' }),
})

export const AppliedRules = NamedObject('AppliedRules', {
  policies: Type.Array(AppliedPolicy, { description: 'The one in force for each kind of findings' }),
  ruleboards: Type.Array(AppliedRuleboard, {
    description: 'Those that apply; empty for callers who may not read ruleboards',
  }),
})
export type AppliedRules = Static<typeof AppliedRules>

export const getAppliedRules = endpoint({
  id: 'getAppliedRules',
  summary: 'Which policies and ruleboards apply to a repository, and why',
  description:
    'With `rule`, also which pattern of each policy decides about it, and what then happens in pull requests.',
  tag: 'Policies',
  stability: 'experimental',
  security: 'both',
  permission: 'policies:read',
  method: 'GET',
  path: '/api/policies/v1/deployments/:deploymentId/repositories/:repositoryId/applied',
  params: Type.Object({ deploymentId: AnyId, repositoryId: Id }),
  query: Type.Object({
    rule: Type.Optional(Type.String({ minLength: 1, maxLength: 500, description: 'Id of a rule' })),
  }),
  response: AppliedRules,
  faults: ['not_found'],
})
