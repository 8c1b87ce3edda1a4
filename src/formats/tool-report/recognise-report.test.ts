import assert from 'node:assert/strict'
import { test } from 'node:test'
import { recogniseFormat } from '../registry.ts'
import { readReport } from './test-report.ts'

const samples: Record<string, unknown> = {
  'semgrep-json': { results: [], errors: [] },
  'trivy-json': { SchemaVersion: 2, ArtifactName: '.', Results: [] },
  'grype-json': { matches: [], source: {}, descriptor: { name: 'grype' } },
  'npm-audit': { auditReportVersion: 2, vulnerabilities: {} },
  'gitleaks-json': [{ RuleID: 'a', File: 'b', Secret: 'c' }],
  'osv-scanner-json': { results: [{ source: { path: 'a' }, packages: [] }] },
  'gitlab-report': { version: '15.0.0', vulnerabilities: [], scan: {} },
}

test('each report is told by its content, and is no inventory', () => {
  for (const [id, document] of Object.entries(samples)) {
    assert.equal(readReport(document).format, id)
    assert.equal(recogniseFormat(Buffer.from(JSON.stringify(document)), 'report.json'), undefined, id)
  }
})

const others: unknown[] = [
  { results: [] },
  { results: [{ id: 1 }], errors: [] },
  { version: 1, vulnerabilities: [], bomFormat: 'CycloneDX' },
  // Scanners that share members with those above: taken for theirs, they would say that nothing was found any more.
  { errors: [], generated_at: '2026-01-01T00:00:00Z', metrics: {}, results: [] },
  { errors: [], otherscan_version: '1.0.0', results: { rule: { files: [] } } },
  { results: [{ id: 'sha256:1', distro: 'Debian', packages: [{ name: 'bash' }], vulnerabilities: [{ id: 'CVE-1' }] }] },
  { kind: 'Report', results: [{ category: 'a', message: 'b', source: 'image-scanner' }] },
  { matches: [1] },
  { SchemaVersion: 2 },
  { vulnerabilities: {}, version: '1' },
  [{ RuleID: 'a' }],
  [[{ RuleID: 'a', File: 'b', Secret: 'c' }]],
  [],
  null,
  'text',
  7,
]

test('what is none of them is not taken for one', () => {
  for (const document of others) assert.equal(readReport(document).format, '', JSON.stringify(document))
})

/** Wherever the sample has a value, any of these may be instead. */
const hostile: unknown[] = [
  null,
  7,
  '',
  'x'.repeat(10_000),
  [],
  {},
  [[[]]],
  { toString: 1, constructor: 2 },
  '\u0000\ud800',
]

const entries: Record<string, (value: unknown) => unknown> = {
  'semgrep-json': (value) => ({
    version: value,
    errors: [value],
    results: [{ check_id: 'a' }, { check_id: value, path: value, start: value, end: value, extra: value }, value],
  }),
  'trivy-json': (value) => ({
    SchemaVersion: 2,
    ArtifactName: value,
    Results: [
      {
        Target: value,
        Class: value,
        Type: value,
        Vulnerabilities: [value, { VulnerabilityID: value, PkgName: value }],
      },
      { Misconfigurations: [value, { ID: value, CauseMetadata: { Code: { Lines: [value, { Number: 1 }] } } }] },
      { Secrets: [value, { RuleID: value, Match: value }], Licenses: [value, { Name: value, PkgName: value }] },
      value,
    ],
  }),
  'grype-json': (value) => ({
    matches: [{ vulnerability: value, relatedVulnerabilities: value, artifact: value }, value],
    source: { target: value },
    descriptor: { version: value },
  }),
  'npm-audit': (value) => ({
    auditReportVersion: 2,
    vulnerabilities: { a: value, b: { via: [value, { name: value, cvss: value }], fixAvailable: value } },
    advisories: { c: value, d: { findings: [value], cwe: value, patched_versions: value } },
  }),
  'gitleaks-json': (value) => [
    { RuleID: value, File: value, Secret: value, Tags: value, StartLine: value },
    { rule: value, file: value, offender: value, tags: value },
    value,
  ],
  'osv-scanner-json': (value) => ({
    results: [
      {
        source: { path: value },
        packages: [value, { package: value, groups: [value, { ids: [value] }], vulnerabilities: [value] }],
      },
      value,
    ],
  }),
  'gitlab-report': (value) => ({
    version: '15',
    scan: { scanner: value, type: value, status: value, messages: [value] },
    vulnerabilities: [{ identifiers: [value], location: value, name: value, scanner: value }, value],
  }),
}

test('no shape of an entry is an exception', () => {
  for (const [id, make] of Object.entries(entries)) {
    for (const value of hostile) {
      const { format, problems, findings } = readReport(make(value))
      assert.equal(format, id)
      assert.deepEqual(
        problems.filter(({ fatal }) => fatal),
        [],
        id,
      )
      for (const { message, ruleId } of findings) assert.ok(message.length <= 4000 && ruleId.length <= 1000, id)
    }
  }
})

test('a report that ends too early, or is not JSON to its end, gives nothing', () => {
  for (const [id, document] of Object.entries(entries).map(([id, make]) => [id, JSON.stringify(make('a'))] as const)) {
    for (const text of [document.slice(0, -1), `${document}x`]) {
      const { findings, problems, runs } = readReport(text)
      assert.deepEqual([findings, problems.map(({ fatal }) => fatal), runs], [[], [true], []], id)
    }
  }
})
