import { utcDay, utcMonth } from 'd3-time'
import type { Pair } from './address.ts'
import { firstOf } from './address.ts'

export const periods = { '30d': '30 days', '90d': '90 days', '1y': 'a year' } as const
export type PeriodName = keyof typeof periods
const usual: PeriodName = '1y'

/** Whole days in UTC, so that a number is the same an hour later. */
export type Period = { name: PeriodName | undefined; since: string; until: string | undefined }

export function readPeriod(pairs: readonly Pair[], now: Date): Period {
  const since = firstOf(pairs, 'since')
  const until = firstOf(pairs, 'until')
  if (since && !Number.isNaN(Date.parse(since))) {
    const end = until && !Number.isNaN(Date.parse(until)) ? new Date(until).toISOString() : undefined
    return { name: undefined, since: new Date(since).toISOString(), until: end }
  }
  const given = firstOf(pairs, 'period')
  const name = given !== undefined && isName(given) ? given : usual
  const today = utcDay.floor(now)
  const start = name === '1y' ? utcMonth.offset(today, -12) : utcDay.offset(today, name === '30d' ? -30 : -90)
  return { name, since: start.toISOString(), until: undefined }
}

function isName(given: string): given is PeriodName {
  return Object.hasOwn(periods, given)
}

/** What of the period in an address is not understood, so that another one is shown. */
export function lostPeriod(pairs: readonly Pair[]): Pair[] {
  const isDay = (text: string | undefined) => text !== undefined && !Number.isNaN(Date.parse(text))
  const begins = isDay(firstOf(pairs, 'since'))
  return pairs.filter(([name, value]) => {
    if (name === 'period') return !isName(value)
    return (name === 'since' && !isDay(value)) || (name === 'until' && !(begins && isDay(value)))
  })
}

/** As it stands in addresses; the usual one is left out. */
export function periodWords(name: PeriodName): string[] {
  return name === usual ? [] : [name]
}

/** The same period in the address of another page. */
export function periodPairs({ name, since, until }: Period): Pair[] {
  if (name) return periodWords(name).map((word): Pair => ['period', word])
  return [['since', since], ...(until ? [['until', until] as const satisfies Pair] : [])]
}

/** For a report. */
export function timePeriodOf(period: Period): { since: string; until?: string } {
  return period.until ? { since: period.since, until: period.until } : { since: period.since }
}

/** `2026-05-01..2026-06-01`, as filters write a period. */
export function spanOf(since: string, until: string | undefined): string {
  const short = (at: string) => (at.endsWith('T00:00:00.000Z') ? at.slice(0, 10) : at)
  return `${short(since)}..${until ? short(until) : ''}`
}
