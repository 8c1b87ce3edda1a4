import type { Finding, Metrics, Violation } from './answers.ts'

/** As Dependency-Track weighs them. */
const weights = { critical: 10, high: 5, medium: 3, low: 1, unassigned: 5 }

export function metricsOf(
  findings: readonly Finding[],
  violations: readonly Violation[],
  components: number,
  now: Date,
): Metrics {
  const shown = findings.filter(({ analysis }) => !analysis.isSuppressed)
  const audited = findings.filter(({ analysis }) => analysis.state !== 'NOT_SET')
  const of = (severity: string) => shown.filter(({ vulnerability }) => vulnerability.severity === severity).length
  const failing = (state: string) =>
    violations.filter(({ policyCondition }) => policyCondition.policy.violationState === state).length
  const counts = {
    critical: of('CRITICAL'),
    high: of('HIGH'),
    medium: of('MEDIUM'),
    low: of('LOW'),
    unassigned: of('INFO') + of('UNASSIGNED'),
  }
  const score = Object.entries(counts).reduce(
    (sum, [name, each]) => sum + each * weights[name as keyof typeof weights],
    0,
  )
  return {
    ...counts,
    vulnerabilities: shown.length,
    vulnerableComponents: new Set(shown.map(({ component }) => component.uuid)).size,
    components,
    suppressed: findings.length - shown.length,
    findingsTotal: findings.length,
    findingsAudited: audited.length,
    findingsUnaudited: findings.length - audited.length,
    inheritedRiskScore: score,
    policyViolationsTotal: violations.length,
    policyViolationsFail: failing('FAIL'),
    policyViolationsWarn: failing('WARN'),
    policyViolationsInfo: 0,
    firstOccurrence: now.getTime(),
    lastOccurrence: now.getTime(),
  }
}
