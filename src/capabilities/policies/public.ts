import sql, { type Sql } from 'sql-template-tag'
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

/** Whether the policies in force were changed since then, as a condition. */
export function policiesChangedSince(deploymentId: number, moment: Sql): Sql {
  return sql`exists (select 1 from policy p where p.deployment_id = ${deploymentId} and p.is_default
    and p.changed_at >= ${moment})`
}
