import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brief, readReport } from '../tool-report/test-report.ts'

const scan = (type: string, name: string, status = 'success') => ({
  scanner: { id: name.toLowerCase(), name, version: '1.2.3', vendor: { name: 'GitLab' } },
  type,
  status,
})

const report = (about: object, ...vulnerabilities: object[]) => ({ version: '15.0.7', vulnerabilities, scan: about })

const injection = (line: number, description = 'Uses MD5.') => ({
  id: `${line}`,
  name: 'Weak hash',
  description,
  severity: 'Medium',
  location: { file: 'app/a.py', start_line: line, end_line: line },
  identifiers: [
    {
      type: 'semgrep_id',
      name: 'bandit.B303-1',
      value: 'bandit.B303-1',
      url: 'https://semgrep.dev/r/gitlab.bandit.B303-1',
    },
    { type: 'cwe', name: 'CWE-327', value: '327' },
  ],
})

test('static analysis', () => {
  const { format, findings, runs } = readReport(report(scan('sast', 'Semgrep'), injection(4)))
  assert.equal(format, 'gitlab-report')
  assert.deepEqual(findings.map(brief), ['code medium bandit.B303-1 app/a.py:4'])
  assert.deepEqual([findings[0]!.cwes, findings[0]!.title], [['CWE-327'], 'Weak hash'])
  assert.deepEqual(runs, [{ tool: 'semgrep', category: 'gitlab-sast', complete: true, unsearched: [] }])
})

test('it stays the same when its line moves and its description is edited', () => {
  const [first] = readReport(report(scan('sast', 'Semgrep'), injection(4))).findings
  const [moved] = readReport(report(scan('sast', 'Semgrep'), injection(44, 'Uses the weak hash MD5.'))).findings
  assert.equal(moved!.fingerprint, first!.fingerprint)
})

test('a sentence is not the name of a rule', () => {
  const one = injection(4)
  const identifiers = [
    { type: 'njsscan_rule_type', name: 'node_username', value: 'A hardcoded username is identified.' },
  ]
  const { findings } = readReport(report(scan('sast', 'njsscan'), { ...one, identifiers }))
  assert.equal(findings[0]!.ruleId, 'node_username')
})

const secret = 'glpat-QWERTYUIOPASDFGHJKLZ'
const leaked = {
  id: '1',
  name: 'GitLab personal access token',
  description: 'A token.',
  severity: 'Critical',
  raw_source_code_extract: secret,
  location: { file: 'README.md', start_line: 5, commit: { sha: '0000000' } },
  identifiers: [{ type: 'gitleaks_rule_id', name: 'Gitleaks rule ID gitlab_pat', value: 'gitlab_pat' }],
}

test('a detected secret is neither shown nor kept, whoever detected it', () => {
  for (const name of ['Gitleaks', 'Own Scanner']) {
    const reading = readReport(report(scan('secret_detection', name), leaked))
    assert.deepEqual(reading.findings.map(brief), ['secrets critical gitlab_pat README.md:5'])
    assert.ok(!JSON.stringify(reading).includes(secret))
  }
})

const vulnerable = {
  id: '1',
  name: 'XML Entity Expansion',
  description: 'go-yaml is vulnerable.',
  severity: 'Unknown',
  solution: 'Upgrade to version 2.2.3 or above.',
  location: { file: 'service/go.sum', dependency: { package: { name: 'gopkg.in/yaml.v2' }, version: 'v2.2.2' } },
  identifiers: [{ type: 'gemnasium', name: 'Gemnasium-7368f513', value: '7368f513-0aa9-4e34-a08d-40ea81f48e0e' }],
}

test('a vulnerable dependency is told with its version', () => {
  const { findings, runs } = readReport(report(scan('dependency_scanning', 'Gemnasium'), vulnerable))
  assert.deepEqual(findings.map(brief), [
    'sca medium 7368f513-0aa9-4e34-a08d-40ea81f48e0e service/go.sum gomod gopkg.in/yaml.v2@v2.2.2',
  ])
  assert.equal(runs[0]!.category, 'gitlab-dependency_scanning')
})

test('an advisory that others know names the rule', () => {
  const identifiers = [...vulnerable.identifiers, { type: 'cve', name: 'CVE-2019-11254', value: 'CVE-2019-11254' }]
  const { findings } = readReport(report(scan('dependency_scanning', 'Gemnasium'), { ...vulnerable, identifiers }))
  assert.equal(findings[0]!.ruleId, 'CVE-2019-11254')
})

test('a scan that failed is not complete', () => {
  const failed = { ...scan('sast', 'Semgrep', 'failure'), messages: [{ level: 'fatal', value: 'out of memory' }] }
  const { runs, problems } = readReport(report(failed))
  assert.equal(runs[0]!.complete, false)
  assert.match(problems[0]!.detail, /did not run to its end: out of memory/)
})

test('what earlier versions wrote names the scanner with each finding', () => {
  const one = { ...injection(4), category: 'sast', scanner: { id: 'semgrep', name: 'Semgrep' } }
  const { runs } = readReport({ version: '2.0', vulnerabilities: [one], remediations: [] })
  assert.deepEqual(runs, [{ tool: 'semgrep', category: 'gitlab-sast', complete: true, unsearched: [] }])
})
