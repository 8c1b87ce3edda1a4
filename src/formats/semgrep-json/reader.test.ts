import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLog, sampleLog } from '../sarif/test-log.ts'
import { brief, readReport } from '../tool-report/test-report.ts'

const fingerprint = `${'ab'.repeat(64)}_0`

function result(line: number, more: object = {}, extra: object = {}) {
  return {
    check_id: 'python.lang.eval',
    path: 'src/a.py',
    start: { line, col: 3, offset: 9 },
    end: { line, col: 12, offset: 18 },
    extra: {
      message: 'eval is dangerous',
      severity: 'ERROR',
      lines: '  eval(x)',
      fingerprint,
      metadata: {
        category: 'security',
        confidence: 'HIGH',
        cwe: ['CWE-95: Eval Injection'],
        owasp: ['A03:2021 - Injection'],
        source: 'https://semgrep.dev/r/python.lang.eval',
      },
      ...extra,
    },
    ...more,
  }
}

const report = (...results: object[]) => ({ version: '1.99.0', results, errors: [], paths: { scanned: ['src/a.py'] } })

test('a result says what its SARIF says', () => {
  const { format, findings, runs } = readReport(report(result(7)))
  assert.equal(format, 'semgrep-json')
  assert.deepEqual(findings.map(brief), ['code high python.lang.eval src/a.py:7'])
  const [one] = findings
  assert.deepEqual(
    [one!.cwes, one!.owasp, one!.confidence, one!.category],
    [['CWE-95'], ['A03:2021'], 'high', 'security'],
  )
  assert.deepEqual(
    [one!.ruleHelp.uri, one!.tool],
    ['https://semgrep.dev/r/python.lang.eval', { name: 'Semgrep', version: '1.99.0' }],
  )
  assert.deepEqual(runs, [{ tool: 'semgrep', category: '', complete: true, unsearched: [] }])
})

test('a finding is the same one in the JSON, after its line moved, and in the SARIF of the tool', () => {
  const [first] = readReport(report(result(7))).findings
  const [moved] = readReport(report(result(19))).findings
  assert.equal(moved!.fingerprint, first!.fingerprint)
  const region = { startLine: 7, startColumn: 3, endLine: 7, endColumn: 12, snippet: { text: '  eval(x)' } }
  const physicalLocation = { artifactLocation: { uri: 'src/a.py', uriBaseId: '%SRCROOT%' }, region }
  const log = sampleLog({
    tool: { driver: { name: 'Semgrep OSS' } },
    results: [
      {
        ruleId: 'python.lang.eval',
        message: { text: 'eval is dangerous' },
        fingerprints: { 'matchBasedId/v1': fingerprint },
        locations: [{ physicalLocation }],
      },
    ],
  })
  assert.equal(readLog(log).findings[0]!.fingerprint, first!.fingerprint)
})

test('what Semgrep keeps from those who are not signed in is not taken for code', () => {
  const hidden = { lines: 'requires login', fingerprint: 'requires login' }
  const { findings, problems } = readReport(report(result(7, {}, hidden)))
  assert.equal(findings[0]!.locations[0]!.snippet, '')
  assert.deepEqual(
    problems.map(({ code }) => code),
    ['no-code'],
  )
  const [moved] = readReport(report(result(70, {}, hidden))).findings
  assert.equal(moved!.fingerprint, findings[0]!.fingerprint)
})

const severities: [written: string, severity: string][] = [
  ['ERROR', 'high'],
  ['WARNING', 'medium'],
  ['INFO', 'low'],
  ['CRITICAL', 'critical'],
  ['HIGH', 'high'],
  ['MEDIUM', 'medium'],
  ['LOW', 'low'],
]

test('levels and severities', () => {
  for (const [written, severity] of severities) {
    assert.equal(readReport(report(result(1, {}, { severity: written }))).findings[0]!.severity, severity, written)
  }
})

test('a vulnerable dependency is told with its version and whether it is reached', () => {
  const found_dependency = { package: 'lodash', version: '4.17.20', ecosystem: 'npm', transitivity: 'direct' }
  const sca = { sca_info: { reachable: false, dependency_match: { found_dependency, lockfile: 'yarn.lock' } } }
  const { findings } = readReport(report(result(1, { path: 'yarn.lock' }, sca)))
  assert.deepEqual(findings.map(brief), ['sca high python.lang.eval yarn.lock:1 npm lodash@4.17.20'])
  assert.equal(findings[0]!.reachability, 'unreachable')
})

test('what is ignored in the source is suppressed', () => {
  assert.equal(readReport(report(result(1, {}, { is_ignored: true }))).findings[0]!.suppressed, true)
})

test('a taint trace is a flow', () => {
  const at = (line: number) => ({ path: 'src/a.py', start: { line, col: 1 }, end: { line, col: 5 } })
  const dataflow_trace = {
    taint_source: ['CliLoc', [at(2), 'input()']],
    intermediate_vars: [{ location: at(4), content: 'x' }],
    taint_sink: ['CliLoc', [at(7), 'eval(x)']],
  }
  const [one] = readReport(report(result(7, {}, { dataflow_trace }))).findings
  assert.deepEqual(
    one!.flow.map(({ startLine, snippet }) => [startLine, snippet]),
    [
      [2, 'input()'],
      [4, 'x'],
      [7, 'eval(x)'],
    ],
  )
})

test('a run with an error is not complete; one with warnings is', () => {
  const told = (level: string) => ({ ...report(), errors: [{ level, message: 'Could not read rule x', path: 'a.py' }] })
  const failed = readReport(told('error'))
  assert.equal(failed.runs[0]!.complete, false)
  assert.match(failed.problems[0]!.detail, /did not run to its end in a\.py: Could not read rule x/)
  assert.equal(readReport(told('warn')).runs[0]!.complete, true)
})

test('a file that took too long, or could not be parsed at all, was not searched', () => {
  const errors = [
    { level: 'warn', type: 'Timeout', rule_id: 'a', path: 'slow.py', message: 'Timeout' },
    { level: 'warn', type: 'Syntax error', path: 'bad%20.py', message: 'Syntax error' },
    { level: 'warn', type: ['PartialParsing', []], path: 'part.py', message: 'Syntax error' },
    { level: 'warn', type: 'Timeout', message: 'Timeout' },
    { level: 'info', type: ['IncompatibleRule', {}], path: 'rule.yml' },
  ]
  const { runs, problems } = readReport({ ...report(), errors })
  assert.deepEqual([runs[0]!.complete, runs[0]!.unsearched], [true, ['slow.py', 'bad%20.py']])
  assert.match(problems[0]!.detail, /could not search 2 files to the end: 'slow\.py', 'bad%20\.py'\./)
})
