import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLog, sampleLog } from '../sarif/test-log.ts'
import { brief, readReport } from '../tool-report/test-report.ts'

function match(version: string, path = '/components/yarn.lock') {
  return {
    vulnerability: {
      id: 'GHSA-jf85-cpcp-j695',
      dataSource: 'https://github.com/advisories/GHSA-jf85-cpcp-j695',
      severity: 'Critical',
      description: 'Prototype pollution in lodash',
      fix: { versions: ['4.17.12'], state: 'fixed' },
    },
    relatedVulnerabilities: [{ id: 'CVE-2019-10744' }],
    artifact: { name: 'lodash', version, type: 'npm', locations: [{ path }], purl: `pkg:npm/lodash@${version}` },
  }
}

const report = (...matches: object[]) => ({
  matches,
  source: { type: 'directory', target: '/home/me/project' },
  distro: {},
  descriptor: { name: 'grype', version: '0.97.2' },
})

test('a match is told with its package and what mends it', () => {
  const { format, findings, runs } = readReport(report(match('4.17.11')))
  assert.equal(format, 'grype-json')
  assert.deepEqual(findings.map(brief), [
    'sca critical GHSA-jf85-cpcp-j695-lodash components/yarn.lock npm lodash@4.17.11',
  ])
  assert.deepEqual(findings[0]!.vulnerabilityIds, ['GHSA-jf85-cpcp-j695', 'CVE-2019-10744'])
  assert.equal(findings[0]!.fixedVersion, '4.17.12')
  assert.deepEqual(runs, [{ tool: 'grype', category: '', complete: true, unsearched: [] }])
})

test('it is the same finding in another version, below the folder that was scanned, and in the SARIF of the tool', () => {
  const [first] = readReport(report(match('4.17.11'))).findings
  assert.equal(readReport(report(match('4.17.10'))).findings[0]!.fingerprint, first!.fingerprint)
  const whole = '/home/me/project/components/yarn.lock'
  assert.equal(readReport(report(match('4.17.11', whole))).findings[0]!.fingerprint, first!.fingerprint)
  const uri = 'components/yarn.lock'
  const text = 'A critical vulnerability in npm package: lodash, version 4.17.11 was found at: components/yarn.lock'
  const log = sampleLog({
    tool: { driver: { name: 'grype' } },
    results: [
      {
        ruleId: 'GHSA-jf85-cpcp-j695-lodash',
        message: { text },
        locations: [{ physicalLocation: { artifactLocation: { uri } } }],
      },
    ],
  })
  assert.equal(readLog(log).findings[0]!.fingerprint, first!.fingerprint)
})

test('an unknown severity counts as medium', () => {
  const one = match('1')
  const unknown = { ...one, vulnerability: { ...one.vulnerability, severity: 'Unknown' } }
  assert.equal(readReport(report(unknown)).findings[0]!.severity, 'medium')
})

test('nothing found is complete', () => {
  assert.deepEqual(readReport(report()).runs, [{ tool: 'grype', category: '', complete: true, unsearched: [] }])
})
