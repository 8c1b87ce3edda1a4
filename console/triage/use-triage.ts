import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { refresh } from '../api/ask.ts'
import { call } from '../api/call.ts'
import type { Body } from '../api/contracts.ts'
import { asProblem } from '../api/problem.ts'
import { useDeployment } from '../app/deployment.ts'
import { say } from '../ui/overlays/toasts.tsx'
import { wordOf } from '../ui/text/words.ts'
import { type Kind, kinds } from './kinds.ts'
import { decided } from './words.ts'

export type Decision = Pick<Body<'triageFinding'>, 'triageState' | 'triageReason' | 'note'>

type Sent = Decision & { thisBranchOnly?: boolean }

/** What is decided about: a finding or an issue. */
export type Decidable = { id: string; triageState: string; triageReason: string }

/** Ids or a filter, and what is decided; both kinds take it in the same words. */
type Request = Body<'triageFindings'>
type Pages = InfiniteData<Record<string, unknown>>

/** Decides about findings or issues: on screen at once, undone within half a minute, put back if the server refuses. */
export function useTriage(kind: Kind) {
  const client = useQueryClient()
  const params = { deploymentId: useDeployment().id }
  const { search, list, triage, ids: idsOf, changed, touched } = kinds[kind]

  async function send(request: Record<string, unknown>): Promise<{ ids: string[]; along: string[] }> {
    const answer = (await call(triage, { params, body: request as Request })) as unknown as Record<string, string[]>
    return { ids: answer[changed] ?? [], along: answer.sameOnOtherBranchesFindingIds ?? [] }
  }

  /** Answers what is the same on other branches and was decided along with them. */
  async function sendIds(ids: readonly string[], decision: Sent): Promise<Set<string>> {
    const along = new Set<string>()
    for (let at = 0; at < ids.length; at += 500) {
      const answer = await send({ [idsOf]: ids.slice(at, at + 500), ...decision })
      for (const id of answer.along) along.add(id)
    }
    return along
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
      for (const id of ids) along.delete(id)
      say(decided(ids.length, wordOf(decision.triageState), kind, along.size), () => void putBack(rows))
    }, 'Not done')
  }

  /** Each as it was: those of the same former state together. What went along goes back along. */
  async function putBack(rows: readonly Decidable[]): Promise<void> {
    await doing(async () => {
      const along = await sendBack(rows)
      // Two that are the same on two branches and were decided otherwise have put each other back.
      const moved = rows.filter((row) => along.has(row.id))
      if (moved.length > 0) await sendBack(moved, { thisBranchOnly: true })
      say('Undone.')
    }, 'Not undone')
  }

  async function sendBack(rows: readonly Decidable[], how: Pick<Sent, 'thisBranchOnly'> = {}): Promise<Set<string>> {
    const along = new Set<string>()
    for (const same of Map.groupBy(rows, (row) => `${row.triageState} ${row.triageReason}`).values()) {
      const { triageState, triageReason } = same[0]! as Decision
      const ids = same.map((row) => row.id)
      for (const id of await sendIds(ids, { triageState, triageReason, ...how })) along.add(id)
    }
    return along
  }

  /** Everything the filters match, by the filters and not by ids: what was not loaded counts too. */
  function decideAll(filters: readonly unknown[], decision: Decision): Promise<void> {
    return doing(async () => {
      const asked = new Set<string>()
      const along = new Set<string>()
      for (const filter of filters) {
        const answer = await send({ filter, ...decision })
        for (const id of answer.ids) asked.add(id)
        for (const id of answer.along) along.add(id)
      }
      for (const id of asked) along.delete(id)
      say(decided(asked.size, wordOf(decision.triageState), kind, along.size))
    }, 'Not done')
  }

  return { decide, decideAll }
}
