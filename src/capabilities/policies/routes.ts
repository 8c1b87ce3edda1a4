import type { Api } from '../../kernel/contract/api.ts'
import {
  createPolicy,
  deletePolicy,
  getPolicy,
  listPolicies,
  listPoliciesDeprecated,
  listPolicyRules,
  replacePolicyRules,
  updatePolicy,
} from './contract.ts'
import type { PolicyService } from './service.ts'

export function policyRoutes(api: Api, policies: PolicyService): void {
  api.serve(listPoliciesDeprecated, async ({ actor }) => ({ policies: await policies.list(actor) }))
  api.serve(listPolicies, async ({ actor }) => ({ policies: await policies.list(actor) }))
  api.serve(createPolicy, async ({ actor, body }) => ({ policy: await policies.create(actor, body) }))
  api.serve(getPolicy, async ({ actor, params }) => ({ policy: await policies.get(actor, params.policyId) }))
  api.serve(updatePolicy, async ({ actor, params, body }) => ({
    policy: await policies.update(actor, params.policyId, body),
  }))
  api.serve(deletePolicy, async ({ actor, params }) => ({ policy: await policies.remove(actor, params.policyId) }))
  api.serve(listPolicyRules, ({ actor, params }) => policies.rules(actor, params.policyId))
  api.serve(replacePolicyRules, ({ actor, params, body }) => policies.setRules(actor, params.policyId, body.rules))
}
