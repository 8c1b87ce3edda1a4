import Type, { type Static } from 'typebox'
import { ecosystemIds } from '../../ecosystems/ecosystem.ts'
import type { Download } from '../../kernel/contract/api.ts'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { Cursor, pageFields, pageQuery } from '../../kernel/contract/pagination.ts'
import {
  AnyId,
  Count,
  DeploymentParams,
  Id,
  IdString,
  NamedObject,
  named,
  OneOf,
  RepositoryName,
} from '../../kernel/contract/schema.ts'

const base = '/api/sca/deployments/:deploymentId'
export const common = {
  tag: 'Dependencies',
  stability: 'experimental',
  security: 'both',
  permission: 'dependencies:read',
} as const

const PackageName = named(
  'PackageNameFilter',
  Type.String({ maxLength: 500, description: 'Name of a package, or a part of it' }),
)
const Version = named(
  'VersionFilter',
  Type.String({ maxLength: 200, description: 'A version, equal by the rules of its ecosystem' }),
)
const Bound = named(
  'VersionBound',
  Type.String({
    maxLength: 200,
    description: 'A version, which is included, or one after an operator: >=1.0.0, >1, <2.0.0, <=2',
  }),
)
const LockfilePath = named(
  'LockfilePath',
  Type.String({ maxLength: 1_000, description: 'Path of a file in its repository' }),
)
export const Ecosystem = named(
  'Ecosystem',
  OneOf([...ecosystemIds, 'mix'], 'A package ecosystem; mix is another name of hex'),
)
export const Transitivity = named(
  'Transitivity',
  OneOf(
    ['DIRECT', 'TRANSITIVE', 'UNKNOWN_TRANSITIVITY'],
    'Required by the repository itself, brought in by another dependency, or not stated by the file',
  ),
)
export type Transitivity = Static<typeof Transitivity>

export const PackageFilter = NamedObject('PackageFilter', {
  name: Type.Optional(PackageName),
  versionLowerBound: Type.Optional(Bound),
  versionUpperBound: Type.Optional(Bound),
  exactVersion: Type.Optional(Version),
  exactNameMatch: Type.Optional(
    Type.Boolean({
      description: 'The name is the whole name, by the spelling rules of the ecosystem; else a part of it',
    }),
  ),
})
export type PackageFilter = Static<typeof PackageFilter>

export const DependencyFilter = NamedObject('DependencyFilter', {
  name: Type.Optional(PackageName),
  version: Type.Optional(Version),
  repositoryId: Type.Optional(Type.Array(Id, { maxItems: 10_000, description: 'Only in these repositories' })),
  lockfilePath: Type.Optional(LockfilePath),
  license: Type.Optional(
    Type.Array(Type.String({ minLength: 1, maxLength: 200, description: 'An SPDX licence id, NOASSERTION or OTHER' }), {
      maxItems: 1_000,
      description:
        'Only dependencies in whose licence expression at least one of these takes part; NOASSERTION: whose file gives none; OTHER: with a text that is no SPDX expression',
    }),
  ),
  packageFilters: Type.Optional(
    Type.Array(PackageFilter, { maxItems: 1_000, description: 'Only dependencies that fit at least one of these' }),
  ),
  includeArchived: Type.Optional(Type.Boolean({ description: 'Also look into archived repositories' })),
  ecosystem: Type.Optional(
    Type.Array(Ecosystem, { maxItems: 100, description: 'Only dependencies of these ecosystems' }),
  ),
  transitivity: Type.Optional(
    Type.Array(Transitivity, { maxItems: 100, description: 'Only dependencies that stand like this in their file' }),
  ),
})
export type DependencyFilter = Static<typeof DependencyFilter>

export const howFiltersWork =
  'All conditions must hold; of packageFilters one is enough. An empty text or list asks for nothing. Names match in any letter case where they contain the text. Versions are compared by the rules of the ecosystem of each dependency; exactVersion outranks bounds; a dependency without a readable version comes before all others.'

export const RepositorySummary = NamedObject('RepositorySummary', {
  id: Id,
  name: RepositoryName,
  numDependencies: Type.Integer({
    minimum: 1,
    description: 'How many of its dependencies match: each entry of each of its files counts',
  }),
  hasDependencyPathScan: Type.Boolean({ description: 'Whether a file of it says which dependency brings in which' }),
})
export type RepositorySummary = Static<typeof RepositorySummary>

export const filterBody = { deploymentId: Type.Optional(IdString), dependencyFilter: Type.Optional(DependencyFilter) }

// The interface gives this list a cursor that is a number; all others have texts.
const interfaceCursor = { minimum: 0, maximum: Number.MAX_SAFE_INTEGER }

export const RepositorySearch = NamedObject('RepositorySearch', {
  ...filterBody,
  pageSize: pageQuery.pageSize,
  cursor: Type.Optional(
    Type.Integer({ ...interfaceCursor, description: 'The cursor of the page before; 0 or absent starts' }),
  ),
})
export type RepositorySearch = Static<typeof RepositorySearch>

export const listRepositoriesWithDependencies = endpoint({
  ...common,
  id: 'listRepositoriesWithDependencies',
  summary: 'List repositories with dependencies',
  description: `The repositories that have dependencies which match the filter, ordered by id. ${howFiltersWork}`,
  method: 'POST',
  path: `${base}/repositories`,
  params: DeploymentParams,
  body: RepositorySearch,
  response: Type.Object({
    repositorySummaries: Type.Array(RepositorySummary, { description: 'A page of repositories, ordered by id' }),
    hasMore: pageFields.hasMore,
    cursor: Type.Integer({ minimum: 0, description: 'Where the next page starts; 0 where this one is empty' }),
  }),
  faults: ['id_mismatch', 'unprocessable'],
})

export const Dependency = NamedObject('Dependency', {
  repositoryId: Id,
  repositoryName: RepositoryName,
  ecosystem: Type.String({ description: 'Ecosystem of the package' }),
  name: Type.String({ description: 'Name of the package' }),
  version: Type.String({ description: 'Version; empty where the file gives none' }),
  transitivity: Transitivity,
  development: Type.Boolean({ description: 'Only needed to develop or test, if the file says so' }),
  license: Type.String({ description: 'Licence expression or text; empty where the file gives none' }),
  licenses: Type.Array(Type.String(), { description: 'The SPDX ids that take part in the licence expression' }),
  lockfilePath: Type.String({ description: 'The file that says so' }),
  line: Type.Integer({ minimum: 0, description: 'Line in that file, from 1; 0 where unknown' }),
  resolved: Type.String({ description: 'Where it was fetched from; empty where the file does not say' }),
})
export type Dependency = Static<typeof Dependency>

export const DependencySearch = NamedObject('DependencySearch', {
  ...filterBody,
  pageSize: pageQuery.pageSize,
  cursor: Type.Optional(Cursor),
})
export type DependencySearch = Static<typeof DependencySearch>

export const listDependencies = endpoint({
  ...common,
  id: 'listDependencies',
  summary: 'List dependencies',
  description: `The dependencies that match the filter, ordered by repository, file and package version, so that an upload between two pages neither repeats nor hides what it does not change. ${howFiltersWork}`,
  method: 'POST',
  path: `${base}/dependencies`,
  params: DeploymentParams,
  body: DependencySearch,
  response: Type.Object({
    dependencies: Type.Array(Dependency, { description: 'A page of dependencies' }),
    ...pageFields,
  }),
  faults: ['id_mismatch', 'unprocessable'],
})

const RepositoryParams = Type.Object({ deploymentId: AnyId, repositoryId: AnyId })

export const Lockfile = NamedObject('Lockfile', {
  path: Type.String({ description: 'Path in the repository' }),
  format: Type.String({ description: 'Which reader took it, for example package-lock' }),
  bytes: Type.Integer({ minimum: 0, description: 'Size of the file' }),
  dependencyCount: Count,
  problemCount: Type.Integer({ minimum: 0, description: 'Problems with it that the receipt of its scan lists' }),
  hasDependencyPaths: Type.Boolean({ description: 'Whether it says which dependency brings in which' }),
  statementCount: Type.Integer({ minimum: 0, description: 'What it says about vulnerabilities, kept as it was said' }),
  scanId: Id,
})
export type Lockfile = Static<typeof Lockfile>

export const listLockfiles = endpoint({
  ...common,
  id: 'listLockfiles',
  summary: 'List the lockfiles of a repository',
  description: 'The files that its current inventory was read from, ordered by path.',
  method: 'GET',
  path: `${base}/repositories/:repositoryId/lockfiles`,
  params: RepositoryParams,
  response: Type.Object({ lockfiles: Type.Array(Lockfile, { description: 'All of them', maxItems: 10_000 }) }),
  faults: ['not_found'],
})

export const BillStatement = NamedObject('BillStatement', {
  id: Id,
  lockfilePath: Type.String({ description: 'The bill of materials that says so' }),
  vulnerability: Type.String({ description: 'For example CVE-2021-44228; empty where it has no id' }),
  state: Type.String({
    description: 'What was found out about it, for example not_affected; empty where nothing is said',
  }),
  justification: Type.String({ description: 'Why, for example code_not_reachable; empty where nothing is said' }),
  affects: Type.Array(
    Type.Object({
      ref: Type.String({ description: 'What the document calls it' }),
      ecosystem: Type.String({ description: 'Ecosystem; empty where the document has no such component' }),
      name: Type.String({ description: 'Name of the package; empty where the document has no such component' }),
      version: Type.String({ description: 'Its version' }),
    }),
    { description: 'What it is about, the first 1,000', maxItems: 1_000 },
  ),
  document: Type.Record(Type.String(), Type.Unknown(), {
    description: 'The whole statement in the shape of CycloneDX',
  }),
})
export type BillStatement = Static<typeof BillStatement>

export const StatementQuery = Type.Object({
  vulnerability: Type.Optional(Type.String({ maxLength: 500, description: 'Only what is said about this one' })),
  ...pageQuery,
})
export type StatementQuery = Static<typeof StatementQuery>

export const listBillStatements = endpoint({
  ...common,
  id: 'listBillStatements',
  summary: 'List what bills of materials say about vulnerabilities',
  description:
    'The vulnerabilities and analyses (VEX) of the CycloneDX documents of the current inventory, as they were said. Nothing is decided by them: findings come from advisories and scanners.',
  method: 'GET',
  path: `${base}/repositories/:repositoryId/bill-statements`,
  params: RepositoryParams,
  query: StatementQuery,
  response: Type.Object({
    statements: Type.Array(BillStatement, { description: 'A page of statements' }),
    ...pageFields,
  }),
  faults: ['not_found'],
})

export const PathQuestion = NamedObject('DependencyPathSearch', {
  name: Type.String({ minLength: 1, maxLength: 500, description: 'Name of the package that the paths lead to' }),
  ecosystem: Type.Optional(Ecosystem),
  version: Type.Optional(Version),
  lockfilePath: Type.Optional(LockfilePath),
  limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, description: 'Most paths, 1 to 100; 20 by default' })),
})
export type PathQuestion = Static<typeof PathQuestion>

export const PathStep = NamedObject('DependencyPathStep', {
  ecosystem: Type.String({ description: 'Ecosystem of the package' }),
  name: Type.String({ description: 'Name of the package' }),
  version: Type.String({ description: 'Version; empty where the file gives none' }),
  line: Type.Integer({ minimum: 0, description: 'Line in the file, from 1; 0 where unknown' }),
})
export type PathStep = Static<typeof PathStep>

export const DependencyPath = NamedObject('DependencyPath', {
  lockfilePath: Type.String({ description: 'The file that says so' }),
  steps: Type.Array(PathStep, { description: 'From a direct dependency to the package; each brings in the next' }),
})
export type DependencyPath = Static<typeof DependencyPath>

export const findDependencyPaths = endpoint({
  ...common,
  id: 'findDependencyPaths',
  summary: 'Find what brings in a dependency',
  description:
    'For each direct dependency that leads to the package, the shortest path, in each file that has a graph; shortest first. At most 10,000 steps in all.',
  method: 'POST',
  path: `${base}/repositories/:repositoryId/dependency-paths`,
  params: RepositoryParams,
  body: PathQuestion,
  response: Type.Object({
    paths: Type.Array(DependencyPath, { description: 'Shortest first' }),
    truncated: Type.Boolean({ description: 'Whether there are more paths than these' }),
  }),
  faults: ['not_found'],
})

export const LicenceCount = NamedObject('LicenceCount', {
  spdxId: Type.String({ description: 'SPDX licence id' }),
  dependencyCount: Type.Integer({ minimum: 0, description: 'Dependencies in whose licence it takes part' }),
  repositoryCount: Type.Integer({ minimum: 0, description: 'Repositories that have such dependencies' }),
})
export type LicenceCount = Static<typeof LicenceCount>

export const LicenceQuery = Type.Object({
  includeArchived: Type.Optional(OneOf(['true', 'false'], 'Also count archived repositories; false by default')),
})
export type LicenceQuery = Static<typeof LicenceQuery>

export const getLicenceOverview = endpoint({
  ...common,
  id: 'getLicenceOverview',
  summary: 'Count licences',
  description:
    'How many dependencies, and in how many repositories, have each SPDX licence. A dependency counts for each licence that takes part in its expression.',
  method: 'GET',
  path: `${base}/licences`,
  params: DeploymentParams,
  query: LicenceQuery,
  response: Type.Object({
    licences: Type.Array(LicenceCount, { description: 'The most frequent first' }),
    unrecognised: Type.Integer({
      minimum: 0,
      description: 'Dependencies whose licence text is not an SPDX expression',
    }),
    withoutLicence: Type.Integer({ minimum: 0, description: 'Dependencies of which their file gives no licence' }),
  }),
  faults: [],
})

const sbomTypes = { cyclonedx: 'application/vnd.cyclonedx+json; version=1.6', spdx: 'application/spdx+json' } as const

export const SbomQuery = Type.Object({
  format: Type.Optional(OneOf(['cyclonedx', 'spdx'], 'CycloneDX 1.6 or SPDX 2.3, both as JSON; cyclonedx by default')),
})
export type SbomQuery = Static<typeof SbomQuery>

export const exportSbom = endpoint({
  ...common,
  id: 'exportSbom',
  summary: 'Export a bill of materials',
  description:
    'The current inventory of a repository as one document: each package version once, with its licence, where it was fetched from, and what it depends on.',
  method: 'GET',
  path: `${base}/repositories/:repositoryId/sbom`,
  params: RepositoryParams,
  query: SbomQuery,
  response: Type.Unsafe<Download>({ type: 'object', description: 'A CycloneDX or SPDX document' }),
  download: { mediaTypes: Object.values(sbomTypes).map((type) => type.split(';')[0]!) },
  faults: ['not_found'],
})

export const mediaTypeOf = (format: keyof typeof sbomTypes) => sbomTypes[format]
