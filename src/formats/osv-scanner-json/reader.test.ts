import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLog, sampleLog } from '../sarif/test-log.ts'
import { brief, readReport } from '../tool-report/test-report.ts'

const report = (version: string, group: object = {}) => ({
  results: [
    {
      source: { path: '/src/project/package-lock.json', type: 'lockfile' },
      packages: [
        {
          package: { name: 'path-to-regexp', version, ecosystem: 'npm' },
          vulnerabilities: [
            {
              id: 'GHSA-9wv6-86v2-598j',
              summary: 'path-to-regexp outputs backtracking regular expressions',
              details: 'A bad regular expression.',
              database_specific: { cwe_ids: ['CWE-1333'] },
            },
          ],
          groups: [
            {
              ids: ['GHSA-9wv6-86v2-598j'],
              aliases: ['CVE-2024-45296', 'GHSA-9wv6-86v2-598j'],
              max_severity: '7.5',
              ...group,
            },
          ],
        },
      ],
    },
  ],
  experimental_config: { licenses: { summary: false, allowlist: null } },
})

const options = { root: '/src/project' }

test('records of several databases about one vulnerability are one finding', () => {
  const { format, findings, runs } = readReport(report('0.1.7'), 'x.json', options)
  assert.equal(format, 'osv-scanner-json')
  assert.deepEqual(findings.map(brief), ['sca high CVE-2024-45296 package-lock.json npm path-to-regexp@0.1.7'])
  assert.deepEqual(findings[0]!.vulnerabilityIds, ['CVE-2024-45296', 'GHSA-9wv6-86v2-598j'])
  assert.deepEqual(
    [findings[0]!.cwes, findings[0]!.title],
    [['CWE-1333'], 'path-to-regexp outputs backtracking regular expressions'],
  )
  assert.deepEqual(runs, [{ tool: 'osv-scanner', category: '', complete: true, unsearched: [] }])
})

test('it is the same finding in another version, and in the SARIF of the tool', () => {
  const [first] = readReport(report('0.1.7'), 'x.json', options).findings
  assert.equal(readReport(report('0.1.8'), 'x.json', options).findings[0]!.fingerprint, first!.fingerprint)
  const text = "Package 'path-to-regexp@0.1.7' is vulnerable to 'CVE-2024-45296' (also known as 'GHSA-9wv6-86v2-598j')."
  const uri = 'file:///src/project/package-lock.json'
  const log = sampleLog({
    tool: { driver: { name: 'osv-scanner' } },
    results: [
      { ruleId: 'CVE-2024-45296', message: { text }, locations: [{ physicalLocation: { artifactLocation: { uri } } }] },
    ],
  })
  assert.equal(readLog(log, options).findings[0]!.fingerprint, first!.fingerprint)
})

test('how bad it is, the records say where the scanner does not', () => {
  const vector = (score: string) => ({ severity: [{ type: 'CVSS_V3', score }] })
  const severityOf = (...records: object[]) => {
    const vulnerabilities = records.map((one, i) => ({ id: `GHSA-${i}`, ...one }))
    const groups = [{ ids: vulnerabilities.map(({ id }) => id), max_severity: '' }]
    const packages = [{ package: { name: 'a', version: '1', ecosystem: 'npm' }, vulnerabilities, groups }]
    return readReport({ results: [{ source: { path: 'a' }, packages }] }).findings.map(({ severity }) => severity)
  }
  const [critical, medium] = [
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H',
    'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:L/I:N/A:N',
  ]
  assert.deepEqual(severityOf(vector(medium), vector(critical)), ['critical'])
  assert.deepEqual(severityOf({ ...vector('none'), database_specific: { severity: 'HIGH' } }), ['high'])
  assert.deepEqual(severityOf({ id: 'MAL-2026-1' }), ['critical'])
  assert.deepEqual(severityOf({}), ['medium'])
})

test('a record that is in no group is a finding too', () => {
  const document = report('1')
  document.results[0]!.packages[0]!.groups = []
  const { findings } = readReport(document, 'x.json', options)
  assert.deepEqual(
    findings.map(({ vulnerabilityIds }) => vulnerabilityIds),
    [['GHSA-9wv6-86v2-598j']],
  )
})

test('what is not called is unreachable', () => {
  const analysis = (called: boolean) => ({ experimental_analysis: { 'GHSA-9wv6-86v2-598j': { called } } })
  assert.equal(readReport(report('1', analysis(false))).findings[0]!.reachability, 'unreachable')
  assert.equal(readReport(report('1', analysis(true))).findings[0]!.reachability, 'reachable')
})

test('paths of another machine are a problem that says what to do', () => {
  assert.deepEqual(
    readReport(report('1')).problems.map(({ code }) => code),
    ['absolute-paths'],
  )
})

test('nothing found is complete', () => {
  const { runs } = readReport({ results: [], experimental_config: {} })
  assert.deepEqual(runs, [{ tool: 'osv-scanner', category: '', complete: true, unsearched: [] }])
})
