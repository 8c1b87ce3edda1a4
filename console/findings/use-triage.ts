import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import type { Finding } from '../../src/capabilities/findings/finding.ts'
import { refresh } from '../api/ask.ts'
import { call } from '../api/call.ts'
import type { Answer, Body } from '../api/contracts.ts'
import { asProblem } from '../api/problem.ts'
import { useDeployment } from '../app/deployment.ts'
import { say } from '../ui/toasts.tsx'
import { wordOf } from '../ui/words.ts'
import { decided } from './words.ts'

export type Decision = Pick<Body<'triageFinding'>, 'triageState' | 'triageReason' | 'note'>

/** What shows findings or counts them, and is read again after a decision. */
const touched = [
  'searchFindings',
  'countFindings',
  'getFinding',
  'listFindingHistory',
  'groupFindings',
  'facetFindings',
]

type Pages = InfiniteData<Answer<'searchFindings'>>

/** Decides about findings: on screen at once, undone within ten seconds, put back if the server refuses. */
export function useTriage() {
  const client = useQueryClient()
  const { id: deploymentId } = useDeployment()
  const params = { deploymentId }

  function show(ids: ReadonlySet<string>, decision: Decision): void {
    client.setQueriesData<Pages>({ queryKey: ['searchFindings'] }, (pages) => {
      if (!pages || !('pages' in pages)) return pages
      const change = (finding: Finding): Finding =>
        ids.has(finding.id)
          ? {
              ...finding,
              triageState: decision.triageState,
              triageReason: decision.triageReason ?? 'TRIAGE_REASON_UNSPECIFIED',
            }
          : finding
      return { ...pages, pages: pages.pages.map((page) => ({ ...page, findings: page.findings.map(change) })) }
    })
  }

  async function decide(findings: readonly Finding[], decision: Decision): Promise<void> {
    if (findings.length === 0) return
    const ids = findings.map((finding) => finding.id)
    show(new Set(ids), decision)
    try {
      for (const some of inPortions(ids))
        await call('triageFindings', { params, body: { findingIds: some, ...decision } })
      say(decided(ids.length, wordOf(decision.triageState)), () => void putBack(findings))
    } catch (error) {
      say(`Not done: ${asProblem(error).message}`)
    }
    await refresh(client, touched)
  }

  /** Each as it was: those of the same former state together. */
  async function putBack(findings: readonly Finding[]): Promise<void> {
    const groups = Map.groupBy(findings, (finding) => `${finding.triageState} ${finding.triageReason}`)
    try {
      for (const same of groups.values()) {
        const { triageState, triageReason } = same[0]! as Decision
        for (const some of inPortions(same.map((finding) => finding.id))) {
          await call('triageFindings', { params, body: { findingIds: some, triageState, triageReason } })
        }
      }
      say('Undone.')
    } catch (error) {
      say(`Not undone: ${asProblem(error).message}`)
    }
    await refresh(client, touched)
  }

  /** Everything a filter matches, by the filter and not by ids: what was not loaded counts too. */
  async function decideAll(filter: NonNullable<Body<'triageFindings'>['filter']>, decision: Decision): Promise<void> {
    try {
      const { changedFindingIds } = await call('triageFindings', { params, body: { filter, ...decision } })
      say(decided(changedFindingIds.length, wordOf(decision.triageState)))
    } catch (error) {
      say(`Not done: ${asProblem(error).message}`)
    }
    await refresh(client, touched)
  }

  return { decide, decideAll }
}

function inPortions(ids: readonly string[]): string[][] {
  return Array.from({ length: Math.ceil(ids.length / 500) }, (_, index) => ids.slice(index * 500, (index + 1) * 500))
}
