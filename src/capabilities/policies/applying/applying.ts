import sql from 'sql-template-tag'
import type { Actor } from '../../../kernel/access/actor.ts'
import type { Api } from '../../../kernel/contract/api.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import type { Database, Queryable } from '../../../kernel/database/database.ts'
import { visibleTo } from '../../repositories/public.ts'
import { boardsFor } from '../../ruleboards/public.ts'
import type { PolicyRule, ProductType } from '../contract.ts'
import { modeForRule, ruleThatDecides } from '../mode-for-rule.ts'
import { type AppliedRules, getAppliedRules } from './applying-contract.ts'

type PolicyInForce = { id: number; name: string; productType: ProductType; rules: PolicyRule[] }

export function appliedRulesRoutes(api: Api, db: Database): void {
  api.serve(getAppliedRules, ({ actor, params, query }) => applied(db, actor, params.repositoryId, query.rule))
}

async function applied(
  db: Database,
  actor: Actor,
  repositoryId: number,
  rule: string | undefined,
): Promise<AppliedRules> {
  const reader = db.as(actor)
  const seen = await reader.query(sql`select from repository r where r.deployment_id = ${reader.deploymentId}
    and r.id = ${repositoryId} and ${visibleTo(actor, sql`r.id`)}`)
  if (seen.length === 0) throw new Fault('not_found', `No repository ${repositoryId}.`)
  const boards = actor.permissions.has('ruleboards:read') ? await boardsFor(reader, repositoryId) : []
  return {
    policies: (await inForce(reader)).map((policy) => toApplied(policy, rule)),
    ruleboards: boards.map(({ assigned, ...board }) => ({
      ...board,
      why: assigned
        ? 'The repository is assigned to it.'
        : 'It is the default of its type, and no other ruleboard of the type claims the repository.',
    })),
  }
}

function inForce(db: Queryable): Promise<PolicyInForce[]> {
  return db.query(sql`select p.id, p.name, p.product_type as "productType",
      coalesce((select json_agg(json_build_object('rule', r.rule, 'mode', r.mode)) from policy_rule r
        where r.deployment_id = p.deployment_id and r.policy_id = p.id), '[]') as rules
    from policy p where p.deployment_id = ${db.deploymentId} and p.is_default order by p.product_type`)
}

function toApplied({ id, name, productType, rules }: PolicyInForce, rule: string | undefined) {
  return {
    productType,
    policyId: String(id),
    name,
    why: 'It is in force for findings of this kind, in every repository.',
    rule: (rule !== undefined && ruleThatDecides(rules, rule)) || null,
    mode: rule === undefined ? '' : modeForRule(rules)(rule),
  }
}
