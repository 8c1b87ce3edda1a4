import type { Severity } from '../../domain/finding-terms.ts'
import type { Clock } from '../../kernel/time/clock.ts'
import type { WantedContext } from './contexts.ts'
import { invalid } from './contexts.ts'
import type { ScanImport } from './contract.ts'
import { findScanType, scanTypes } from './scan-types.ts'

/** A form of DefectDojo, checked. */
export type ImportRequest = {
  context: WantedContext
  service: string
  /** What is not in the report any more is fixed. */
  complete: boolean
  minimumSeverity: Severity | undefined
  ref: string
  commit: string
  performedAt: string | undefined
}

const dayMs = 24 * 60 * 60_000

export function readImport(fields: ScanImport, again: boolean, clock: Clock): ImportRequest {
  const scanType = findScanType(fields.scan_type)
  if (!scanType) {
    const known = scanTypes.map(({ name }) => name).join(', ')
    throw invalid(
      'scan_type',
      `'${fields.scan_type}' is not read here. Have the tool write SARIF, or one of: ${known}.`,
    )
  }
  if (flag(fields.active) === false) {
    throw invalid('active', 'Findings are always imported as open ones: leave out active, and ignore them afterwards.')
  }
  if (flag(fields.do_not_reactivate)) {
    throw invalid('do_not_reactivate', 'What is found again is open again: leave out do_not_reactivate, and ignore it.')
  }
  const commit = (fields.commit_hash ?? '').toLowerCase()
  if (!/^([0-9a-f]{7,64})?$/.test(commit)) throw invalid('commit_hash', 'A commit has 7 to 64 hexadecimal digits.')
  const ref = fields.branch_tag ?? ''
  if (!/^[^\s~^:?*[\\]*$/.test(ref)) throw invalid('branch_tag', 'This is not the name of a branch.')
  return {
    context: {
      scanType,
      productTypeName: fields.product_type_name ?? '',
      productName: fields.product_name ?? '',
      engagementName: fields.engagement_name ?? '',
      testTitle: fields.test_title ?? '',
      engagementId: again ? 0 : idIn('engagement', fields.engagement),
      testId: again ? idIn('test', fields.test) : 0,
      create: flag(fields.auto_create_context) ?? false,
      again,
    },
    service: fields.service ?? '',
    complete: flag(fields.close_old_findings) ?? again,
    minimumSeverity: severityOf(fields.minimum_severity),
    ref,
    commit,
    performedAt: performedAt(fields.scan_date, clock),
  }
}

/** As Django reads the fields of a form. */
function flag(written: string | undefined): boolean | undefined {
  if (written === undefined || written === '') return undefined
  return /^(true|t|yes|y|on|1)$/i.test(written)
}

function idIn(field: string, written: string | undefined): number {
  if (written === undefined || written === '') return 0
  if (!/^[1-9][0-9]{0,14}$/.test(written)) throw invalid(field, 'An id is a number.')
  return Number(written)
}

const severities: Readonly<Record<string, Severity>> = {
  info: 'info',
  low: 'low',
  medium: 'medium',
  high: 'high',
  critical: 'critical',
}

function severityOf(written: string | undefined): Severity | undefined {
  if (written === undefined || written === '') return undefined
  const known = written.toLowerCase()
  if (!Object.hasOwn(severities, known)) {
    throw invalid('minimum_severity', `'${written}' is not a severity: Info, Low, Medium, High or Critical.`)
  }
  return severities[known]
}

/** Clients send the day it is where they are, which is now: only a day before that is a scan of the past. */
function performedAt(written: string | undefined, clock: Clock): string | undefined {
  if (written === undefined || written === '') return undefined
  const day = /^(\d{4}-\d{2}-\d{2})(T.*)?$/.exec(written)?.[1]
  const at = Date.parse(`${day}T00:00:00Z`)
  if (!day || Number.isNaN(at)) throw invalid('scan_date', 'A date is written YYYY-MM-DD.')
  const age = clock.now().getTime() - at
  if (age < -dayMs) throw invalid('scan_date', 'The scan_date cannot be in the future.')
  return age > 2 * dayMs ? `${day}T12:00:00Z` : undefined
}
