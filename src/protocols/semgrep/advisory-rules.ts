import { createHash } from 'node:crypto'
import type { EcosystemAdvisory } from '../../capabilities/vulnerabilities/public.ts'
import type { EcosystemId } from '../../ecosystems/ecosystem.ts'
import type { OsvRange } from '../../ecosystems/version-range.ts'
import { advisoryRulePrefix } from '../../formats/semgrep-results/reader.ts'
import type { Definition } from './store.ts'

/** What Semgrep calls an ecosystem, as far as every client knows it, and a language that rules about it are said to be for. */
const namespaces: Partial<Record<EcosystemId, { namespace: string; language: string }>> = {
  npm: { namespace: 'npm', language: 'js' },
  pypi: { namespace: 'pypi', language: 'python' },
  gem: { namespace: 'gem', language: 'ruby' },
  gomod: { namespace: 'gomod', language: 'go' },
  cargo: { namespace: 'cargo', language: 'rust' },
  maven: { namespace: 'maven', language: 'java' },
  composer: { namespace: 'composer', language: 'php' },
  nuget: { namespace: 'nuget', language: 'csharp' },
}

/**
 * Semgrep reads the lockfiles of an ecosystem only if it has a rule about one. These find nothing, and so it reads them all, and
 * tells of their packages, also where no advisory is known.
 */
export const lockfileRules: readonly Definition[] = Object.values(namespaces).map(({ namespace, language }) => ({
  id: `${advisoryRulePrefix}lockfiles.${namespace}`,
  languages: [language],
  severity: 'INFO',
  message: 'Finds nothing: it has the lockfiles read.',
  'r2c-internal-project-depends-on': { namespace, package: 'gatehouse-reads-lockfiles', version: '< 0' },
  metadata: { 'sca-kind': 'upgrade-only', 'sca-schema': 20230302, 'dev.semgrep.actions': [] },
}))

const severities: Record<EcosystemAdvisory['severity'], string> = {
  critical: 'ERROR',
  high: 'ERROR',
  medium: 'WARNING',
  low: 'INFO',
  info: 'INFO',
}

const mostIntervals = 50

/**
 * A rule that finds an advisory in the lockfiles that Semgrep reads, so that whoever runs it sees it. It blocks nothing: that is
 * decided when the packages are here. Undefined where the advisory cannot be said in its words.
 */
export function advisoryRule(advisory: EcosystemAdvisory): Definition | undefined {
  const { ids, name, ecosystem, title, severity, cwes, links } = advisory
  const known = namespaces[ecosystem]
  const intervals = [...advisory.ranges.flatMap(intervalsOf), ...advisory.listed.flatMap(listed)]
  const versions = [...new Set(intervals.map((one) => one.specifier))].slice(0, mostIntervals)
  if (!known || versions.length === 0) return undefined
  const { namespace, language } = known
  const fixed = [...new Set(intervals.flatMap((one) => one.fixed))]
  const entries = versions.map((version) => ({ namespace, package: name, version }))
  const advice = fixed.length > 0 ? `Upgrade to ${fixed.join(' or ')}.` : 'No version without it is known.'
  return {
    id: ruleId(ids[0]!, ecosystem, name),
    languages: [language],
    severity: severities[severity],
    message: `${name} has ${ids.slice(0, 3).join(', ')}: ${(title || 'a known vulnerability').replace(/\.$/, '')}. ${advice}`,
    'r2c-internal-project-depends-on': entries.length === 1 ? entries[0] : { 'depends-on-either': entries },
    metadata: {
      'sca-kind': 'upgrade-only',
      'sca-schema': 20230302,
      'sca-severity': severity.toUpperCase(),
      'sca-vuln-database-identifier': ids[0],
      'sca-fix-versions': fixed.map((version) => ({ [name]: version })),
      'dev.semgrep.actions': [],
      category: 'security',
      cwe: cwes,
      references: links.slice(0, 5),
    },
  }
}

/** No two packages share one, also where letters had to be replaced. */
function ruleId(id: string, ecosystem: string, name: string): string {
  const plain = name.replace(/[^A-Za-z0-9._-]/g, '-')
  const told = plain === name ? plain : `${plain}-${createHash('sha256').update(name).digest('hex').slice(0, 6)}`
  return `${advisoryRulePrefix}${id.replace(/[^A-Za-z0-9._-]/g, '-')}.${ecosystem}.${told}`
}

type Interval = { specifier: string; fixed: string[] }

/** OSV §4: events in their order open and close what is affected. */
function intervalsOf({ type, events }: OsvRange): Interval[] {
  if (type !== 'SEMVER' && type !== 'ECOSYSTEM') return []
  const intervals: Interval[] = []
  let lower: string | undefined
  for (const { introduced, fixed, last_affected: last } of events) {
    if (introduced !== undefined) lower = introduced
    const end = fixed === undefined ? last : fixed
    if (lower === undefined || end === undefined) continue
    intervals.push(...interval(lower, `${fixed === undefined ? '<=' : '<'} ${numbers(end)}`, fixed, isPlain(end)))
    lower = undefined
  }
  if (lower !== undefined) intervals.push(...interval(lower, '', undefined, true))
  return intervals
}

function interval(lower: string, upper: string, fixed: string | undefined, plain: boolean): Interval[] {
  if (!plain || !isPlain(lower)) return []
  const parts = [...(/^[0.]+$/.test(lower) ? [] : [`>= ${numbers(lower)}`]), ...(upper === '' ? [] : [upper])]
  // Everything that there is: whatever its version, it is not below nothing.
  return [{ specifier: parts.join(', ') || '>= 0', fixed: fixed === undefined ? [] : [fixed] }]
}

function listed(version: string): Interval[] {
  return isPlain(version) ? [{ specifier: `== ${numbers(version)}`, fixed: [] }] : []
}

/**
 * Semgrep compares versions of all ecosystems in the way of Python, and a range that it cannot read ends the whole run. Versions
 * of plain numbers mean the same everywhere.
 */
function isPlain(version: string): boolean {
  return /^v?[0-9]{1,9}(\.[0-9]{1,9}){0,4}$/.test(version)
}

function numbers(version: string): string {
  return version.replace(/^v/, '')
}
