import type { FieldError } from '../contract/fault.ts'

/** Of which either end may be open. */
type OpenPeriod = { since: Date | undefined; until: Date | undefined }

/** A period of a filter; what is wrong with it is added to the errors. */
export function openPeriod(
  period: { since?: string; until?: string } | undefined,
  pointer: string,
  errors: FieldError[],
): OpenPeriod | undefined {
  if (!period) return undefined
  const since = moment(period.since)
  const until = moment(period.until)
  if (since && until && since >= until) errors.push({ pointer, detail: 'since must be before until' })
  return { since, until }
}

function moment(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text)
}
