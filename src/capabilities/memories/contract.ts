import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../kernel/contract/pagination.ts'
import {
  AnyId,
  DeploymentParams,
  IdParameter,
  IdString,
  NamedObject,
  named,
  OneOf,
} from '../../kernel/contract/schema.ts'
import {
  Content,
  Contexts,
  Memory,
  PathPrefixes,
  PreanalysisCounts,
  ProjectTagId,
  RepositoryId,
  RuleId,
  SuggestionSources,
  stageNames,
  VulnerabilityClass,
} from './memory.ts'

const path = '/api/ai/deployments/:deploymentId/memories'
const common = { tag: 'Memories', stability: 'experimental', security: 'both' } as const
const OneParams = Type.Object({ deploymentId: AnyId, memoryId: IdParameter })
const OneMemory = NamedObject('OneMemory', { memory: Memory })
const RepositoryIds = named(
  'MemoryRepositoryIds',
  Type.Array(IdString, { maxItems: 10_000, description: 'Only for these repositories' }),
)

/** What a memory covers changes with it, at once: that may be every finding of a deployment. */
const settlingSeconds = 600

export const MemoryFilter = NamedObject('MemoryFilter', {
  repositoryIds: Type.Optional(RepositoryIds),
  exactScope: Type.Optional(
    Type.Boolean({
      description:
        'With repositoryIds: leave out what is about a tag they carry or about the whole deployment; false by default',
    }),
  ),
})
export type MemoryFilter = Static<typeof MemoryFilter>

export const listMemories = endpoint({
  ...common,
  id: 'listMemories',
  summary: 'List live memories',
  description:
    'All that are live, or those for some repositories. Callers other than owners and admins get those of repositories they see, of tags that such repositories carry, and those of the whole deployment.',
  permission: 'memories:read',
  method: 'POST',
  path: `${path}/list`,
  params: DeploymentParams,
  body: Type.Object({ deploymentId: Type.Optional(IdString), filter: Type.Optional(MemoryFilter) }),
  response: Type.Object({ memories: Type.Array(Memory, { description: 'Ordered by id' }) }),
  faults: ['id_mismatch'],
})

export const MemoryQuery = Type.Object({
  stage: Type.Optional(OneOf(stageNames, 'Only those of this stage; all but the deleted ones by default')),
  ...pageQuery,
})
export type MemoryQuery = Static<typeof MemoryQuery>

export const browseMemories = endpoint({
  ...common,
  id: 'browseMemories',
  summary: 'List memories of any stage, page by page',
  description: 'All but the deleted ones, or those of one stage. Callers see what `listMemories` shows them.',
  permission: 'memories:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  query: MemoryQuery,
  response: Type.Object({ memories: Type.Array(Memory, { description: 'Ordered by id' }), ...pageFields }),
  faults: [],
})

export const getMemory = endpoint({
  ...common,
  id: 'getMemory',
  summary: 'Get a memory',
  description: 'Also one that was deleted: the history of findings may name it.',
  permission: 'memories:read',
  method: 'GET',
  path: `${path}/:memoryId`,
  params: OneParams,
  response: OneMemory,
  faults: ['not_found'],
})

const given = {
  deploymentId: Type.Optional(IdString),
  context: Type.Optional(Contexts),
  ruleId: Type.Optional(RuleId),
  repositoryId: Type.Optional(RepositoryId),
  projectTagId: Type.Optional(ProjectTagId),
  pathPrefixes: Type.Optional(PathPrefixes),
  vulnerabilityClass: Type.Optional(VulnerabilityClass),
}

export const NewMemory = NamedObject('NewMemory', {
  ...given,
  content: Content,
  stage: Type.Optional(
    OneOf(['AI_MEMORY_STAGE_LIVE', 'AI_MEMORY_STAGE_SUGGESTED'], 'Live by default; a suggestion waits to be promoted'),
  ),
  suggestionSources: Type.Optional(SuggestionSources),
})
export type NewMemory = Static<typeof NewMemory>

export const createMemory = endpoint({
  ...common,
  id: 'createMemory',
  seconds: settlingSeconds,
  summary: 'Create a memory',
  description:
    'For triage unless told otherwise. A live one takes effect with the answer. It is about a repository, or about a tag, or about the whole deployment; the latter two are for owners and admins. For triage it must say what it is about: a rule, paths or a class.',
  permission: 'memories:write',
  method: 'POST',
  path,
  params: DeploymentParams,
  body: NewMemory,
  response: OneMemory,
  faults: ['id_mismatch', 'forbidden', 'unknown_repository', 'unprocessable'],
})

export const MemoryChanges = NamedObject('MemoryChanges', { ...given, content: Type.Optional(Content) })
export type MemoryChanges = Static<typeof MemoryChanges>

export const updateMemory = endpoint({
  ...common,
  id: 'updateMemory',
  seconds: settlingSeconds,
  summary: 'Update a memory',
  description:
    'What is left out stays; an empty repositoryId, or projectTagId 0, clears it. A live one gives back the findings it no longer covers and takes those it now does.',
  permission: 'memories:write',
  method: 'PATCH',
  path: `${path}/:memoryId`,
  params: OneParams,
  body: MemoryChanges,
  response: OneMemory,
  faults: [
    'not_found',
    'id_mismatch',
    'forbidden',
    'conflict',
    'unknown_repository',
    'unprocessable',
    'precondition_failed',
  ],
})

export const deleteMemory = endpoint({
  ...common,
  id: 'deleteMemory',
  seconds: settlingSeconds,
  summary: 'Delete a memory',
  description: 'The findings it ignored stand again as they did before. It stays readable, as deleted.',
  permission: 'memories:write',
  method: 'DELETE',
  path: `${path}/:memoryId`,
  params: OneParams,
  response: OneMemory,
  faults: ['not_found', 'forbidden', 'precondition_failed'],
})

export const preanalyzeMemory = endpoint({
  ...common,
  id: 'preanalyzeMemory',
  summary: 'Replay a suggested memory over the findings in its scope',
  description: 'What promoting it would do now. Changes nothing but the counts it is shown with.',
  permission: 'memories:write',
  method: 'POST',
  path: `${path}/:memoryId/preanalyze`,
  params: OneParams,
  response: OneMemory,
  faults: ['not_found', 'forbidden', 'conflict'],
})

export const promoteMemory = endpoint({
  ...common,
  id: 'promoteMemory',
  seconds: settlingSeconds,
  summary: 'Promote a suggested memory',
  description:
    'It is live and takes effect with the answer, whose counts say exactly what was done. With `preanalysisCounts`, only if it does just that; otherwise 409 and nothing is changed. Promoting a live one changes nothing.',
  permission: 'memories:write',
  method: 'POST',
  path: `${path}/:memoryId/promote`,
  params: OneParams,
  body: Type.Object({
    deploymentId: Type.Optional(IdString),
    preanalysisCounts: Type.Optional(PreanalysisCounts),
  }),
  response: OneMemory,
  faults: ['not_found', 'id_mismatch', 'forbidden', 'conflict', 'unprocessable', 'precondition_failed'],
})

export const suggestMemories = endpoint({
  ...common,
  id: 'suggestMemories',
  summary: 'Suggest memories from what people have ignored',
  description:
    'Where at least two people ignore findings of one rule in one folder for one reason. It also happens by itself after such a decision. What was suggested before is not suggested again.',
  permission: 'memories:write',
  method: 'POST',
  path: `${path}/suggest`,
  params: DeploymentParams,
  body: Type.Object({ deploymentId: Type.Optional(IdString), repositoryIds: Type.Optional(RepositoryIds) }),
  response: Type.Object({
    memories: Type.Array(Memory, { description: 'Suggestions for these repositories, or all, that wait; by id' }),
  }),
  faults: ['id_mismatch'],
})
