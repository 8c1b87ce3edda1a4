import Type, { type Static } from 'typebox'
import { ecosystemIds } from '../../ecosystems/ecosystem.ts'
import { ShownFeed } from '../../feeds/shown-feed.ts'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../kernel/contract/pagination.ts'
import {
  AnyId,
  DeploymentParams,
  Id,
  NamedObject,
  named,
  OneOf,
  OrNull,
  RepositoryName,
  Timestamp,
} from '../../kernel/contract/schema.ts'
import { severityNames } from './feeds/codes.ts'

const base = '/api/sca/deployments/:deploymentId'
const common = {
  tag: 'Vulnerabilities',
  stability: 'beta',
  security: 'both',
  permission: 'dependencies:read',
} as const

const text = (description: string) => Type.String({ description })
const texts = (description: string) => Type.Array(text('One entry'), { description })
const VulnerabilityId = named(
  'VulnerabilityId',
  Type.String({
    minLength: 1,
    maxLength: 200,
    pattern: '^[!-~]+$',
    description: 'Any of its ids: CVE, GHSA, PYSEC and so on, as databases write it',
  }),
)
export const Severity = named(
  'Severity',
  OneOf(severityNames, 'By its CVSS vector, else by what its database calls it, else medium'),
)
const Exploited = named(
  'KnownExploited',
  Type.Boolean({ description: 'Whether a list of vulnerabilities that are known to be exploited has it' }),
)
const VulnerabilityParams = Type.Object({ deploymentId: AnyId, vulnerabilityId: VulnerabilityId })

export const FoundVulnerability = NamedObject('VulnerabilitySummary', {
  id: text('The id it is best known by'),
  title: text('What it is, in a line'),
  severity: Severity,
  exploited: Exploited,
  findingCount: Type.Integer({ minimum: 1, description: 'Its open findings' }),
  repositoryCount: Type.Integer({
    minimum: 1,
    description: 'The repositories that those are in: the ones that it hits and that do not ignore it',
  }),
})
export type FoundVulnerability = Static<typeof FoundVulnerability>

export const VulnerabilityQuery = Type.Object({ repositoryId: Type.Optional(Id), ...pageQuery })
export type VulnerabilityQuery = Static<typeof VulnerabilityQuery>

export const listVulnerabilities = endpoint({
  ...common,
  id: 'listVulnerabilities',
  summary: 'List vulnerabilities that were found',
  description:
    'Those that advisories name for dependencies of the repositories the caller sees, or of one of them, in the order in which they first came up. What is ignored everywhere is not listed.',
  method: 'GET',
  path: `${base}/vulnerabilities`,
  params: DeploymentParams,
  query: VulnerabilityQuery,
  response: Type.Object({
    vulnerabilities: Type.Array(FoundVulnerability, { description: 'A page of vulnerabilities' }),
    ...pageFields,
  }),
  faults: [],
})

const Event = NamedObject('AdvisoryEvent', {
  introduced: text('From this version on; 0 is before all versions'),
  fixed: text('Up to, but not including, this version'),
  lastAffected: text('Up to and including this version'),
  limit: text('Nothing from this version on'),
})
const Affected = NamedObject('AdvisoryAffected', {
  ecosystem: OneOf(ecosystemIds, 'Ecosystem of the package'),
  name: text('Name of the package'),
  ranges: Type.Array(
    Type.Object({
      type: text('SEMVER, ECOSYSTEM or GIT; the last says nothing about versions'),
      events: Type.Array(Event, { description: 'Each with one of its fields; the others are empty' }),
    }),
    { description: 'Ranges of versions' },
  ),
  versions: texts('Versions that are listed by themselves'),
})

export const AdvisoryRecord = NamedObject('AdvisoryRecord', {
  id: text('Its id in its database'),
  aliases: texts('Ids of other databases for the same thing'),
  summary: text('In a line; may be empty'),
  details: text('Markdown; may be empty'),
  severity: Severity,
  cvssVector: text('Empty where there is none'),
  cvssScore: Type.Number({ minimum: 0, maximum: 10, description: '0 where there is no vector' }),
  cwes: texts('Weaknesses, for example CWE-79'),
  links: texts('References'),
  publishedAt: Timestamp,
  modifiedAt: Timestamp,
  withdrawnAt: OrNull(Timestamp),
  listed: Type.Boolean({ description: 'Whether its feed still has it' }),
  affected: Type.Array(Affected, { description: 'The packages it is about' }),
})
export type AdvisoryRecord = Static<typeof AdvisoryRecord>

export const Vulnerability = NamedObject('Vulnerability', {
  id: text('The id it is best known by'),
  ids: texts('All its ids, the best known first'),
  exploitedSince: OrNull(
    Type.String({
      format: 'date',
      description: 'When a list of known exploited vulnerabilities took it up; null where none has it',
    }),
  ),
  epss: OrNull(
    NamedObject(
      'EpssScore',
      {
        probability: Type.Number({
          minimum: 0,
          maximum: 1,
          description: 'That it is exploited within 30 days, as EPSS estimates it',
        }),
        percentile: Type.Number({
          minimum: 0,
          maximum: 1,
          description: 'The part of all vulnerabilities that have this probability or a lower one',
        }),
      },
      { description: 'Its score in the Exploit Prediction Scoring System; null where no list has it' },
    ),
  ),
  records: Type.Array(AdvisoryRecord, { description: 'What each database says about it' }),
})
export type Vulnerability = Static<typeof Vulnerability>

export const getVulnerability = endpoint({
  ...common,
  id: 'getVulnerability',
  summary: 'Get a vulnerability',
  description: 'What the advisories of all databases say about it, withdrawn ones too.',
  method: 'GET',
  path: `${base}/vulnerabilities/:vulnerabilityId`,
  params: VulnerabilityParams,
  response: Type.Object({ vulnerability: Vulnerability }),
  faults: ['not_found'],
})

export const VulnerableRepository = NamedObject('VulnerableRepository', {
  repositoryId: Id,
  repository: RepositoryName,
  ignored: Type.Boolean({
    description:
      'Whether all its findings there are ignored or marked as fixed. The lists of vulnerabilities count the other repositories',
  }),
  dependencyCount: Type.Integer({ minimum: 1, description: 'How many entries of its files are affected' }),
  dependencies: Type.Array(
    Type.Object({
      ecosystem: text('Ecosystem of the package'),
      name: text('Name of the package'),
      version: text('The affected version'),
      lockfilePath: text('The file that has it'),
      line: Type.Integer({ minimum: 0, description: 'Line of the file, from 1; 0 where unknown' }),
    }),
    { description: 'The first 100 of them' },
  ),
})
export type VulnerableRepository = Static<typeof VulnerableRepository>

export const RepositoryQuery = Type.Object({ ...pageQuery })
export type RepositoryQuery = Static<typeof RepositoryQuery>

export const listVulnerableRepositories = endpoint({
  ...common,
  id: 'listVulnerableRepositories',
  summary: 'List repositories that a vulnerability hits',
  description:
    'Those whose current inventory has a version that an advisory about it names, ordered by id; archived ones and those that ignore it too.',
  method: 'GET',
  path: `${base}/vulnerabilities/:vulnerabilityId/repositories`,
  params: VulnerabilityParams,
  query: RepositoryQuery,
  response: Type.Object({
    repositories: Type.Array(VulnerableRepository, { description: 'A page of repositories, ordered by id' }),
    ...pageFields,
  }),
  faults: ['not_found'],
})

export const VulnerabilityFeeds = NamedObject('VulnerabilityFeeds', {
  advice: text('What to do about it; empty where all is well'),
  feeds: Type.Array(ShownFeed, { description: 'Where advisories come from' }),
  exploitedFeeds: Type.Array(ShownFeed, { description: 'Where it is known from which of them are exploited' }),
  epssFeeds: Type.Array(ShownFeed, { description: 'Where EPSS scores come from' }),
})
export type VulnerabilityFeeds = Static<typeof VulnerabilityFeeds>

export const getVulnerabilityFeeds = endpoint({
  ...common,
  id: 'getVulnerabilityFeeds',
  summary: 'Get the state of the vulnerability feeds',
  description: 'They are the same for all deployments.',
  method: 'GET',
  path: `${base}/vulnerability-feeds`,
  params: DeploymentParams,
  response: VulnerabilityFeeds,
  faults: [],
})
