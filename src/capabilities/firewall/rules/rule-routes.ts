import type { Api } from '../../../kernel/contract/api.ts'
import { getFirewallRules, getRecommendedFirewallRules, putFirewallRules } from './rule-contract.ts'
import type { RuleService } from './rule-service.ts'

export function ruleRoutes(api: Api, rules: RuleService): void {
  api.serve(getFirewallRules, ({ actor }) => rules.get(actor))
  api.serve(putFirewallRules, ({ actor, body }) => rules.replace(actor, body))
  api.serve(getRecommendedFirewallRules, () => ({ rules: rules.recommended() }))
}
