import { useAsk } from '../api/ask.ts'
import type { Answer } from '../api/contracts.ts'
import { useDeployment } from '../app/deployment.ts'
import { Empty } from '../ui/states.tsx'

/**
 * Whether there is no repository that the person sees and an owner or admin could show them one: who is in a team that new repositories join
 * sees them as they come. Undefined: not known yet.
 */
export function useSeesNoRepository(): boolean | undefined {
  const { role } = useDeployment()
  const isLimited = role !== 'owner' && role !== 'admin'
  const query = { pageSize: 1, includeArchived: 'true' as const }
  const { data } = useAsk('listRepositories', { query }, { enabled: isLimited })
  const seesNone = isLimited && data?.repositories.length === 0
  const teams = useAsk('listTeams', { query: { pageSize: 100 } }, { enabled: seesNone })
  if (!isLimited || (data && !seesNone)) return false
  return teams.error ? true : teams.data && !teams.data.teams.some(seesWhatComes)
}

function seesWhatComes({ isProjectDefault, authorizedScopes }: Answer<'listTeams'>['teams'][number]): boolean {
  return isProjectDefault && authorizedScopes.includes('TEAM_SCOPE_DIRECT_MEMBER')
}

export function NotVisible() {
  return (
    <Empty title="Not visible to you">
      <p>
        You see the repositories of your teams, and you are in none that has any. An owner or admin can add you to a
        team.
      </p>
    </Empty>
  )
}

/** What is in a repository that one does not see is answered like what is not there. Owners and admins see everything. */
export function PerhapsNotVisible() {
  const { role } = useDeployment()
  if (role === 'owner' || role === 'admin') return null
  return (
    <p className="muted">
      It may be in a repository that you do not see: you see those of your teams. An owner or admin can add you to a
      team that has it.
    </p>
  )
}
