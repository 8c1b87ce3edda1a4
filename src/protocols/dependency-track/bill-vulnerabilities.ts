import type { BillVulnerability } from '../../formats/sbom/repository-bill.ts'
import type { Finding } from './answers.ts'

type Vulnerability = Finding['vulnerability']

const states: Record<string, string> = {
  IN_TRIAGE: 'in_triage',
  EXPLOITABLE: 'exploitable',
  FALSE_POSITIVE: 'false_positive',
  NOT_AFFECTED: 'not_affected',
}
const mostLinks = 50

/** Findings as CycloneDX 1.6 has vulnerabilities; with what people decided where the document is to say so. */
export function billVulnerabilities(findings: readonly Finding[], withAnalysis: boolean): BillVulnerability[] {
  const bySame = Map.groupBy(findings, ({ vulnerability, analysis }) =>
    JSON.stringify([vulnerability.vulnId, withAnalysis && analysis.state]),
  )
  return [...bySame.values()].map((same) => {
    const { vulnerability, analysis } = same[0]!
    const state = states[analysis.state]
    return {
      purls: same.flatMap(({ component }) => component.purl ?? []),
      record: {
        'bom-ref': `${vulnerability.uuid}${withAnalysis && state ? `-${state}` : ''}`,
        id: vulnerability.vulnId,
        source: { name: vulnerability.source },
        ratings: [ratingOf(vulnerability)],
        cwes: vulnerability.cwes.map(({ cweId }) => cweId).filter((id) => id > 0),
        description: vulnerability.title,
        detail: vulnerability.description,
        ...(vulnerability.recommendation && { recommendation: vulnerability.recommendation }),
        advisories: linksOf(vulnerability).map((url) => ({ url })),
        published: new Date(vulnerability.published).toISOString(),
        ...(withAnalysis && state && { analysis: { state } }),
      },
    }
  })
}

function ratingOf(vulnerability: Vulnerability): object {
  const severity = vulnerability.severity === 'UNASSIGNED' ? 'unknown' : vulnerability.severity.toLowerCase()
  const { cvssV4Vector, cvssV3Vector, cvssV2Vector } = vulnerability
  if (cvssV4Vector) return { score: vulnerability.cvssV4Score, severity, method: 'CVSSv4', vector: cvssV4Vector }
  if (cvssV3Vector) {
    const method = cvssV3Vector.startsWith('CVSS:3.1') ? 'CVSSv31' : 'CVSSv3'
    return { score: vulnerability.cvssV3BaseScore, severity, method, vector: cvssV3Vector }
  }
  if (cvssV2Vector) return { score: vulnerability.cvssV2BaseScore, severity, method: 'CVSSv2', vector: cvssV2Vector }
  return { severity, method: 'other' }
}

/** Advisories are linked over the web; anything else would not be a reference by the schema. */
function linksOf({ references = '' }: Vulnerability): string[] {
  return references
    .split('\n')
    .filter((link) => /^https?:\/\/[^\s<>"{}|\\^`]+$/.test(link))
    .slice(0, mostLinks)
}
