import type { ReportFilters } from '../../src/capabilities/reports/scope/filters.ts'
import { category, product, severity, state } from '../../src/domain/finding-codes.ts'
import type { Raised } from './report-world.ts'

/** The definitions of the reports once more, in the plainest words there are, for one finding after the other. */
export function matching(findings: Raised[], filters: ReportFilters): Raised[] {
  const { timePeriod, projects, projectIds, tags, teams: named, ruleIds, findingCategories } = filters
  const wanted = (list: readonly string[] | undefined, values: readonly string[]) =>
    !list || list.length === 0 || values.some((value) => list.includes(value))
  return findings.filter(
    (one) =>
      one.raised_at >= new Date(timePeriod!.since!) &&
      one.raised_at < new Date(timePeriod!.until!) &&
      wanted(projects, [one.repository]) &&
      wanted(projectIds, [String(one.repository_id)]) &&
      wanted(tags, one.tags) &&
      wanted(named, one.teams) &&
      wanted(ruleIds, [one.rule]) &&
      wanted(findingCategories, [category.word(one.category)]),
  )
}

export type GuardrailsNumbers = Record<'silenced' | 'open' | 'fixed' | 'ignored' | 'provisionallyIgnored', number>
export type Standing = keyof GuardrailsNumbers | 'ended'

export function standingOf(one: Raised): Standing | undefined {
  if (one.pull_request === 0 || one.duplicate) return undefined
  if (one.silenced) return 'silenced'
  const word = state.word(one.state)
  if (word === 'fixed' || word === 'ignored' || word === 'ended') return word
  return word === 'provisionally-ignored' ? 'provisionallyIgnored' : 'open'
}

export function slowGuardrails(findings: Raised[], since: string, until: string): GuardrailsNumbers {
  const numbers = { silenced: 0, open: 0, fixed: 0, ignored: 0, provisionallyIgnored: 0 }
  for (const one of findings) {
    const standing = standingOf(one)
    if (standing && standing !== 'ended' && one.raised_at >= new Date(since) && one.raised_at < new Date(until))
      numbers[standing]++
  }
  return numbers
}

/** All that pull requests introduced but the silenced, whatever became of it. */
export function slowOpened(findings: Raised[]): number {
  return findings.filter((one) => ![undefined, 'silenced'].includes(standingOf(one))).length
}

export const stages = ['allFindings', 'possiblyExploitable', 'internetExposed', 'priorityFindings'] as const

/** How many stages of the funnel it has come through. */
export function depthOf(one: Raised): number {
  const word = state.word(one.state)
  const kind = product.word(one.product)
  if (one.pull_request > 0 || one.duplicate) return 0
  if (word === 'fixed' || word === 'ignored' || word === 'ended') return 0
  if (word === 'provisionally-ignored') return 1
  if (kind === 'sca' && one.reachability === 2) return 1
  if (kind === 'secrets' && one.validity === 2) return 1
  if (one.malicious) return 4
  if (!one.publicly_exposed) return 2
  const sure = { code: one.confidence, ai: one.confidence, sca: one.reachability, secrets: one.validity }[kind] === 3
  return sure && ['critical', 'high'].includes(severity.word(one.severity)) ? 4 : 3
}

export function productOf(one: Raised): 'code' | 'sca' | 'secrets' {
  const kind = product.word(one.product)
  return kind === 'ai' ? 'code' : kind
}

export function slowFunnel(findings: Raised[]) {
  const count = (some: Raised[]) =>
    Object.fromEntries(stages.map((stage, at) => [stage, some.filter((one) => depthOf(one) > at).length]))
  const of = (kind: string) => count(findings.filter((one) => productOf(one) === kind))
  return { ...count(findings), byProduct: { code: of('code'), sca: of('sca'), secrets: of('secrets') } }
}

export function slowBacklog(findings: Raised[], now: Date) {
  const standing = findings.filter((one) => depthOf(one) > 0)
  const count = (holds: (one: Raised) => boolean) => standing.filter(holds).length
  const severities = severity.words.map((word) => {
    const number = count((one) => severity.word(one.severity) === word)
    return [`SEVERITY_${word.toUpperCase()}`, number] as const
  })
  const rules = Map.groupBy(standing, (one) => one.rule)
  const ranked = [...rules].map(([ruleId, some]) => ({ ruleId, count: some.length }))
  return {
    total: standing.length,
    byProduct: Object.fromEntries(
      ['code', 'sca', 'secrets'].map((kind) => [kind, count((one) => productOf(one) === kind)]),
    ),
    bySeverity: Object.fromEntries(severities),
    byRule: ranked.sort((a, b) => b.count - a.count || (a.ruleId < b.ruleId ? -1 : 1)),
    otherRules: 0,
    medianOpenAgeSeconds: medianAge(standing, now),
  }
}

function medianAge(standing: Raised[], now: Date): number {
  const ages = standing.map((one) => now.getTime() - one.raised_at.getTime()).sort((a, b) => a - b)
  if (ages.length === 0) return 0
  const middle = (ages[Math.floor((ages.length - 1) / 2)]! + ages[Math.ceil((ages.length - 1) / 2)]!) / 2
  return Math.max(0, Math.floor(middle / 1000))
}

/** What became of a finding, and when. */
export type Changed = { finding_id: number; at: Date; from_state: number; to_state: number }

export function slowActivity(findings: Raised[], history: Changed[], since: string, until: string) {
  const within = (at: Date) => at >= new Date(since) && at < new Date(until)
  const ids = new Set(findings.map((one) => one.id))
  const changes = history.filter((one) => ids.has(one.finding_id) && within(one.at) && one.from_state !== one.to_state)
  const became = (word: 'fixed' | 'ignored' | 'provisionally-ignored') =>
    changes.filter((one) => state.word(one.to_state) === word).length
  return {
    opened: findings.filter((one) => within(one.raised_at)).length,
    fixed: became('fixed'),
    reopened: changes.filter((one) => state.word(one.from_state) === 'fixed').length,
    ignored: became('ignored'),
    provisionallyIgnored: became('provisionally-ignored'),
  }
}
