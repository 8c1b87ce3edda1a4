import type { ReleaseSignal } from '../capabilities/firewall/rules/release-facts.ts'

/** A release among those of its package, as far as any registry tells. */
export type DatedRelease = {
  version: string
  at: number
  /** Bytes, where the registry says it. */
  size: number | undefined
  /** How well it proves where it comes from: 0 not at all. */
  trust: number
}

/** Signals are told of this many releases, the latest: what is older was looked at by the whole world. */
export const comparedReleases = 100
const dayMs = 86_400_000
/** What comes out within this time of each other comes out at once. */
export const burstMs = 3_600_000
const silenceDays = 365
/** Those before it that a release is compared with: more than one, because releases of two branches take turns. */
const lookedBack = 5
const growth = 3
const growthBytes = 512 * 1024
const burstReleases = 3
/** An attack often has several versions within minutes: what the first of them gained, the others have gained too. */
const settledDays = 7
const trustWords = ['', 'provenance', 'a trusted publisher']

/** What is unusual about a release among those before it. `history` is by time, and `at` the place of the release in it. */
export function historySignals(history: readonly DatedRelease[], at: number): ReleaseSignal[] {
  const release = history[at]!
  const before = settledBefore(history, at).slice(-lookedBack)
  return [
    ...trustLost(release, before),
    ...longSilence(release, history[at - 1]),
    ...suddenSize(release, before),
    ...(isStable(release.version) ? inTheSameHour(release, history) : []),
  ]
}

/** The releases that one is compared with: those that were out for a week when it came; where there are none, all before it. */
export function settledBefore<T extends DatedRelease>(history: readonly T[], at: number): readonly T[] {
  const settled = history.slice(0, at).filter((one) => one.at <= history[at]!.at - settledDays * dayMs)
  return settled.length > 0 ? settled : history.slice(0, at)
}

/** Its presence is no pass: three waves of attacks came with valid provenance. Its loss means that another way was taken. */
function trustLost({ trust }: DatedRelease, before: readonly DatedRelease[]): ReleaseSignal[] {
  const best = before.reduce<DatedRelease | undefined>(
    (most, one) => (one.trust > (most?.trust ?? 0) ? one : most),
    undefined,
  )
  if (!best || trust >= best.trust) return []
  const because = `It was published without ${trustWords[best.trust]}, which ${best.version} had`
  return [{ signal: 'trust_lost', because }]
}

function longSilence({ at }: DatedRelease, last: DatedRelease | undefined): ReleaseSignal[] {
  const days = last ? Math.floor((at - last.at) / dayMs) : 0
  if (days <= silenceDays) return []
  return [{ signal: 'long_silence', because: `It is the first release for ${days} days` }]
}

function suddenSize({ size }: DatedRelease, before: readonly DatedRelease[]): ReleaseSignal[] {
  const sizes = before.flatMap((one) => (one.size === undefined ? [] : [one.size]))
  const most = Math.max(...sizes)
  if (size === undefined || sizes.length === 0 || size < most * growth || size - most < growthBytes) return []
  const because = `It is ${kibibytes(size)} KiB large, the releases before it at most ${kibibytes(most)} KiB`
  return [{ signal: 'sudden_size', because }]
}

function inTheSameHour({ version, at }: DatedRelease, history: readonly DatedRelease[]): ReleaseSignal[] {
  const near = history.filter((one) => Math.abs(one.at - at) <= burstMs && isStable(one.version))
  const other = near.find((one) => majorOf(one.version) !== majorOf(version))
  const signals: ReleaseSignal[] = []
  if (other)
    signals.push({
      signal: 'two_majors',
      because: `${other.version}, of another major version, came out within the same hour`,
    })
  // A fix for several branches is one version of each.
  const branch = near.filter((one) => majorOf(one.version) === majorOf(version))
  if (branch.length >= burstReleases)
    signals.push({ signal: 'burst', because: `${branch.length} versions of it came out within the same hour` })
  return signals
}

function majorOf(version: string): string {
  return /^v?(\d+)/.exec(version)?.[1] ?? ''
}

/** Nightly builds and release candidates come out as their makers please. */
function isStable(version: string): boolean {
  return /^v?\d+(\.\d+)*$/.test(version.split('+')[0]!)
}

function kibibytes(bytes: number): string {
  return Math.round(bytes / 1024).toLocaleString('en')
}
