import type { Actor } from '../../../kernel/access/actor.ts'
import { requireVersion, withVersion } from '../../../kernel/contract/etag.ts'
import type { Database, Queryable } from '../../../kernel/database/database.ts'
import { list as settingsOf } from '../overrides/settings-store.ts'
import { changeVerdicts } from '../verdicts/change-verdicts.ts'
import type { VerdictDataKeeper } from '../verdicts/verdict-data.ts'
import type { RuleListAnswer, RuleListBody, ShownRule } from './api/rule-contract.ts'
import { fixedRules } from './fixed-rules.ts'
import { recommendedRules } from './recommended-rules.ts'
import type { Rule } from './rule.ts'
import { checkedRules } from './rule-check.ts'
import { ruleSentence } from './rule-sentence.ts'
import { find, put, type RuleListRow } from './rule-store.ts'

export type RuleService = ReturnType<typeof createRuleService>

export function createRuleService(changing: { db: Database; knowledge: Pick<VerdictDataKeeper, 'refresh'> }) {
  const { db } = changing

  async function get(actor: Actor): Promise<RuleListAnswer> {
    const reader = db.as(actor)
    return shownList(reader, await find(reader))
  }

  function replace(actor: Actor, { mode, rules: sent }: RuleListBody): Promise<RuleListAnswer> {
    return changeVerdicts(changing, actor, async (tx) => {
      const known = await find(tx)
      requireVersion(actor, known.version)
      const isWatching = mode === 'monitor'
      const row = await put(tx, { isWatching, ...checkedRules(sent, known) })
      const rules = row.rules.map((rule) => `${rule.id}. ${ruleSentence(rule)}`)
      tx.audit({ action: 'firewall-rules.replace', target: 'firewall-rules', detail: { mode, rules } })
      return shownList(tx, row)
    })
  }

  return { get, replace, recommended: () => recommendedRules.map(shownRule) }
}

async function shownList(db: Queryable, { isWatching, rules, version }: RuleListRow): Promise<RuleListAnswer> {
  const mode = isWatching ? 'monitor' : 'enforce'
  const fixed = fixedRules(await settingsOf(db))
  return withVersion({ mode, rules: rules.map(shownRule), fixed } as RuleListAnswer, version)
}

function shownRule(rule: Rule): ShownRule {
  return { ...rule, sentence: ruleSentence(rule) } as ShownRule
}
