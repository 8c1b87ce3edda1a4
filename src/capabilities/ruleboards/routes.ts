import type { Api } from '../../kernel/contract/api.ts'
import { createRuleboard, deleteRuleboard, getRuleboard, listRuleboards, updateRuleboardOverview } from './contract.ts'
import type { RuleboardService } from './service.ts'
import { tryRuleboard } from './trial-contract.ts'

export function ruleboardRoutes(api: Api, ruleboards: RuleboardService): void {
  api.serve(updateRuleboardOverview, ({ actor, params, body }) => ruleboards.update(actor, params.ruleboardSlug, body))
  api.serve(listRuleboards, async ({ actor, query }) => ({ ruleboards: await ruleboards.list(actor, query.type) }))
  api.serve(createRuleboard, ({ actor, body }) => ruleboards.create(actor, body))
  api.serve(getRuleboard, ({ actor, params }) => ruleboards.get(actor, params.ruleboardSlug))
  api.serve(tryRuleboard, async ({ actor, params, body }) => ({
    changes: await ruleboards.attempt(actor, params.ruleboardSlug, body.assigned_repos),
  }))
  api.serve(deleteRuleboard, ({ actor, params }) => ruleboards.remove(actor, params.ruleboardSlug))
}
