import sql from 'sql-template-tag'
import * as codes from '../../../domain/finding-codes.ts'
import type { Product } from '../../../domain/finding-terms.ts'
import type { Queryable } from '../../../kernel/database/database.ts'
import type { RuleMode } from '../../policies/contract.ts'
import { modesInForce } from '../../policies/public.ts'

/** What becomes of a finding in a pull request. */
export type Shown = 'shown' | 'silenced' | 'left-out'

const outcomes: Record<RuleMode, Shown> = {
  monitor: 'silenced',
  comment: 'shown',
  block: 'shown',
  disabled: 'left-out',
}

/** By the policies in force. */
export async function guardrailsInForce(db: Queryable): Promise<(product: Product, ruleId: string) => Shown> {
  const modeOf = await modes(db)
  return (product, ruleId) => outcomes[modeOf(product, ruleId)]
}

/** With the product, because rules of two products may have the same name and not the same mode. */
export type BlockingRule = { product: number; rule: string }

export type BlockingRules = (db: Queryable, repositoryId: number, pullRequest: number) => Promise<BlockingRule[]>

/** The rules that block a pull request: those in block mode that it has open findings of. */
export const blockingRules: BlockingRules = async (db, repositoryId, pullRequest) => {
  const rows = db.query<BlockingRule>(sql`select distinct f.product, rule.external_id as rule
    from finding_stream s
    join finding f on f.deployment_id = s.deployment_id and f.stream_id = s.id and f.state <= ${codes.state.code('fixing')}
    join finding_rule rule on rule.deployment_id = f.deployment_id and rule.id = f.rule_id
    where s.deployment_id = ${db.deploymentId} and s.repository_id = ${repositoryId} and s.pull_request = ${pullRequest}
    order by rule.external_id`)
  const [open, modeOf] = await Promise.all([rows, modes(db)])
  return open.filter(({ product, rule }) => modeOf(codes.product.word(product), rule) === 'block')
}

/** No policy speaks about dependencies, so what is found in those is always shown. */
async function modes(db: Queryable): Promise<(product: Product, ruleId: string) => RuleMode> {
  const [code, secrets] = await Promise.all([
    modesInForce(db, 'PRODUCT_TYPE_SAST'),
    modesInForce(db, 'PRODUCT_TYPE_SECRETS'),
  ])
  return (product, ruleId) => {
    if (product === 'sca') return 'comment'
    return product === 'secrets' ? secrets(ruleId) : code(ruleId)
  }
}
