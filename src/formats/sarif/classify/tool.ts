import type { Category, Product } from '../../../domain/finding-terms.ts'

/** A family of tools that share their ways; `id` also keeps identities alike when a tool is renamed or sold in editions. */
export type ToolFamily = {
  id: string
  name: RegExp
  product: Product
  /** Of findings that say nothing about it. */
  category: Category
}

const code = (id: string, name: RegExp, category: Category = ''): ToolFamily => ({
  id,
  name,
  product: 'code',
  category,
})
const security = (id: string, name: RegExp): ToolFamily => code(id, name, 'security')
const sca = (id: string, name: RegExp): ToolFamily => ({ id, name, product: 'sca', category: 'security' })
const secrets = (id: string, name: RegExp): ToolFamily => ({ id, name, product: 'secrets', category: 'security' })

/** By the name of the driver; the first that matches. */
const toolFamilies: readonly ToolFamily[] = [
  code('semgrep', /^(semgrep|opengrep)\b/i),
  code('codeql', /^(codeql|semmle|lgtm)\b/i),
  code('eslint', /^eslint\b/i),
  security('trivy', /^(trivy|aqua trivy)\b/i),
  secrets('gitleaks', /^(gitleaks|betterleaks)\b/i),
  secrets('trufflehog', /^truffle ?hog/i),
  secrets('ggshield', /^(ggshield|gitguardian)/i),
  secrets('detect-secrets', /^detect-secrets/i),
  secrets('credscan', /^(credscan|credential ?scanner)|sarif\.patternmatcher|^spmi$/i),
  secrets('noseyparker', /^(nosey ?parker|kingfisher|titus)/i),
  secrets('secretlint', /^(secretlint|talisman|whispers|ripsecrets|git-secrets)/i),
  security('bandit', /^bandit\b/i),
  security('checkov', /^(checkov|bridgecrew|prisma cloud)/i),
  sca('grype', /^grype\b/i),
  sca('anchore', /^anchore\b/i),
  sca('osv-scanner', /^osv-scanner/i),
  security('snyk-code', /^snyk ?code/i),
  security('snyk-iac', /^snyk (iac|infrastructure)/i),
  sca('snyk', /^snyk\b/i),
  sca('dependency-check', /^(owasp )?dependency-check/i),
  sca('govulncheck', /^govulncheck/i),
  sca(
    'audit',
    /^((npm|yarn|pnpm|cargo|pip|bundler|composer)[- ]audit|safety|retire(\.js)?|dep-?scan|nancy|cargo[- ]deny)$/i,
  ),
  sca('xray', /^(jfrog )?xray|^docker scout|^mend\b|^white ?source|^black ?duck|^dependabot/i),
  security('wiz', /^wiz/i),
  security(
    'iac',
    /^(tfsec|terrascan|kics|cfn[-_]nag|kubesec|kube-?score|hadolint|dockle|kubescape|kube-?linter|defsec|regula)/i,
  ),
  security('gosec', /^(gosec|golang security checker)/i),
  security('brakeman', /^brakeman/i),
  security('devskim', /^devskim/i),
  security('flawfinder', /^flawfinder/i),
  security('njsscan', /^(nodejsscan|njsscan|mobsfscan)/i),
  security('fortify', /\bfortify\b/i),
  security('dast', /^(contrast|zap|owasp zap|nuclei|mapi|mayhem|stackhawk)/i),
  security(
    'security-scanner',
    /^(bearer|horusec|security ?code ?scan|binskim|checkmarx|veracode|find-?sec-?bugs|python security|zizmor|poutine|scorecard)/i,
  ),
  code('cppcheck', /^cppcheck/i),
  code('qodana', /^(qd[a-z]+$|qodana)/i),
  // Last, for tools that only say in passing what they are.
  secrets('', /\bsecrets?\b/i),
  sca('', /\bsca\b|\bvulnerability report\b|\bopen source\b/i),
]

const unknown: ToolFamily = { id: '', name: /^/, product: 'code', category: '' }

/** `id` is never empty: an unknown tool is a family of its own. */
export function toolFamily(driverName: string): ToolFamily {
  const family = toolFamilies.find(({ name }) => name.test(driverName)) ?? unknown
  return family.id === '' ? { ...family, id: driverName.trim().toLowerCase() || 'unknown' } : family
}

/** Families of tools that are used side by side. */
const several: ReadonlySet<string> = new Set([
  'audit',
  'credscan',
  'dast',
  'iac',
  'njsscan',
  'noseyparker',
  'secretlint',
  'security-scanner',
  'xray',
])

/** One name for all editions of a tool, and never one for two tools that a repository may use at once. */
export function toolName(driverName: string): string {
  const { id } = toolFamily(driverName)
  return several.has(id) ? driverName.trim().toLowerCase() : id
}
