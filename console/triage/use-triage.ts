import { type InfiniteData, useQueryClient } from '@tanstack/react-query'
import { refresh } from '../api/ask.ts'
import { call } from '../api/call.ts'
import type { Answer, Body } from '../api/contracts.ts'
import { asProblem } from '../api/problem.ts'
import { useDeployment } from '../app/deployment.ts'
import { say, sayFailure } from '../ui/overlays/toasts.tsx'
import { wordOf } from '../ui/text/words.ts'
import { inParts, partsOf, sayingSo } from './in-parts.ts'
import { type Kind, kinds } from './kinds.ts'
import { decided, putBackWords } from './words.ts'

export type Decision = Pick<Body<'triageFinding'>, 'triageState' | 'triageReason' | 'note'>

/** What is decided about: a finding or an issue. */
export type Decidable = { id: string; triageState: string; triageReason: string }

/** Ids or a filter, and what is decided; both kinds take it in the same words. */
type Request = Body<'triageFindings'>
type FormerTriage = Answer<'triageFindings'>['sameOnOtherBranches'][number]
type Pages = InfiniteData<Record<string, unknown>>

/** The server takes no more of them in one request, and shows no more rows in one page. */
const mostIds = 500
const mostRows = 100

/** Decides about findings or issues: on screen at once, undone within half a minute, put back if the server refuses. */
export function useTriage(kind: Kind) {
  const client = useQueryClient()
  const params = { deploymentId: useDeployment().id }
  const { search, list, triage, ids: idsOf, changed, unchanged, alone, touched } = kinds[kind]

  async function send(request: Record<string, unknown>) {
    const answer: object = await call(triage, { params, body: request as Request })
    const { [changed]: ids = [], [unchanged]: asBefore = [] } = answer as Record<string, string[]>
    const { sameOnOtherBranches = [] } = answer as { sameOnOtherBranches?: FormerTriage[] }
    const along = sameOnOtherBranches.flatMap(({ findingIds, ...former }) =>
      findingIds.map((id) => ({ id, ...former })),
    )
    return { ids, reached: ids.length + asBefore.length, along }
  }

  /** Answers how many of them it got to, and what is the same on other branches and was decided along with them, as it was. */
  async function sendIds(ids: readonly string[], decision: Decision) {
    const along: Decidable[] = []
    const { done, refused } = await inParts(partsOf(ids, mostIds), async (part) => {
      const answer = await send({ [idsOf]: part, ...decision })
      for (const one of answer.along) along.push(one)
    })
    const reached = ids.slice(0, done * mostIds)
    const asked = new Set(reached)
    return { reached, along: along.filter(({ id }) => !asked.has(id)), refused }
  }

  /** As they stand now: a list shows what was there before somebody else decided, and an undo must not lead back to that. */
  async function asTheyStand(rows: readonly Decidable[]): Promise<Decidable[]> {
    if (kind !== 'finding') return [...rows]
    const now = new Map<string, Decidable>()
    for (const part of partsOf(rows, mostRows)) {
      const filter = { findingIds: part.map(({ id }) => id) }
      const { findings } = await call('searchFindings', { params, body: { filter, pageSize: mostRows } })
      for (const finding of findings) now.set(finding.id, finding)
    }
    return rows.map((row) => now.get(row.id) ?? row)
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
      sayFailure(`${failed}: ${asProblem(error).message}`)
    }
    await refresh(client, touched)
  }

  async function decide(rows: readonly Decidable[], decision: Decision): Promise<void> {
    if (rows.length === 0) return
    show(new Set(rows.map((row) => row.id)), decision)
    await doing(async () => {
      const before = await asTheyStand(rows)
      const ids = before.map((row) => row.id)
      const { reached, along, refused } = await sendIds(ids, decision)
      if (refused && reached.length === 0) throw refused
      // Only what ends by itself is ENDED: nobody can put it back there.
      const canGoBack = before.every((row) => row.triageState !== 'TRIAGE_STATE_ENDED')
      const undo = () => void putBack([...before.slice(0, reached.length), ...along], decision)
      const done = decided(reached.length, wordOf(decision.triageState), kind, along.length)
      say(sayingSo(done, refused), canGoBack ? undo : 'no undo')
    }, 'Not done')
  }

  /** Each as it was, on its own branch: those of the same former state together. What somebody else decided since stays. */
  async function putBack(rows: readonly Decidable[], made: Decision): Promise<void> {
    await doing(async () => {
      const former = Map.groupBy(rows, (row) => `${row.triageState} ${row.triageReason}`).values()
      const parts = [...former].flatMap((same) => partsOf(same, mostIds))
      let back = 0
      const { done, refused } = await inParts(parts, async (part) => {
        const { triageState, triageReason } = part[0]! as Decision
        const ids = part.map((row) => row.id)
        const { reached } = await send({ ...kinds[kind].still(ids, made), triageState, triageReason, ...alone })
        back += reached
      })
      if (refused && done === 0) throw refused
      const others = parts.slice(0, done).flat().length - back
      say(sayingSo(putBackWords(back, others, kind), refused))
    }, 'Not undone')
  }

  /** Everything the filters match, by the filters and not by ids: what was not loaded counts too. */
  function decideAll(filters: readonly unknown[], decision: Decision): Promise<void> {
    return doing(async () => {
      const asked = new Set<string>()
      const along = new Set<string>()
      const { done, refused } = await inParts(filters, async (filter) => {
        const answer = await send({ filter, ...decision })
        for (const id of answer.ids) asked.add(id)
        for (const { id } of answer.along) along.add(id)
      })
      if (refused && done === 0) throw refused
      for (const id of asked) along.delete(id)
      say(sayingSo(decided(asked.size, wordOf(decision.triageState), kind, along.size), refused), 'no undo')
    }, 'Not done')
  }

  return { decide, decideAll }
}
