import sql from 'sql-template-tag'
import type { Queryable } from '../../kernel/database/database.ts'
import type { PolicyRule, ProductType, RuleMode } from './contract.ts'
import { modeForRule } from './mode-for-rule.ts'

/** The policy in force for a kind of findings, ready to be asked for the mode of any rule. */
export async function modesInForce(db: Queryable, productType: ProductType): Promise<(ruleId: string) => RuleMode> {
  const rules = await db.query<PolicyRule>(sql`select r.rule, r.mode from policy p
    join policy_rule r on r.deployment_id = p.deployment_id and r.policy_id = p.id
    where p.deployment_id = ${db.deploymentId} and p.product_type = ${productType} and p.is_default`)
  return modeForRule(rules)
}
