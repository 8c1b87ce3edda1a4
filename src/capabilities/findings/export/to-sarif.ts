import type { WrittenResult, WrittenRule } from '../../../formats/sarif/writer.ts'
import type { Finding } from '../finding.ts'

export async function* toSarif(
  pages: AsyncIterable<Finding[]>,
): AsyncGenerator<{ result: WrittenResult; rule: WrittenRule }[]> {
  for await (const page of pages) {
    yield page.map((finding) => ({
      result: toResult(finding),
      rule: { id: finding.ruleId, shortDescription: { text: finding.title } },
    }))
  }
}

const levels: Record<string, WrittenResult['level']> = {
  SEVERITY_CRITICAL: 'error',
  SEVERITY_HIGH: 'error',
  SEVERITY_MEDIUM: 'warning',
}

const settled: ReadonlySet<string> = new Set(['TRIAGE_STATE_IGNORED', 'TRIAGE_STATE_PROVISIONALLY_IGNORED'])

function toResult(finding: Finding): WrittenResult {
  const { id, repository, ref, pullRequest, source, product, severity, confidence, triageState, triageReason } = finding
  return {
    ruleId: finding.ruleId,
    level: levels[severity] ?? 'note',
    message: { text: finding.message },
    locations: finding.locations.filter(({ path }) => path !== '').map(toLocation),
    partialFingerprints: { 'gatehouse/v1': finding.fingerprint },
    ...(settled.has(triageState) && {
      suppressions: [{ kind: 'external' as const, status: 'accepted' as const, justification: triageReason }],
    }),
    properties: {
      ...{ id, repository, ref, pullRequest, source, product, severity, confidence, triageState },
      ...{ raisedAt: finding.raisedAt, tags: [...finding.cwes, ...finding.vulnerabilityIds] },
    },
  }
}

function toLocation({ path, startLine, startColumn, endLine, endColumn }: Finding['locations'][number]) {
  const rest = Object.fromEntries(Object.entries({ startColumn, endLine, endColumn }).filter(([, value]) => value > 0))
  const region = startLine > 0 ? { region: { startLine, ...rest } } : {}
  return { physicalLocation: { artifactLocation: { uri: uriOf(path) }, ...region } }
}

/** Of a path, or of what is an address already (§3.4.3). */
function uriOf(path: string): string {
  return /^[a-z][a-z0-9+.-]+:/i.test(path) ? path : encodeURI(path).replace(/[?#]/g, encodeURIComponent)
}
