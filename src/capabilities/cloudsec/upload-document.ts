import type { FindingDigest } from '../findings/public.ts'

const longestText = 2_000

/**
 * What is uploaded, in the manner of Wiz's schema for findings of others: assets of a data source, each with its findings.
 * An upload takes the place of everything its data source had, and a finding keeps its id, so repeating it changes nothing.
 */
export function documentOf(source: string, findings: readonly FindingDigest[], now: Date): object {
  const byBranch = Map.groupBy(findings, ({ repositoryId, ref }) => `${repositoryId} ${ref}`)
  return {
    integrationId: 'gatehouse',
    dataSources: [{ id: source, analysisDate: now.toISOString(), assets: [...byBranch.values()].map(assetOf) }],
  }
}

function assetOf(findings: FindingDigest[]): object {
  const { repositoryId, repositoryName, ref } = findings[0]!
  return {
    details: {
      repositoryBranch: {
        assetId: `gatehouse-repository-${repositoryId}-${ref}`,
        assetName: repositoryName,
        branchName: ref,
        repository: { name: repositoryName },
      },
    },
    findings: findings.map(findingOf),
  }
}

function findingOf(finding: FindingDigest): object {
  return {
    id: `gatehouse-finding-${finding.id}`,
    name: finding.vulnerabilityIds[0] ?? finding.ruleId,
    title: cut(finding.title),
    // What a scanner says about a secret may hold the secret.
    description: finding.product === 'secrets' ? '' : cut(finding.message),
    severity: finding.severity.replace('SEVERITY_', ''),
    type: finding.malicious ? 'MALICIOUS_PACKAGE' : types[finding.product],
    weaknesses: finding.cwes,
    vulnerabilities: finding.vulnerabilityIds,
    location: { path: finding.path, startLine: finding.startLine },
    detectedAt: finding.raisedAt.toISOString(),
  }
}

const types: Record<string, string> = { code: 'SAST', sca: 'VULNERABILITY', secrets: 'SECRET', ai: 'SAST' }

function cut(text: string): string {
  return text.length > longestText ? `${text.slice(0, longestText - 1).toWellFormed()}…` : text
}
