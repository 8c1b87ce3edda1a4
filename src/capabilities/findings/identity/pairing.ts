import * as codes from '../../../domain/finding-codes.ts'
import { type Content, readContext } from '../../../formats/sarif/identity/content.ts'
import { each, filtered, grouped, mapped, type Steps, sorted } from '../../../kernel/threads/steps.ts'

/** A finding that is known, as far as it matters for being recognised. */
export type KnownFinding = {
  id: number
  fingerprint: string
  context: string
  start_line: number
  state: number
  decided_by: number
  absent: boolean
}
/** A result of a log, by what it is recognised. */
export type Sighting = { context: string; line: number }

export type Pairing<Row> = {
  /** For each result the finding that it is; undefined where it is a new one. */
  rows: (Row | undefined)[]
  /** Those whose decision may have been about another, and what the history says of it. */
  reopened: Map<Row, string>
}

export const notes = {
  noCode:
    'Another place like it has appeared in this file, and the tool sends no code to tell them apart: nobody can say which of them was decided about.',
  sameCode:
    'Another place with the same code has appeared in this file: nobody can say which of them was decided about.',
}

const fixed = codes.state.code('fixed')
const reviewing = codes.state.code('reviewing')
const provisionallyIgnored = codes.state.code('provisionally-ignored')
const ignored = codes.state.code('ignored')
const person = codes.decider.code('person')

/** The group that a former one belongs to, and whether its fingerprint has the code in it, as that of the former one had. */
export type GroupNow = { name: string; hasCode: boolean }

/** What results are known by: alone, or as one of a group of equal ones. */
export type Names = {
  single: ReadonlySet<string>
  groups: ReadonlySet<string>
  /** Those of the groups by which earlier releases of Gatehouse, or of the tool, knew them. */
  formerGroups: ReadonlyMap<string, GroupNow>
}

/** The part of a fingerprint that equal findings of a file share; undefined where every fingerprint stands for itself. */
export function groupOf(fingerprint: string): string | undefined {
  return fingerprint.length > 33 && fingerprint[32] === ':' ? fingerprint.slice(0, 32) : undefined
}

export function ordinalOf(fingerprint: string): number {
  return Number(fingerprint.slice(33))
}

/** That the code is in the fingerprint need not be stored: it is so for all of a group, or for none. */
export function storedContext(context: string): string {
  return context === '=' ? '' : context
}

export function isIgnoredByPerson({ state, decided_by }: Pick<KnownFinding, 'state' | 'decided_by'>): boolean {
  return decided_by === person && (state === ignored || state === provisionallyIgnored)
}

export function isDecidedByPerson({ decided_by }: Pick<KnownFinding, 'decided_by'>): boolean {
  return decided_by === person
}

export function isPresent({ absent, state, decided_by }: KnownFinding): boolean {
  return !absent && (state !== fixed || decided_by === person)
}

/**
 * Says which finding of a group (one rule, file and message, or code) each result is. The number in a fingerprint and the
 * line take no part in it, but to keep an order among those that are equal. In this order:
 *
 * 1. the same code with the same surroundings, if there is one such finding and one such result;
 * 2. the same code: as many results as findings, or fewer, are those; if there are more, nobody knows which is the new one;
 * 3. the same by number, where the code of either is not known.
 *
 * Code that is known on both sides and differs is never the same finding. Where a release before had the code in the fingerprint
 * and this one does not, what is around a finding tells which code it was.
 *
 * In steps, for all the results of a log may be of one group.
 */
export function* pairGroup<Row extends KnownFinding>(
  known: readonly Row[],
  sightings: readonly Sighting[],
): Steps<Pairing<Row>> {
  const only = known.length === 1 && sightings.length === 1 ? onlyPair(known[0]!, sightings[0]!) : undefined
  if (only) return only
  const seen = seenContent()
  yield* each(sightings, ({ context }) => seen.add(context))
  const rows = yield* mapped(known, (row) => ({ row, ...seen.contentOf(row.context) }))
  const results = yield* mapped(sightings, ({ context, line }, at) => ({ at, line, ...seen.contentOf(context) }))
  const state: State<Row> = {
    rows: new Set<RowContent<Row>>(),
    results: new Set<Result>(),
    pairing: { rows: [], reopened: new Map() },
  }
  yield* each(rows, (row) => state.rows.add(row))
  yield* each(results, (result) => {
    state.results.add(result)
    state.pairing.rows.push(undefined)
  })
  yield* pairUnique(state)
  const codeOf = ({ code }: { code: string }) => code
  const byCode = yield* grouped(state.rows, codeOf)
  const coded = yield* filtered(state.results, isCoded)
  for (const [code, some] of yield* grouped(coded, codeOf)) {
    const candidates = byCode.get(code) ?? []
    const isUndecided = candidates.length > 0 && (yield* settle(state, candidates, some))
    if (isUndecided) yield* undecide(state, candidates, notes.sameCode)
    yield
  }
  yield* pairByNumber(state)
  return state.pairing
}

/** Nearly all are one of a kind. */
function onlyPair<Row extends KnownFinding>(row: Row, { context }: Sighting): Pairing<Row> | undefined {
  const same = storedContext(context) === row.context && isPresent(row)
  return same ? { rows: [row], reopened: new Map() } : undefined
}

type RowContent<Row> = { row: Row; code: string; around: string }
type Result = { at: number; line: number; code: string; around: string }
type State<Row> = { rows: Set<RowContent<Row>>; results: Set<Result>; pairing: Pairing<Row> }

const isCoded = ({ code }: { code: string }) => code !== ''

/** What stored contexts of a group mean beside those of its results. */
export function seenContent() {
  const codeByPlace = new Map<string, string>()
  let inFingerprint = false
  let isApart = false

  function add(context: string): void {
    const { code, around } = readContext(context)
    if (code === '=') inFingerprint = true
    else if (code !== '') isApart = true
    if (around !== '') codeByPlace.set(around, code)
  }

  function contentOf(context: string): Content {
    // That the code is in the fingerprint is not stored.
    if (context === '' && inFingerprint) return { code: '=', around: '' }
    const content = readContext(context)
    if (content.code !== '=' || inFingerprint || !isApart) return content
    return { code: codeByPlace.get(content.around) ?? '=', around: content.around }
  }

  return { add, contentOf }
}

function* pairUnique<Row>(state: State<Row>): Steps<void> {
  const placed = (one: { code: string; around: string }) => one.code !== '' && one.around !== ''
  const key = ({ code, around }: { code: string; around: string }) => `${code}.${around}`
  const rows = yield* grouped(yield* filtered(state.rows, placed), key)
  const byPlace = yield* grouped(yield* filtered(state.results, placed), key)
  yield* each(byPlace, ([place, results]) => {
    const same = rows.get(place)
    if (same?.length === 1 && results.length === 1) pair(state, same[0]!, results[0]!)
  })
}

function* pairByNumber<Row extends KnownFinding>(state: State<Row>): Steps<void> {
  const before = yield* filtered(state.rows, () => true)
  const uncoded = yield* filtered(before, (one) => !isCoded(one))
  const coded = yield* filtered(state.results, isCoded)
  const grewCoded = uncoded.length > 0 && (yield* settle(state, uncoded, coded))
  const silent = yield* filtered(state.results, (one) => !isCoded(one))
  const left = yield* filtered(state.rows, () => true)
  const grew = left.length > 0 || uncoded.length > 0 ? yield* settle(state, left, silent) : false
  if (grew || grewCoded) yield* undecide(state, before, notes.noCode)
}

/**
 * Pairs findings and results of which nobody can say which is which. Answers whether there are more than there were, so that
 * what was decided may be about any of them.
 */
function* settle<Row extends KnownFinding>(
  state: State<Row>,
  rows: readonly RowContent<Row>[],
  results: readonly Result[],
): Steps<boolean> {
  if (results.length === 0) return false
  const present = yield* filtered(rows, ({ row }) => isPresent(row))
  const absent = yield* filtered(rows, ({ row }) => !isPresent(row))
  // Where some are gone, nobody knows which: rather one that hides nothing stays.
  const chosen = yield* shownFirst(present)
  if (chosen.length < results.length) yield* each(yield* shownFirst(absent), (one) => chosen.push(one))
  chosen.length = Math.min(chosen.length, results.length)
  const inOrder = yield* sorted(chosen, (a, b) => a.row.start_line - b.row.start_line || a.row.id - b.row.id)
  const byLine = yield* sorted(results, (a, b) => a.line - b.line || a.at - b.at)
  let at = 0
  yield* each(inOrder, (one) => pair(state, one, byLine[at++]!))
  if (results.length <= present.length) return false
  const isBack = present.length === 0 && results.length <= absent.length && rows.every(isCoded)
  return !(isBack && (results.every(({ around }) => around === '') || absent.every(({ around }) => around === '')))
}

function shownFirst<Row extends KnownFinding>(rows: readonly RowContent<Row>[]): Steps<RowContent<Row>[]> {
  const hidden = ({ row }: RowContent<Row>) => Number(row.state === provisionallyIgnored || row.state === ignored)
  return sorted(rows, (a, b) => hidden(a) - hidden(b) || a.row.id - b.row.id)
}

function pair<Row>({ rows, results, pairing }: State<Row>, row: RowContent<Row>, result: Result): void {
  pairing.rows[result.at] = row.row
  rows.delete(row)
  results.delete(result)
}

/** Of those that are seen, for what is not there is decided about as it was. */
function* undecide<Row extends KnownFinding>(
  state: State<Row>,
  rows: readonly RowContent<Row>[],
  note: string,
): Steps<void> {
  yield* each(rows, (one) => {
    const { state: standing, decided_by } = one.row
    const decided = decided_by === person && standing >= reviewing && standing <= ignored
    if (decided && !state.rows.has(one)) state.pairing.reopened.set(one.row, note)
  })
}
