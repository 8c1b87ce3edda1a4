import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../kernel/contract/pagination.ts'
import {
  AnyId,
  DeploymentParams,
  Id,
  NamedObject,
  named,
  OneOf,
  RepositoryName,
  Timestamp,
  VersionedObject,
} from '../../kernel/contract/schema.ts'

const tag = 'Repositories'
const base = '/api/repositories/v1/deployments/:deploymentId'
const path = `${base}/repositories`

const TagName = named(
  'TagName',
  Type.String({
    minLength: 1,
    maxLength: 100,
    pattern: '^\\S(.*\\S)?$',
    description: 'A tag, without space around it',
  }),
)
const Tags = named('RepositoryTags', Type.Array(TagName, { maxItems: 100, description: 'Tags the repository carries' }))
const BranchName = named(
  'BranchName',
  Type.String({
    minLength: 1,
    maxLength: 250,
    pattern: '^[^\\s~^:?*\\[\\\\]+$',
    description: 'Branch that full scans describe',
  }),
)
const Archived = named(
  'RepositoryArchived',
  Type.Boolean({ description: 'No longer worked on; left out of lists unless asked for' }),
)
const PubliclyExposed = named(
  'PubliclyExposed',
  Type.Boolean({ description: 'What it builds can be reached from the internet' }),
)

const Kind = named(
  'RepositoryKind',
  OneOf(
    ['REPOSITORY_KIND_CODE', 'REPOSITORY_KIND_PACKAGE_CLIENTS'],
    'What it stands for: code, or, in the one repository that Gatehouse makes itself, the clients of the malware firewall, whose findings are what they were given before it was known to be malicious',
  ),
)

const address = (description: string) => Type.String({ maxLength: 1_000, description })
const WebUrl = named(
  'RepositoryWebUrl',
  address('Where people view it in a browser, over http or https; empty if that is not set'),
)
const LinkTemplates = NamedObject(
  'LinkTemplates',
  {
    file: Type.Optional(address('Of a line of a file: {path}, {line}, {commit} or {ref} stand for theirs')),
    commit: Type.Optional(address('Of a {commit}')),
    pullRequest: Type.Optional(address('Of the pull request {number}')),
  },
  { description: 'Addresses at its host, where they are not those that webUrl leads to by itself' },
)

export const Repository = VersionedObject('Repository', {
  id: Id,
  name: RepositoryName,
  tags: Tags,
  archived: Archived,
  publiclyExposed: PubliclyExposed,
  defaultBranch: BranchName,
  webUrl: WebUrl,
  linkTemplates: LinkTemplates,
  kind: Kind,
  createdAt: Timestamp,
})
export type Repository = Static<typeof Repository>

export const RepositoryChanges = NamedObject('RepositoryChanges', {
  name: Type.Optional(RepositoryName),
  tags: Type.Optional(Tags),
  archived: Type.Optional(Archived),
  publiclyExposed: Type.Optional(PubliclyExposed),
  defaultBranch: Type.Optional(BranchName),
  webUrl: Type.Optional(WebUrl),
  linkTemplates: Type.Optional(LinkTemplates),
})
export type RepositoryChanges = Static<typeof RepositoryChanges>

export const NewRepository = NamedObject('NewRepository', { ...RepositoryChanges.properties, name: RepositoryName })
export type NewRepository = Static<typeof NewRepository>

const RepositoryParams = Type.Object({ deploymentId: AnyId, repositoryId: AnyId })
const OneRepository = NamedObject('OneRepository', { repository: Repository })

export const createRepository = endpoint({
  id: 'createRepository',
  summary: 'Create a repository',
  description: 'It joins the teams that are the default for new repositories. The default branch is main unless given.',
  tag,
  stability: 'stable',
  security: 'both',
  permission: 'repositories:write',
  method: 'POST',
  path,
  params: DeploymentParams,
  body: NewRepository,
  response: OneRepository,
  faults: ['conflict', 'validation_failed'],
})

export const RepositoryQuery = Type.Object({
  name: Type.Optional(
    Type.String({ minLength: 1, maxLength: 300, description: 'Names that contain this, in any letter case' }),
  ),
  tag: Type.Optional(TagName),
  includeArchived: Type.Optional(OneOf(['true', 'false'], 'Also list archived repositories; false by default')),
  ...pageQuery,
})
export type RepositoryQuery = Static<typeof RepositoryQuery>

export const listRepositories = endpoint({
  id: 'listRepositories',
  summary: 'List repositories',
  description: 'Those the caller sees: all for owners and admins, for others those of their teams and of teams below.',
  tag,
  stability: 'stable',
  security: 'both',
  permission: 'repositories:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  query: RepositoryQuery,
  response: Type.Object({
    repositories: Type.Array(Repository, { description: 'A page of repositories, ordered by id' }),
    ...pageFields,
  }),
  faults: [],
})

export const getRepository = endpoint({
  id: 'getRepository',
  summary: 'Get a repository',
  description: 'One that the caller sees. Others look as if they did not exist.',
  tag,
  stability: 'stable',
  security: 'both',
  permission: 'repositories:read',
  method: 'GET',
  path: `${path}/:repositoryId`,
  params: RepositoryParams,
  response: OneRepository,
  faults: ['not_found'],
})

export const updateRepository = endpoint({
  id: 'updateRepository',
  summary: 'Update a repository',
  description: 'What is left out stays. Tags replace the tags it had.',
  tag,
  stability: 'stable',
  security: 'both',
  permission: 'repositories:write',
  method: 'PATCH',
  path: `${path}/:repositoryId`,
  params: RepositoryParams,
  body: RepositoryChanges,
  response: OneRepository,
  faults: ['validation_failed', 'not_found', 'conflict', 'precondition_failed'],
})

export const deleteRepository = endpoint({
  id: 'deleteRepository',
  summary: 'Delete a repository',
  description: 'With everything that is known about it. Answers what it was.',
  tag,
  stability: 'stable',
  security: 'both',
  permission: 'repositories:write',
  method: 'DELETE',
  path: `${path}/:repositoryId`,
  params: RepositoryParams,
  response: OneRepository,
  faults: ['not_found', 'precondition_failed', 'reauthentication_required'],
  reauthentication: 'always',
})

export const Tag = NamedObject('Tag', {
  id: Id,
  name: TagName,
  repositoryCount: Type.Integer({ minimum: 0, description: 'How many repositories the caller sees carry it' }),
})
export type Tag = Static<typeof Tag>

export const listTags = endpoint({
  id: 'listTags',
  summary: 'List tags',
  description: 'Those that at least one repository carries that the caller sees.',
  tag,
  stability: 'stable',
  security: 'both',
  permission: 'repositories:read',
  method: 'GET',
  path: `${base}/tags`,
  params: DeploymentParams,
  query: Type.Object(pageQuery),
  response: Type.Object({ tags: Type.Array(Tag, { description: 'A page of tags, oldest first' }), ...pageFields }),
  faults: [],
})
