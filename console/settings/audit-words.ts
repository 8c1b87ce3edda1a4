import type { AuditEvent } from '../../src/capabilities/audit/contract.ts'

export type AuditFilter = { action: string; person: string; target: string; since: string; until: string }

/** Whether an event is one that was asked for. Days are whole and in UTC; `until` is not included. */
export function matchesAudit(event: AuditEvent, filter: AuditFilter): boolean {
  return (
    (!filter.action || event.action.includes(filter.action)) &&
    (!filter.person || String(event.personId) === filter.person) &&
    (!filter.target || event.target.includes(filter.target)) &&
    (!filter.since || event.at >= filter.since) &&
    (!filter.until || event.at < filter.until)
  )
}

/** A field of a CSV file. What a spreadsheet would run is made a text. */
export function csvField(value: string): string {
  const safe = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value
  return /[",\n\r]/.test(safe) ? `"${safe.replaceAll('"', '""')}"` : safe
}

export function auditCsv(events: readonly AuditEvent[], nameOf: (personId: number) => string): string {
  const head = ['seq', 'at', 'person', 'personId', 'tokenId', 'action', 'target', 'detail', 'requestId', 'hash']
  const rows = events.map((event) =>
    [
      String(event.seq),
      event.at,
      nameOf(event.personId),
      String(event.personId),
      String(event.tokenId),
      event.action,
      event.target,
      JSON.stringify(event.detail),
      event.requestId,
      event.hash,
    ]
      .map(csvField)
      .join(','),
  )
  return `${[head.join(','), ...rows].join('\r\n')}\r\n`
}
