import sql, { type Sql } from 'sql-template-tag'
import type { Transaction } from '../../../kernel/database/database.ts'
import { type Move, type Place, toMove } from '../counted-moves.ts'
import { settleDuplicates } from '../ingest/duplicates.ts'
import { type DayChanges, dayStatements, enterDays, enterStood } from './day-changes.ts'

type Entry = Omit<Place, 'kind'> & { repository_id: number; day: Date; change: number }
type Tally = { repository_id: number; kind: number; change: number }
type PendingChanges = {
  entries: Map<string, Entry>
  tallies: Map<string, Tally>
  days: DayChanges
  /** What is asked for and not answered yet. */
  coming: Promise<void>[]
}

/** A memory may move every finding of a deployment, in one statement: see finding_sums. */
const manyChanges = 20_000

const pendingByTransaction = new WeakMap<object, PendingChanges>()

/**
 * Notes what moves; the counters themselves move once, at the end of the transaction, so that each gets one row of what
 * changed in total.
 */
export function noteCounterChanges(tx: Transaction, moves: readonly Move[]): void {
  for (const { repository_id } of moves) tx.changed('findings', repository_id)
  enter(pendingOf(tx), moves)
}

/** The same for what is sent and not answered yet: the end of the transaction waits for it. */
export function noteComingChanges(tx: Transaction, moves: Promise<readonly Move[]>): void {
  awaitAtEnd(
    pendingOf(tx),
    moves.then((some) => noteCounterChanges(tx, some)),
  )
}

export type SettleDuplicates = (tx: Transaction, repositoryId: number) => void

/**
 * Of what stands on several branches, marks what counts from now on: before the end of a transaction that has other things to ask
 * until then. What is touched later is settled at the end.
 */
export const settleDuplicatesEarly: SettleDuplicates = (tx, repositoryId) => {
  const pending = pendingOf(tx)
  awaitAtEnd(pending, settle(tx, pending, [repositoryId]))
}

function awaitAtEnd({ coming }: PendingChanges, noted: Promise<void>): void {
  // The end of the transaction hears of it.
  noted.catch(() => {})
  coming.push(noted)
}

async function settle(tx: Transaction, pending: PendingChanges, repositoryIds: readonly number[]): Promise<void> {
  const { moves, stood } = await settleDuplicates(tx, repositoryIds)
  enter(pending, moves.map(toMove))
  enterStood(pending.days, stood)
}

function enter(pending: PendingChanges, moves: readonly Move[]): void {
  for (const move of moves) {
    const { repository_id, day, count, from, to } = move
    enterDays(pending.days, move)
    if (from) add(pending, from, { repository_id, day, change: -count })
    if (to) add(pending, to, { repository_id, day, change: count })
  }
}

function pendingOf(tx: Transaction): PendingChanges {
  return pendingByTransaction.get(tx.key) ?? begin(tx)
}

function begin(tx: Transaction): PendingChanges {
  const pending: PendingChanges = { entries: new Map(), tallies: new Map(), days: new Map(), coming: [] }
  pendingByTransaction.set(tx.key, pending)
  tx.atEnd(() => close(tx, pending))
  return pending
}

type When = { repository_id: number; day: Date; change: number }

/** For every finding that moves: what is counted already is not made again. */
function add({ entries, tallies }: PendingChanges, { kind, ...place }: Place, when: When): void {
  const { repository_id, change } = when
  const key = `${repository_id},${place.rule_id},${place.category},${when.day.getTime()},${place.cell}`
  const entry = entries.get(key)
  if (entry) entry.change += change
  else entries.set(key, { ...place, ...when })
  const tally = tallies.get(`${repository_id},${kind}`)
  if (tally) tally.change += change
  else tallies.set(`${repository_id},${kind}`, { repository_id, kind, change })
}

/** The statements that move the counters. */
async function close(tx: Transaction, pending: PendingChanges): Promise<Sql[]> {
  const { entries, tallies, coming } = pending
  await Promise.all(coming)
  const repositoryIds = new Set([...tallies.values()].map((tally) => tally.repository_id))
  await settle(tx, pending, [...repositoryIds])
  const changes = [...entries.values()].filter((entry) => entry.change !== 0)
  const statements: Sql[] = dayStatements(tx.deploymentId, pending.days)
  if (changes.length > manyChanges) statements.unshift(sql`set local statement_timeout = '10min'`)
  if (changes.length > 0) {
    statements.push(sql`select add_finding_counts(${tx.deploymentId}::bigint,
      ${changes.map((one) => one.repository_id)}::bigint[], ${changes.map((one) => one.rule_id)}::bigint[],
      ${changes.map((one) => one.category)}::smallint[], ${changes.map((one) => one.day)}::timestamptz[],
      ${changes.map((one) => one.cell)}::smallint[], ${changes.map((one) => one.change)}::integer[])`)
  }
  const moved = [...tallies.values()].filter((tally) => tally.change !== 0)
  if (moved.length === 0) return statements
  statements.push(sql`select add_finding_tallies(${tx.deploymentId}::bigint,
    ${moved.map((one) => one.repository_id)}::bigint[], ${moved.map((one) => one.kind)}::smallint[],
    ${moved.map((one) => one.change)}::integer[])`)
  return statements
}
