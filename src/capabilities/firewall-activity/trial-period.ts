/** As far back as a trial looks where nobody says it. */
export const usualTrialDays = 30

/** Whole days in UTC, so that the answer is the same an hour later. */
export function trialStart(now: Date, days: number): Date {
  return new Date(Math.floor(now.getTime() / 86_400_000 - days) * 86_400_000)
}
