import type { EcosystemId } from '../../src/ecosystems/ecosystem.ts'
import { firstOf, type Pair, valuesOf } from '../app/address/address.ts'
import { notUnderstood } from '../app/address/understood.ts'
import { list, plural } from '../ui/text/words.ts'

/** The question of the page, as it stands in the address. */
export type Question = {
  ecosystem: string
  name: string
  exact: boolean
  from: string
  below: string
  transitivity: string
  licence: string
  repository: string
  archived: boolean
  /** Several packages at once: `name` or `name@version`, one a line. */
  packages: string[]
  /** Only versions that advisories name; packages alone can be asked so. */
  vulnerable: boolean
  view: View
  sort: PackageSort
}

export const views = {
  packages: 'Packages',
  repositories: 'Repositories',
  versions: 'By version',
  occurrences: 'Every occurrence',
} as const
export type View = keyof typeof views
export type PackageSort = { by: 'name' | 'repositories' | 'dependencies'; direction: 'asc' | 'desc' }

export const ecosystems = [
  'npm',
  'pypi',
  'gomod',
  'cargo',
  'maven',
  'gem',
  'composer',
  'nuget',
  'pub',
  'swiftpm',
  'hex',
  'cocoapods',
] as const
/** What an inventory can have besides: packages of distributions, and what belongs to no ecosystem. */
export const inventoryEcosystems: readonly EcosystemId[] = [...ecosystems, 'deb', 'apk', 'rpm', 'generic']
const transitivities = { direct: 'DIRECT', transitive: 'TRANSITIVE', unknown: 'UNKNOWN_TRANSITIVITY' } as const

export function readQuestion(pairs: readonly Pair[]): Question {
  const text = (name: string) => firstOf(pairs, name) ?? ''
  const packages = valuesOf(pairs, 'package').filter(Boolean)
  const asked = { name: text('name'), exact: text('match') !== 'contains', packages }
  return {
    ...asked,
    ecosystem: text('ecosystem'),
    from: text('from'),
    below: text('below'),
    transitivity: Object.hasOwn(transitivities, text('brought')) ? text('brought') : '',
    licence: text('licence'),
    repository: text('repo'),
    archived: text('archived') === 'yes',
    vulnerable: text('vulnerable') === 'yes',
    view: Object.hasOwn(views, text('view')) ? (text('view') as View) : usualView(asked),
    sort: readSort(text('sort')),
  }
}

/** What of an address the question takes no notice of. A repository that is none is told beside the others. */
export function lostQuestionPairs(pairs: readonly Pair[]): Pair[] {
  const anything = 'anything' as const
  return notUnderstood(pairs, {
    ecosystem: anything,
    name: anything,
    match: ['contains'],
    from: anything,
    below: anything,
    brought: Object.keys(transitivities),
    licence: anything,
    repo: anything,
    archived: ['yes'],
    package: anything,
    vulnerable: ['yes'],
    view: Object.keys(views),
    sort: anything,
  })
}

/** Whoever names a package wants to see where it is; otherwise the packages themselves come first. */
function usualView({ name, exact, packages }: Pick<Question, 'name' | 'exact' | 'packages'>): View {
  return (name !== '' && exact) || packages.length > 0 ? 'occurrences' : 'packages'
}

/** Versions have an order where they are of one package. */
export function isOnePackage({ name, exact, ecosystem }: Question): boolean {
  return name !== '' && exact && ecosystem !== ''
}

/** The views that can answer all of a question: none may leave a part of it out. */
export function viewsOf(question: Question): View[] {
  if (question.vulnerable) return ['packages']
  const isOfAll = !question.licence && !question.repository
  return (Object.keys(views) as View[]).filter((view) => view !== 'versions' || (isOnePackage(question) && isOfAll))
}

/** The view that is shown. */
export function viewOf(question: Question): View {
  const offered = viewsOf(question)
  if (offered.includes(question.view)) return question.view
  return offered.includes('occurrences') ? 'occurrences' : 'packages'
}

/** The id of the repository that was asked for, where it is one. */
export function repositoryOf({ repository }: Question): number | undefined {
  return /^[1-9][0-9]*$/.test(repository) ? Number(repository) : undefined
}

function readSort(text: string): PackageSort {
  const [word, direction] = text.split('-')
  if (word === 'repositories' || word === 'dependencies')
    return { by: word, direction: direction === 'asc' ? 'asc' : 'desc' }
  return { by: 'name', direction: direction === 'desc' ? 'desc' : 'asc' }
}

function sortWord({ by, direction }: PackageSort): string {
  const usual = by === 'name' ? 'asc' : 'desc'
  if (direction !== usual) return `${by}-${direction}`
  return by === 'name' ? '' : by
}

export function writeQuestion(question: Question): Pair[] {
  const pairs: [string, string][] = [
    ['ecosystem', question.ecosystem],
    ['name', question.name],
    ['match', question.exact ? '' : 'contains'],
    ['from', question.from],
    ['below', question.below],
    ['brought', question.transitivity],
    ['licence', question.licence],
    ['repo', question.repository],
    ['archived', question.archived ? 'yes' : ''],
    ...question.packages.map((each): [string, string] => ['package', each]),
    ['vulnerable', question.vulnerable ? 'yes' : ''],
    ['view', question.view === usualView(question) ? '' : question.view],
    ['sort', sortWord(question.sort)],
  ]
  return pairs.filter(([, value]) => value !== '')
}

function isAsked(question: Question): boolean {
  return Boolean(
    question.name || question.licence || question.ecosystem || question.transitivity || question.packages.length > 0,
  )
}

/** The filter of the API for it. */
export function dependencyFilter(question: Question) {
  const repositoryId = repositoryOf(question)
  const one = {
    ...(question.name && { name: question.name, exactNameMatch: question.exact }),
    ...(question.from && { versionLowerBound: `>=${question.from}` }),
    ...(question.below && { versionUpperBound: `<${question.below}` }),
  }
  const several = question.packages.map(packageFilter)
  const packageFilters = [...(Object.keys(one).length > 0 ? [one] : []), ...several]
  return {
    ...(packageFilters.length > 0 && { packageFilters }),
    ...(question.ecosystem && { ecosystem: [question.ecosystem] }),
    ...(question.transitivity && {
      transitivity: [transitivities[question.transitivity as keyof typeof transitivities]],
    }),
    ...(question.licence && { license: [question.licence] }),
    ...(repositoryId !== undefined && { repositoryId: [repositoryId] }),
    ...(question.archived && { includeArchived: true }),
  }
}

/** `name@version`; a scope's own @ comes first and is not a version's. */
export function packageFilter(text: string) {
  const at = text.lastIndexOf('@')
  if (at <= 0) return { name: text, exactNameMatch: true }
  return { name: text.slice(0, at), exactNameMatch: true, exactVersion: text.slice(at + 1) }
}

export type Tally = {
  repositories: number
  direct: number
  packages: number
  dependencies: number
  /** Whether there may be more of each. */
  atLeast: boolean
}

/** The answer first, in words. `repository`: the name of the one that was asked for. */
export function answerSentence(question: Question, tally: Tally, repository?: string): string {
  const repositories = plural(tally.repositories, 'repository', 'repositories')
  const who = repository ?? (tally.atLeast ? `At least ${repositories}` : repositories)
  const verb = repository !== undefined || tally.repositories === 1 ? 'has' : 'have'
  const least = tally.atLeast ? 'at least ' : ''
  if (!isAsked(question))
    return `${who} ${verb} ${least}${plural(tally.dependencies, 'dependency', 'dependencies')} on ${least}${plural(tally.packages, 'package')}.`
  return `${who} ${verb} ${subject(question)}${directly(tally, repository, least)}.`
}

function directly(tally: Tally, repository: string | undefined, least: string): string {
  if (repository !== undefined) return tally.direct > 0 ? ', directly' : ''
  return tally.repositories > 0 ? `, ${least}${tally.direct.toLocaleString('en')} directly` : ''
}

/** The same where nothing was found. */
export function noneSentence(question: Question, repository?: string): string {
  return repository === undefined
    ? `No repository has ${subject(question)}`
    : `${repository} does not have ${subject(question)}`
}

function subject(question: Question): string {
  const bounds = [question.from && `from ${question.from}`, question.below && `below ${question.below}`].filter(
    Boolean,
  ) as string[]
  const known = question.vulnerable ? 'in a version that advisories name' : ''
  return [nameOf(question), list(bounds), licenceWords(question.licence), known].filter(Boolean).join(' ')
}

function nameOf({ name, exact, packages }: Question): string {
  if (packages.length > 0 && !name) return `one of ${plural(packages.length, 'package')}`
  if (!name) return 'such dependencies'
  return exact ? name : `a package with “${name}” in its name`
}

function licenceWords(licence: string): string {
  if (licence === 'NOASSERTION') return 'without a licence'
  if (licence === 'OTHER') return 'under a licence that is no SPDX expression'
  return licence && `under the licence ${licence}`
}
