type Answer = { status: number; headers: Record<string, string | string[] | undefined> }

/**
 * For how many seconds a service that is busy or away asks to be left alone (RFC 9110 §10.2.3), where it says so: a number or
 * a date. It may be any number: whoever waits decides how long at most.
 */
export function retryAfterSeconds({ status, headers }: Answer, now = Date.now()): number | undefined {
  if (status !== 429 && status !== 503) return undefined
  return secondsIn([headers['retry-after']].flat()[0]?.trim() ?? '', now)
}

const usualSeconds = 30
const mostSeconds = 3_600

/** What who asked us is told in turn, within reason. */
export function passedOn(seconds = usualSeconds): number {
  return Math.min(mostSeconds, Math.max(1, seconds))
}

export function secondsIn(text: string, now: number): number | undefined {
  if (/^\d+$/.test(text)) return Number(text)
  // Dates begin with the name of a day in all three formats, one of which has no zone and means GMT (RFC 9110 §5.6.7).
  const until = /^[A-Z][a-z]{2,8},? /.test(text) ? Date.parse(text.endsWith('GMT') ? text : `${text} GMT`) : Number.NaN
  return Number.isNaN(until) ? undefined : Math.max(0, Math.ceil((until - now) / 1_000))
}
