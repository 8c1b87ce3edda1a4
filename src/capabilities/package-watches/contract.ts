import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { AnyId, Count, DeploymentParams, IdString, NamedObject, Timestamp } from '../../kernel/contract/schema.ts'
import { Ecosystem } from '../dependencies/contract.ts'

const base = '/api/sca/deployments/:deploymentId'
const common = { tag: 'Dependencies', stability: 'experimental', security: 'both' } as const

const text = (description: string) => Type.String({ description })

/** This many of each kind of news are named; the count says how many there are. */
export const mostNamed = 20

const PackageNews = NamedObject('PackageNews', {
  repositoryCount: { ...Count, description: 'Repositories that have the package now and did not' },
  repositories: Type.Array(Type.Object({ id: IdString, name: text('Name of the repository') }), {
    maxItems: mostNamed,
    description: 'The first 20 of them, by name',
  }),
  versionCount: { ...Count, description: 'Versions that are in use now and were not' },
  versions: Type.Array(text('A version'), { maxItems: mostNamed, description: 'The latest 20 of them, latest first' }),
  vulnerabilityCount: { ...Count, description: 'Vulnerabilities of versions in use that were not known' },
  vulnerabilities: Type.Array(text('The id it is best known by'), {
    maxItems: mostNamed,
    description: 'The 20 most severe of them, the most severe first',
  }),
  firewall: Type.Union([Type.Literal('kept_out'), Type.Literal('let_in'), Type.Null()], {
    description:
      'kept_out: the firewall keeps a version in use out now, and kept none out; let_in: the other way round; null: as it was, and without the permission to read the firewall',
  }),
})
export type PackageNews = Static<typeof PackageNews>

const watchFields = {
  ecosystem: text('Ecosystem of the package'),
  name: text('Name of the package, as it was written'),
  createdAt: Timestamp,
  seenAt: { ...Timestamp, description: 'What was known then is not news' },
}

const Watch = NamedObject('PackageWatch', watchFields)
export type Watch = Static<typeof Watch>

const WatchWithNews = NamedObject('WatchedPackage', {
  ...watchFields,
  repositoryCount: { ...Count, description: 'Repositories that have the package' },
  hasNews: Type.Boolean({ description: 'Whether anything of the news is there' }),
  news: PackageNews,
})
export type WatchWithNews = Static<typeof WatchWithNews>

export const mostWatches = 50

const packageName = Type.String({
  minLength: 1,
  maxLength: 500,
  description: 'Name of the package, by the spelling rules of its ecosystem',
})

export const WatchQuery = Type.Object({
  ecosystem: Type.Optional(Ecosystem),
  name: Type.Optional(packageName),
})
export type WatchQuery = Static<typeof WatchQuery>

export const listWatchedPackages = endpoint({
  ...common,
  id: 'listWatchedPackages',
  summary: 'List watched packages',
  description:
    'The packages that the caller watches, each with its news: what differs from what was known when they last marked it as seen. Those with news come first. Only repositories that the caller sees count, and no archived ones.',
  permission: 'dependencies:read',
  method: 'GET',
  path: `${base}/watched-packages`,
  params: DeploymentParams,
  query: WatchQuery,
  response: Type.Object({
    watches: Type.Array(WatchWithNews, { maxItems: mostWatches, description: 'With news first, then by name' }),
  }),
  faults: [],
})

const PackageParams = Type.Object({ deploymentId: AnyId, ecosystem: Ecosystem, name: packageName })

const OneWatch = NamedObject('OnePackageWatch', { watch: Watch })

export const watchPackage = endpoint({
  ...common,
  id: 'watchPackage',
  summary: 'Watch a package, or mark its news as seen',
  description:
    'From now on, what changes about the package is news to the caller and to nobody else. Where they watch it already, everything that is known now is seen. No repository has to have it yet. At most 50 for each person. A slash in the name is written %2F.',
  permission: 'views:write',
  method: 'PUT',
  path: `${base}/watched-packages/:ecosystem/:name`,
  params: PackageParams,
  response: OneWatch,
  faults: ['conflict', 'unprocessable'],
})

export const unwatchPackage = endpoint({
  ...common,
  id: 'unwatchPackage',
  summary: 'Stop watching a package',
  description: 'A slash in the name is written %2F.',
  permission: 'views:write',
  method: 'DELETE',
  path: `${base}/watched-packages/:ecosystem/:name`,
  params: PackageParams,
  response: OneWatch,
  faults: ['not_found'],
})
