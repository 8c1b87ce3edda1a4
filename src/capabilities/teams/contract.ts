import Type, { type Static } from 'typebox'
import { endpoint } from '../../kernel/contract/endpoint.ts'
import { pageFields, pageQuery } from '../../kernel/contract/pagination.ts'
import {
  AnyId,
  Count,
  CountString,
  DeploymentParams,
  Email,
  Id,
  IdParameter,
  IdString,
  Name,
  NamedObject,
  named,
  OneOf,
  RepositoryName,
  Slug,
  VersionedObject,
} from '../../kernel/contract/schema.ts'

const tag = 'Teams'
const path = '/api/permissions/v2/deployments/:deploymentId/teams'

const teamRoles = ['TEAM_ROLE_MEMBER', 'TEAM_ROLE_MANAGER', 'TEAM_ROLE_READONLY'] as const
export type TeamRole = (typeof teamRoles)[number]
const teamScopes = ['TEAM_SCOPE_DIRECT_MEMBER', 'TEAM_SCOPE_MANAGE'] as const
export type TeamScope = (typeof teamScopes)[number]
const updateActions = ['UPDATE_ACTION_ADD', 'UPDATE_ACTION_UPDATE', 'UPDATE_ACTION_REMOVE'] as const
export type UpdateAction = (typeof updateActions)[number]

const IsProjectDefault = named(
  'IsProjectDefault',
  Type.Boolean({ description: 'New repositories are put into this team' }),
)
const IsUserDefault = named('IsUserDefault', Type.Boolean({ description: 'New people are put into this team' }))

export const Team = VersionedObject('Team', {
  id: IdString,
  deploymentId: IdString,
  name: Name,
  slug: Slug,
  parentTeamId: Type.String({ description: 'Id of the team above it; empty for a team at the top' }),
  repositoryCount: CountString,
  userCount: CountString,
  childTeamCount: CountString,
  isProjectDefault: IsProjectDefault,
  isUserDefault: IsUserDefault,
  authorizedScopes: Type.Array(OneOf(teamScopes, 'A scope'), { description: 'What the caller is to this team' }),
})
export type Team = Static<typeof Team>

const Action = named(
  'UpdateAction',
  OneOf(
    updateActions,
    'What happens to this entry alone. Without it in all entries, the list replaces the whole; some with and some without is refused',
  ),
)

const RepositoryEntry = NamedObject('TeamRepositoryEntry', { repositoryId: IdString, action: Type.Optional(Action) })
export type RepositoryEntry = Static<typeof RepositoryEntry>

const UserEntry = NamedObject('TeamUserEntry', {
  userId: Id,
  role: Type.Optional(
    OneOf(teamRoles, 'Role in the team; TEAM_ROLE_MEMBER for new members and in a list that replaces'),
  ),
  action: Type.Optional(Action),
})
export type UserEntry = Static<typeof UserEntry>

export const TeamChanges = NamedObject('TeamChanges', {
  name: Type.Optional(Name),
  repositories: Type.Optional(
    Type.Array(RepositoryEntry, { maxItems: 500, description: 'Repositories of the team; stays when left out' }),
  ),
  users: Type.Optional(Type.Array(UserEntry, { maxItems: 500, description: 'Its people; stays when left out' })),
})
export type TeamChanges = Static<typeof TeamChanges>

const TeamParams = Type.Object({ deploymentId: AnyId, teamId: IdParameter })
const OneTeam = NamedObject('OneTeam', { team: Team })
const common = { tag, stability: 'beta', security: 'both' } as const

export const updateTeam = endpoint({
  ...common,
  id: 'updateTeam',
  summary: 'Update a team',
  description:
    "Changes a team's name, users and repositories; what is left out stays. Owners, admins and managers of the team may. Unknown users or repositories are named, and nothing is changed.",
  permission: 'teams:manage',
  method: 'PATCH',
  path: `${path}/:teamId`,
  params: TeamParams,
  body: Type.Object({ team: TeamChanges }),
  response: OneTeam,
  faults: ['not_found', 'forbidden', 'unknown_repository', 'unknown_person', 'unprocessable', 'precondition_failed'],
})

export const NewTeam = NamedObject('NewTeam', {
  name: Name,
  parentTeamId: Type.Optional(IdString),
  isProjectDefault: Type.Optional(IsProjectDefault),
  isUserDefault: Type.Optional(IsUserDefault),
})
export type NewTeam = Static<typeof NewTeam>

export const createTeam = endpoint({
  ...common,
  id: 'createTeam',
  summary: 'Create a team',
  description: 'Its slug comes from the name and stays when the team is renamed. A tree of teams has three levels.',
  permission: 'teams:write',
  method: 'POST',
  path,
  params: DeploymentParams,
  body: Type.Object({ team: NewTeam }),
  response: OneTeam,
  faults: ['unprocessable'],
})

export const TeamQuery = Type.Object({
  parentTeamId: Type.Optional(IdParameter),
  text: Type.Optional(
    Type.String({ minLength: 1, maxLength: 200, description: 'In name or slug, in upper or lower case' }),
  ),
  ...pageQuery,
})
export type TeamQuery = Static<typeof TeamQuery>

export const listTeams = endpoint({
  ...common,
  id: 'listTeams',
  summary: 'List teams',
  description: 'All of the deployment, or with `parentTeamId` those directly below one.',
  permission: 'teams:read',
  method: 'GET',
  path,
  params: DeploymentParams,
  query: TeamQuery,
  response: Type.Object({
    teams: Type.Array(Team, { description: 'A page of teams, ordered by id' }),
    total: Count,
    ...pageFields,
  }),
  faults: [],
})

export const getTeam = endpoint({
  ...common,
  id: 'getTeam',
  summary: 'Get a team',
  description: 'With counts of its people, repositories and the teams below it.',
  permission: 'teams:read',
  method: 'GET',
  path: `${path}/:teamId`,
  params: TeamParams,
  response: OneTeam,
  faults: ['not_found'],
})

export const TeamDefaults = NamedObject('TeamDefaults', {
  isProjectDefault: Type.Optional(IsProjectDefault),
  isUserDefault: Type.Optional(IsUserDefault),
})
export type TeamDefaults = Static<typeof TeamDefaults>

export const updateTeamDefaults = endpoint({
  ...common,
  id: 'updateTeamDefaults',
  summary: 'Say whether new repositories and new people join a team',
  description: 'What is left out stays. Nobody is added to or taken out of the team by this.',
  permission: 'teams:write',
  method: 'PATCH',
  path: `${path}/:teamId/defaults`,
  params: TeamParams,
  body: TeamDefaults,
  response: OneTeam,
  faults: ['not_found', 'precondition_failed'],
})

export const deleteTeam = endpoint({
  ...common,
  id: 'deleteTeam',
  summary: 'Delete a team',
  description: 'Not while there are teams below it. Answers what it was.',
  permission: 'teams:write',
  method: 'DELETE',
  path: `${path}/:teamId`,
  params: TeamParams,
  response: OneTeam,
  faults: ['not_found', 'conflict', 'precondition_failed'],
})

const TeamMember = NamedObject('TeamMember', {
  userId: Id,
  name: Name,
  email: Email,
  role: OneOf(teamRoles, 'Role in the team'),
})

export const listTeamMembers = endpoint({
  ...common,
  id: 'listTeamMembers',
  summary: 'List the people of a team',
  description: 'Direct members only; people of the teams below it are not listed.',
  permission: 'teams:read',
  method: 'GET',
  path: `${path}/:teamId/members`,
  params: TeamParams,
  query: Type.Object(pageQuery),
  response: Type.Object({
    members: Type.Array(TeamMember, { description: 'A page of its direct members, ordered by id' }),
    ...pageFields,
  }),
  faults: ['not_found'],
})

const TeamRepository = NamedObject('TeamRepository', { repositoryId: IdString, name: RepositoryName })

export const listTeamRepositories = endpoint({
  ...common,
  id: 'listTeamRepositories',
  summary: 'List the repositories of a team',
  description: 'Those of them that the caller sees.',
  permission: 'teams:read',
  method: 'GET',
  path: `${path}/:teamId/repositories`,
  params: TeamParams,
  query: Type.Object(pageQuery),
  response: Type.Object({
    repositories: Type.Array(TeamRepository, { description: 'A page of its own repositories, ordered by id' }),
    ...pageFields,
  }),
  faults: ['not_found'],
})
