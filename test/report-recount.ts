import { category, product, severity, state } from '../src/capabilities/findings/codes.ts'
import type { ReportFilters } from '../src/capabilities/reports/filters.ts'
import { type Raised, repositories, teams } from './report-world.ts'

/** The definitions of the reports once more, in the plainest words there are, for one finding after the other. */
export function matching(findings: Raised[], filters: ReportFilters): Raised[] {
  const { timePeriod, projects, projectIds, tags, teams: named, ruleIds, findingCategories } = filters
  const wanted = (list: readonly string[] | undefined, values: string[]) =>
    !list || list.length === 0 || values.some((value) => list.includes(value))
  return findings.filter(
    (one) =>
      one.raised_at >= new Date(timePeriod!.since!) &&
      one.raised_at < new Date(timePeriod!.until!) &&
      wanted(projects, [one.repository]) &&
      wanted(projectIds, [String(one.repository_id)]) &&
      wanted(tags, tagsOf(one.repository)) &&
      wanted(named, teamsOf(one.repository)) &&
      wanted(ruleIds, [one.rule]) &&
      wanted(findingCategories, [category.word(one.category)]),
  )
}

function tagsOf(repository: string): string[] {
  return repositories.find((one) => one.name === repository)?.tags ?? []
}

/** Names and slugs of its teams and of all above them. */
function teamsOf(repository: string): string[] {
  const own = teams.filter((team) => team.repositories.includes(repository)).map((team) => team.name)
  const above = (name: string): string[] => {
    const parent = teams.find((team) => team.name === name)?.parent
    return parent ? [name, ...above(parent)] : [name]
  }
  const all = own.flatMap(above)
  return [...all, ...all.map((name) => name.toLowerCase())]
}

export type GuardrailsNumbers = Record<'silenced' | 'open' | 'fixed' | 'ignored' | 'provisionallyIgnored', number>

export function standingOf(one: Raised): keyof GuardrailsNumbers | undefined {
  if (one.pull_request === 0) return undefined
  if (one.silenced) return 'silenced'
  const word = state.word(one.state)
  if (word === 'fixed' || word === 'ignored') return word
  return word === 'provisionally-ignored' ? 'provisionallyIgnored' : 'open'
}

export function slowGuardrails(findings: Raised[], since: string, until: string): GuardrailsNumbers {
  const numbers = { silenced: 0, open: 0, fixed: 0, ignored: 0, provisionallyIgnored: 0 }
  for (const one of findings) {
    const standing = standingOf(one)
    if (standing && one.raised_at >= new Date(since) && one.raised_at < new Date(until)) numbers[standing]++
  }
  return numbers
}

export const stages = ['allFindings', 'possiblyExploitable', 'internetExposed', 'priorityFindings'] as const

/** How many stages of the funnel it has come through. */
export function depthOf(one: Raised): number {
  const word = state.word(one.state)
  const kind = product.word(one.product)
  if (word === 'fixed' || word === 'ignored') return 0
  if (word === 'provisionally-ignored') return 1
  if (kind === 'sca' && one.reachability === 2) return 1
  if (kind === 'secrets' && one.validity === 2) return 1
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
