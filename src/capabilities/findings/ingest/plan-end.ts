import { inTurns } from '../../../kernel/threads/in-turns.ts'
import { isPresent } from '../identity/pairing.ts'
import type { Transition } from '../lifecycle/transition-store.ts'
import { arrivalOf, fixOf, type NotedTransition } from './plan-changes.ts'
import type { StoredFindingRow } from './reconcile-store.ts'

type Rows = Iterable<StoredFindingRow>

// What ends with a log may be all that there was. So everything here goes row by row, in turns with others.

/** Of what is known, what the log has not named: what stands on the base of its pull request, and the rest. */
export async function sortUnseen(
  known: Rows,
  seen: ReadonlySet<StoredFindingRow>,
  isOnBase: (row: StoredFindingRow) => boolean,
): Promise<{ onBase: StoredFindingRow[]; unseen: StoredFindingRow[] }> {
  const [onBase, unseen]: StoredFindingRow[][] = [[], []]
  await inTurns(known, (row) => {
    if (!seen.has(row)) (isOnBase(row) ? onBase! : unseen!).push(row)
  })
  return { onBase: onBase!, unseen: unseen! }
}

export async function planArrivals(onBase: Rows): Promise<NotedTransition[]> {
  const arrivals: NotedTransition[] = []
  await inTurns(onBase, (row) => {
    const arrival = arrivalOf(row)
    if (arrival) arrivals.push(arrival)
  })
  return arrivals
}

/** Ids of what was away and is there, without being in another state. */
export async function listReturned(seen: Rows, transitions: Iterable<Transition>): Promise<number[]> {
  const moved = new Set<number>()
  await inTurns(transitions, ({ id }) => moved.add(id))
  const returned: number[] = []
  await inTurns(seen, (row) => {
    if (row.absent && !moved.has(row.id)) returned.push(row.id)
  })
  return returned
}

/** What is fixed by not being there, by what is noted with it; and ids of what keeps its state and is not there any more. */
export async function planFixes(gone: Rows, whyFixed: ReadonlyMap<string, string> | undefined) {
  const fixes: NotedTransition[] = []
  const kept: number[] = []
  await inTurns(gone, (row) => {
    const fix = fixOf(row)
    if (fix) fixes.push({ ...fix, note: whyFixed?.get(row.fingerprint) ?? '' })
    else if (isPresent(row)) kept.push(row.id)
  })
  return { fixes, kept }
}

export async function byNote(transitions: Iterable<NotedTransition>): Promise<Map<string, NotedTransition[]>> {
  const groups = new Map<string, NotedTransition[]>()
  await inTurns(transitions, (one) => {
    const group = groups.get(one.note)
    if (group) group.push(one)
    else groups.set(one.note, [one])
  })
  return groups
}
