import { empty, raw, type Sql } from 'sql-template-tag'

/** Medians are those of all findings, or of one in this many: each of these has an index. */
export const rates = [1, 16, 256, 4096] as const
export type Rate = (typeof rates)[number]

/** This many findings are read whole, with what happened to them. */
const mostRead = 10_000
/** Of rows, which are many, this many in all. */
const mostReadOfRows = 2_000
/** Of more, this many at most are drawn. Half of them are in pull requests, which samples leave out. */
const mostDrawn = 40_000

/** Whether this many findings are few enough to look at all of them. */
export function readWhole(findings: number): boolean {
  return findings <= mostRead
}

/** How many findings to look at, of this many. */
export function rateFor(findings: number): Rate {
  if (readWhole(findings)) return 1
  return rates.find((rate) => rate > 1 && findings <= rate * mostDrawn) ?? rates.at(-1)!
}

/** Whether a finding `f` is one of those, in the words of their index. */
export function isDrawn(rate: Rate): Sql {
  return rate === 1 ? empty : raw(`and hashint8(f.id) & ${rate - 1} = 0`)
}

/** As many as are read whole, the smallest first; and the others. */
export function splitBySize<T extends { findings: number }>(all: readonly T[]): { whole: T[]; drawn: T[] } {
  const [whole, drawn]: [T[], T[]] = [[], []]
  let sum = 0
  for (const one of all.toSorted((a, b) => a.findings - b.findings)) {
    sum += one.findings
    if (sum <= mostReadOfRows) whole.push(one)
    else drawn.push(one)
  }
  return { whole, drawn }
}

/** The median age of this many, which is not known where none of them was drawn. */
export function ageOf(count: number, drawn: number | undefined) {
  return { medianAgeSeconds: count === 0 ? 0 : (drawn ?? 0), medianAgeKnown: count === 0 || drawn !== undefined }
}

/** The same of the time to fix. */
export function timeToFixOf(count: number, drawn: number | undefined) {
  const { medianAgeSeconds: medianSecondsToFix, medianAgeKnown: medianSecondsToFixKnown } = ageOf(count, drawn)
  return { medianSecondsToFix, medianSecondsToFixKnown }
}
