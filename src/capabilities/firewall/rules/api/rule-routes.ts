import type { Api } from '../../../../kernel/contract/api.ts'
import type { RuleService } from '../rule-service.ts'
import { getFirewallRules, getRecommendedFirewallRules, putFirewallRules } from './rule-contract.ts'

export function ruleRoutes(api: Api, rules: RuleService): void {
  api.serve(getFirewallRules, ({ actor }) => rules.get(actor))
  api.serve(putFirewallRules, ({ actor, body }) => rules.replace(actor, body))
  api.serve(getRecommendedFirewallRules, () => ({ rules: rules.recommended() }))
}
