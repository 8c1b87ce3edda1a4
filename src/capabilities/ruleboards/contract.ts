import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import {
  AnyId,
  DeploymentParams,
  Name,
  NamedObject,
  named,
  OneOf,
  RepositoryName,
  Slug,
  VersionedObject,
} from '../../kernel/contract/schema.ts'

const path = '/api/agent/deployments/:deploymentId/ruleboards'

const ruleboardTypes = ['RULEBOARD_TYPE_SAST', 'RULEBOARD_TYPE_SECRETS'] as const
export type RuleboardType = (typeof ruleboardTypes)[number]

export const AssignedRepositories = named(
  'AssignedRepositories',
  Type.Array(RepositoryName, {
    maxItems: 10_000,
    description: 'Names of the repositories it applies to',
  }),
)

export const Ruleboard = VersionedObject('Ruleboard', {
  name: Name,
  slug: Slug,
  default: Type.Boolean({ description: 'Applies to repositories that no other board claims' }),
  assigned_repos: AssignedRepositories,
})
export type Ruleboard = Static<typeof Ruleboard>

/** The lists of the interface do not say what type a board has; the one that is asked for alone does. */
const TypedRuleboard = VersionedObject('TypedRuleboard', {
  ...Ruleboard.properties,
  type: OneOf(ruleboardTypes, 'What its rules look for: weaknesses in code, or secrets'),
})
export type TypedRuleboard = Static<typeof TypedRuleboard>

const RuleboardParams = Type.Object({ deploymentId: AnyId, ruleboardSlug: Slug })
const common = { tag: 'Ruleboards', stability: 'experimental', security: 'both' } as const

export const RuleboardOverview = NamedObject('RuleboardOverview', { name: Name, assigned_repos: AssignedRepositories })
export type RuleboardOverview = Static<typeof RuleboardOverview>

export const updateRuleboardOverview = endpoint({
  ...common,
  id: 'updateRuleboardOverview',
  summary: 'Update the overview of a ruleboard',
  description: 'Replaces its name and the repositories it applies to. The slug stays, so that its URL does not move.',
  permission: 'ruleboards:write',
  method: 'PUT',
  path: `${path}/:ruleboardSlug/overview`,
  params: RuleboardParams,
  body: RuleboardOverview,
  response: Ruleboard,
  faults: ['not_found', 'unknown_repository', 'precondition_failed'],
})

export const listRuleboards = endpoint({
  ...common,
  id: 'listRuleboards',
  summary: 'List ruleboards',
  description: 'All of the deployment, or those of one type.',
  permission: 'ruleboards:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  query: Type.Object({
    type: Type.Optional(
      OneOf(['RULEBOARD_TYPE_UNSPECIFIED', ...ruleboardTypes], 'Only boards of this type; unspecified or absent: all'),
    ),
  }),
  response: Type.Object({
    ruleboards: Type.Array(Ruleboard, { description: 'Oldest first, so the default boards come first' }),
  }),
  faults: [],
})

export const NewRuleboard = NamedObject('NewRuleboard', {
  name: Name,
  type: OneOf(ruleboardTypes, 'What its rules look for: weaknesses in code, or secrets'),
  assigned_repos: Type.Optional(AssignedRepositories),
})
export type NewRuleboard = Static<typeof NewRuleboard>

export const createRuleboard = endpoint({
  ...common,
  id: 'createRuleboard',
  summary: 'Create a ruleboard',
  description: 'Its slug comes from the name and stays. Repositories are assigned by name.',
  permission: 'ruleboards:write',
  method: 'POST',
  path,
  params: DeploymentParams,
  body: NewRuleboard,
  response: Ruleboard,
  faults: ['unknown_repository'],
})

export const getRuleboard = endpoint({
  ...common,
  id: 'getRuleboard',
  summary: 'Get a ruleboard',
  description: 'With its type and the names of the repositories that are assigned to it.',
  permission: 'ruleboards:read',
  method: 'GET',
  path: `${path}/:ruleboardSlug`,
  params: RuleboardParams,
  response: TypedRuleboard,
  faults: ['not_found'],
})

export const deleteRuleboard = endpoint({
  ...common,
  id: 'deleteRuleboard',
  summary: 'Delete a ruleboard',
  description: 'Not a default board: every repository has one. Answers what it was.',
  permission: 'ruleboards:write',
  method: 'DELETE',
  path: `${path}/:ruleboardSlug`,
  params: RuleboardParams,
  response: Ruleboard,
  faults: ['not_found', 'conflict', 'precondition_failed'],
})
