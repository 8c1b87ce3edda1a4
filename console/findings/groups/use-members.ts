import { useQueries, useQueryClient } from '@tanstack/react-query'
import { useState } from 'react'
import { call } from '../../api/call.ts'
import type { Answer } from '../../api/contracts.ts'
import { pageWithSomething } from '../../api/pages.ts'
import type { Problem } from '../../api/problem.ts'
import { useDeployment } from '../../app/deployment.ts'
import type { FindingFilter, Members } from './lines.ts'

type Page = Answer<'searchFindings'>
/** In the shape of a list that is read page by page, so that decisions show in it as in others. */
type Pages = { pages: Page[] }

/** The findings of open groups, each read as far as somebody asked for. */
export function useMembers(groups: readonly { word: string; filter: FindingFilter }[]) {
  const params = { deploymentId: useDeployment().id }
  const client = useQueryClient()
  const [wanted, setWanted] = useState<Readonly<Record<string, number>>>({})
  const asked = groups.map(({ word, filter }) => ({ word, filter, count: wanted[word] ?? 1 }))
  const keyOf = (filter: FindingFilter, count: number) => ['searchFindings', { params, filter }, 'of group', count]
  const answers = useQueries({
    queries: asked.map(({ filter, count }) => ({
      queryKey: keyOf(filter, count),
      queryFn: async ({ signal }: { signal: AbortSignal }): Promise<Pages> => {
        const pages: Page[] = []
        while (pages.length < count && pages.at(-1)?.hasMore !== false) {
          const page = await pageWithSomething(pages.at(-1)?.cursor, (cursor) => {
            const from = cursor ? { cursor: String(cursor) } : {}
            const body = { filter, sort: { by: 'severity' as const }, pageSize: 100, ...from }
            return call('searchFindings', { params, body }, { signal })
          })
          pages.push(page)
        }
        return { pages }
      },
      // What was there stays while more is read.
      placeholderData: () => client.getQueryData<Pages>(keyOf(filter, count - 1)),
    })),
  })
  const members = new Map<string, Members>(
    asked.map(({ word }, at) => [
      word,
      { findings: answers[at]?.data?.pages.flatMap((page) => page.findings) ?? [], isPending: !answers[at]?.data },
    ]),
  )
  return {
    members,
    isFetching: answers.some((answer) => answer.isFetching),
    problem: answers.find((answer) => answer.error)?.error as Problem | undefined,
    readMore: (word: string) => setWanted((all) => ({ ...all, [word]: (all[word] ?? 1) + 1 })),
  }
}
