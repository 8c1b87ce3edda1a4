import sql, { type Sql } from 'sql-template-tag'
import * as codes from '../../../domain/finding-codes.ts'
import { isSuppressed } from '../../../formats/sarif/classify/suppression.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import type { Content } from '../ingest/pack.ts'
import { causeOf } from './lifecycle.ts'
import { type Transition, transition } from './transition-store.ts'

/** Which memory a finding is to be ignored by; `without`, where it is by none any more. */
export type MemoryDecision = { id: number; memoryId: number; without: WithoutMemory | null }

/** What tells where a finding would stand if no memory had come. */
type WithoutMemory = {
  product: number
  reachability: number
  validity: number
  verdict: number
  suppressions: Content['suppressions']
  former: number
}

/** Findings of a stream: by their ids, and new ones, whose ids are not known yet, by their fingerprints. */
export type ObservedFindings = { streamId: number; ids: readonly number[]; fingerprints: readonly string[] }

/**
 * What memories do about findings that nobody with more say has decided, nobody calls fixed, and whose repository is held.
 * Answers when it is sent; the end of the transaction waits for it.
 */
export type ApplyMemories = ((
  tx: Transaction,
  observed: ObservedFindings & { scanId: number; at?: Date | undefined },
) => Promise<void>) & {
  /** Whether there are any for a repository, which is held: without, they need not be asked. */
  areInForce(tx: Transaction, repositoryId: number): Promise<boolean>
}

type About = { scanId: number; at?: Date | undefined }

const memory = codes.decider.code('memory')
const provisionallyIgnored = codes.state.code('provisionally-ignored')
const reopened = codes.state.code('reopened')

/** Answers how many of those that no memory ignores any more are of concern again, and when all is `written`. */
export function applyMemoryDecisions(
  tx: Transaction,
  decisions: readonly MemoryDecision[],
  about: About,
): { returned: number; written: Promise<unknown> } {
  const taken: Transition[] = []
  const given: Transition[] = []
  for (const { id, memoryId, without } of decisions) {
    if (without) given.push({ id, ...stateWithout(without) })
    else taken.push({ id, state: provisionallyIgnored, reason: 0, decidedBy: memory, deciderId: memoryId })
  }
  const written = Promise.all([
    transition(tx, taken, { ...about, note: '' }),
    transition(tx, given, { ...about, note: 'No memory covers it any more.' }),
  ])
  // Whoever ends the transaction hears of it.
  written.catch(() => {})
  return { returned: given.filter((one) => one.state < provisionallyIgnored).length, written }
}

/** Of the finding with the id of `astray`: what it is now and, by its history, what it was when the first memory came. */
export function withoutMemory(deploymentId: number): Sql {
  return sql`(select jsonb_build_object('product', f.product, 'reachability', f.reachability, 'validity', f.validity,
      'verdict', f.verdict, 'suppressions', f.content->'suppressions', 'former', (
        select h.from_state from finding_history h where h.deployment_id = ${deploymentId} and h.finding_id = f.id
          and h.seq > coalesce((select max(other.seq) from finding_history other where other.deployment_id = ${deploymentId}
            and other.finding_id = f.id and other.decided_by <> ${memory}), 0)
          order by h.seq limit 1))
    from finding f where f.deployment_id = ${deploymentId} and f.id = astray.id)`
}

/** By the signs it has now, else as it stood when the first memory came. */
function stateWithout({ product, suppressions, verdict, validity, reachability, former }: WithoutMemory) {
  const cause = causeOf({
    product: codes.product.word(product),
    suppressed: isSuppressed(suppressions),
    verdict: codes.verdict.word(verdict),
    validity: codes.validity.word(validity),
    reachability: codes.reachability.word(reachability),
  })
  const state = cause ? 'provisionally-ignored' : former === reopened ? 'reopened' : 'open'
  return {
    state: codes.state.code(state),
    reason: 0,
    decidedBy: codes.decider.code(cause ? 'rule' : 'observation'),
    deciderId: codes.cause.code(cause),
  }
}
