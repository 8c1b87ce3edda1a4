export type StripVersion = { version: string; repositoryCount: number; severity: string | null }
export type Advisory = { id: string; versions: readonly string[] }
/** From which to which of the versions shown, both included. */
export type Lane = { id: string; spans: [from: number, to: number][] }

const mostVersions = 60
const mostLanes = 12

/** The latest, where there are too many to tell apart. */
export function shownVersions(versions: readonly StripVersion[]): { shown: readonly StripVersion[]; hidden: number } {
  const shown = versions.slice(-mostVersions)
  return { shown, hidden: versions.length - shown.length }
}

/** For each advisory the stretches of versions in use that it names; what it does not name in between parts them. */
export function lanesOf(shown: readonly StripVersion[], advisories: readonly Advisory[]): Lane[] {
  const lanes = advisories.map(({ id, versions }) => {
    const named = new Set(versions)
    const spans: Lane['spans'] = []
    for (const [index, { version }] of shown.entries()) {
      if (!named.has(version)) continue
      const last = spans.at(-1)
      if (last && last[1] === index - 1) last[1] = index
      else spans.push([index, index])
    }
    return { id, spans }
  })
  return lanes.filter(({ spans }) => spans.length > 0).slice(0, mostLanes)
}
