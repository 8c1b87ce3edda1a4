import { readContext, writeContext } from '../../../formats/sarif/identity/content.ts'
import { createYield } from '../../../kernel/threads/event-loop-yield.ts'
import { inTurns } from '../../../kernel/threads/in-turns.ts'
import type { PackedFindings } from '../ingest/pack.ts'
import type { ElsewhereRow, Start } from './elsewhere-store.ts'
import { groupOf, isDecidedByPerson, isIgnoredByPerson, isPresent, type KnownFinding, seenContent } from './pairing.ts'
import type { Recognition } from './recognise.ts'

/** What was decided on other refs, by fingerprint and context. */
export type Elsewhere = (fingerprint: string, context: string) => Start | undefined

/** How many results a group has here. */
type GroupHere = {
  all: number
  byContext: Map<string, number>
  byCode: Map<string, number>
  content: ReturnType<typeof seenContent>
  /** Some of the group were seen here before. */
  known: boolean
}

/** What one other ref has of a group: what is there, and what people decided about there and is gone. */
type GroupThere = {
  standing: ElsewhereRow[]
  byContext: Map<string, ElsewhereRow[]>
  byCode: Map<string, ElsewhereRow[]>
  /** Code of which it is not known what is around it. */
  unplaced: Set<string>
  said: Map<string, Said>
}

/** What people say on one ref about all that is like a result: the last that they ignore, and when they last decided otherwise. */
type Said = { ignored: ElsewhereRow | undefined; otherwiseAt: number }

/**
 * What people decided about the same code on other branches and in pull requests, for results that are new here. A decision is
 * taken over from a ref whose findings like it are all ignored, and are as many as here or more, unless a person decided otherwise
 * on any ref since. Where the code is not known,
 * it is taken over from branches alone, and only as long as nothing of the group was seen here: what a pull request has may
 * be other code than what is merged.
 */
async function decidedElsewhere(
  rows: readonly ElsewhereRow[],
  here: ReadonlyMap<string, GroupHere>,
): Promise<Elsewhere> {
  const single = new Map<string, Start>()
  const streams = new Map<string, Map<number, GroupThere>>()
  await inTurns(rows, (row) => {
    const group = groupOf(row.fingerprint)
    if (group !== undefined) addThere(streams, group, row, here.get(group))
    else if (isIgnoredByPerson(row)) single.set(row.fingerprint, startOf(row))
    else if (isDecidedByPerson(row)) single.delete(row.fingerprint)
  })

  return (fingerprint, context) => {
    const group = groupOf(fingerprint)
    if (group === undefined) return single.get(fingerprint)
    const results = here.get(group)
    let last: ElsewhereRow | undefined
    let otherwiseAt = never
    for (const there of streams.get(group)?.values() ?? []) {
      const said = results && saidIn(there, results, context)
      if (!said) continue
      otherwiseAt = Math.max(otherwiseAt, said.otherwiseAt)
      if (said.ignored && (!last || said.ignored.state_at >= last.state_at)) last = said.ignored
    }
    return last && last.state_at.getTime() > otherwiseAt ? startOf(last) : undefined
  }
}

function addThere(
  streams: Map<string, Map<number, GroupThere>>,
  group: string,
  row: ElsewhereRow,
  here: GroupHere | undefined,
): void {
  if (!isPresent(row) && !isDecidedByPerson(row)) return
  const byStream = streams.get(group) ?? new Map<number, GroupThere>()
  streams.set(group, byStream)
  const there: GroupThere = byStream.get(row.stream_id) ?? {
    standing: [],
    byContext: new Map(),
    byCode: new Map(),
    unplaced: new Set(),
    said: new Map(),
  }
  byStream.set(row.stream_id, there)
  const content = here?.content.contentOf(row.context) ?? readContext(row.context)
  const { code, around } = content
  there.standing.push(row)
  push(there.byContext, writeContext(content), row)
  push(there.byCode, code, row)
  if (around === '') there.unplaced.add(code)
}

function push(lists: Map<string, ElsewhereRow[]>, key: string, row: ElsewhereRow): void {
  const list = lists.get(key)
  if (list) list.push(row)
  else lists.set(key, [row])
}

/** What one ref says about what is like it; undefined where it has nothing to compare with. */
function saidIn(there: GroupThere, here: GroupHere, context: string): Said | undefined {
  const { code, around } = readContext(context)
  const exact = around === '' ? undefined : there.byContext.get(context)
  if (exact) return sumUp(there, `context ${context}`, exact, here.byContext.get(context)!)
  const same = code === '' ? undefined : there.byCode.get(code)
  if (same) {
    const placed = around !== '' && !there.unplaced.has(code)
    return placed ? undefined : sumUp(there, `code ${code}`, same, here.byCode.get(code)!)
  }
  const unknown = code === '' || (there.byCode.size === 1 && there.byCode.has(''))
  if (!unknown || here.known || there.standing[0]!.pull_request > 0) return undefined
  return sumUp(there, 'all', there.standing, here.all)
}

/** Looked at once, for a group may be as large as a log. */
function sumUp({ said }: GroupThere, key: string, rows: readonly ElsewhereRow[], number: number): Said {
  const known = said.get(key)
  if (known) return known
  const counted = rows.filter((row) => isPresent(row) || (key !== 'all' && isIgnoredByPerson(row)))
  const ignored = counted.length >= number && counted.every(isIgnoredByPerson) ? counted.at(-1) : undefined
  const other = rows.findLast((row) => isDecidedByPerson(row) && !isIgnoredByPerson(row))
  const sum = { ignored, otherwiseAt: other?.state_at.getTime() ?? never }
  said.set(key, sum)
  return sum
}

const never = Number.NEGATIVE_INFINITY

function startOf({ state, reason, decided_by, decider_id }: ElsewhereRow): Start {
  return { state, reason, decidedBy: decided_by, deciderId: decider_id }
}

/** Of what people decided elsewhere, by the rows of it: what counts for results that are new here. */
export async function readElsewhere(
  rows: readonly ElsewhereRow[],
  parts: readonly PackedFindings[],
  recognition: Recognition<KnownFinding>,
): Promise<Elsewhere> {
  if (rows.length === 0) return () => undefined
  const groups = new Set<string | undefined>()
  await inTurns(rows, (row) => groups.add(groupOf(row.fingerprint)))
  const here = new Map<string, GroupHere>()
  await eachResult(parts, recognition, (group, context, row) => {
    if (!groups.has(group)) return
    const known = here.get(group) ?? nothingYet()
    here.set(group, known)
    known.content.add(context)
    const { code } = readContext(context)
    known.all++
    known.byContext.set(context, (known.byContext.get(context) ?? 0) + 1)
    known.byCode.set(code, (known.byCode.get(code) ?? 0) + 1)
    known.known ||= row !== undefined
  })
  return decidedElsewhere(rows, here)
}

function nothingYet(): GroupHere {
  return { all: 0, byContext: new Map(), byCode: new Map(), content: seenContent(), known: false }
}

/** In turns with others, batch by batch. */
async function eachResult(
  parts: readonly PackedFindings[],
  recognition: Recognition<KnownFinding>,
  see: (group: string, context: string, row: KnownFinding | undefined) => void,
): Promise<void> {
  const breath = createYield()
  for (const batch of parts.flatMap((part) => part.batches)) {
    const turn = breath()
    if (turn) await turn
    const { rows, repeated } = recognition.of(batch)
    batch.heads.fingerprint.forEach((fingerprint, place) => {
      const group = groupOf(fingerprint)
      if (group === undefined || repeated.has(place)) return
      see(group, batch.heads.context[place]!, rows[place])
    })
  }
}
