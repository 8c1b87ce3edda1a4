import sql from 'sql-template-tag'
import * as codes from '../../../domain/finding-codes.ts'
import { isSuppressed } from '../../../formats/sarif/classify/suppression.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import type { Content } from '../ingest/pack.ts'
import { causeOf } from './lifecycle.ts'
import { type Transition, transition } from './transition-store.ts'

/** Which memory a finding is ignored by; 0: by none any more. */
export type MemoryDecision = { id: number; memoryId: number }

/** What memories do about findings that nobody with more say has decided, nobody calls fixed, and whose repository is held. */
export type ApplyMemories = ((
  tx: Transaction,
  observed: { scanId: number; at?: Date | undefined; findingIds: readonly number[] },
) => Promise<void>) & {
  /** Whether there are any for a repository, which is held: without, they need not be asked. */
  areInForce(tx: Transaction, repositoryId: number): Promise<boolean>
}

type About = { scanId: number; at?: Date | undefined }

const memory = codes.decider.code('memory')
const provisionallyIgnored = codes.state.code('provisionally-ignored')
const reopened = codes.state.code('reopened')

/** Answers how many of those that no memory ignores any more are of concern again. */
export async function applyMemoryDecisions(
  tx: Transaction,
  holdings: readonly MemoryDecision[],
  about: About,
): Promise<number> {
  const taken = holdings
    .filter((one) => one.memoryId > 0)
    .map(({ id, memoryId }) => ({
      id,
      state: provisionallyIgnored,
      reason: 0,
      decidedBy: memory,
      deciderId: memoryId,
    }))
  await transition(tx, taken, { ...about, note: '' })
  const left = holdings.filter((one) => one.memoryId === 0).map(({ id }) => id)
  if (left.length === 0) return 0
  const given = await withoutMemory(tx, left)
  await transition(tx, given, { ...about, note: 'No memory covers it any more.' })
  return given.filter((one) => one.state < provisionallyIgnored).length
}

type DecidedRow = {
  id: number
  product: number
  reachability: number
  validity: number
  verdict: number
  suppressions: Content['suppressions']
  former: number
}

/** Where findings would stand if no memory had come: by the signs they have now, else as they stood when the first came. */
async function withoutMemory(tx: Transaction, ids: readonly number[]): Promise<Transition[]> {
  const rows = await tx.query<DecidedRow>(sql`select f.id, f.product, f.reachability, f.validity, f.verdict,
      f.content->'suppressions' as suppressions,
      (select h.from_state from finding_history h where h.deployment_id = f.deployment_id and h.finding_id = f.id
        and h.seq > coalesce((select max(other.seq) from finding_history other where other.deployment_id = f.deployment_id
          and other.finding_id = f.id and other.decided_by <> ${memory}), 0)
        order by h.seq limit 1) as former
    from finding f where f.deployment_id = ${tx.deploymentId} and f.id = any(${ids}::bigint[])`)
  return rows.map((row) => {
    const cause = causeOf({
      product: codes.product.word(row.product),
      suppressed: isSuppressed(row.suppressions),
      verdict: codes.verdict.word(row.verdict),
      validity: codes.validity.word(row.validity),
      reachability: codes.reachability.word(row.reachability),
    })
    const state = cause ? 'provisionally-ignored' : row.former === reopened ? 'reopened' : 'open'
    return {
      id: row.id,
      state: codes.state.code(state),
      reason: 0,
      decidedBy: codes.decider.code(cause ? 'rule' : 'observation'),
      deciderId: codes.cause.code(cause),
    }
  })
}
