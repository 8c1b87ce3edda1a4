import { isoMinute } from '../../../kernel/time/iso-minute.ts'
import type { Malice, Question, Verdict, VerdictRule } from '../verdicts/verdict.ts'
import type { ExceptionTable, GrantedException } from './exception-table.ts'

/** What says that too little is known: whoever approved an exception did not approve that. */
const unknowing: ReadonlySet<VerdictRule> = new Set([
  'no_advisories',
  'missing_feed',
  'old_advisories',
  'unknown_facts',
])

/** What an exception never lifts, however long whoever asked for it waits. */
const hopeless: ReadonlySet<VerdictRule> = new Set([
  'malicious',
  'private_name',
  'no_advisories',
  'missing_feed',
  'old_advisories',
])

/** Whether it is worth asking. What its registry did not say it may say the next time. */
export function mayBeLifted(rule: VerdictRule): boolean {
  return !hopeless.has(rule)
}

/**
 * The verdict with the exceptions of the deployment: one lifts whatever refuses a version, but never known malware, never what is
 * refused because too little is known, and of denying overrides only those that it was approved over.
 */
export function liftRefusal(
  verdict: Verdict,
  exceptions: ExceptionTable,
  { ecosystem, name, version, personId }: Question,
  maliceOf: () => Malice,
  now: Date,
): Verdict {
  if (!verdict.refuse || verdict.rule === 'malicious' || unknowing.has(verdict.rule)) return verdict
  const lifting = exceptions.covering(ecosystem, name, version, personId, now).find((each) => lifts(each, verdict))
  if (!lifting || maliceOf().advisoryIds.length > 0) return verdict
  const reason = `Allowed until ${isoMinute(lifting.expiresAt)} by exception ${lifting.id}: ${lifting.reason}`
  return { ...verdict, decision: 'allow', refuse: false, rule: 'allowed', reason, advisoryIds: [] }
}

/** Whether a package that is refused as a whole has versions that an exception lets this person have. */
export function opensName(
  verdict: Verdict,
  exceptions: ExceptionTable,
  { ecosystem, name, personId }: Omit<Question, 'version'>,
  now: Date,
): boolean {
  if (verdict.rule === 'malicious') return false
  return exceptions.inForce(ecosystem, name, personId, now).some((each) => lifts(each, verdict))
}

function lifts(exception: GrantedException, { rule, advisoryIds }: Verdict): boolean {
  return rule !== 'denied' || advisoryIds.every((id) => exception.lifts.includes(id))
}
