import type { ReportFilters } from '../../src/capabilities/reports/scope/filters.ts'
import type { World } from './report-world.ts'

export const whole = { timePeriod: { since: '2026-03-01T00:00:00.000Z', until: '2026-06-01T00:00:00.000Z' } }

/** A table of cases; each is asked for the whole time, and for periods that begin and end in the middle of a day. */
export const cases: { name: string; filters: (world: World) => ReportFilters }[] = [
  { name: 'nothing', filters: () => ({}) },
  {
    name: 'empty lists',
    filters: () => ({ projects: [], projectIds: [], tags: [], teams: [], ruleIds: [], findingCategories: [] }),
  },
  { name: 'a repository', filters: () => ({ projects: ['shop/web'] }) },
  {
    name: 'most repositories',
    filters: () => ({ projects: ['shop/web', 'shop/api', 'bank/core', 'bank/app', 'lab/trial'] }),
  },
  { name: 'a repository by id', filters: (world) => ({ projectIds: [String(world.ids.get('bank/app'))] }) },
  { name: 'a tag', filters: () => ({ tags: ['pci'] }) },
  { name: 'two tags', filters: () => ({ tags: ['pci', 'web'] }) },
  { name: 'a team and those below it', filters: () => ({ teams: ['Commerce'] }) },
  { name: 'a team in the middle, by slug', filters: () => ({ teams: ['checkout'] }) },
  { name: 'a team without repositories', filters: () => ({ teams: ['Nobody'] }) },
  { name: 'a rule', filters: () => ({ ruleIds: ['injection'] }) },
  { name: 'most rules', filters: () => ({ ruleIds: ['injection', 'traversal', 'quiet-style', 'weak-hash'] }) },
  { name: 'a rule that found nothing', filters: () => ({ ruleIds: ['unheard-of'] }) },
  { name: 'a category', filters: () => ({ findingCategories: ['security'] }) },
  { name: 'no category and another', filters: () => ({ findingCategories: ['', 'style'] }) },
  {
    name: 'a repository and a category',
    filters: () => ({ projects: ['shop/web', 'bank/app'], findingCategories: ['security', 'licence'] }),
  },
  {
    name: 'most repositories and a category',
    filters: () => ({ tags: ['pci', 'web'], findingCategories: ['security'] }),
  },
  {
    name: 'rules and categories',
    filters: () => ({ ruleIds: ['injection', 'leaked-key'], findingCategories: ['security', 'style'] }),
  },
  {
    name: 'most rules and a category',
    filters: () => ({
      ruleIds: ['injection', 'traversal', 'weak-hash', 'leaked-key', 'old-library'],
      findingCategories: ['style'],
    }),
  },
  {
    name: 'a repository and a rule',
    filters: () => ({ projects: ['shop/web'], ruleIds: ['injection', 'quiet-style'] }),
  },
  { name: 'a rule in most repositories', filters: () => ({ tags: ['pci', 'web'], ruleIds: ['injection'] }) },
  {
    name: 'most rules in most repositories',
    filters: () => ({ tags: ['pci', 'web'], ruleIds: ['injection', 'traversal', 'quiet-style', 'weak-hash'] }),
  },
  {
    name: 'most rules in all repositories but one',
    filters: () => ({
      projects: ['shop/web', 'shop/api', 'shop/batch', 'bank/core', 'bank/app', 'old/attic'],
      ruleIds: ['injection', 'traversal', 'quiet-style', 'weak-hash'],
      findingCategories: ['security', 'style', ''],
    }),
  },
  {
    name: 'all rules but one in some repositories',
    filters: () => ({ tags: ['pci'], ruleIds: ['injection', 'traversal', 'quiet-style', 'weak-hash', 'leaked-key'] }),
  },
  {
    name: 'two fields about repositories narrow each other',
    filters: () => ({ projects: ['shop/web', 'shop/batch'], tags: ['web'] }),
  },
  { name: 'fields that exclude each other', filters: () => ({ projects: ['shop/batch'], teams: ['Laboratory'] }) },
  {
    name: 'everything at once',
    filters: (world) => ({
      projects: ['shop/web', 'shop/api'],
      projectIds: [...world.ids.values()].map(String),
      tags: ['pci'],
      teams: ['Commerce'],
      ruleIds: ['injection', 'leaked-key'],
      findingCategories: ['security', 'correctness', 'style'],
    }),
  },
]

export const periods: ReportFilters[] = [
  whole,
  { timePeriod: { since: '2026-03-05T13:47:11.123Z', until: '2026-03-28T07:02:59.001Z' } },
  {
    timePeriod: { since: '2026-03-10T01:00:00.000Z', until: '2026-05-14T23:59:59.999Z' },
    timeBucketSize: 'TIME_BUCKET_SIZE_WEEK',
  },
  { timePeriod: { since: '2026-03-31T12:00:00.000Z', until: '2026-03-31T12:59:00.000Z' } },
  {
    timePeriod: { since: '2026-03-02T05:00:00.000Z', until: '2026-05-14T05:00:00.000Z' },
    timeBucketSize: 'TIME_BUCKET_SIZE_MONTH',
  },
]
