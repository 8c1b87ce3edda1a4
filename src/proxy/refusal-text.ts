import type { Verdict } from '../capabilities/firewall/verdicts/verdict.ts'

type Named = { name: string; version: string }

/** In place of a version, where a package is refused as a whole. */
export const everyVersion = '*'

/** So much of the reason that the advice after it is not cut off: clients print one line. */
const longestReason = 300

/** What, why, by which advisory, and how to get on. */
export function refusalText({ name, version }: Named, verdict: Verdict, more: string, advice: string): string {
  const what = version === everyVersion ? `every version of ${name}` : `${name}@${version}`
  return [`Gatehouse refuses ${what}: ${whyOf(verdict)}`, more, advice].filter(Boolean).join(' ')
}

/** Of several versions, with the reason of one of them: whoever reads it may have wanted another. */
export function severalText({ name, version }: Named, verdict: Verdict, count: number, advice: string): string {
  return `Gatehouse refuses ${count} versions of ${name}, for example ${version}: ${whyOf(verdict)} ${advice}`
}

function whyOf({ reason: whole, advisoryIds }: Verdict): string {
  const reason = whole.length > longestReason ? `${whole.slice(0, longestReason - 1).toWellFormed()}…` : whole
  const unsaid = advisoryIds.filter((id) => !reason.includes(id)).slice(0, 3)
  const advisories = unsaid.length > 0 ? ` (${unsaid.join(', ')})` : ''
  return `${reason.replace(/\.$/, '')}${advisories}.`
}
