// RFC 3339 §5.6; a space between date and time, as its note there allows.
const form =
  /^(\d{4})-(\d{2})-(\d{2})[Tt ]([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(?:\.(\d+))?(?:[Zz]|([+-])([01]\d|2[0-3]):([0-5]\d))$/

const minuteMs = 60_000

/** What an RFC 3339 date-time can be written with; an offset can lead beyond it. */
export const earliestMoment = new Date('0000-01-01T00:00:00.000Z')
export const latestMoment = new Date('9999-12-31T23:59:59.999Z')

/**
 * The moment that an RFC 3339 date-time means, in the one form that Gatehouse writes: UTC, milliseconds, `Z`.
 * Undefined for anything else. A leap second, which no clock here shows, is the first moment after it.
 */
export function readDateTime(text: string): string | undefined {
  const match = form.exec(text)
  if (!match) return undefined
  const [, year, month, day, hour, minute, second, fraction = '', sign, offsetHour, offsetMinute] = match
  const isLeap = second === '60'
  const written = Date.parse(`${year}-${month}-${day}T${hour}:${minute}:${isLeap ? '59' : second}Z`)
  // Date takes the 30th of February for the 1st or 2nd of March.
  if (Number.isNaN(written) || new Date(written).getUTCDate() !== Number(day)) return undefined
  const offset = (sign === '-' ? -1 : 1) * (Number(offsetHour ?? 0) * 60 + Number(offsetMinute ?? 0)) * minuteMs
  const moment = isLeap
    ? afterLeapSecond(written - offset)
    : written - offset + Number(fraction.padEnd(3, '0').slice(0, 3))
  if (moment === undefined || moment < earliestMoment.getTime() || moment > latestMoment.getTime()) return undefined
  return new Date(moment).toISOString()
}

/** RFC 3339 §5.7: only the last second of a month, in UTC, can be followed by one. */
function afterLeapSecond(secondBefore: number): number | undefined {
  const next = new Date(secondBefore + 1000)
  return next.getTime() % 86_400_000 === 0 && next.getUTCDate() === 1 ? next.getTime() : undefined
}
