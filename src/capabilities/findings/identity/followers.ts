import * as codes from '../../../domain/finding-codes.ts'
import { inTurns } from '../../../kernel/threads/in-turns.ts'
import { decidedElsewhere, readStanding } from './elsewhere.ts'
import type { ElsewhereRow } from './elsewhere-store.ts'
import { groupOf, isDecidedByPerson, isIgnoredByPerson, isPresent } from './pairing.ts'

/** A finding of a branch. */
export type BranchRow = ElsewhereRow & { repository_id: number; source: string; ref: string }

/** What a person decides, or had decided before. */
type Decision = { state: number; reason: number }
type Former = Decision & { decided_by: number }

/** A finding of another branch that the decision counts for as well, and the branch on which it was made. */
export type Follower = { id: number; decidedOn: string }

const ended = codes.state.code('ended')
const person = codes.decider.code('person')

/**
 * What a decision of a person counts for on other branches. `rows` is what the branches have of it, after the decision; `decided` is
 * how the findings stood that it was made about. What is the same is told as for findings that are new on a branch
 * (see elsewhere.ts). Nobody's decision is overruled by it: a finding goes along where no person has decided about it, or where
 * a person had decided about it just as about the other one. Equal ones have to be as many there as here.
 */
export async function followersOf(
  rows: readonly BranchRow[],
  decided: ReadonlyMap<number, Former>,
  decision: Decision,
): Promise<Follower[]> {
  const followers: Follower[] = []
  const places = Map.groupBy(rows, (row) => `${row.repository_id} ${row.source}`)
  for (const place of places.values()) {
    const deciding = await decidingRows(place, decided)
    for (const [streamId, standing] of Map.groupBy(place.filter(isStanding), (row) => row.stream_id)) {
      const others = deciding.filter((row) => row.stream_id !== streamId)
      if (others.length === 0) continue
      for (const one of await followersAmong(standing, others, decided, decision)) followers.push(one)
    }
  }
  return followers
}

/** What the branches on which something was decided have of it; what was decided now comes last. */
async function decidingRows(
  rows: readonly BranchRow[],
  decided: ReadonlyMap<number, Former>,
): Promise<readonly BranchRow[]> {
  const thingOf = ({ stream_id, fingerprint }: BranchRow) => `${stream_id} ${groupOf(fingerprint) ?? fingerprint}`
  const concerned = new Set<string>()
  await inTurns(rows, (row) => {
    if (decided.has(row.id)) concerned.add(thingOf(row))
  })
  const before: BranchRow[] = []
  const now: BranchRow[] = []
  await inTurns(rows, (row) => {
    if (concerned.has(thingOf(row))) (decided.has(row.id) ? now : before).push(row)
  })
  return before.concat(now)
}

function isStanding(row: BranchRow): boolean {
  return isPresent(row) && row.state !== ended
}

async function followersAmong(
  standing: readonly BranchRow[],
  deciding: readonly BranchRow[],
  decided: ReadonlyMap<number, Former>,
  decision: Decision,
): Promise<Follower[]> {
  const ignores = isIgnoredByPerson({ ...decision, decided_by: person })
  const isSo = (row: ElsewhereRow) => isDecidedByPerson(row) && row.state === decision.state
  const { here, contextOf } = await readStanding(standing)
  const decisionAbout = await decidedElsewhere(deciding, here, ignores ? isIgnoredByPerson : isSo)
  const beforeOf = createFormerDecisions(decided)
  const going = new Map<string, Follower[]>()
  const otherwise = new Set<string>()
  await inTurns(standing, (row) => {
    const context = contextOf(row)
    const found = decisionAbout(row.fingerprint, context)
    if (!found || !decided.has(found.last.id)) return
    const before = beforeOf(found.alike)
    if (before.number !== found.number) return
    // Equal ones go along together or not at all: nobody can say which of them was decided otherwise.
    const equal = `${groupOf(row.fingerprint) ?? row.fingerprint} ${context}`
    const step = stepOf(row, before, { ...decision, ignores })
    if (step === 'otherwise') otherwise.add(equal)
    if (step !== 'along') return
    const some = going.get(equal) ?? []
    going.set(equal, some)
    some.push({ id: row.id, decidedOn: found.last.ref })
  })
  return [...going].flatMap(([equal, some]) => (otherwise.has(equal) ? [] : some))
}

/** What people had decided about equal findings: about those that they decide about now, and about the others. */
type FormerDecisions = {
  former: ReadonlySet<string>
  kept: ReadonlySet<string>
  undecided: boolean
  /** How many there are, without those that were decided about before and are gone. */
  number: number
}

/** Looked at once, for equal findings may be as many as a log has. */
function createFormerDecisions(decided: ReadonlyMap<number, Former>) {
  const known = new Map<readonly BranchRow[], FormerDecisions>()

  return (alike: readonly BranchRow[]): FormerDecisions => {
    const before = known.get(alike) ?? read(alike)
    known.set(alike, before)
    return before
  }

  function read(alike: readonly BranchRow[]): FormerDecisions {
    const formers = alike.flatMap(({ id }) => decided.get(id) ?? [])
    const kept = alike.filter((row) => !decided.has(row.id) && isDecidedByPerson(row))
    return {
      former: new Set(formers.filter(isDecidedByPerson).map(keyOf)),
      kept: new Set(kept.map(keyOf)),
      undecided: !formers.every(isDecidedByPerson),
      number: alike.filter((row) => isPresent(row) || decided.has(row.id)).length,
    }
  }
}

/**
 * Whether a finding was in step with those like it on the branch on which somebody decides. Whoever ignores those means one that
 * nobody has decided about as well, as if it had appeared since.
 */
function stepOf(
  row: BranchRow,
  { former, kept, undecided }: FormerDecisions,
  decision: Decision & { ignores: boolean },
): 'along' | 'settled' | 'otherwise' {
  if (!isDecidedByPerson(row)) return decision.ignores || undecided ? 'along' : 'settled'
  // One that nobody decides about now may be the one that it is in step with.
  if (keyOf(row) === keyOf(decision) || kept.has(keyOf(row))) return 'settled'
  return former.has(keyOf(row)) ? 'along' : 'otherwise'
}

function keyOf({ state, reason }: Decision): string {
  return `${state} ${reason}`
}
