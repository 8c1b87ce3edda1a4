import assert from 'node:assert/strict'
import { test } from 'node:test'
import { brief, readReport } from '../tool-report/test-report.ts'

const advisory = {
  source: 1094219,
  name: 'debug',
  dependency: 'debug',
  title: 'Regular Expression Denial of Service in debug',
  url: 'https://github.com/advisories/GHSA-gxpj-cx7g-858c',
  severity: 'moderate',
  cwe: ['CWE-400'],
  cvss: { score: 0, vectorString: null },
  range: '>=4.0.0 <4.3.1',
}

const vulnerabilities = {
  debug: {
    name: 'debug',
    severity: 'moderate',
    via: [advisory],
    range: '4.0.0 - 4.3.0',
    nodes: ['node_modules/debug'],
    fixAvailable: { name: 'debug', version: '4.3.1' },
  },
  'needs-debug': { name: 'needs-debug', severity: 'moderate', via: ['debug'], fixAvailable: true },
}

test('each advisory is told once, for the package that it is about', () => {
  const { format, findings, runs } = readReport({ auditReportVersion: 2, vulnerabilities, metadata: {} })
  assert.equal(format, 'npm-audit')
  assert.deepEqual(findings.map(brief), ['sca medium GHSA-gxpj-cx7g-858c package-lock.json npm debug@'])
  assert.deepEqual([findings[0]!.fixedVersion, findings[0]!.cwes], ['4.3.1', ['CWE-400']])
  assert.equal(findings[0]!.message, 'debug >=4.0.0 <4.3.1: Regular Expression Denial of Service in debug')
  assert.deepEqual(runs, [{ tool: 'npm audit', category: '', complete: true, unsearched: [] }])
})

test('the lockfile is the one beside the report', () => {
  const { findings } = readReport({ auditReportVersion: 2, vulnerabilities }, 'services/web/audit.json')
  assert.equal(findings[0]!.locations[0]!.path, 'services/web/package-lock.json')
})

const former = {
  id: 534,
  module_name: 'debug',
  title: 'ReDoS',
  severity: 'high',
  cves: ['CVE-2017-16137'],
  cwe: 'CWE-400',
  url: 'https://npmjs.com/advisories/534',
  vulnerable_versions: '<= 2.6.8 || >= 3.0.0 <= 3.0.1',
  patched_versions: '>=3.1.0',
  overview: 'Affected versions are vulnerable.',
  findings: [
    { version: '2.2.0', paths: ['express>debug'] },
    { version: '2.2.0', paths: ['send>debug'] },
    { version: '2.6.8', paths: ['mocha>debug'] },
  ],
}

test('the older form, which pnpm writes, names the versions', () => {
  const { findings } = readReport({ actions: [], advisories: { 534: former }, muted: [], metadata: {} })
  assert.deepEqual(findings.map(brief), [
    'sca high npm-534 package-lock.json npm debug@2.2.0',
    'sca high npm-534 package-lock.json npm debug@2.6.8',
  ])
  assert.deepEqual([findings[0]!.vulnerabilityIds, findings[0]!.fixedVersion], [['CVE-2017-16137'], '3.1.0'])
  assert.equal(new Set(findings.map(({ fingerprint }) => fingerprint)).size, 2)
})

test('nothing found is complete', () => {
  const { runs } = readReport({ auditReportVersion: 2, vulnerabilities: {}, metadata: {} })
  assert.deepEqual(runs, [{ tool: 'npm audit', category: '', complete: true, unsearched: [] }])
})
