const minute = 60_000
const hour = 60 * minute
const day = 24 * hour

const steps: [unit: Intl.RelativeTimeFormatUnit, ms: number, below: number][] = [
  ['minute', minute, hour],
  ['hour', hour, day],
  ['day', day, 60 * day],
  ['month', 30.44 * day, 24 * 30.44 * day],
  ['year', 365.25 * day, Number.POSITIVE_INFINITY],
]

const relative = new Intl.RelativeTimeFormat('en', { numeric: 'always', style: 'short' })

/** How long ago, or in how long. Below a minute it is just now. */
export function ago(at: string, now: number): string {
  const difference = Date.parse(at) - now
  if (Number.isNaN(difference)) return ''
  const size = Math.abs(difference)
  if (size < minute) return 'just now'
  const [unit, ms] = steps.find(([, , below]) => size < below)!
  return relative.format(Math.trunc(difference / ms), unit)
}

const exactly = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric',
  month: 'long',
  year: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  timeZoneName: 'short',
})
const utcDate = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC' })

export const exact = (at: string): string => (Number.isNaN(Date.parse(at)) ? '' : exactly.format(Date.parse(at)))
export const utcDay = (at: string): string => (Number.isNaN(Date.parse(at)) ? '' : utcDate.format(Date.parse(at)))

export function lasting(seconds: number): string {
  const ms = seconds * 1_000
  if (ms < hour) return `${Math.round(ms / minute)} min`
  if (ms < 2 * day) return `${Math.round(ms / hour)} h`
  return `${Math.round(ms / day)} d`
}

/** A duration that this many are behind, where there are any, and it is known. */
export function median(of: number, seconds: number, known: boolean): string {
  if (of === 0) return '–'
  return known ? lasting(seconds) : 'not known'
}
