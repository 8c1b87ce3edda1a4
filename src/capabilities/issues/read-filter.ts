import { Fault, type FieldError } from '../../kernel/fault.ts'
import * as codes from './codes.ts'
import type { IssueFilter } from './filter.ts'
import type { Wanted } from './matching.ts'

type Period = { since?: string; until?: string }

/** A filter in the words of the tables. */
export function readFilter(filter: IssueFilter): Wanted {
  const errors: FieldError[] = []
  const wanted = {
    states: filter.triageStates?.map(codes.state.code),
    reasons: filter.triageReasons?.map(codes.reason.code),
    severities: filter.severities?.map(codes.severity.code),
    repositoryIds: filter.projectIds?.map(Number),
    title: filter.title,
    created: readPeriod(filter.createdAt, '/filter/createdAt', errors),
    lastDetected: readPeriod(filter.lastDetectedAt, '/filter/lastDetectedAt', errors),
  }
  if (errors.length > 0) throw new Fault('validation_failed', 'A period ends before it begins.', { errors })
  return wanted
}

function readPeriod(period: Period | undefined, pointer: string, errors: FieldError[]): Wanted['created'] {
  if (!period) return undefined
  const since = moment(period.since)
  const until = moment(period.until)
  if (since && until && since >= until) errors.push({ pointer, detail: 'since must be before until' })
  return { since, until }
}

function moment(text: string | undefined): Date | undefined {
  return text === undefined ? undefined : new Date(text.replace(' ', 'T'))
}
