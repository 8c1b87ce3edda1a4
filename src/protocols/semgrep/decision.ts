import type { Receipt } from '../../capabilities/scans/contract.ts'

type Blocking = Receipt['blockingFindings'][number]

/** What two uploads of one run are blocked by, each finding once, and why, as Semgrep shows it to whoever runs it. */
export function decide(receipts: readonly Receipt[], publicUrl: string): { reason: string; findings: Blocking[] } {
  const findings = [
    ...new Map(receipts.flatMap(({ blockingFindings }) => blockingFindings.map((one) => [one.id, one]))).values(),
  ]
  if (!receipts.some(({ blocked }) => blocked)) return { reason: '', findings: [] }
  const by = [
    ...new Set(receipts.flatMap((one) => one.blockedBy.map(({ name }) => `the automation '${name}'`))),
    ...new Set(receipts.flatMap((one) => one.blockedByRules.map((rule) => `the policy for the rule '${rule}'`))),
  ]
  const most = Math.max(...receipts.map(({ blockingFindingCount }) => blockingFindingCount))
  const more = Math.max(findings.length, most) - shown(findings).length
  return {
    reason: [
      `Gatehouse blocks this, because of ${by.join(', ')}:`,
      ...shown(findings).map((finding) => line(finding, publicUrl)),
      ...(more > 0 ? [`and ${more} more`] : []),
    ].join('\n  '),
    findings,
  }
}

const mostShown = 20

function shown(findings: readonly Blocking[]): readonly Blocking[] {
  return findings.slice(0, mostShown)
}

function line({ path, line: at, rule, title, fixedVersion, page }: Blocking, publicUrl: string): string {
  const place = path === '' ? '' : `${path}${at > 0 ? `:${at}` : ''} `
  const upgrade = fixedVersion === '' ? '' : ` Upgrade to ${fixedVersion}.`
  return `${place}${rule}: ${title}${upgrade} ${publicUrl}${page}`
}
