import type { OsvRange } from '../../../ecosystems/version-range.ts'

/** What an advisory names, as node-semver writes ranges: `<1.2.6 || >=2.0.0 <2.1.1`. Empty where it gives no range. */
export function vulnerableRange(ranges: readonly OsvRange[], listed: readonly string[]): string {
  const parts = ranges.filter(({ type }) => type !== 'GIT').flatMap(({ events }) => intervalsOf(events))
  // Versions are listed beside the ranges that cover them; clients count in the ranges.
  return [...new Set(parts.length > 0 ? parts : listed)].join(' || ')
}

/** The versions that end its ranges because they are free of it; `<0.0.0` where there are none, as npm's registry has it. */
export function patchedRange(ranges: readonly OsvRange[]): string {
  const fixed = ranges
    .filter(({ type }) => type !== 'GIT')
    .flatMap(({ events }) => events.flatMap((each) => each.fixed ?? []))
  return fixed.length > 0 ? [...new Set(fixed)].map((version) => `>=${version}`).join(' || ') : '<0.0.0'
}

function intervalsOf(events: OsvRange['events']): string[] {
  const parts: string[] = []
  let from: string | undefined
  for (const { introduced, fixed, last_affected: last } of events) {
    if (introduced !== undefined) from ??= introduced
    const to = fixed !== undefined ? `<${fixed}` : last !== undefined ? `<=${last}` : undefined
    if (to === undefined || from === undefined) continue
    parts.push(from === '0' ? to : `>=${from} ${to}`)
    from = undefined
  }
  if (from !== undefined) parts.push(from === '0' ? '*' : `>=${from}`)
  return parts
}
