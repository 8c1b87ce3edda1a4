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

type DatedRule = PolicyRule & { since: string | null }
type PolicyInForce = { id: number; name: string; productType: ProductType; since: Date | null; rules: DatedRule[] }

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
  return db.query(sql`select p.id, p.name, p.product_type as "productType", p.in_force_since as since,
      coalesce((select json_agg(json_build_object('rule', r.rule, 'mode', r.mode, 'since', r.since)) from policy_rule r
        where r.deployment_id = p.deployment_id and r.policy_id = p.id), '[]') as rules
    from policy p where p.deployment_id = ${db.deploymentId} and p.is_default order by p.product_type`)
}

function toApplied({ id, name, productType, since, rules }: PolicyInForce, asked: string | undefined) {
  const rule = asked === undefined ? undefined : ruleThatDecides(rules, asked)
  const decides = rules.find((each) => each.rule === rule)
  return {
    productType,
    policyId: String(id),
    name,
    why: 'It is in force for findings of this kind, in every repository.',
    rule: rule ?? null,
    mode: asked === undefined ? '' : modeForRule(rules)(asked),
    since: decides ? later(since, decides.since) : null,
  }
}

/** A mode counts once the policy is in force and the rule has it. */
function later(inForce: Date | null, mode: string | null): string | null {
  const known = [inForce, mode].flatMap((moment) => (moment === null ? [] : [new Date(moment).getTime()]))
  return known.length === 0 ? null : new Date(Math.max(...known)).toISOString()
}
