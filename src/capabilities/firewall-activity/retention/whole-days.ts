import type { Period } from '../../../kernel/time/time-buckets.ts'
import { startOf } from '../reports/split-period.ts'

/** Details go back at least so far: a report on less need not ask. */
export const fewestDetailDays = 31

const dayMs = 86_400_000

/**
 * The period that can be answered for: where only whole days are known, a period begins and ends with one. It has all that was
 * asked for, and at each end at most a day more.
 */
export function wholeDays({ since, until }: Period, before: Date | undefined): Period {
  if (!before || since >= before) return { since, until }
  const lastDay = startOf('d', until)
  const isCut = until < before && lastDay < until
  return { since: startOf('d', since), until: isCut ? new Date(lastDay.getTime() + dayMs) : until }
}
