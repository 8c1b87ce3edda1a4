import sql from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database, Queryable } from '../../../kernel/database/database.ts'
import { visibleTo } from '../../repositories/public.ts'
import type { RuleOfSource } from './contract.ts'

export function createFindingRules(db: Database) {
  async function rule(actor: Actor, ruleId: string): Promise<{ ruleId: string; sources: RuleOfSource[] }> {
    const sources = await listSources(db.as(actor), actor, ruleId)
    if (sources.length === 0) throw new Fault('not_found', `No finding that you see is by the rule '${ruleId}'.`)
    return { ruleId, sources }
  }
  return { rule }
}

/** What is said about a rule is part of what was found: it is for whoever sees one of its findings. */
function listSources(db: Queryable, actor: Actor, ruleId: string): Promise<RuleOfSource[]> {
  return db.query(sql`select rule.source, rule.name, rule.description, rule.help, rule.help_uri as "helpUri"
    from finding_rule rule
    where rule.deployment_id = ${db.deploymentId} and rule.external_id = ${ruleId}
      and exists (select 1 from finding f where f.deployment_id = rule.deployment_id and f.rule_id = rule.id
        and ${visibleTo(actor, sql`f.repository_id`)})
    order by rule.source collate "C"`)
}
