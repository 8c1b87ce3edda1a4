import { createYield } from '../../../kernel/threads/event-loop-yield.ts'
import { each, type Steps, takeTurns } from '../../../kernel/threads/steps.ts'
import type { FindingBatch, PackedFindings } from '../ingest/pack.ts'
import { groupOf, type KnownFinding, ordinalOf, pairGroup } from './pairing.ts'

/** Which findings the results of a batch are, by their place in it. */
export type Recognised<Row> = {
  rows: (Row | undefined)[]
  /** What new ones are known by where another has their fingerprint already. */
  renamed: Map<number, string>
  /** Told by an earlier part already. */
  repeated: Set<number>
  /** Those that the base of a pull request has. */
  onBase: Set<number>
}

export type Recognition<Row> = {
  of: (batch: FindingBatch) => Recognised<Row>
  /** Whose decision may have been about another, with the reason. */
  reopened: ReadonlyMap<Row, string>
  /** Whether any of them is new. */
  hasNew: boolean
}

type Entry = { batch: FindingBatch; place: number; context: string; line: number }

/**
 * Recognises everything that one observation tells: the parts are of one source, and may tell the same twice. What `baseHas`
 * is left out before the rest is compared, so that of equal ones the number decides. In turns with others: there may be hundreds
 * of thousands on both sides.
 */
export async function recognise<Row extends KnownFinding>(
  known: ReadonlyMap<string, Row>,
  parts: readonly PackedFindings[],
  baseHas: (batch: FindingBatch, place: number) => boolean = () => false,
): Promise<Recognition<Row>> {
  const breath = createYield()
  const byGroup = await groupRows(known)
  const groups = new Map<string, Entry[]>()
  const recognised = new Map<FindingBatch, Recognised<Row>>()
  const isRepeated = createRepetitions(parts.length)
  let hasNew = false
  for (const part of parts) {
    isRepeated.nextPart()
    for (const batch of part.batches) {
      const found: Recognised<Row> = { rows: [], renamed: new Map(), repeated: new Set(), onBase: new Set() }
      recognised.set(batch, found)
      for (const [place, fingerprint] of batch.heads.fingerprint.entries()) {
        const group = groupOf(fingerprint)
        const context = batch.heads.context[place]!
        found.rows.push(undefined)
        if (isRepeated.see(group === undefined ? fingerprint : `${group} ${context}`, group !== undefined)) {
          found.repeated.add(place)
        } else if (baseHas(batch, place)) {
          found.onBase.add(place)
        } else if (group === undefined) {
          found.rows[place] = known.get(fingerprint)
          hasNew ||= !found.rows[place]
        } else if (byGroup.has(group) || parts.length > 1) {
          const entry = { batch, place, context, line: batch.heads.line[place]! }
          const entries = groups.get(group)
          if (entries) entries.push(entry)
          else groups.set(group, [entry])
        } else hasNew = true
      }
      const turn = breath()
      if (turn) await turn
    }
  }
  const reopened = new Map<Row, string>()
  for (const [group, entries] of groups) {
    const turn = takeTurns(recogniseGroup(group, byGroup.get(group) ?? [], entries), breath, (isNew) => {
      hasNew ||= isNew
    })
    if (turn) await turn
  }
  return { of: (batch) => recognised.get(batch)!, reopened, hasNew }

  /** Whether any of them is new. */
  function* recogniseGroup(group: string, rows: readonly Row[], entries: readonly Entry[]): Steps<boolean> {
    const pairing = yield* pairGroup(rows, entries)
    yield* each(pairing.reopened, ([row, note]) => reopened.set(row, note))
    const fresh: Entry[] = []
    let at = 0
    yield* each(entries, (entry) => {
      const row = pairing.rows[at++]
      if (row) recognised.get(entry.batch)!.rows[entry.place] = row
      else fresh.push(entry)
    })
    if (fresh.length > 0) yield* rename(group, rows, fresh, recognised)
    // What comes next is another group, and there may be very many.
    yield
    return fresh.length > 0
  }
}

async function groupRows<Row extends KnownFinding>(known: ReadonlyMap<string, Row>): Promise<Map<string, Row[]>> {
  const groups = new Map<string, Row[]>()
  const breath = createYield()
  for (const row of known.values()) {
    const turn = breath()
    if (turn) await turn
    const group = groupOf(row.fingerprint)
    if (group === undefined) continue
    const rows = groups.get(group)
    if (rows) rows.push(row)
    else groups.set(group, [row])
  }
  return groups
}

/** New ones keep their number where it is free, and get the next one where it is not. */
function* rename<Row extends KnownFinding>(
  group: string,
  rows: readonly Row[],
  fresh: readonly Entry[],
  recognised: ReadonlyMap<FindingBatch, Recognised<Row>>,
): Steps<void> {
  const own = ({ batch, place }: Entry) => ordinalOf(batch.heads.fingerprint[place]!)
  const taken = new Set<number>()
  let next = 0
  yield* each(rows, (row) => {
    const number = ordinalOf(row.fingerprint)
    taken.add(number)
    next = Math.max(next, number + 1)
  })
  yield* each(fresh, (entry) => {
    next = Math.max(next, own(entry) + 1)
  })
  yield* each(fresh, (entry) => {
    const number = own(entry)
    if (taken.has(number)) recognised.get(entry.batch)!.renamed.set(entry.place, `${group}:${next++}`)
    else taken.add(number)
  })
}

/** The third of three equal results is told again by another part that has three of them, and not by one that has two. */
function createRepetitions(parts: number) {
  const told = new Set<string>()
  let counts = new Map<string, number>()

  function nextPart(): void {
    counts = new Map()
  }

  function see(key: string, counted: boolean): boolean {
    // The results of one part are all different.
    if (parts === 1) return false
    const number = counted ? (counts.get(key) ?? 0) : 0
    counts.set(key, number + 1)
    const one = `${key} ${number}`
    if (told.has(one)) return true
    told.add(one)
    return false
  }

  return { nextPart, see }
}
