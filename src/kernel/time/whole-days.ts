const dayMs = 86_400_000

/** The beginning of the day, in UTC, that was this many days ago: an answer about whole days is the same an hour later. */
export function daysBefore(now: Date, days: number): Date {
  return new Date(Math.floor(now.getTime() / dayMs - days) * dayMs)
}
