import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import type { Issue } from '../../src/capabilities/issues/issue.ts'
import { refresh } from '../api/ask.ts'
import { call } from '../api/call.ts'
import type { Answer, Body } from '../api/contracts.ts'
import { asProblem } from '../api/problem.ts'
import { useDeployment } from '../app/deployment.ts'
import { say } from '../ui/toasts.tsx'
import { label, plural, wordOf } from '../ui/words.ts'

export type Decision = Pick<Body<'triageIssues'>, 'triageState' | 'triageReason'>
const touched = ['searchIssues', 'countIssues', 'getIssue', 'listIssueActivity']
type Pages = InfiniteData<Answer<'searchIssues'>>

/** Decides about issues: on screen at once, undone within ten seconds, put back if the server refuses. */
export function useIssueTriage() {
  const client = useQueryClient()
  const params = { deploymentId: useDeployment().id }

  function show(ids: ReadonlySet<string>, decision: Decision): void {
    const change = (issue: Issue): Issue =>
      ids.has(issue.id)
        ? {
            ...issue,
            triageState: decision.triageState,
            triageReason: decision.triageReason ?? 'TRIAGE_REASON_UNSPECIFIED',
          }
        : issue
    client.setQueriesData<Pages>({ queryKey: ['searchIssues'] }, (pages) =>
      pages && 'pages' in pages
        ? { ...pages, pages: pages.pages.map((page) => ({ ...page, issues: page.issues.map(change) })) }
        : pages,
    )
  }

  async function send(issueIds: readonly string[], decision: Decision): Promise<void> {
    for (let at = 0; at < issueIds.length; at += 500) {
      await call('triageIssues', { params, body: { issueIds: issueIds.slice(at, at + 500), ...decision } })
    }
  }

  async function decide(issues: readonly Issue[], decision: Decision): Promise<void> {
    if (issues.length === 0) return
    const ids = issues.map((issue) => issue.id)
    show(new Set(ids), decision)
    try {
      await send(ids, decision)
      say(decided(ids.length, decision), () => void putBack(issues))
    } catch (error) {
      say(`Not done: ${asProblem(error).message}`)
    }
    await refresh(client, touched)
  }

  async function putBack(issues: readonly Issue[]): Promise<void> {
    const groups = Map.groupBy(issues, (issue) => `${issue.triageState} ${issue.triageReason}`)
    try {
      for (const same of groups.values()) {
        const { triageState, triageReason } = same[0]!
        await send(
          same.map((issue) => issue.id),
          { triageState, triageReason },
        )
      }
      say('Undone.')
    } catch (error) {
      say(`Not undone: ${asProblem(error).message}`)
    }
    await refresh(client, touched)
  }

  /** Everything a filter matches, by the filter: what was not loaded counts too. */
  async function decideAll(filter: NonNullable<Body<'triageIssues'>['filter']>, decision: Decision): Promise<void> {
    try {
      const { changedIssueIds } = await call('triageIssues', { params, body: { filter, ...decision } })
      say(decided(changedIssueIds.length, decision))
    } catch (error) {
      say(`Not done: ${asProblem(error).message}`)
    }
    await refresh(client, touched)
  }

  return { decide, decideAll }
}

function decided(count: number, { triageState }: Decision): string {
  return `${plural(count, 'issue')} ${count === 1 ? 'is' : 'are'} now: ${label(wordOf(triageState)).toLowerCase()}.`
}
