import type { Api } from '../../kernel/contract/api.ts'
import { getTeamClaims, setTeamClaims } from './claims/claim-contract.ts'
import type { ClaimService } from './claims/claims.ts'
import {
  createTeam,
  deleteTeam,
  getTeam,
  listTeamMembers,
  listTeamRepositories,
  listTeams,
  updateTeam,
  updateTeamDefaults,
} from './contract.ts'
import type { TeamService } from './service.ts'

export function teamRoutes(api: Api, teams: TeamService, claims: ClaimService): void {
  api.serve(getTeamClaims, ({ actor, params }) => claims.get(actor, params.teamId))
  api.serve(setTeamClaims, ({ actor, params, body }) => claims.set(actor, params.teamId, body))
  api.serve(updateTeam, async ({ actor, params, body }) => ({
    team: await teams.update(actor, params.teamId, body.team),
  }))
  api.serve(createTeam, async ({ actor, body }) => ({ team: await teams.create(actor, body.team) }))
  api.serve(listTeams, ({ actor, query }) => teams.list(actor, query))
  api.serve(getTeam, async ({ actor, params }) => ({ team: await teams.get(actor, params.teamId) }))
  api.serve(updateTeamDefaults, async ({ actor, params, body }) => ({
    team: await teams.setDefaults(actor, params.teamId, body),
  }))
  api.serve(deleteTeam, async ({ actor, params }) => ({ team: await teams.remove(actor, params.teamId) }))
  api.serve(listTeamMembers, ({ actor, params, query }) => teams.listMembers(actor, params.teamId, query))
  api.serve(listTeamRepositories, ({ actor, params, query }) => teams.listRepositories(actor, params.teamId, query))
}
