import { type Actor, seesEverything } from '../../kernel/access/actor.ts'
import type { TeamRole, TeamScope } from './contract.ts'

/** What the caller is to a team in which they have `role`, or none. */
export function authorizedScopes(actor: Actor, role: TeamRole | null): TeamScope[] {
  const scopes: TeamScope[] = []
  if (role) scopes.push('TEAM_SCOPE_DIRECT_MEMBER')
  if (seesEverything(actor) || role === 'TEAM_ROLE_MANAGER') scopes.push('TEAM_SCOPE_MANAGE')
  return scopes
}
