import { useAsk } from '../api/ask.ts'
import { useDeployment } from '../app/deployment.ts'
import { Empty } from '../ui/states.tsx'

/** Whether there is no repository that the person sees and an owner or admin could show them one. Undefined: not known yet. */
export function useSeesNoRepository(): boolean | undefined {
  const { role } = useDeployment()
  const isLimited = role !== 'owner' && role !== 'admin'
  const query = { pageSize: 1, includeArchived: 'true' as const }
  const { data } = useAsk('listRepositories', { query }, { enabled: isLimited })
  return isLimited ? data && data.repositories.length === 0 : false
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
