import type { Finding } from '../finding.ts'

type ToolCase = {
  what: string
  tool: string
  rule?: object
  result?: object
  run?: object
  is: Partial<Finding>
}

const place = (uri: string) => [{ physicalLocation: { artifactLocation: { uri }, region: { startLine: 1 } } }]

/** How each tool says what it means, as its own logs do. */
export const toolCases: ToolCase[] = [
  {
    what: 'Semgrep: confidence, category and weaknesses are tags; its precision means nothing',
    tool: 'Semgrep OSS',
    rule: {
      id: 'python.lang.eval',
      defaultConfiguration: { level: 'error' },
      properties: {
        precision: 'very-high',
        tags: [
          "CWE-95: Improper Neutralization ('Eval Injection')",
          'LOW CONFIDENCE',
          'OWASP-A03:2021 - Injection',
          'security',
        ],
      },
    },
    is: {
      product: 'code',
      category: 'security',
      severity: 'high',
      confidence: 'low',
      cwes: ['CWE-95'],
      owasp: ['A03:2021'],
    },
  },
  {
    what: 'Semgrep: no word on confidence',
    tool: 'Semgrep PRO',
    rule: { id: 'a.b', properties: { precision: 'very-high', tags: [] } },
    is: { confidence: '', severity: 'medium', category: '' },
  },
  {
    what: 'Semgrep: supply chain',
    tool: 'semgrep',
    rule: { id: 'ssc-0b7a4f3e-1111-2222-3333-444455556666' },
    result: { properties: { exposure: 'reachable' } },
    is: { product: 'sca', category: 'security', reachability: 'reachable' },
  },
  {
    what: 'Semgrep: supply chain, not looked into',
    tool: 'semgrep',
    rule: { id: 'rules.bad-lib' },
    result: { properties: { exposure: 'undetermined' } },
    is: { product: 'sca', reachability: 'unknown' },
  },
  {
    what: 'Semgrep: secrets',
    tool: 'Semgrep OSS',
    rule: { id: 'generic.secrets.security.detected-generic-secret' },
    result: { properties: { validation_state: 'CONFIRMED_VALID' } },
    is: { product: 'secrets', category: 'security', validity: 'valid' },
  },
  {
    what: 'CodeQL: score, precision, CWE paths',
    tool: 'CodeQL',
    rule: {
      id: 'js/xss',
      defaultConfiguration: { level: 'error' },
      properties: {
        precision: 'very-high',
        'security-severity': '6.1',
        tags: ['security', 'external/cwe/cwe-079', 'external/cwe/cwe-116'],
      },
    },
    is: { category: 'security', severity: 'medium', level: 'error', confidence: 'high', cwes: ['CWE-79', 'CWE-116'] },
  },
  {
    what: 'CodeQL: not about security',
    tool: 'CodeQL',
    rule: {
      id: 'js/dup',
      defaultConfiguration: { level: 'note' },
      properties: { precision: 'medium', tags: ['maintainability'] },
    },
    is: { category: 'maintainability', severity: 'low', confidence: 'medium' },
  },
  {
    what: 'ESLint: category of the rule',
    tool: 'ESLint',
    rule: { id: 'semi', properties: { category: 'Stylistic Issues' } },
    result: { level: 'error' },
    is: { category: 'style', severity: 'high', confidence: '' },
  },
  {
    what: 'ESLint: security plug-in',
    tool: 'ESLint',
    rule: { id: 'security/detect-eval', properties: { category: 'Possible Security Vulnerability' } },
    is: { category: 'security' },
  },
  {
    what: 'Trivy: vulnerability of a library',
    tool: 'Trivy',
    rule: {
      id: 'CVE-2021-23337',
      name: 'LanguageSpecificPackageVulnerability',
      properties: { 'security-severity': '7.2', tags: ['vulnerability', 'security', 'HIGH'] },
    },
    result: {
      message: { text: 'Package: lodash\nInstalled Version: 4.17.20\nVulnerability CVE-2021-23337\nSeverity: HIGH' },
      locations: place('web/package-lock.json'),
    },
    is: {
      product: 'sca',
      severity: 'high',
      vulnerabilityIds: ['CVE-2021-23337'],
      dependency: { name: 'lodash', version: '4.17.20', ecosystem: 'npm' },
    },
  },
  {
    what: 'Trivy of old: severity only as a tag, package only in the help',
    tool: 'Trivy',
    rule: {
      id: '[MEDIUM] CVE-2019-1549',
      help: { text: 'Vulnerability CVE-2019-1549\nPackage: openssl\nInstalled Version: 1.1.1c-r0' },
      properties: { tags: ['vulnerability', 'MEDIUM', 'openssl'] },
    },
    result: { level: 'error', locations: place('Dockerfile') },
    is: {
      product: 'sca',
      severity: 'medium',
      vulnerabilityIds: ['CVE-2019-1549'],
      dependency: { name: 'openssl', version: '1.1.1c-r0', ecosystem: '' },
    },
  },
  {
    what: 'Trivy: misconfiguration',
    tool: 'Trivy',
    rule: {
      id: 'AVD-AWS-0132',
      name: 'Misconfiguration',
      properties: { tags: ['misconfiguration', 'security', 'CRITICAL'] },
    },
    is: { product: 'code', category: 'security', severity: 'critical', dependency: null },
  },
  {
    what: 'Trivy: secret',
    tool: 'Trivy',
    rule: { id: 'aws-access-key-id', name: 'Secret', properties: { tags: ['secret', 'security', 'CRITICAL'] } },
    is: { product: 'secrets', severity: 'critical' },
  },
  {
    what: 'Trivy: licence',
    tool: 'Trivy',
    rule: {
      id: 'musl:MIT',
      name: 'License',
      properties: { 'security-severity': '2.0', tags: ['license', 'security', 'LOW'] },
    },
    is: { product: 'sca', category: 'licence', severity: 'low' },
  },
  {
    what: 'Gitleaks',
    tool: 'gitleaks',
    rule: { id: 'aws-access-token' },
    is: { product: 'secrets', category: 'security', severity: 'medium' },
  },
  {
    what: 'Gitleaks 7: the rule stands in the message',
    tool: 'Gitleaks',
    result: { message: { text: 'AWS Access Key secret detected' } },
    is: { product: 'secrets', ruleId: 'AWS Access Key', message: 'AWS Access Key secret detected' },
  },
  {
    what: 'TruffleHog: verified',
    tool: 'TruffleHog',
    result: { ruleId: 'AWS', properties: { verified: true } },
    is: { product: 'secrets', validity: 'valid' },
  },
  {
    what: 'TruffleHog: not verified is not invalid',
    tool: 'TruffleHog',
    result: { ruleId: 'AWS', properties: { verified: false } },
    is: { validity: 'unknown' },
  },
  {
    what: 'Bandit',
    tool: 'Bandit',
    rule: { id: 'B602', properties: { tags: ['security', 'external/cwe/cwe-78'], precision: 'high' } },
    result: { level: 'note', properties: { issue_confidence: 'MEDIUM', issue_severity: 'HIGH' } },
    is: { category: 'security', severity: 'high', confidence: 'medium', cwes: ['CWE-78'] },
  },
  {
    what: 'Checkov',
    tool: 'checkov',
    rule: { id: 'CKV_AWS_21', defaultConfiguration: { level: 'error' }, properties: { 'security-severity': '3.0' } },
    is: { product: 'code', category: 'security', severity: 'low' },
  },
  { what: 'Checkov: secret', tool: 'Checkov', rule: { id: 'CKV_SECRET_2' }, is: { product: 'secrets' } },
  {
    what: 'Grype',
    tool: 'Grype',
    rule: { id: 'GHSA-35JH-R3H4-6JHM-lodash', properties: { 'security-severity': '9.1' } },
    result: {
      message: {
        text: 'A critical vulnerability in npm package: lodash, version 4.17.4 was found at: /package-lock.json',
      },
    },
    is: {
      product: 'sca',
      severity: 'critical',
      vulnerabilityIds: ['GHSA-35jh-r3h4-6jhm'],
      dependency: { name: 'lodash', version: '4.17.4', ecosystem: 'npm' },
    },
  },
  {
    what: 'Grype: a package of the operating system has no ecosystem of ours',
    tool: 'Grype',
    rule: { id: 'CVE-1999-0001-bash' },
    result: {
      message: { text: 'A low vulnerability in deb package: bash, version 4.3 was found' },
      locations: place('package.json'),
    },
    is: { dependency: { name: 'bash', version: '4.3', ecosystem: '' } },
  },
  {
    what: 'osv-scanner: aliases, scoped name',
    tool: 'osv-scanner',
    rule: {
      id: 'CVE-2024-45296',
      deprecatedIds: ['CVE-2024-45296', 'GHSA-9wv6-86v2-598j'],
      properties: { 'security-severity': '7.7' },
    },
    result: {
      message: {
        text: "Package '@scope/path@0.1.7' is vulnerable to 'CVE-2024-45296' (also known as 'GHSA-9wv6-86v2-598j').",
      },
      locations: place('yarn.lock'),
    },
    is: {
      product: 'sca',
      severity: 'high',
      vulnerabilityIds: ['CVE-2024-45296', 'GHSA-9wv6-86v2-598j'],
      dependency: { name: '@scope/path', version: '0.1.7', ecosystem: 'npm' },
    },
  },
  {
    what: 'Snyk: no score, the rating stands in the title',
    tool: 'Snyk Open Source',
    rule: {
      id: 'SNYK-JS-LODASH-567746',
      shortDescription: { text: 'Critical severity - Prototype Pollution vulnerability in lodash' },
      fullDescription: { text: '(CVE-2020-8203) lodash@4.17.15' },
      properties: { 'security-severity': 'undefined', tags: ['security', 'CWE-1321', 'yarn'] },
    },
    result: {
      level: 'error',
      locations: [{ ...place('package.json')[0], logicalLocations: [{ fullyQualifiedName: 'lodash@4.17.15' }] }],
    },
    is: {
      product: 'sca',
      severity: 'critical',
      cwes: ['CWE-1321'],
      dependency: { name: 'lodash', version: '4.17.15', ecosystem: 'npm' },
    },
  },
  {
    what: 'Snyk Code',
    tool: 'SnykCode',
    rule: { id: 'javascript/Sqli', properties: { cwe: ['CWE-89'] } },
    is: { product: 'code', cwes: ['CWE-89'] },
  },
  {
    what: 'Black Duck',
    tool: 'Black Duck',
    result: {
      ruleId: 'BDSA-2020-1001 (CVE-2020-11022)',
      level: 'warning',
      properties: {
        securityRisk: 'CRITICAL',
        component: 'jquery',
        componentVersion: '3.4.1',
        componentOrigin: 'npm',
        reachable: false,
      },
    },
    is: {
      product: 'sca',
      severity: 'critical',
      vulnerabilityIds: ['BDSA-2020-1001', 'CVE-2020-11022'],
      dependency: { name: 'jquery', version: '3.4.1', ecosystem: 'npm' },
      reachability: 'unreachable',
    },
  },
  {
    what: 'dependency-check: a package URL among the logical locations',
    tool: 'dependency-check',
    result: {
      ruleId: 'CVE-2020-36518',
      level: 'error',
      locations: [
        { logicalLocations: [{ fullyQualifiedName: 'pkg:maven/com.fasterxml.jackson.core/jackson-databind@2.9.8' }] },
      ],
      properties: { cvssv3_baseScore: 5.5 },
    },
    is: {
      severity: 'medium',
      dependency: { name: 'com.fasterxml.jackson.core:jackson-databind', version: '2.9.8', ecosystem: 'maven' },
    },
  },
  {
    what: 'gosec: severity as a tag',
    tool: 'gosec',
    rule: { id: 'G404', properties: { tags: ['security', 'HIGH'] } },
    is: { severity: 'high' },
  },
  {
    what: 'Brakeman: its level is its confidence',
    tool: 'Brakeman',
    result: { ruleId: 'BRAKE0001', level: 'note' },
    is: { confidence: 'low' },
  },
  {
    what: 'DevSkim',
    tool: 'devskim',
    result: { ruleId: 'DS1', level: 'error', properties: { DevSkimSeverity: 'Moderate', DevSkimConfidence: 'Low' } },
    is: { category: 'security', severity: 'medium', confidence: 'low' },
  },
  {
    what: 'Fortify: confidence out of five, bare numbers as CWE',
    tool: 'Micro Focus Fortify Static Code Analyzer',
    result: { ruleId: 'X', properties: { Confidence: '2.6', priority: 'Critical', cwe: '120, 129' } },
    is: { severity: 'critical', confidence: 'medium', cwes: ['CWE-120', 'CWE-129'] },
  },
  {
    what: 'Qodana',
    tool: 'QDJVM',
    result: { ruleId: 'X', level: 'warning', properties: { qodanaSeverity: 'Low', ideaSeverity: 'WARNING' } },
    is: { severity: 'low' },
  },
  {
    what: 'njsscan: OWASP without a year',
    tool: 'nodejsscan',
    result: { ruleId: 'x', properties: { owasp: 'A9: Using Components', cwe: 'CWE-327: Broken Algorithm' } },
    is: { category: 'security', cwes: ['CWE-327'], owasp: ['A09'] },
  },
  {
    what: 'zizmor: properties under its own name',
    tool: 'zizmor',
    result: {
      ruleId: 'zizmor/template-injection',
      level: 'error',
      properties: { 'zizmor/severity': 'Medium', 'zizmor/confidence': 'High', 'zizmor/persona': 'Regular' },
    },
    is: { category: 'security', severity: 'medium', confidence: 'high' },
  },
  {
    what: 'SpotBugs: its own names of categories',
    tool: 'SpotBugs',
    rule: { id: 'DMI_HARDCODED', properties: { tags: ['BAD_PRACTICE'] } },
    is: { product: 'code', category: 'best-practice' },
  },
  {
    what: 'FxCop: category inside a longer name',
    tool: 'FxCop',
    result: { ruleId: 'CA1', properties: { Category: 'Microsoft.Security.Xml' } },
    is: { category: 'security' },
  },
  {
    what: 'a model that reviews code',
    tool: 'Reviewer',
    result: { ruleId: 'X', properties: { 'ai/exploitability': 'likely' } },
    is: { product: 'ai' },
  },
  {
    what: 'a tool nobody knows',
    tool: 'Mystery',
    result: { ruleId: 'X' },
    is: { product: 'code', category: '', severity: 'medium', confidence: '' },
  },
  {
    what: 'no tool at all',
    tool: '',
    result: { ruleId: 'X' },
    is: { product: 'code', tool: { name: '', version: '' } },
  },
]
