import Type, { type Static } from 'typebox'
import { ecosystemIds } from '../../../ecosystems/ecosystem.ts'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { pageFields, searchPage } from '../../../kernel/contract/pagination.ts'
import { Count, DeploymentParams, Id, NamedObject, OneOf, OrNull, Timestamp } from '../../../kernel/contract/schema.ts'
import { FoundVulnerability, Severity } from '../contract.ts'

const word = (maxLength: number, description: string) => Type.String({ minLength: 1, maxLength, description })
const some = { minItems: 1, maxItems: 100 }

export const VulnerabilityFilter = NamedObject('VulnerabilityFilter', {
  text: Type.Optional(word(200, 'Ids, aliases too, and titles that contain this, in any letter case')),
  severities: Type.Optional(
    Type.Array(Severity, { ...some, description: 'The worst of its findings is one of these' }),
  ),
  ecosystems: Type.Optional(
    Type.Array(OneOf(ecosystemIds, 'Ecosystem of the package'), { ...some, description: 'Found in one of these' }),
  ),
  package: Type.Optional(word(500, 'Found in this package: its whole name, in any letter case')),
  publishedSince: Type.Optional(Timestamp),
  repositoryId: Type.Optional(Id),
})
export type VulnerabilityFilter = Static<typeof VulnerabilityFilter>

export const VulnerabilitySearch = NamedObject('VulnerabilitySearch', {
  filter: Type.Optional(VulnerabilityFilter),
  sort: Type.Optional(
    Type.Object({
      by: OneOf(
        ['severity', 'repositories', 'findings', 'published', 'id'],
        'severity: the most severe first, then what hits most repositories; the default',
      ),
      direction: Type.Optional(OneOf(['asc', 'desc'], 'asc for ids, desc for everything else unless given')),
    }),
  ),
  ...searchPage,
})
export type VulnerabilitySearch = Static<typeof VulnerabilitySearch>

export const VulnerabilityMatch = NamedObject('VulnerabilityMatch', {
  ...FoundVulnerability.properties,
  publishedAt: OrNull(Timestamp),
  packages: Type.Array(
    Type.Object({
      ecosystem: Type.String({ description: 'Ecosystem of the package' }),
      name: Type.String({ description: 'Name of the package' }),
    }),
    { maxItems: 5, description: 'The packages it was found in, the first five' },
  ),
})
export type VulnerabilityMatch = Static<typeof VulnerabilityMatch>

export const searchVulnerabilities = endpoint({
  tag: 'Vulnerabilities',
  stability: 'beta',
  security: 'both',
  permission: 'dependencies:read',
  id: 'searchVulnerabilities',
  summary: 'Search vulnerabilities that were found',
  description:
    'Those that advisories name for dependencies of the repositories the caller sees. What is ignored everywhere is not listed. All conditions must hold. A cursor belongs to its deployment, filter and sort.',
  method: 'POST',
  path: '/api/sca/deployments/:deploymentId/vulnerabilities/search',
  params: DeploymentParams,
  body: VulnerabilitySearch,
  response: Type.Object({
    vulnerabilities: Type.Array(VulnerabilityMatch, { description: 'A page of vulnerabilities' }),
    total: { ...Count, description: 'How many the filter matches' },
    ...pageFields,
  }),
  faults: [],
})
