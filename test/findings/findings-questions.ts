import fc from 'fast-check'
import type { FindingFilter } from '../../src/capabilities/findings/search/filter.ts'
import type { ReportFilters } from '../../src/capabilities/reports/scope/filters.ts'
import * as codes from '../../src/domain/finding-codes.ts'
import * as names from '../../src/domain/wire-names.ts'
import { timeBucketSizes } from '../../src/kernel/time/time-buckets.ts'
import type { ModelFinding, ModelRepository, Seen } from './findings-model.ts'
import { repositoryCount, rules, sources, tags } from './findings-story.ts'

/** Everything that the scans of the past are made after. */
export const beginning = Date.parse('2024-02-01T00:00:00Z')
const days = 150

const some = <T>(values: readonly T[], freq = 2) =>
  fc.option(fc.subarray([...values], { minLength: 1 }), { nil: undefined, freq })
const places = some(Array.from({ length: repositoryCount }, (_, at) => at))
const period = fc
  .uniqueArray(fc.nat(days * 86_400_000), { minLength: 2, maxLength: 2 })
  .map((moments) => moments.sort((a, b) => a - b).map((one) => new Date(beginning + one).toISOString()))
  .map(([since, until]) => ({ since: since!, until: until! }))
const categories = ['', 'security', 'style'] as const

/** What is asked of the reports; `places` are repositories by their place in the story. */
export const reportQuestion = fc.record({
  places,
  timePeriod: period,
  timeBucketSize: fc.constantFrom(...timeBucketSizes),
  tags: some(tags, 3),
  ruleIds: some(rules),
  findingCategories: some(categories, 3),
})
export type ReportQuestion = typeof reportQuestion extends fc.Arbitrary<infer T> ? T : never

export function reportFilters({ places, ...rest }: ReportQuestion, repositories: readonly string[]): ReportFilters {
  return told({ ...rest, projects: places?.map((at) => repositories[at]!) })
}

/** What is asked of the findings. */
export const findingQuestion = fc.record({
  places,
  triageStates: some(names.stateNames.all),
  severities: some(names.severityNames.all, 3),
  products: some(names.productNames.all, 3),
  categories: some(categories, 4),
  tags: some(tags, 4),
  sources: some(
    sources.map((one) => `sarif:${one}`),
    4,
  ),
  refs: some(['main', 'dev'], 5),
  ruleIds: some(rules, 4),
  pullRequests: fc.option(fc.constantFrom('only' as const, 'none' as const), { nil: undefined, freq: 3 }),
  silenced: fc.option(fc.boolean(), { nil: undefined, freq: 4 }),
  raisedAt: fc.option(period, { nil: undefined, freq: 3 }),
})
export type FindingQuestion = typeof findingQuestion extends fc.Arbitrary<infer T> ? T : never

export function findingFilter({ places, ...rest }: FindingQuestion, repositories: readonly string[]): FindingFilter {
  return told({ ...rest, repositories: places?.map((at) => repositories[at]!) }) as FindingFilter
}

/** Whether a finding is asked for, read word by word. */
export function isAskedFor(one: ModelFinding, carrier: ModelRepository, filter: FindingFilter): boolean {
  const { seen, place, raisedAt } = one
  const inPullRequest = typeof place.target === 'number'
  const among = (list: readonly string[] | undefined, values: readonly string[]) =>
    !list || values.some((value) => list.includes(value))
  return (
    among(filter.repositories, [carrier.name]) &&
    among(filter.tags, carrier.tags) &&
    among(filter.triageStates, [stateName(one.state)]) &&
    among(filter.severities, [severityName(seen.severity)]) &&
    among(filter.products, [productName(seen.product)]) &&
    among(filter.categories, [seen.category]) &&
    among(filter.sources, [`sarif:${place.source}`]) &&
    among(filter.refs, [String(place.target)]) &&
    among(filter.ruleIds, [seen.rule]) &&
    (!filter.pullRequests || (filter.pullRequests === 'only') === inPullRequest) &&
    (filter.silenced === undefined || filter.silenced === one.silenced) &&
    (!filter.raisedAt || (raisedAt >= new Date(filter.raisedAt.since!) && raisedAt < new Date(filter.raisedAt.until!)))
  )
}

export function slowCounts(findings: readonly ModelFinding[]) {
  const by = (all: readonly string[], nameOf: (one: ModelFinding) => string) =>
    Object.fromEntries(all.map((name) => [name, findings.filter((one) => nameOf(one) === name).length]))
  return {
    total: findings.length,
    byTriageState: by(names.stateNames.all, (one) => stateName(one.state)),
    bySeverity: by(names.severityNames.all, (one) => severityName(one.seen.severity)),
    byProduct: by(names.productNames.all, (one) => productName(one.seen.product)),
    atLeast: false,
  }
}

export const stateName = (word: codes.State) => names.stateNames.ofCode(codes.state.code(word))
const severityName = (word: Seen['severity']) => names.severityNames.ofCode(codes.severity.code(word))
const productName = (word: Seen['product']) => names.productNames.ofCode(codes.product.code(word))

/** Without what nobody asks for. */
function told<T extends object>(filter: T): { [Key in keyof T]?: Exclude<T[Key], undefined> } {
  return Object.fromEntries(Object.entries(filter).filter(([, value]) => value !== undefined)) as T
}
