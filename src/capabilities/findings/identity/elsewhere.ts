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
  /** Some of the group were seen here before, or can be told by their code: nothing is taken over for the group as a whole. */
  known: boolean
}

/** What one other ref has of a group: what is there, and what people decided about there and is gone. */
type GroupThere<Row> = {
  standing: Row[]
  byContext: Map<string, Row[]>
  byCode: Map<string, Row[]>
  /** Code of which it is not known what is around it. */
  unplaced: Set<string>
  said: Map<string, Said<Row>>
}

/** A decision that counts: the last one, all findings there that it is about, and the number of those like them here. */
type Decided<Row> = { last: Row; alike: readonly Row[]; number: number }

/** What people say on one ref about all that is like a result: what they decided, and when they last decided otherwise. */
type Said<Row> = { decided: Decided<Row> | undefined; otherwiseAt: number }

/** The decision that is looked for, in a row that has it. */
type IsSo = (row: ElsewhereRow) => boolean

/**
 * What people decided about the same code on other branches and in pull requests: to ignore it, where no other decision is looked
 * for. It is taken over from a ref whose findings like it are all decided so, and are as many as here or more, unless a person
 * decided otherwise on any ref since. Where the code is not known,
 * it is taken over from branches alone, and only as long as nothing of the group was seen here: what a pull request has may
 * be other code than what is merged.
 */
export async function decidedElsewhere<Row extends ElsewhereRow>(
  rows: readonly Row[],
  here: ReadonlyMap<string, GroupHere>,
  isSo: IsSo = isIgnoredByPerson,
): Promise<(fingerprint: string, context: string) => Decided<Row> | undefined> {
  const single = new Map<string, Decided<Row>>()
  const streams = new Map<string, Map<number, GroupThere<Row>>>()
  await inTurns(rows, (row) => {
    const group = groupOf(row.fingerprint)
    if (group !== undefined) addThere(streams, group, row, here.get(group))
    else if (isSo(row)) single.set(row.fingerprint, { last: row, alike: [row], number: 1 })
    else if (isDecidedByPerson(row)) single.delete(row.fingerprint)
  })

  return (fingerprint, context) => {
    const group = groupOf(fingerprint)
    if (group === undefined) return single.get(fingerprint)
    const results = here.get(group)
    let found: Decided<Row> | undefined
    let otherwiseAt = never
    for (const there of streams.get(group)?.values() ?? []) {
      const said = results && saidIn(there, results, context, isSo)
      if (!said) continue
      otherwiseAt = Math.max(otherwiseAt, said.otherwiseAt)
      if (said.decided && (!found || said.decided.last.state_at >= found.last.state_at)) found = said.decided
    }
    return found && found.last.state_at.getTime() > otherwiseAt ? found : undefined
  }
}

function addThere<Row extends ElsewhereRow>(
  streams: Map<string, Map<number, GroupThere<Row>>>,
  group: string,
  row: Row,
  here: GroupHere | undefined,
): void {
  if (!isPresent(row) && !isDecidedByPerson(row)) return
  const byStream = streams.get(group) ?? new Map<number, GroupThere<Row>>()
  streams.set(group, byStream)
  const there: GroupThere<Row> = byStream.get(row.stream_id) ?? {
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

function push<Row>(lists: Map<string, Row[]>, key: string, row: Row): void {
  const list = lists.get(key)
  if (list) list.push(row)
  else lists.set(key, [row])
}

/** What one ref says about what is like it; undefined where it has nothing to compare with. */
function saidIn<Row extends ElsewhereRow>(
  there: GroupThere<Row>,
  here: GroupHere,
  context: string,
  isSo: IsSo,
): Said<Row> | undefined {
  const { code, around } = readContext(context)
  const exact = around === '' ? undefined : there.byContext.get(context)
  if (exact) return sumUp(there, `context ${context}`, exact, here.byContext.get(context)!, isSo)
  const same = code === '' ? undefined : there.byCode.get(code)
  if (same) {
    const placed = around !== '' && !there.unplaced.has(code)
    return placed ? undefined : sumUp(there, `code ${code}`, same, here.byCode.get(code)!, isSo)
  }
  const unknown = code === '' || (there.byCode.size === 1 && there.byCode.has(''))
  if (!unknown || here.known || there.standing[0]!.pull_request > 0) return undefined
  return sumUp(there, 'all', there.standing, here.all, isSo)
}

/** Looked at once, for a group may be as large as a log. */
function sumUp<Row extends ElsewhereRow>(
  { said }: GroupThere<Row>,
  key: string,
  rows: readonly Row[],
  number: number,
  isSo: IsSo,
): Said<Row> {
  const known = said.get(key)
  if (known) return known
  const counted = rows.filter((row) => isPresent(row) || (key !== 'all' && isSo(row)))
  const last = counted.length >= number && counted.every(isSo) ? counted.at(-1) : undefined
  const other = rows.findLast((row) => isDecidedByPerson(row) && !isSo(row))
  const decided = last && { last, alike: counted, number }
  const sum = { decided, otherwiseAt: other?.state_at.getTime() ?? never }
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
    const results = groupHere(here, group)
    results.content.add(context)
    count(results, context)
    results.known ||= row !== undefined
  })
  const decided = await decidedElsewhere(rows, here)
  return (fingerprint, context) => {
    const found = decided(fingerprint, context)
    return found && startOf(found.last)
  }
}

/** What stands on a ref, to be compared with others as if a log had just told it, and what a context that is stored there means. */
export async function readStanding(rows: readonly KnownFinding[]) {
  const here = new Map<string, GroupHere>()
  await inTurns(rows, ({ fingerprint, context }) => {
    const group = groupOf(fingerprint)
    if (group !== undefined) groupHere(here, group).content.add(context)
  })
  function contextOf({ fingerprint, context }: KnownFinding): string {
    const group = here.get(groupOf(fingerprint) ?? '')
    return group ? writeContext(group.content.contentOf(context)) : context
  }
  await inTurns(rows, (row) => {
    const group = here.get(groupOf(row.fingerprint) ?? '')
    if (!group) return
    const context = contextOf(row)
    count(group, context)
    group.known ||= context !== ''
  })
  return { here, contextOf }
}

function groupHere(here: Map<string, GroupHere>, group: string): GroupHere {
  const known = here.get(group)
  if (known) return known
  const none = { all: 0, byContext: new Map(), byCode: new Map(), content: seenContent(), known: false }
  here.set(group, none)
  return none
}

function count(group: GroupHere, context: string): void {
  const { code } = readContext(context)
  group.all++
  group.byContext.set(context, (group.byContext.get(context) ?? 0) + 1)
  group.byCode.set(code, (group.byCode.get(code) ?? 0) + 1)
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
