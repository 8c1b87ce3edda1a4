import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { Count, DeploymentParams, Id, NamedObject, OneOf, Slug, Timestamp } from '../../kernel/contract/schema.ts'
import { Repository } from './contract.ts'

const word = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description })

export const RepositorySearchFilter = NamedObject('RepositorySearchFilter', {
  ids: Type.Optional(Type.Array(Id, { minItems: 1, maxItems: 100, description: 'These, archived ones too' })),
  text: Type.Optional(word(300, 'Names that contain this, in any letter case')),
  tags: Type.Optional(
    Type.Array(word(100, 'A tag'), { minItems: 1, maxItems: 100, description: 'With one of these tags' }),
  ),
  teams: Type.Optional(
    Type.Array(word(200, 'Slug or name of a team'), {
      minItems: 1,
      maxItems: 100,
      description: 'Of one of these teams, or of the teams below them',
    }),
  ),
  publiclyExposed: Type.Optional(Type.Boolean({ description: 'Whether it is publicly exposed' })),
  archived: Type.Optional(Type.Boolean({ description: 'Archived ones instead of the others' })),
  neverScanned: Type.Optional(Type.Boolean({ description: 'Whether it was never scanned' })),
  blocked: Type.Optional(
    Type.Boolean({ description: 'Whether it has pull requests whose last scan was blocked and that are not over' }),
  ),
})
export type RepositorySearchFilter = Static<typeof RepositorySearchFilter>

const repositorySorts = ['name', 'severity', 'open', 'dependencies', 'lastScan', 'blocked'] as const
export type RepositorySort = (typeof repositorySorts)[number]

export const RepositorySearch = NamedObject('RepositoryQuestion', {
  filter: Type.Optional(RepositorySearchFilter),
  sort: Type.Optional(
    Type.Object({
      by: OneOf(repositorySorts, 'severity: most critical ones first, then most high ones, and so on'),
      direction: Type.Optional(OneOf(['asc', 'desc'], 'asc for names, desc for everything else unless given')),
    }),
  ),
  pageSize: Type.Optional(
    Type.Integer({ minimum: 1, maximum: 100, description: 'Most entries a page, 1 to 100; 50 by default' }),
  ),
  cursor: Type.Optional(
    Type.String({ maxLength: 2_000, description: 'The cursor of the page before; empty or absent starts' }),
  ),
})
export type RepositorySearch = Static<typeof RepositorySearch>

const OwnTeam = NamedObject('TeamOfRepository', {
  id: Id,
  slug: Slug,
  name: Type.String({ description: 'Name of the team' }),
})

const RepositoryFigures = NamedObject('RepositoryFigures', {
  ...Repository.properties,
  open: {
    ...Count,
    description: 'Findings on branches that are open, reopened, in review or being fixed, each thing once',
  },
  openBySeverity: Type.Object(
    {
      SEVERITY_INFO: Count,
      SEVERITY_LOW: Count,
      SEVERITY_MEDIUM: Count,
      SEVERITY_HIGH: Count,
      SEVERITY_CRITICAL: Count,
    },
    { description: 'The same by severity' },
  ),
  dependencies: { ...Count, description: 'In its inventory' },
  lastScan: Type.Union([Type.Object({ id: Id, at: Timestamp }), Type.Null()], { description: 'Null: never scanned' }),
  blockedPullRequests: { ...Count, description: 'Pull requests whose last scan was blocked and that are not over' },
  teams: Type.Array(OwnTeam, { description: 'The teams it is in, ordered by name' }),
})
export type RepositoryFigures = Static<typeof RepositoryFigures>

export const searchRepositories = endpoint({
  id: 'searchRepositories',
  summary: 'Search repositories, with their figures',
  description:
    'Those the caller sees. Open findings, dependencies, the last scan, blocked pull requests and teams beside each. Also needs the permissions to read findings, scans, dependencies and teams. A cursor belongs to its deployment, filter and sort.',
  tag: 'Repositories',
  stability: 'beta',
  security: 'both',
  permission: 'repositories:read',
  method: 'POST',
  path: '/api/repositories/v1/deployments/:deploymentId/repositories/search',
  params: DeploymentParams,
  body: RepositorySearch,
  response: Type.Object({
    repositories: Type.Array(RepositoryFigures, { description: 'A page of repositories' }),
    total: { ...Count, description: 'How many the filter matches' },
    hasMore: Type.Boolean({ description: 'Whether there are repositories after this page' }),
    cursor: Type.String({ description: 'Where the next page starts; empty on the last one' }),
  }),
  faults: ['validation_failed', 'forbidden'],
})
