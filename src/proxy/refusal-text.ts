import type { Verdict } from '../capabilities/firewall/verdicts/verdict.ts'

/** In place of a version, where a package is refused as a whole. */
export const everyVersion = '*'

/** So much of the reason that the advice after it is not cut off: clients print one line. */
const longestReason = 300

/** What, why, by which advisory, and how to get on. */
export function refusalText(
  { name, version }: { name: string; version: string },
  { reason: whole, advisoryIds }: Verdict,
  more: string,
  advice: string,
): string {
  const reason = whole.length > longestReason ? `${whole.slice(0, longestReason - 1).toWellFormed()}…` : whole
  const unsaid = advisoryIds.filter((id) => !reason.includes(id)).slice(0, 3)
  const advisories = unsaid.length > 0 ? ` (${unsaid.join(', ')})` : ''
  const why = `${reason.replace(/\.$/, '')}${advisories}.`
  const what = version === everyVersion ? `every version of ${name}` : `${name}@${version}`
  return [`Gatehouse refuses ${what}: ${why}`, more, advice].filter(Boolean).join(' ')
}
