import type { ReleaseFacts, SignalName } from '../../src/capabilities/firewall/rules/release-facts.ts'
import type { Rule } from '../../src/capabilities/firewall/rules/rule.ts'
import { createRuleList } from '../../src/capabilities/firewall/rules/rule-list.ts'
import { youngDependency } from '../../src/proxy/npm/gained-dependencies.ts'
import { packumentFacts } from '../../src/proxy/npm/release-facts.ts'
import { projectFacts } from '../../src/proxy/pypi/release-facts.ts'
import type { RecordedNpmPackage, RecordedPypiRelease, RecordedReleases } from './recorded-releases.ts'

/** A release that nobody complained about, and what the rules would have done with it on the day it came out. */
export type JudgedRelease = {
  ecosystem: 'npm' | 'pypi'
  name: string
  version: string
  signals: readonly SignalName[]
  /** By a rule that is not about age alone, and for so long. */
  heldHours: number
  because: string
}

const minuteMs = 60_000

/** Every recorded release since `judgedSince`, judged a minute after it came out. */
export async function judgeOrdinary(recorded: RecordedReleases, rules: readonly Rule[]): Promise<JudgedRelease[]> {
  // Every release is held while it is younger than a day: that is not what is counted.
  const list = createRuleList(rules.filter(({ condition }) => condition !== 'younger_than'))
  const judged: JudgedRelease[] = []
  const judge = (ecosystem: 'npm' | 'pypi', name: string, version: string, at: Date, facts: ReleaseFacts) => {
    const now = new Date(at.getTime() + minuteMs)
    const { refused } = list.decide({ ecosystem, name, version, publishedAt: at, facts, inUse: nothingInUse }, now)
    const rule = rules.find(({ id }) => id === refused?.ruleId)
    judged.push({
      ecosystem,
      name,
      version,
      signals: facts.signals.map(({ signal }) => signal),
      heldHours: refused ? (rule?.holdHours ?? Number.POSITIVE_INFINITY) : 0,
      because: refused?.reason ?? '',
    })
  }
  const since = Date.parse(recorded.judgedSince)
  for (const [name, one] of Object.entries(recorded.npm)) {
    const all = await npmFacts(one, recorded.born)
    for (const { version, at, facts } of all) if (at.getTime() >= since) judge('npm', name, version, at, facts)
  }
  for (const [name, releases] of Object.entries(recorded.pypi)) {
    const facts = projectFacts(releases.map(fileOf))
    for (const [version, time] of releases) {
      const at = new Date(time)
      if (at.getTime() >= since) judge('pypi', name, version, at, facts.get(version)!)
    }
  }
  return judged
}

const nothingInUse = { given: new Set<string>(), present: new Set<string>() }

async function npmFacts({ sets, releases }: RecordedNpmPackage, born: Record<string, string>) {
  const versions = Object.fromEntries(
    releases.map(([version, , set, { script, publisher, trust = 0, unpackedKiB } = {}]) => [
      version,
      {
        dependencies: dependenciesOf(sets[set]!),
        ...(script && (script === 'binding.gyp' ? { gypfile: true } : { scripts: { [script]: 'node script.js' } })),
        ...(publisher !== undefined && {
          _npmUser: { name: `publisher-${publisher}`, ...(trust > 1 && { trustedPublisher: {} }) },
        }),
        dist: {
          ...(unpackedKiB && { unpackedSize: unpackedKiB * 1024 }),
          ...(trust > 0 && { attestations: { provenance: {} } }),
        },
      },
    ]),
  )
  const time = Object.fromEntries(releases.map(([version, at]) => [version, at]))
  const facts = packumentFacts({ versions, time })
  const bornAt = async (name: string) => (born[name] === undefined ? undefined : Date.parse(born[name]))
  return Promise.all(
    releases.map(async ([version, time]) => {
      const at = new Date(time)
      const own = facts.get(version)!
      const young = await youngDependency(own.gained ?? [], at.getTime(), bornAt)
      return { version, at, facts: { ...own, signals: [...own.signals, ...young] } }
    }),
  )
}

function dependenciesOf(names: readonly string[]): Record<string, string> {
  return Object.fromEntries(
    names.map((each) => {
      const at = each.indexOf('@', 1)
      return at < 0 ? [each, '*'] : [each.slice(0, at), each.slice(at + 1)]
    }),
  )
}

function fileOf([version, at, kib, marks = '']: RecordedPypiRelease) {
  return {
    filename: `project-${version}${marks.includes('s') ? '.tar.gz' : '-py3-none-any.whl'}`,
    version,
    yanked: marks.includes('y') ? '' : undefined,
    size: kib * 1024,
    uploadedAt: new Date(at),
    isAttested: false,
  }
}
