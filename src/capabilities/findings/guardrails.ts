import type { Product } from '../../formats/sarif/finding.ts'
import type { Queryable } from '../../kernel/database.ts'
import type { RuleMode } from '../policies/contract.ts'
import { modesInForce } from '../policies/reads.ts'

/** What becomes of a finding in a pull request. */
export type Shown = 'shown' | 'silenced' | 'left-out'

const outcomes: Record<RuleMode, Shown> = {
  monitor: 'silenced',
  comment: 'shown',
  block: 'shown',
  disabled: 'left-out',
}

/** By the policies in force. None speaks about dependencies, so what is found in those is always shown. */
export async function guardrailsInForce(db: Queryable): Promise<(product: Product, ruleId: string) => Shown> {
  const code = await modesInForce(db, 'PRODUCT_TYPE_SAST')
  const secrets = await modesInForce(db, 'PRODUCT_TYPE_SECRETS')
  return (product, ruleId) => {
    if (product === 'sca') return 'shown'
    return outcomes[product === 'secrets' ? secrets(ruleId) : code(ruleId)]
  }
}
