import type { Product } from '../../../domain/finding-terms.ts'
import type { Evidence } from '../log/evidence.ts'

const mostIds = 5

/**
 * What the rule of a result was called by earlier releases of its tool, or the vulnerability by other databases. A scanner that names
 * a vulnerability by its CVE calls it by another id until it has one; rules say with `deprecatedIds` what they were (SARIF §3.49.6).
 */
export function otherIdsOf(evidence: Evidence, product: Product, vulnerabilityIds: readonly string[]): string[] {
  const { ruleId, rule, tags, family } = evidence
  const aliases = rule?.aliases ?? []
  if (product === 'sca') {
    // Not what a description mentions in passing.
    const named = [ruleId, ...aliases, ...tags].join(' ').toLowerCase()
    return vulnerabilityIds.slice(1, mostIds + 1).filter((id) => named.includes(id.toLowerCase()))
  }
  const former = family.id === 'trivy' ? formerTrivyIds(ruleId) : []
  return [...new Set([...former, ...aliases])].filter((id) => id !== ruleId).slice(0, mostIds)
}

/** Since its checks of 2026, Trivy writes `AWS-0086` for `AVD-AWS-0086`, and `DS-0002` for `DS002`. */
function formerTrivyIds(ruleId: string): string[] {
  const [, prefix = '', number = ''] = /^([A-Z]{2,10})-(\d{4,5})$/.exec(ruleId) ?? []
  if (prefix === '') return []
  if (!/^(DS|KSV|KCV)$/.test(prefix)) return [`AVD-${ruleId}`]
  return [...(number.startsWith('0') ? [prefix + number.slice(1)] : []), prefix + number, `AVD-${ruleId}`]
}
