import type { Product } from '../../../domain/finding-terms.ts'
import type { Evidence } from '../log/evidence.ts'

type ProductRow = {
  /** '' for every tool. */
  family: string
  where: 'ruleId' | 'ruleName' | 'tag' | 'property'
  matches: RegExp
  product: Product
}

const vulnerabilityId =
  /^(\[[A-Z]+\] )?(CVE-\d{4}-\d{4,}|GHSA(-[23456789cfghjmpqrvwx]{4}){3}|BDSA-\d{4}-\d+|SNYK-[A-Z]+-|(GO|RUSTSEC|PYSEC|OSV|MAL)-\d{4}-\d+)/i

/** Tools that find several kinds of things tell them apart in their own ways; the first row that fits wins. */
const productTable: readonly ProductRow[] = [
  { family: '', where: 'property', matches: /^ai\//, product: 'ai' },
  { family: 'trivy', where: 'ruleName', matches: /PackageVulnerability$|^License$/, product: 'sca' },
  { family: 'trivy', where: 'ruleName', matches: /^Secret$/, product: 'secrets' },
  { family: 'trivy', where: 'tag', matches: /^(vulnerability|license)$/, product: 'sca' },
  { family: 'trivy', where: 'tag', matches: /^secret$/, product: 'secrets' },
  { family: 'semgrep', where: 'property', matches: /^exposure$/, product: 'sca' },
  { family: 'semgrep', where: 'ruleId', matches: /(^|\.)ssc-[0-9a-f]{8}-/, product: 'sca' },
  { family: 'semgrep', where: 'ruleId', matches: /(^|\.)secrets?\./, product: 'secrets' },
  { family: 'checkov', where: 'ruleId', matches: /^CKV_SECRET_/, product: 'secrets' },
  { family: 'checkov', where: 'ruleId', matches: /^(CKV_CVE_|BC_VUL_|BC_LIC_)/, product: 'sca' },
  { family: 'wiz', where: 'ruleId', matches: /^secret-/, product: 'secrets' },
  { family: 'wiz', where: 'ruleId', matches: /^(vulnerability-|cve-)/i, product: 'sca' },
  { family: 'semgrep', where: 'ruleId', matches: vulnerabilityId, product: 'code' },
  { family: 'codeql', where: 'ruleId', matches: vulnerabilityId, product: 'code' },
  { family: '', where: 'ruleId', matches: vulnerabilityId, product: 'sca' },
  // Rules of linters that look for any secret, by its form or its entropy.
  { family: '', where: 'ruleId', matches: /(^|\/)(no-?secrets|hardcoded-secret-signatures)$/i, product: 'secrets' },
  { family: '', where: 'tag', matches: /^dependency-scanning$/, product: 'sca' },
  { family: '', where: 'tag', matches: /^(secret-detection|secret-scanning|hardcoded-secret)$/i, product: 'secrets' },
]

export function productOf(evidence: Evidence): Product {
  const row = productTable.find((candidate) => fits(candidate, evidence))
  return row?.product ?? evidence.family.product
}

function fits({ family, where, matches }: ProductRow, evidence: Evidence): boolean {
  if (family !== '' && family !== evidence.family.id) return false
  if (where === 'ruleId') return matches.test(evidence.ruleId)
  if (where === 'ruleName') return matches.test(evidence.rule?.name ?? '')
  if (where === 'tag') return evidence.tags.some((tag) => matches.test(tag))
  return [evidence.result, evidence.run].some((bag) => Object.keys(bag).some((key) => matches.test(key)))
}
