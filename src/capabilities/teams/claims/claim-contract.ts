import Type, { type Static } from 'typebox'
import { endpoint } from '../../../kernel/contract/endpoint.ts'
import { AnyId, IdParameter, named, VersionedObject } from '../../../kernel/contract/schema.ts'
import { patternText } from './name-pattern.ts'

const path = '/api/permissions/v2/deployments/:deploymentId/teams/:teamId/claims'
const TeamParams = Type.Object({ deploymentId: AnyId, teamId: IdParameter })
const common = { tag: 'Teams', stability: 'beta', security: 'both', path, params: TeamParams } as const

const NamePattern = named(
  'NamePattern',
  Type.String({
    minLength: 1,
    maxLength: 300,
    pattern: patternText,
    description: 'Names of repositories: * stands for any characters but a slash, ** for any. Letter case counts',
  }),
)

const TeamClaims = VersionedObject('TeamClaims', {
  patterns: Type.Array(NamePattern, {
    maxItems: 100,
    uniqueItems: true,
    description: 'Every repository of such a name is the team’s, those that come later too',
  }),
  membersCreate: Type.Boolean({
    description:
      'Whether members and managers of the team may bring new repositories of these names by uploading a scan',
  }),
})
export type TeamClaims = Static<typeof TeamClaims>

export const getTeamClaims = endpoint({
  ...common,
  id: 'getTeamClaims',
  summary: 'Get the names that a team claims',
  description:
    'For owners, admins and the people of the team: a pattern may reveal repositories that others do not see.',
  permission: 'teams:read',
  method: 'GET',
  response: TeamClaims,
  faults: ['not_found', 'forbidden'],
})

export const setTeamClaims = endpoint({
  ...common,
  id: 'setTeamClaims',
  summary: 'Set the names that a team claims',
  description:
    'In the place of those it had. Repositories of these names join the team now and whenever they come; those that are only there by a former pattern leave it.',
  permission: 'teams:write',
  method: 'PUT',
  body: TeamClaims,
  response: TeamClaims,
  faults: ['not_found', 'unprocessable', 'precondition_failed'],
})
