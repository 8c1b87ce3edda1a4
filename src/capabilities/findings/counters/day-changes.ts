import sql, { type Sql } from 'sql-template-tag'
import { state } from '../../../domain/finding-codes.ts'
import type { Move, Place, StoodRow } from '../counted-moves.ts'

/** What a day of a repository counts, in the order of the columns of `finding_day`; move_finding_days takes their numbers, from 1. */
export const dayFigures = [
  ...(['opened', 'fixings', 'reopened', 'ignored', 'provisional', 'stood', 'fixed'] as const),
  ...(['info', 'low', 'medium', 'high', 'critical'] as const),
] as const
export type DayFigure = (typeof dayFigures)[number]

type DayChange = { repository_id: number; day: Date; figure: DayFigure; change: number }
export type DayChanges = Map<string, DayChange>

/** Whatever becomes of a finding, it is raised as open. */
const open = state.code('open')
const fixed = state.code('fixed')
const became = new Map<number, DayFigure>([
  [fixed, 'fixings'],
  [state.code('ignored'), 'ignored'],
  [state.code('provisionally-ignored'), 'provisional'],
])

/** What so many findings that move mean for the days of their repository. */
export function enterDays(days: DayChanges, { repository_id, day, count, from, to, change }: Move): void {
  const add = (on: Date, figure: DayFigure, by: number) => enter(days, { repository_id, day: on, figure, change: by })
  if (from && stands(from)) add(day, severityOf(from), -count)
  if (to && stands(to)) add(day, severityOf(to), count)
  if (!change || !to) return
  if (!from) add(change.on, 'opened', count)
  add(change.on, 'stood', count * (Number(stands(to)) - Number(from ? stands(from) : false)))
  for (const figure of happened(from ? stateOf(from) : open, stateOf(to))) add(change.on, figure, count)
  if (change.fixes) add(change.on, 'fixed', count)
  if (change.formerFixOn) add(change.formerFixOn, 'fixed', -count)
}

export function enterStood(days: DayChanges, rows: readonly StoodRow[]): void {
  for (const row of rows) enter(days, { ...row, figure: 'stood' })
}

function enter(days: DayChanges, one: DayChange): void {
  if (one.change === 0) return
  const key = `${one.repository_id},${one.day.getTime()},${one.figure}`
  const known = days.get(key)
  if (known) known.change += one.change
  else days.set(key, one)
}

/** On a branch, and each thing once: as the funnel starts. */
const stands = ({ cell }: Place) => cell >= 32
const stateOf = ({ kind }: Place) => kind & 15
const severityOf = ({ kind }: Place): DayFigure => dayFigures[6 + ((kind >> 4) & 7)]!

/** What activity calls it when a state becomes another. */
function happened(former: number, now: number): DayFigure[] {
  if (former === now) return []
  const figure = became.get(now)
  return [...(former === fixed ? (['reopened'] as const) : []), ...(figure ? [figure] : [])]
}

/** The statement that moves them, if any does. */
export function dayStatements(deploymentId: number, days: DayChanges): Sql[] {
  const moved = [...days.values()].filter((one) => one.change !== 0)
  if (moved.length === 0) return []
  return [
    sql`select move_finding_days(${deploymentId}::bigint, ${moved.map((one) => one.repository_id)}::bigint[],
      ${moved.map((one) => one.day)}::timestamptz[], ${moved.map((one) => dayFigures.indexOf(one.figure) + 1)}::smallint[],
      ${moved.map((one) => one.change)}::integer[])`,
  ]
}
