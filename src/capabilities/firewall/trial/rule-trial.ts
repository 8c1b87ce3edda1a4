import type { Api } from '../../../kernel/contract/api.ts'
import type { Database } from '../../../kernel/database/database.ts'
import { usualTrialDays } from '../../firewall-activity/public.ts'
import { tryFirewallRules } from '../rules/api/rule-contract.ts'
import { checkedRules } from '../rules/rule-check.ts'
import { createRuleList } from '../rules/rule-list.ts'
import { ruleSentence } from '../rules/rule-sentence.ts'
import { find } from '../rules/rule-store.ts'
import type { Trial } from './trial.ts'

export function ruleTrialRoutes(api: Api, db: Database, { attempt }: Trial): void {
  api.serve(tryFirewallRules, async ({ actor, body }) => {
    const { rules } = checkedRules(body.rules, await find(db.as(actor)))
    const list = createRuleList(rules.map((rule) => ({ ...rule, mode: 'enforce' })))
    const found = await attempt(actor, body.days ?? usualTrialDays, (before) => ({
      ...before,
      list,
      isWatching: false,
    }))
    return { ...found, sentences: rules.map(ruleSentence) }
  })
}
