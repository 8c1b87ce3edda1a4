import { createHash } from 'node:crypto'
import type { EcosystemId } from '../../../ecosystems/ecosystem.ts'
import { ecosystems } from '../../../ecosystems/registry.ts'
import { observe } from '../../findings/public.ts'
import type { PathTo } from '../../inventory/public.ts'
import { groupAliases, idsOf, lastingId } from '../feeds/aliases.ts'
import { severityWord } from '../feeds/codes.ts'
import { fixAdvice } from './fix-advice.ts'
import type { Hit, Told } from './match-store.ts'

/**
 * `fingerprintAt`: what it would be known by if the package stood in another file. `fingerprintBy`: the same if the vulnerability had
 * this id.
 */
export type VulnerabilityObservation = ReturnType<typeof observe> & {
  fingerprintAt: (path: string) => string
  fingerprintBy: (id: string) => string
}

const mostIds = 50
const mostCwes = 20
const mostVersionsTold = 5

/** One finding for each vulnerability of each package in each file, whatever number of its versions and of records it has. */
export function observations(hits: readonly Hit[], wayTo: PathTo): VulnerabilityObservation[] {
  const places = Map.groupBy(hits, ({ path, ecosystem, name }) => JSON.stringify([path, ecosystem, name]))
  return [...places.values()].flatMap((there) => {
    const records = new Map(there.map((hit) => [hit.vulnerabilityId, hit.record]))
    return groupAliases([...records.values()]).map((group) => {
      const ids = new Set(group.map((record) => record.id))
      return observation(
        there.filter((hit) => ids.has(hit.vulnerabilityId)),
        group,
        wayTo,
      )
    })
  })
}

function observation(hits: readonly Hit[], group: readonly Told[], wayTo: PathTo): VulnerabilityObservation {
  const entries = [...new Map(hits.map((hit) => [hit.ordinal, hit])).values()]
  entries.sort((a, b) => Buffer.compare(a.orderKey, b.orderKey) || a.ordinal - b.ordinal)
  const [first] = entries as [Hit, ...Hit[]]
  const ids = idsOf(group)
  const lead = leadOf(group)
  const summary = lead.summary || `Vulnerability in ${first.shownName}`
  const direct = entries.find((entry) => entry.transitivity === 'D')
  const way = direct ? [] : wayTo(first)
  const fixedVersion = fixedVersionOf(hits)
  const id = lastingId(group)
  const told = observe({
    fingerprint: identity(first, id),
    ruleId: ids[0]!,
    title: summary,
    message: [
      `${first.shownName} ${versionsTold(entries)} is affected by ${ids.slice(0, 3).join(', ')}: ${summary.replace(/\.$/, '')}.`,
      fixAdvice(fixedVersion === '' ? [] : [fixedVersion]),
      standing(first, direct, way),
    ].join(' '),
    product: 'sca',
    severity: severityWord(lead.severity),
    reachability: 'unknown',
    cwes: [...new Set(group.flatMap((record) => record.cwes))].slice(0, mostCwes),
    vulnerabilityIds: ids.slice(0, mostIds),
    dependency: { name: first.shownName, version: first.version, ecosystem: first.ecosystem as EcosystemId },
    fixedVersion,
    transitivity: direct ? 'direct' : first.transitivity === 'T' || way.length > 1 ? 'transitive' : '',
    logicalLocations: [...way],
    locations: entries.map(({ path, line }) => ({
      path,
      startLine: line,
      startColumn: 0,
      endLine: 0,
      endColumn: 0,
      snippet: '',
    })),
  })
  return {
    ...told,
    fingerprintAt: (path) => identity({ ...first, path }, id),
    fingerprintBy: (other) => identity(first, other),
  }
}

/** Survives other versions that are affected too, moved lines, and new names for the same vulnerability. */
function identity({ path, ecosystem, name }: Hit, id: string): string {
  const parts = JSON.stringify([path, ecosystem, name, id])
  return createHash('sha256').update(parts).digest('base64url').slice(0, 27)
}

/** A vector says more than a word, and of several the worst counts. */
export function leadOf(group: readonly Told[]): Told {
  const [lead] = [...group].sort(
    (a, b) =>
      b.severitySource - a.severitySource ||
      b.severity - a.severity ||
      Number(b.summary !== '') - Number(a.summary !== '') ||
      (a.externalId < b.externalId ? -1 : 1),
  )
  return lead!
}

function versionsTold(entries: readonly Hit[]): string {
  const versions = [...new Set(entries.map((entry) => entry.version))]
  const more = versions.length - mostVersionsTold
  return versions.slice(0, mostVersionsTold).join(', ') + (more > 0 ? ` and ${more} more versions` : '')
}

/** For each entry the first version that all its records call free of it; where they differ, the later one. */
function fixedVersionOf(hits: readonly Hit[]): string {
  const targets = new Map<string, string>()
  for (const entry of Map.groupBy(hits, (hit) => hit.ordinal).values()) {
    const { compare } = ecosystems[entry[0]!.ecosystem as EcosystemId]
    // A record may name the version in two overlapping ranges: only what ends them all helps.
    const fixed = entry.map((hit) => hit.fixed)
    const latest = fixed.includes('') ? '' : fixed.sort(compare).at(-1)!
    if (latest !== '') targets.set(entry[0]!.version, latest)
  }
  return [...new Set(targets.values())].join(' or ')
}

function standing({ transitivity }: Hit, direct: Hit | undefined, way: readonly string[]): string {
  if (direct) return 'It is a direct dependency.'
  if (way.length > 1) return `It comes in by ${way.slice(0, -1).join(' > ')}.`
  return transitivity === 'T' ? 'It is a transitive dependency.' : 'The file does not say what brings it in.'
}
