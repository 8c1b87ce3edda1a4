import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readLog, sampleLog } from '../sarif/test-log.ts'
import { brief, readReport } from '../tool-report/test-report.ts'

const secret = 'AKIAQ3EGRWYUIO7SDFGH'
const commit = '74d53286c550630f80847d37f68aa3065554ac81'

const leak = (more: object = {}) => ({
  Description: 'AWS Access Token',
  StartLine: 12,
  EndLine: 12,
  StartColumn: 8,
  EndColumn: 27,
  Match: `key = "${secret}"`,
  Secret: secret,
  File: 'conf/aws.tf',
  SymlinkFile: '',
  Commit: commit,
  Entropy: 3.6,
  Author: 'Somebody',
  Email: 'somebody@example.com',
  Date: '2021-10-14T17:05:15Z',
  Message: `Add the key ${secret}`,
  Tags: [],
  RuleID: 'aws-access-token',
  Fingerprint: `${commit}:conf/aws.tf:aws-access-token:12`,
  ...more,
})

const former = {
  line: `key = "${secret}"`,
  lineNumber: 12,
  offender: secret,
  commit,
  repo: '.',
  rule: 'AWS Access Key',
  commitMessage: `Add ${secret}`,
  author: 'Somebody',
  email: 'somebody@example.com',
  file: 'conf/aws.tf',
  date: '2021-04-19T22:42:05+03:00',
  tags: 'key, AWS',
}

test('a leak is told by its rule and place', () => {
  const { format, findings, runs } = readReport([leak()])
  assert.equal(format, 'gitleaks-json')
  assert.deepEqual(findings.map(brief), ['secrets high aws-access-token conf/aws.tf:12'])
  assert.equal(findings[0]!.secretHint, 'AKIA…')
  assert.deepEqual(runs, [{ tool: 'gitleaks', category: '', complete: true, unsearched: [] }])
  assert.deepEqual(readReport([former]).findings.map(brief), ['secrets high AWS Access Key conf/aws.tf:12'])
})

test('neither the secret nor who wrote it is kept', () => {
  for (const one of [leak(), former, leak({ Description: `Found ${secret}` }), leak({ Tags: [secret] })]) {
    const kept = JSON.stringify(readReport([one]))
    assert.ok(!kept.includes(secret), kept)
    assert.ok(!kept.includes('somebody@example.com'), kept)
  }
})

test('it stays the same when its line or commit is another one, and another secret is another finding', () => {
  const [first] = readReport([leak()]).findings
  const [moved] = readReport([
    leak({ StartLine: 80, EndLine: 80, Commit: 'f'.repeat(40), Fingerprint: 'x:80' }),
  ]).findings
  assert.equal(moved!.fingerprint, first!.fingerprint)
  const [other] = readReport([leak({ Secret: 'AKIAZZZZZZZZZZZZZZZZ' })]).findings
  assert.notEqual(other!.fingerprint, first!.fingerprint)
})

test('it is the same finding as in the SARIF of the tool', () => {
  const region = { startLine: 12, startColumn: 8, endLine: 12, endColumn: 27, snippet: { text: secret } }
  const log = sampleLog({
    tool: { driver: { name: 'gitleaks' } },
    results: [
      {
        ruleId: 'aws-access-token',
        message: { text: 'aws-access-token has detected secret for file conf/aws.tf.' },
        locations: [{ physicalLocation: { artifactLocation: { uri: 'conf/aws.tf' }, region } }],
        partialFingerprints: { commitSha: commit, author: 'Somebody', date: '2021-10-14T17:05:15Z' },
      },
    ],
  })
  const [inLog] = readLog(log, { identityKey: Buffer.alloc(32, 7) }).findings
  assert.equal(readReport([leak()]).findings[0]!.fingerprint, inLog!.fingerprint)
})

test('an empty list is a report of it only by its name', () => {
  for (const nothing of ['[]\n', 'null', '[ ]']) {
    assert.equal(readReport(nothing, 'gitleaks-report.json').runs.length, 1, nothing)
    assert.equal(readReport(nothing, 'report.json').format, '', nothing)
  }
})
