import { hash } from 'node:crypto'
import { duplicateErrors } from '../../../kernel/contract/duplicate-values.ts'
import { Fault, type FieldError } from '../../../kernel/contract/fault.ts'
import * as codes from '../codes.ts'
import { listNames } from '../issue.ts'
import type { Content } from '../store.ts'
import type { IssueReport } from './report.ts'

/** A report in the words of the tables. */
export type Report = {
  externalKey: string
  title: string
  content: Content
  digest: string
  severity: number
  detected: boolean
  /** Undefined: now. */
  observedAt: Date | undefined
  /** Ascending, each once. */
  repositoryIds: number[]
}

const earliest = Date.parse('1970-01-01T00:00:00Z')
/** How far the clock of a detector may be ahead. */
const toleranceMs = 5 * 60_000

export function readReports(given: readonly IssueReport[], now: Date): Report[] {
  const keys = given.map((report) => report.externalKey)
  const errors = duplicateErrors(keys, (index) => `/issues/${index}/externalKey`)
  if (errors.length > 0) throw new Fault('validation_failed', 'The request contains a key more than once.', { errors })
  const reports = given.map(readReport)
  const impossible = reports.flatMap(({ observedAt }, index) => wrongTime(observedAt, now, index))
  if (impossible.length > 0) {
    throw new Fault('unprocessable', 'A report is from the future, or from before 1970.', { errors: impossible })
  }
  // A clock that is a little ahead must not keep the reports of others from counting until its time has come.
  return reports.map((report) => ({ ...report, observedAt: past(report.observedAt, now) }))
}

function past(observedAt: Date | undefined, now: Date): Date | undefined {
  return observedAt && observedAt < now ? observedAt : undefined
}

function readReport(given: IssueReport): Report {
  const { title, description = '', reasoning = '' } = given
  const lists = Object.fromEntries(listNames.map((name) => [name, given[name] ?? []]))
  const content = { description, reasoning, ...lists } as Content
  return {
    externalKey: given.externalKey,
    title,
    content,
    digest: hash('sha256', JSON.stringify([title, content])),
    severity: codes.severity.code(given.severity),
    detected: given.detectionState !== 'DETECTION_STATE_NOT_DETECTED',
    observedAt: given.observedAt === undefined ? undefined : new Date(given.observedAt),
    repositoryIds: [...new Set((given.projectIds ?? []).map(Number))].sort((a, b) => a - b),
  }
}

function wrongTime(observedAt: Date | undefined, now: Date, index: number): FieldError[] {
  if (observedAt === undefined) return []
  const pointer = `/issues/${index}/observedAt`
  if (observedAt.getTime() < earliest) return [{ pointer, detail: 'is before 1970' }]
  if (observedAt.getTime() <= now.getTime() + toleranceMs) return []
  return [{ pointer, detail: `is in the future; it is ${now.toISOString()} now` }]
}
