import { utcDay } from '../ui/text/time.ts'
import { list, plural } from '../ui/text/words.ts'

type Receipt = {
  blocked: boolean
  blockedBy: readonly { name: string }[]
  blockedByRules: readonly string[]
  blockingFindings: readonly { id: string; because: readonly string[] }[]
  blockingFindingCount: number
}
type Finding = { id: string; ruleId: string; triageState: string }

/** States of findings that block nothing any more. */
const settled: readonly string[] = ['TRIAGE_STATE_FIXED', 'TRIAGE_STATE_IGNORED', 'TRIAGE_STATE_ENDED']

/**
 * What still blocks a pull request, by the id of the finding, with the reasons; and how many more its receipt counted, which does
 * not tell of all where there are many. Receipts of before tell of none: there the rules do.
 */
export function blockingOf(receipt: Receipt, findings: readonly Finding[]) {
  const { blockingFindings: told, blockingFindingCount: total, blockedByRules } = receipt
  const because = new Map(told.map((each) => [each.id, each.because]))
  const isWhole = told.length > 0 && told.length === total
  const blocking = findings.flatMap((each) => {
    const byRule = !isWhole && blockedByRules.includes(each.ruleId)
    const reasons = because.get(each.id) ?? (byRule ? [`the policy blocks the rule '${each.ruleId}'`] : undefined)
    return reasons ? [{ ...each, reasons }] : []
  })
  const open = blocking.filter((each) => !settled.includes(each.triageState))
  return {
    reasons: new Map(open.map((each) => [each.id, each.reasons])),
    untold: Math.max(0, total - blocking.length),
  }
}

/** What nobody can tell apart any more. */
export const whyOver = 'It was merged or closed, or not scanned for 30 days.'

type Compared = { baseRef: string; notCompared: readonly string[] }

/** That nobody knows what of a pull request is new, in a sentence; undefined where all of it was compared. */
export function notComparedSentence({ baseRef, notCompared }: Compared): string | undefined {
  if (notCompared.length === 0) return undefined
  const sources = notCompared.map((source) => source.replace(/^sarif:/, ''))
  return `Not compared: its base ${baseRef} had no full scan with ${list(sources)}.`
}

/** Why a pull request is blocked, or that it is not, in a sentence; `since` is of the one rule that blocks it. */
export function verdictSentence(receipt: Receipt, findings: readonly Finding[], since?: string | null): string {
  if (!receipt.blocked) return 'Not blocked.'
  const { reasons: blocking, untold } = blockingOf(receipt, findings)
  const count = blocking.size + untold
  const reasons: string[] = []
  if (receipt.blockedByRules.length > 0) {
    const rules = receipt.blockedByRules.length === 1 ? 'rule' : 'rules'
    const verb = receipt.blockedByRules.length === 1 ? 'is' : 'are'
    const lasting = since ? ` since ${utcDay(since)}` : ''
    reasons.push(`${rules} ${list(receipt.blockedByRules)} ${verb} in block mode${lasting}`)
  }
  if (receipt.blockedBy.length > 0) {
    reasons.push(
      `${receipt.blockedBy.length === 1 ? 'automation' : 'automations'} ${list(receipt.blockedBy.map((each) => each.name))}`,
    )
  }
  const found = count > 0 ? `${plural(count, 'finding')}: ` : ''
  return `Blocked by ${found}${list(reasons) || 'a policy'}.`
}
