/** From this many days before its end on, a token counts as one that expires soon. */
export const soonDays = 14

/** This many days before the end of a token its people are told, if it lives at least twice as long. */
const reminderDays = [3, soonDays] as const

const dayMs = 86_400_000

export type Aging = { created_at: Date; expires_at: Date; reminded_days: number | null }

/** The reminder that is due now, by its days; undefined where none is, or it was given. */
export function dueReminder(token: Aging, now: Date): number | undefined {
  const left = token.expires_at.getTime() - now.getTime()
  const life = token.expires_at.getTime() - token.created_at.getTime()
  if (left <= 0) return undefined
  const days = reminderDays.find((each) => left <= each * dayMs && life >= 2 * each * dayMs)
  return days !== undefined && (token.reminded_days === null || token.reminded_days > days) ? days : undefined
}
