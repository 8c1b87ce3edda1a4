import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { refresh } from '../api/ask.ts'
import { call } from '../api/call.ts'
import type { Answer, Body } from '../api/contracts.ts'
import { asProblem } from '../api/problem.ts'
import { useDeployment } from '../app/deployment.ts'
import { say } from '../ui/overlays/toasts.tsx'
import { undone, wordOf } from '../ui/text/words.ts'
import { type Kind, kinds } from './kinds.ts'
import { decided } from './words.ts'

export type Decision = Pick<Body<'triageFinding'>, 'triageState' | 'triageReason' | 'note'>

/** What is decided about: a finding or an issue. */
export type Decidable = { id: string; triageState: string; triageReason: string }

/** Ids or a filter, and what is decided; both kinds take it in the same words. */
type Request = Body<'triageFindings'>
type FormerTriage = Answer<'triageFindings'>['sameOnOtherBranches'][number]
type Pages = InfiniteData<Record<string, unknown>>

/** Decides about findings or issues: on screen at once, undone within half a minute, put back if the server refuses. */
export function useTriage(kind: Kind) {
  const client = useQueryClient()
  const params = { deploymentId: useDeployment().id }
  const { search, list, triage, ids: idsOf, changed, alone, touched } = kinds[kind]

  async function send(request: Record<string, unknown>): Promise<{ ids: string[]; along: Decidable[] }> {
    const answer: object = await call(triage, { params, body: request as Request })
    const { [changed]: ids = [] } = answer as Record<string, string[]>
    const { sameOnOtherBranches = [] } = answer as { sameOnOtherBranches?: FormerTriage[] }
    const along = sameOnOtherBranches.flatMap(({ findingIds, ...former }) =>
      findingIds.map((id) => ({ id, ...former })),
    )
    return { ids, along }
  }

  /** Answers what is the same on other branches and was decided along with them, as it was. */
  async function sendIds(ids: readonly string[], decision: Decision): Promise<Decidable[]> {
    const along: Decidable[] = []
    for (let at = 0; at < ids.length; at += 500) {
      const answer = await send({ [idsOf]: ids.slice(at, at + 500), ...decision })
      for (const one of answer.along) along.push(one)
    }
    const asked = new Set(ids)
    return along.filter(({ id }) => !asked.has(id))
  }

  function show(ids: ReadonlySet<string>, { triageState, triageReason }: Decision): void {
    const next = { triageState, triageReason: triageReason ?? 'TRIAGE_REASON_UNSPECIFIED' }
    const change = (row: Decidable) => (ids.has(row.id) ? { ...row, ...next } : row)
    client.setQueriesData<Pages>({ queryKey: [search] }, (data) =>
      data && 'pages' in data
        ? { ...data, pages: data.pages.map((page) => ({ ...page, [list]: (page[list] as Decidable[]).map(change) })) }
        : data,
    )
  }

  /** Says what became of it, and reads again what it touched, whether it worked or not. */
  async function doing(work: () => Promise<void>, failed: string): Promise<void> {
    try {
      await work()
    } catch (error) {
      say(`${failed}: ${asProblem(error).message}`)
    }
    await refresh(client, touched)
  }

  async function decide(rows: readonly Decidable[], decision: Decision): Promise<void> {
    if (rows.length === 0) return
    const ids = rows.map((row) => row.id)
    show(new Set(ids), decision)
    await doing(async () => {
      const along = await sendIds(ids, decision)
      // Only what ends by itself is ENDED: nobody can put it back there.
      const canGoBack = rows.every((row) => row.triageState !== 'TRIAGE_STATE_ENDED')
      const undo = () => void putBack([...rows, ...along])
      say(decided(ids.length, wordOf(decision.triageState), kind, along.length), canGoBack ? undo : 'no undo')
    }, 'Not done')
  }

  /** Each as it was, on its own branch: those of the same former state together. */
  async function putBack(rows: readonly Decidable[]): Promise<void> {
    await doing(async () => {
      for (const same of Map.groupBy(rows, (row) => `${row.triageState} ${row.triageReason}`).values()) {
        const { triageState, triageReason } = same[0]! as Decision
        const ids = same.map((row) => row.id)
        await sendIds(ids, { triageState, triageReason, ...alone })
      }
      say(undone(rows.length, kind))
    }, 'Not undone')
  }

  /** Everything the filters match, by the filters and not by ids: what was not loaded counts too. */
  function decideAll(filters: readonly unknown[], decision: Decision): Promise<void> {
    return doing(async () => {
      const asked = new Set<string>()
      const along = new Set<string>()
      for (const filter of filters) {
        const answer = await send({ filter, ...decision })
        for (const id of answer.ids) asked.add(id)
        for (const { id } of answer.along) along.add(id)
      }
      for (const id of asked) along.delete(id)
      say(decided(asked.size, wordOf(decision.triageState), kind, along.size), 'no undo')
    }, 'Not done')
  }

  return { decide, decideAll }
}
