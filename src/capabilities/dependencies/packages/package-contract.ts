import Type, { type Static } from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { pageFields, searchPage } from '../../../kernel/contract/pagination.ts'
import {
  AnyId,
  Count,
  DeploymentParams,
  IdString,
  NamedObject,
  named,
  OneOf,
  OrNull,
  Timestamp,
} from '../../../kernel/contract/schema.ts'
import { DependencyFilter, Ecosystem, howFiltersWork } from '../contract.ts'

const base = '/api/sca/deployments/:deploymentId'
const common = {
  tag: 'Dependencies',
  stability: 'beta',
  security: 'both',
  permission: 'dependencies:read',
} as const

const text = (description: string) => Type.String({ description })
const count = (description: string) => ({ ...Count, description })
const severities = ['SEVERITY_INFO', 'SEVERITY_LOW', 'SEVERITY_MEDIUM', 'SEVERITY_HIGH', 'SEVERITY_CRITICAL']
const WorstSeverity = named('WorstSeverity', OrNull(OneOf(severities, 'The worst that advisories say; null: nothing')))
const Decision = named(
  'VersionVerdict',
  OrNull(
    OneOf(
      ['allow', 'block', 'held', 'undetermined'],
      'What the firewall would answer; null where a registry would have to be asked first, and without the permission to read it',
    ),
  ),
)

export const UsedVersion = NamedObject('UsedVersion', {
  version: text('Version; empty where files give none'),
  repositoryCount: count('Repositories that have it'),
  dependencyCount: count('Entries of their files'),
  severity: WorstSeverity,
  verdict: Decision,
})
export type UsedVersion = Static<typeof UsedVersion>

const figures = {
  ecosystem: text('Ecosystem of the package'),
  name: text('Name of the package'),
  repositoryCount: count('Repositories that have it'),
  dependencyCount: count('Entries of their files'),
  versionCount: count('Versions in use'),
  vulnerableVersionCount: count('Those of them that advisories name'),
  severity: WorstSeverity,
  verdict: Decision,
}

export const PackageSummary = NamedObject('PackageSummary', {
  ...figures,
  versions: Type.Array(UsedVersion, {
    maxItems: 20,
    description: 'The latest 20, latest first by the order of the ecosystem',
  }),
})
export type PackageSummary = Static<typeof PackageSummary>

const filterBody = {
  deploymentId: Type.Optional(IdString),
  dependencyFilter: Type.Optional(DependencyFilter),
}

export const PackageSearch = NamedObject('PackageSearch', {
  ...filterBody,
  vulnerable: Type.Optional(Type.Boolean({ description: 'true: only versions that advisories name' })),
  sort: Type.Optional(
    Type.Object({
      by: OneOf(['name', 'repositories', 'dependencies'], 'name by default'),
      direction: Type.Optional(OneOf(['asc', 'desc'], 'asc for names, desc for counts unless given')),
    }),
  ),
  ...searchPage,
})
export type PackageSearch = Static<typeof PackageSearch>

export const searchPackages = endpoint({
  ...common,
  id: 'searchPackages',
  summary: 'Search packages',
  description: `The packages that repositories the caller sees have, each once, with its versions. Sorted by name, a page costs the same however many there are. Sorted by a count, it is exact for whoever sees all repositories and filters by names alone, and where the repositories have up to 100,000 dependencies or an index leads to 20,000; otherwise the first repositories are counted, and atLeast says so. A cursor belongs to its deployment, filter and sort. ${howFiltersWork}`,
  method: 'POST',
  path: `${base}/packages`,
  params: DeploymentParams,
  body: PackageSearch,
  response: Type.Object({
    packages: Type.Array(PackageSummary, { description: 'A page of packages' }),
    atLeast: Type.Boolean({
      description:
        'Whether there may be more of each: only the first repositories were counted, and packages are sorted by those',
    }),
    ...pageFields,
  }),
  faults: ['id_mismatch', 'unprocessable'],
})

const PackageVulnerability = NamedObject('PackageVulnerability', {
  id: text('The id it is best known by'),
  title: text('What it is, in a line; may be empty'),
  severity: OneOf(severities, 'By its CVSS vector, else by what its database calls it, else medium'),
  exploited: Type.Boolean({ description: 'Whether a list of vulnerabilities that are known to be exploited has it' }),
  versions: Type.Array(text('A version'), { description: 'Versions in use that it names' }),
  fixedVersions: Type.Array(text('A version'), { description: 'Versions that are free of it, by the advisories' }),
})

export const PackageDetail = NamedObject('PackageDetail', {
  ...figures,
  directRepositoryCount: count('Repositories that ask for it themselves'),
  licences: Type.Array(text('An expression or text'), {
    maxItems: 20,
    description: 'As files give them, most frequent first',
  }),
  versions: Type.Array(UsedVersion, {
    maxItems: 1_000,
    description: 'In use, latest first by the order of the ecosystem',
  }),
  vulnerabilities: Type.Array(PackageVulnerability, { description: 'Of the versions in use, the most severe first' }),
})
export type PackageDetail = Static<typeof PackageDetail>

export const getPackage = endpoint({
  ...common,
  id: 'getPackage',
  summary: 'Get a package',
  description:
    'Who uses it in which versions, and what is known about those. Archived repositories are left out. A slash in the name is written %2F.',
  method: 'GET',
  path: `${base}/packages/:ecosystem/:name`,
  params: Type.Object({
    deploymentId: AnyId,
    ecosystem: Ecosystem,
    name: Type.String({
      minLength: 1,
      maxLength: 500,
      description: 'Name of the package, by the spelling rules of its ecosystem',
    }),
  }),
  response: Type.Object({ package: PackageDetail }),
  faults: ['not_found'],
})

export const NameQuery = Type.Object({
  text: Type.String({ minLength: 1, maxLength: 500, description: 'A part of the name, in any letter case' }),
  ecosystem: Type.Optional(Ecosystem),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 50, description: 'Most names, 1 to 50; 10 by default' })),
})
export type NameQuery = Static<typeof NameQuery>

export const completePackageNames = endpoint({
  ...common,
  id: 'completePackageNames',
  summary: 'Complete the name of a package',
  description:
    'Packages that repositories the caller sees have: the name itself first, then names that begin with the text, then others that contain it; shorter ones first.',
  method: 'GET',
  path: `${base}/package-names`,
  params: DeploymentParams,
  query: NameQuery,
  response: Type.Object({
    names: Type.Array(Type.Object({ ecosystem: text('Ecosystem of the package'), name: text('Name of the package') }), {
      description: 'The best first',
    }),
  }),
  faults: [],
})

export const CountQuestion = NamedObject('DependencyCountQuestion', filterBody)
export type CountQuestion = Static<typeof CountQuestion>

export const DependencyCounts = NamedObject('DependencyCounts', {
  repositoryCount: count('Repositories that have such dependencies'),
  directRepositoryCount: count('Those that ask for one themselves'),
  packageCount: count('Packages'),
  versionCount: count('Versions of packages'),
  dependencyCount: count('Dependencies: each entry of each file counts'),
  atLeast: Type.Boolean({
    description: 'Whether there may be more: so much matches that only the first repositories were counted',
  }),
  searched: Type.Object(
    {
      repositoryCount: count('Repositories whose inventory was read'),
      dependencyCount: count('Dependencies in those'),
      withoutInventory: count('Repositories that have no inventory yet'),
      oldestInventoryAt: OrNull(Timestamp),
    },
    { description: 'What the answer covers' },
  ),
})
export type DependencyCounts = Static<typeof DependencyCounts>

export const countDependencies = endpoint({
  ...common,
  id: 'countDependencies',
  summary: 'Count dependencies',
  description: `How many repositories, packages, versions and dependencies match the filter, and what was read. ${howFiltersWork}`,
  method: 'POST',
  path: `${base}/dependencies/counts`,
  params: DeploymentParams,
  body: CountQuestion,
  response: DependencyCounts,
  faults: ['id_mismatch', 'unprocessable'],
})
