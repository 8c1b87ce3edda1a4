import { plainFacts, type ReleaseFacts, type ReleaseSignal } from '../../capabilities/firewall/rules/release-facts.ts'
import { pypi } from '../../ecosystems/pypi/ecosystem.ts'
import { comparedReleases, type DatedRelease, historySignals, settledBefore } from '../release-history.ts'

type File = {
  filename: string
  version: string
  yanked: string | undefined
  size: number | undefined
  uploadedAt: Date | undefined
  isAttested: boolean
}
type Release = DatedRelease & { hasWheel: boolean }

/** What an index says of each version of a project, by the version as its files write it. */
export function projectFacts(files: readonly File[]): Map<string, ReleaseFacts> {
  const byVersion = Map.groupBy(files, ({ version }) => version)
  const history = [...byVersion].flatMap(([version, own]) => releaseOf(version, own))
  history.sort((a, b) => a.at - b.at || pypi.compare(a.version, b.version))
  const placeOf = new Map(history.map(({ version }, at) => [version, at]))
  const facts = new Map<string, ReleaseFacts>()
  for (const [version, own] of byVersion) {
    const at = placeOf.get(version)
    const isCompared = at !== undefined && at > 0 && at >= history.length - comparedReleases
    const signals = isCompared ? [...sourceOnly(history, at), ...historySignals(history, at)] : plainFacts.signals
    const before = isCompared ? { before: comparedWith(history, at) } : {}
    facts.set(version, { ...ownFacts(own), ...(history[0] && { bornAt: history[0].at }), ...before, signals })
  }
  return facts
}

/** Installing what has no wheel runs its build script. */
function ownFacts(files: readonly File[]): Omit<ReleaseFacts, 'signals'> {
  const isYanked = files.every(({ yanked }) => yanked !== undefined)
  return {
    ...(!files.some(isWheel) && { installScript: 'setup.py, because it has no wheel' }),
    ...(isYanked && { deprecated: files[0]!.yanked ?? '' }),
  }
}

const ofSource = new WeakMap<ReleaseFacts, ReleaseFacts>()

/** The same of a source archive of the version: pip builds it where no wheel fits, so a wheel for another machine says nothing. */
export function sourceFacts(facts: ReleaseFacts): ReleaseFacts {
  if (facts.installScript !== undefined) return facts
  const known = ofSource.get(facts) ?? { ...facts, installScript: 'the build of its source archive' }
  ofSource.set(facts, known)
  return known
}

function releaseOf(version: string, files: readonly File[]): Release[] {
  const times = files.flatMap(({ uploadedAt }) => uploadedAt?.getTime() ?? [])
  if (times.length === 0) return []
  // Wheels for many platforms make a release no larger.
  const sizes = files.flatMap(({ size }) => size ?? [])
  const size = sizes.length > 0 ? Math.max(...sizes) : undefined
  const trust = files.some(({ isAttested }) => isAttested) ? 1 : 0
  return [{ version, at: Math.min(...times), size, trust, hasWheel: files.some(isWheel) }]
}

/** The latest that was out a week before it, and the greatest lower version of those: a branch is compared with itself too. */
function comparedWith(history: readonly Release[], at: number): string[] {
  const { version } = history[at]!
  const earlier = settledBefore(history, at)
  const lower = earlier.filter((one) => pypi.compare(one.version, version) < 0)
  const closest = lower.reduce<Release | undefined>(
    (best, one) => (best && pypi.compare(best.version, one.version) >= 0 ? best : one),
    undefined,
  )
  return [...new Set([earlier.at(-1)!.version, ...(closest ? [closest.version] : [])])]
}

function sourceOnly(history: readonly Release[], at: number): ReleaseSignal[] {
  const [before, release] = [settledBefore(history, at).at(-1)!, history[at]!]
  if (release.hasWheel || !before.hasWheel) return []
  return [{ signal: 'source_only', because: `It has no wheel, which ${before.version} had` }]
}

function isWheel({ filename }: File): boolean {
  return filename.endsWith('.whl')
}
