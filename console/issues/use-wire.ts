import { useQueries } from '@tanstack/react-query'
import { call } from '../api/call.ts'
import type { Body } from '../api/contracts.ts'
import type { Problem } from '../api/problem.ts'
import type { Filter } from '../app/address/filter.ts'
import { useDeployment } from '../app/deployment.ts'
import { repositoryNames } from './filter.ts'

type IssueFilter = NonNullable<Body<'searchIssues'>['filter']>
type Wire = { wire: IssueFilter; ready: boolean; problem: Problem | undefined; retry: () => void }

/** Names in the address, ids in the request. A name that no visible repository has matches nothing. */
export function useWire(filter: Filter): Wire {
  const { id: deploymentId } = useDeployment()
  const { [repositoryNames]: given, ...rest } = filter
  const names = (given as string[] | undefined) ?? []
  const answers = useQueries({
    queries: names.map((name) => ({
      queryKey: ['listRepositories', { deploymentId, name }, 'of this name'],
      queryFn: ({ signal }: { signal: AbortSignal }) => findNamed(deploymentId, name, signal),
      staleTime: 60_000,
    })),
  })
  const failed = answers.filter((answer) => answer.data === undefined && answer.error)
  const ids = answers.flatMap((answer) => answer.data ?? [])
  return {
    wire: (names.length === 0 ? rest : { ...rest, projectIds: ids.length > 0 ? ids : ['0'] }) as IssueFilter,
    ready: answers.every((answer) => answer.data !== undefined),
    problem: failed[0]?.error as Problem | undefined,
    retry: () => failed.forEach((answer) => void answer.refetch()),
  }
}

/** The API lists names that contain the one asked for, oldest first: the repository itself may be behind many others. */
async function findNamed(deploymentId: number, name: string, signal: AbortSignal): Promise<string[]> {
  const query = { name, pageSize: 100, includeArchived: 'true' as const }
  let page = await call('listRepositories', { params: { deploymentId }, query }, { signal })
  for (;;) {
    const found = page.repositories.filter((each) => each.name === name)
    if (found.length > 0 || !page.hasMore) return found.map((each) => String(each.id))
    const next = { ...query, cursor: Number(page.cursor) }
    page = await call('listRepositories', { params: { deploymentId }, query: next }, { signal })
  }
}
