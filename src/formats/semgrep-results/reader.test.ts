import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Finding } from '../sarif/finding.ts'
import type { ReadOptions } from '../sarif/result.ts'
import { semgrepResults } from './reader.ts'
import { semgrepDocument, semgrepFinding } from './test-results.ts'

function read(document: object | string, options: ReadOptions = {}) {
  const bytes = Buffer.from(typeof document === 'string' ? document : JSON.stringify(document))
  const findings: Finding[] = []
  const problems: string[] = []
  for (const { finding, problem } of semgrepResults.read(() => [bytes], 'results.json', options)) {
    if (finding) findings.push(finding)
    else problems.push(problem.code)
  }
  return { findings, problems }
}

test('its own documents are recognised, and others are not', () => {
  const claims = (document: object) => semgrepResults.recognises(Buffer.from(JSON.stringify(document)))
  assert.equal(claims(semgrepDocument([semgrepFinding()])), true)
  assert.equal(claims(semgrepDocument([])), true)
  assert.equal(claims({ results: [{ check_id: 'a' }], errors: [] }), false)
  assert.equal(claims({ findings: [{ title: 'of another tool' }] }), false)
})

test('a finding has what its rule says about it', () => {
  const [finding] = read(
    semgrepDocument([
      semgrepFinding({
        severity: 3,
        metadata: { cwe: ['CWE-95: eval'], owasp: ['A03:2021 - Injection'], confidence: 'HIGH', category: 'security' },
      }),
    ]),
  ).findings
  assert.deepEqual(
    [finding!.ruleId, finding!.severity, finding!.confidence, finding!.category, finding!.product],
    ['python.eval', 'critical', 'high', 'security', 'code'],
  )
  assert.deepEqual([finding!.cwes, finding!.owasp], [['CWE-95'], ['A03:2021']])
  const { path, startLine, startColumn, endLine, endColumn } = finding!.locations[0]!
  assert.deepEqual([path, startLine, startColumn, endLine, endColumn], ['src/app.py', 3, 1, 3, 12])
})

test('what a comment in the code suppresses is a finding that is suppressed', () => {
  const { findings } = read(semgrepDocument([], [semgrepFinding()]))
  assert.deepEqual(
    findings.map(({ suppressed }) => suppressed),
    [true],
  )
})

test('the identity is that of the match: not of its line, its number, nor the order of the findings', () => {
  const [first, second] = [semgrepFinding({ code: 'a' }), semgrepFinding({ code: 'b', number: 1, line: 9 })]
  const before = read(semgrepDocument([first, second])).findings
  assert.equal(before[0]!.fingerprint.slice(0, 32), before[1]!.fingerprint.slice(0, 32))
  assert.notEqual(before[0]!.context, before[1]!.context)
  // The first is gone, so the second is now number 0, on another line.
  const [after] = read(semgrepDocument([semgrepFinding({ code: 'b', number: 0, line: 5 })])).findings
  assert.equal(after!.fingerprint.slice(0, 32), before[1]!.fingerprint.slice(0, 32))
  assert.equal(after!.context, before[1]!.context)
})

test('the code of a match is not taken for known by its id', () => {
  const { findings } = read(semgrepDocument([semgrepFinding({ code: 'a' })]))
  assert.match(findings[0]!.context, /^[\w-]{12}\.[\w-]{12}$/)
  assert.equal(findings[0]!.formerGroup, '')
})

test('another match, file or rule is another finding', () => {
  const documents = [
    semgrepFinding(),
    semgrepFinding({ match: 'f' }),
    semgrepFinding({ path: 'src/other.py' }),
    semgrepFinding({ check_id: 'python.exec' }),
  ]
  assert.equal(new Set(read(semgrepDocument(documents)).findings.map(({ fingerprint }) => fingerprint)).size, 4)
})

test('a client that sends no id of the match is known by the code', () => {
  const plain = (code: string) => ({ ...semgrepFinding({ code }), match_based_id: undefined })
  const { findings } = read(semgrepDocument([plain('a'), plain('b')]))
  assert.equal(findings[0]!.fingerprint.slice(0, 32), findings[1]!.fingerprint.slice(0, 32))
  assert.notEqual(findings[0]!.context, findings[1]!.context)
  assert.equal(findings[0]!.toolId, '')
})

test('what Semgrep calls it is kept, without its number, and never of a secret', () => {
  const secret = semgrepFinding({ check_id: 'generic.secrets.aws-key', metadata: { cwe: ['CWE-798: hard-coded'] } })
  const { findings } = read(semgrepDocument([semgrepFinding({ number: 4 }), secret]), { identityKey: Buffer.alloc(32) })
  assert.deepEqual(
    findings.map(({ toolId }) => toolId),
    ['e'.repeat(128), undefined],
  )
})

test('a finding about a package says which, and whether it is used', () => {
  const sca = (reachable: boolean) => ({
    ...semgrepFinding({
      check_id: 'ssc-1',
      path: 'package-lock.json',
      metadata: { 'sca-fix-versions': [{ lodash: '4.17.21' }] },
    }),
    sca_info: {
      reachable,
      reachability_rule: true,
      sca_finding_schema: 20220913,
      dependency_match: {
        lockfile: 'package-lock.json',
        dependency_pattern: { ecosystem: 'npm', package: 'lodash', semver_range: '< 4.17.21' },
        found_dependency: {
          package: 'lodash',
          version: '4.17.20',
          ecosystem: 'npm',
          allowed_hashes: {},
          transitivity: 'direct',
        },
      },
    },
  })
  const { findings } = read(semgrepDocument([sca(true), sca(false)]))
  assert.deepEqual(findings[0]!.dependency, { name: 'lodash', version: '4.17.20', ecosystem: 'npm' })
  assert.deepEqual([findings[0]!.product, findings[0]!.fixedVersion], ['sca', '4.17.21'])
  assert.deepEqual(
    findings.map(({ reachability }) => reachability),
    ['reachable', 'unreachable'],
  )
})

test('what rules made from advisories find is left to the list of packages', () => {
  const { findings } = read(semgrepDocument([semgrepFinding({ check_id: 'gatehouse.advisory.CVE-2021-1.npm.lodash' })]))
  assert.deepEqual(findings, [])
})

test('the way of the data is kept', () => {
  const place = (line: number) => ({
    path: 'src/app.py',
    start: { line, col: 2, offset: 0 },
    end: { line, col: 9, offset: 0 },
  })
  const trace = {
    taint_source: ['CliLoc', [place(1), '<code omitted>']],
    intermediate_vars: [{ location: place(2), content: '<code omitted>' }],
    taint_sink: ['CliCall', [[place(3), ''], [], ['CliLoc', [place(4), '']]]],
  }
  const [finding] = read(semgrepDocument([{ ...semgrepFinding(), dataflow_trace: trace }])).findings
  assert.deepEqual(
    finding!.flow.map(({ startLine }) => startLine),
    [1, 2, 3],
  )
})

test('a name with a percent sign is that name', () => {
  const [finding] = read(semgrepDocument([semgrepFinding({ path: 'a b/100%25.py' })])).findings
  assert.equal(finding!.locations[0]!.path, 'a b/100%25.py')
})

test('what is not a finding is a problem, and a document that breaks off is refused whole', () => {
  const { findings, problems } = read(semgrepDocument([{}, 7 as never, semgrepFinding()]))
  assert.deepEqual([findings.length, problems], [1, ['empty-result', 'empty-result']])
  const whole = JSON.stringify(semgrepDocument([semgrepFinding()]))
  assert.ok(read(whole.slice(0, -20)).problems.length > 0)
})
