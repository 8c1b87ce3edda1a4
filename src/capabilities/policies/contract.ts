import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import {
  AnyId,
  DeploymentParams,
  IdParameter,
  IdString,
  Name,
  NamedObject,
  named,
  OneOf,
  Slug,
  VersionedObject,
} from '../../kernel/contract/schema.ts'

const base = '/api/policies/v1/deployments/:deploymentId'
const path = `${base}/policies`

const productTypes = ['PRODUCT_TYPE_SAST', 'PRODUCT_TYPE_SECRETS'] as const
export type ProductType = (typeof productTypes)[number]
const ruleModes = ['monitor', 'comment', 'block', 'disabled'] as const
export type RuleMode = (typeof ruleModes)[number]

const ProductTypeName = named('PolicyProductType', OneOf(productTypes, 'What kind of findings it is about'))

export const Policy = VersionedObject('Policy', {
  id: IdString,
  name: Name,
  slug: Slug,
  productType: ProductTypeName,
  isDefault: Type.Boolean({ description: 'The one in force for its product type' }),
})
export type Policy = Static<typeof Policy>

export const RuleModeName = named(
  'PolicyRuleMode',
  OneOf(ruleModes, 'Record only, comment on the pull request, also block it, or leave its findings out'),
)

export const PolicyRule = NamedObject('PolicyRule', {
  rule: Type.String({
    minLength: 1,
    maxLength: 500,
    pattern: '^[^\\s*]*\\*?$',
    description: 'Id of a rule, or the beginning of one followed by `*`. The longest match decides',
  }),
  mode: RuleModeName,
})
export type PolicyRule = Static<typeof PolicyRule>

const Rules = named('PolicyRules', Type.Array(PolicyRule, { maxItems: 2_000, description: 'Its rules' }))

const PolicyRuleList = VersionedObject('PolicyRuleList', { rules: Rules })
const Policies = NamedObject('Policies', { policies: Type.Array(Policy, { description: 'Ordered by id' }) })
const OnePolicy = NamedObject('OnePolicy', { policy: Policy })
const PolicyParams = Type.Object({ deploymentId: AnyId, policyId: IdParameter })
const common = { tag: 'Policies', stability: 'beta', security: 'both' } as const

export const listPoliciesDeprecated = endpoint({
  id: 'listPoliciesDeprecated',
  summary: 'List policies (deprecated)',
  description: 'Answers what `listPolicies` answers, which takes its place.',
  tag: 'Policies',
  stability: 'experimental',
  deprecated: { since: '2026-11-01T00:00:00Z', sunset: '2028-11-01T00:00:00Z', successor: path },
  security: 'token',
  permission: 'policies:read',
  method: 'GET',
  path: base,
  params: DeploymentParams,
  response: Policies,
  faults: [],
})

export const listPolicies = endpoint({
  ...common,
  id: 'listPolicies',
  summary: 'List policies',
  description: 'All of the deployment, ordered by id.',
  permission: 'policies:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  response: Policies,
  faults: [],
})

export const NewPolicy = NamedObject('NewPolicy', {
  name: Name,
  productType: ProductTypeName,
  rules: Type.Optional(Rules),
})
export type NewPolicy = Static<typeof NewPolicy>

export const createPolicy = endpoint({
  ...common,
  id: 'createPolicy',
  summary: 'Create a policy',
  description: 'It is not in force before it is made the default of its product type.',
  permission: 'policies:write',
  method: 'POST',
  path,
  params: DeploymentParams,
  body: NewPolicy,
  response: OnePolicy,
  faults: [],
})

export const getPolicy = endpoint({
  ...common,
  id: 'getPolicy',
  summary: 'Get a policy',
  description: 'Without its rules, which have a list of their own.',
  permission: 'policies:read',
  method: 'GET',
  path: `${path}/:policyId`,
  params: PolicyParams,
  response: OnePolicy,
  faults: ['not_found'],
})

export const PolicyChanges = NamedObject('PolicyChanges', {
  name: Type.Optional(Name),
  isDefault: Type.Optional(Type.Boolean({ description: 'true puts it in force instead of the one that was' })),
})
export type PolicyChanges = Static<typeof PolicyChanges>

export const updatePolicy = endpoint({
  ...common,
  id: 'updatePolicy',
  summary: 'Update a policy',
  description: 'What is left out stays. The slug stays when the name changes.',
  permission: 'policies:write',
  method: 'PATCH',
  path: `${path}/:policyId`,
  params: PolicyParams,
  body: PolicyChanges,
  response: OnePolicy,
  faults: ['not_found', 'conflict', 'precondition_failed'],
})

export const deletePolicy = endpoint({
  ...common,
  id: 'deletePolicy',
  summary: 'Delete a policy',
  description: 'Not the default of a product type. Answers what it was.',
  permission: 'policies:write',
  method: 'DELETE',
  path: `${path}/:policyId`,
  params: PolicyParams,
  response: OnePolicy,
  faults: ['not_found', 'conflict', 'precondition_failed'],
})

export const listPolicyRules = endpoint({
  ...common,
  id: 'listPolicyRules',
  summary: 'List the rules of a policy',
  description: 'Each with its mode; the longest match decides about a finding.',
  permission: 'policies:read',
  method: 'GET',
  path: `${path}/:policyId/rules`,
  params: PolicyParams,
  response: PolicyRuleList,
  faults: ['not_found'],
})

export const replacePolicyRules = endpoint({
  ...common,
  id: 'replacePolicyRules',
  summary: 'Replace the rules of a policy',
  description: 'A rule may be named once. A rule that nothing matches is in monitor mode.',
  permission: 'policies:write',
  method: 'PUT',
  path: `${path}/:policyId/rules`,
  params: PolicyParams,
  body: Type.Object({ rules: Rules }),
  response: PolicyRuleList,
  faults: ['not_found', 'precondition_failed'],
})
