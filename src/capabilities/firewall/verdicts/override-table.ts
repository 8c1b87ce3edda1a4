import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'
import { comparedPattern, coversName } from '../patterns/name-pattern.ts'
import {
  type AskedVersion,
  askedVersion,
  coversVersion,
  includesVersion,
  namesBuild,
  type VersionPattern,
  versionPattern,
} from '../patterns/version-pattern.ts'

export type Override = {
  id: number
  ecosystem: EcosystemId
  /** A name, or the beginning of one and a star. */
  name: string
  effect: 'allow' | 'deny'
  /** A version or a range; '' for every version. */
  version: string
  reason: string
  expiresAt: Date | null
}

type ParsedOverride = Override & { versions: VersionPattern }
/** By the beginning of names, and how long the beginnings are, the longest first. */
type Starts = { byStart: Map<string, Ranked[]>; lengths: number[] }
type Ranked = { parsed: ParsedOverride; strength: number }

export type OverrideTable = ReturnType<typeof createOverrideTable>

const versionRank = { exact: 2, range: 1, every: 0 }
/** Of the builds of a version, the one itself. */
const buildRank = 3

/**
 * What people of a deployment decided about packages. The one that says most of the name counts: the name itself, then the
 * longest beginning of it. Of those, the one that says most of the version: the version itself, then a range, then every
 * version. Between two that say as much, deny wins.
 */
export function createOverrideTable(overrides: readonly Override[]) {
  const exact = new Map<string, ParsedOverride[]>()
  const starts = new Map<EcosystemId, Starts>()
  for (const override of overrides) {
    const { ecosystem, name } = override
    const pattern = comparedPattern(ecosystem, name)
    for (const parsed of parsedOf(override)) {
      if ('exact' in pattern) push(exact, `${ecosystem}\n${pattern.exact}`, parsed)
      else for (const start of pattern.starts) addStart(starts, start, { parsed, strength: pattern.strength })
    }
  }
  for (const { lengths } of starts.values()) lengths.sort((a, b) => b - a)

  /** The one that is in force for a version, if any. */
  function find(ecosystem: EcosystemId, name: string, version: string, now: Date): Override | undefined {
    if (overrides.length === 0) return undefined
    const compared = ecosystems[ecosystem].comparedName(name)
    const own = exact.get(`${ecosystem}\n${compared}`)
    const beginning = starts.get(ecosystem)
    if (!own && !beginning) return undefined
    const asked = askedVersion(ecosystem, version)
    const counts = (parsed: ParsedOverride) => (!parsed.expiresAt || parsed.expiresAt > now) && covers(parsed, asked)
    return strongest(own?.filter(counts), asked) ?? (beginning && byBeginning(beginning, compared, counts, asked))
  }

  /** What is said of every version alike: a deny, or nothing. `isOpen` where some version is allowed. */
  function findWhole(ecosystem: EcosystemId, name: string, now: Date): { denied?: Override; isOpen: boolean } {
    if (overrides.length === 0) return { isOpen: false }
    const compared = ecosystems[ecosystem].comparedName(name)
    const own = (exact.get(`${ecosystem}\n${compared}`) ?? []).map((parsed) => ({
      parsed,
      strength: Number.POSITIVE_INFINITY,
    }))
    const { byStart, lengths } = starts.get(ecosystem) ?? { byStart: new Map<string, Ranked[]>(), lengths: [] }
    const beginning = lengths.flatMap((length) => byStart.get(compared.slice(0, length)) ?? [])
    const live = [...own, ...beginning].filter(
      ({ parsed: { name: pattern, expiresAt } }) =>
        (!expiresAt || expiresAt > now) && coversName(comparedPattern(ecosystem, pattern), compared),
    )
    // From the strongest down: whoever comes first has the say for the versions that it covers.
    for (const [, level] of [...Map.groupBy(live, ({ strength }) => strength)].sort(([a], [b]) => b - a)) {
      if (level.some(({ parsed }) => parsed.effect === 'allow')) return { isOpen: true }
      const whole = level.find(({ parsed }) => parsed.versions.kind === 'every')
      if (whole) return { denied: whole.parsed, isOpen: false }
    }
    return { isOpen: false }
  }

  return { find, findWhole, all: overrides }
}

/** A deny of a version is about its builds as well, as a range is: an allow that names one of them says more of it. */
function parsedOf(override: Override): ParsedOverride[] {
  const { ecosystem, version, effect } = override
  const parsed = { ...override, versions: versionPattern(ecosystem, version) }
  const builds = versionPattern(ecosystem, version, 'with its builds')
  if (effect === 'allow' || builds.kind === 'every') return [parsed]
  return [parsed, { ...override, versions: { ...builds, kind: 'range' } }]
}

/** A deny counts by either reading of a build; to allow it takes its version, or itself. */
function covers({ versions, effect }: ParsedOverride, asked: AskedVersion): boolean {
  return includesVersion(versions, asked) || (effect === 'deny' && coversVersion(versions, asked.own))
}

function byBeginning(
  { byStart, lengths }: Starts,
  name: string,
  counts: (parsed: ParsedOverride) => boolean,
  asked: AskedVersion,
): Override | undefined {
  let best: Ranked[] = []
  for (const length of lengths) {
    if (length > name.length) continue
    for (const ranked of byStart.get(name.slice(0, length)) ?? []) {
      if (!counts(ranked.parsed)) continue
      const most = best[0]?.strength ?? -1
      if (ranked.strength > most) best = [ranked]
      else if (ranked.strength === most) best.push(ranked)
    }
  }
  return strongest(
    best.map(({ parsed }) => parsed),
    asked,
  )
}

function strongest(among: readonly ParsedOverride[] = [], asked: AskedVersion): Override | undefined {
  const rank = ({ versions, effect }: ParsedOverride) =>
    (namesBuild(versions, asked) ? buildRank : versionRank[versions.kind]) * 2 + (effect === 'deny' ? 1 : 0)
  return among.reduce<ParsedOverride | undefined>(
    (best, parsed) => (best && rank(best) >= rank(parsed) ? best : parsed),
    undefined,
  )
}

function addStart(starts: Map<EcosystemId, Starts>, start: string, ranked: Ranked): void {
  const { ecosystem } = ranked.parsed
  const known: Starts = starts.get(ecosystem) ?? { byStart: new Map(), lengths: [] }
  starts.set(ecosystem, known)
  push(known.byStart, start, ranked)
  if (!known.lengths.includes(start.length)) known.lengths.push(start.length)
}

function push<Value>(map: Map<string, Value[]>, key: string, value: Value): void {
  const values = map.get(key)
  if (values) values.push(value)
  else map.set(key, [value])
}
