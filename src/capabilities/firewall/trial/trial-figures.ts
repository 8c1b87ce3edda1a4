import type { Verdict } from '../verdicts/verdict.ts'

/** As far back as a trial looks where nobody says it. */
export const usualDays = 30
const mostChanges = 200

type Judged = { known: Verdict; tried: Verdict }

/** Whole days in UTC, so that the answer is the same an hour later. */
export function startOf(now: Date, days: number): Date {
  return new Date(Math.floor(now.getTime() / 86_400_000 - days) * 86_400_000)
}

/** What is refused now and by what is tried, of the versions of which both are certain, and those for which that changes. */
export function trialFigures<T extends Judged>(certain: readonly T[]) {
  return {
    refusedBefore: certain.filter(({ known }) => known.refuse).length,
    refusedAfter: certain.filter(({ tried }) => tried.refuse).length,
    changed: certain.filter(({ known, tried }) => known.refuse !== tried.refuse).slice(0, mostChanges),
  }
}
