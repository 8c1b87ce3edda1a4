import type { Verdict } from '../capabilities/firewall/verdicts/verdict.ts'

/** In place of a version, where a package is refused as a whole. */
export const everyVersion = '*'

/** What, why, by which advisory, and whom to ask. */
export function refusalText(
  { name, version }: { name: string; version: string },
  { reason, advisoryIds }: Verdict,
  more = '',
): string {
  const unsaid = advisoryIds.filter((id) => !reason.includes(id)).slice(0, 3)
  const advisories = unsaid.length > 0 ? ` (${unsaid.join(', ')})` : ''
  const why = `${reason.replace(/\.$/, '')}${advisories}.`
  const whom = 'If this is wrong, ask an owner or admin of your Gatehouse deployment for an exception.'
  const what = version === everyVersion ? `every version of ${name}` : `${name}@${version}`
  return [`Gatehouse refuses ${what}: ${why}`, more, whom].filter(Boolean).join(' ')
}
