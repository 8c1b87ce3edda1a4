import type { Verdict } from '../verdicts/verdict.ts'

const mostChanges = 200

type Judged = { known: Verdict; tried: Verdict }

/** What is refused now and by what is tried, of the versions of which both are certain, and those for which that changes. */
export function trialFigures<T extends Judged>(certain: readonly T[]) {
  return {
    refusedBefore: certain.filter(({ known }) => known.refuse).length,
    refusedAfter: certain.filter(({ tried }) => tried.refuse).length,
    changed: certain.filter(({ known, tried }) => known.refuse !== tried.refuse).slice(0, mostChanges),
  }
}
