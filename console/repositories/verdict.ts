import { utcDay } from '../ui/text/time.ts'
import { list, plural } from '../ui/text/words.ts'

type Receipt = { blocked: boolean; blockedBy: readonly { name: string }[]; blockedByRules: readonly string[] }
type Finding = { ruleId: string; triageState: string }

/** States of findings that block nothing any more. */
export const settled: readonly string[] = ['TRIAGE_STATE_FIXED', 'TRIAGE_STATE_IGNORED', 'TRIAGE_STATE_ENDED']

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
  const open = findings.filter(
    (each) => receipt.blockedByRules.includes(each.ruleId) && !settled.includes(each.triageState),
  )
  const reasons: string[] = []
  if (receipt.blockedByRules.length > 0) {
    const rules = receipt.blockedByRules.length === 1 ? 'rule' : 'rules'
    const verb = receipt.blockedByRules.length === 1 ? 'is' : 'are'
    const found = open.length > 0 ? `${plural(open.length, 'finding')}: ` : ''
    const lasting = since ? ` since ${utcDay(since)}` : ''
    reasons.push(`${found}${rules} ${list(receipt.blockedByRules)} ${verb} in block mode${lasting}`)
  }
  if (receipt.blockedBy.length > 0) {
    reasons.push(
      `${receipt.blockedBy.length === 1 ? 'automation' : 'automations'} ${list(receipt.blockedBy.map((each) => each.name))}`,
    )
  }
  return `Blocked by ${list(reasons) || 'a policy'}.`
}
