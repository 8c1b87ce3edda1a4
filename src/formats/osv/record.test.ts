import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { readDocument } from './document.ts'
import { isMalicious } from './malicious.ts'
import { readRecord } from './record.ts'

const plain = {
  id: 'MAL-2026-1',
  modified: '2026-01-01T00:00:00Z',
  affected: [{ package: { ecosystem: 'PyPI', name: 'Some_Thing' }, versions: ['1.0'] }],
}

test('a record gives its packages, under the names of their ecosystems', () => {
  const { value } = readRecord({
    ...plain,
    withdrawn: '2026-02-01T00:00:00.123+02:00',
    aliases: ['GHSA-1', 7],
    summary: 'a\0b',
    database_specific: { severity: 'CRITICAL', cwe_ids: ['CWE-506'] },
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N' }],
    references: [{ type: 'WEB', url: 'https://example.com' }],
    affected: [
      ...plain.affected,
      {
        package: { ecosystem: 'Maven:https://repo.example.com', name: 'g:a' },
        ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '2' }] }],
      },
      { package: { ecosystem: 'VSCode', name: 'x' }, versions: ['1'] },
      { ranges: [{ type: 'GIT', events: [] }] },
      { package: { ecosystem: 'npm', name: 'n' }, database_specific: { cwes: [{ cweId: 'CWE-912' }] } },
    ],
  })
  assert.deepEqual(value, {
    id: 'MAL-2026-1',
    modified: '2026-01-01T00:00:00Z',
    published: '',
    withdrawn: '2026-02-01T00:00:00.123+02:00',
    aliases: ['GHSA-1'],
    summary: 'a\ufffdb',
    details: '',
    severities: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N' }],
    databaseSeverities: ['CRITICAL'],
    references: ['https://example.com'],
    weaknesses: ['CWE-506', 'CWE-912'],
    packages: [
      { ecosystem: 'pypi', name: 'some-thing', ranges: [], versions: ['1.0'] },
      {
        ecosystem: 'maven',
        name: 'g:a',
        ranges: [{ type: 'ECOSYSTEM', events: [{ introduced: '0' }, { fixed: '2' }] }],
        versions: [],
      },
      { ecosystem: 'npm', name: 'n', ranges: [], versions: [] },
    ],
  })
})

test('a start and an end in one event are two', () => {
  const ranges = [{ type: 'SEMVER', events: [{ introduced: '1.0.0', fixed: '1.0.2' }] }]
  const { value } = readRecord({ ...plain, affected: [{ package: { ecosystem: 'npm', name: 'n' }, ranges }] })
  assert.deepEqual(value?.packages[0]?.ranges[0]?.events, [{ introduced: '1.0.0' }, { fixed: '1.0.2' }])
})

test('what verdicts are made of has to be right', () => {
  const entry = plain.affected[0]!
  const wrong: [string, unknown][] = [
    ['/id', null],
    ['/id', [plain]],
    ['/id', { ...plain, id: 7 }],
    ['/id', { ...plain, id: 'a b' }],
    ['/id', { ...plain, id: 'x'.repeat(201) }],
    ['/modified', { ...plain, modified: undefined }],
    ['/modified', { ...plain, modified: 'yesterday' }],
    ['/modified', { ...plain, modified: '2026-13-01T00:00:00Z' }],
    ['/modified', { ...plain, modified: '0000-01-01T00:00:00Z' }],
    ['/withdrawn', { ...plain, withdrawn: true }],
    ['/withdrawn', { ...plain, withdrawn: 'no' }],
    ['/affected', { ...plain, affected: {} }],
    ['/affected/0', { ...plain, affected: ['x'] }],
    ['/affected/0', { ...plain, affected: [{ ...entry, package: { name: 'x' } }] }],
    ['/affected/0', { ...plain, affected: [{ ...entry, package: { ecosystem: 'npm' } }] }],
    ['/affected/0', { ...plain, affected: [{ ...entry, package: { ecosystem: 'npm', name: 'a\0' } }] }],
    ['/affected/0', { ...plain, affected: [{ ...entry, versions: '1.0' }] }],
    ['/affected/0', { ...plain, affected: [{ ...entry, versions: [1] }] }],
    ['/affected/0', { ...plain, affected: [{ ...entry, versions: ['\ud800'] }] }],
    ['/affected/0', { ...plain, affected: [{ ...entry, ranges: [{}] }] }],
    ['/affected/0', { ...plain, affected: [{ ...entry, ranges: [{ type: 'SEMVER', events: [{}] }] }] }],
    ['/affected/0', { ...plain, affected: [{ ...entry, ranges: [{ type: 'SEMVER', events: [{ introduced: 0 }] }] }] }],
  ]
  for (const [pointer, value] of wrong) assert.equal(readRecord(value).problem?.pointer, pointer, JSON.stringify(value))
})

test('any JSON is a record or a problem', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.jsonValue(), (whole, part) => {
      for (const value of [
        whole,
        { ...plain, affected: [part] },
        { ...plain, affected: [{ ...plain.affected[0], ranges: part }] },
      ]) {
        const outcome = readRecord(value)
        assert.ok(outcome.problem ?? outcome.value)
      }
    }),
  )
})

test('a document is one record, a list, or a record a line; what is wrong is told with its place', () => {
  const text = JSON.stringify(plain)
  const read = (name: string, content: string) =>
    [...readDocument({ name, bytes: Buffer.from(content) })].map((item) =>
      item.problem ? `${item.name} ${item.problem.code}` : item.record.id,
    )
  assert.deepEqual(read('a.json', text), ['MAL-2026-1'])
  assert.deepEqual(read('a.json', `[${text},${text}]`), ['MAL-2026-1', 'MAL-2026-1'])
  assert.deepEqual(read('a.ndjson', `${text}\n\n${text}\r\n`), ['MAL-2026-1', 'MAL-2026-1'])
  assert.deepEqual(read('a.jsonl', `${text}\n${text.slice(0, -5)}`), ['MAL-2026-1', 'a.jsonl:2 truncated'])
  assert.deepEqual(read('a.json', '<html>'), ['a.json not-json'])
  assert.deepEqual(read('a.json', ''), ['a.json truncated'])
  assert.deepEqual(read('a.json', '{"id":"\xff'), ['a.json truncated'])
})

test('records about malice are told from those about mistakes', () => {
  const cases: [object, boolean][] = [
    [{ id: 'MAL-2026-1' }, true],
    [{ id: 'LWA-2026-1', summary: 'Security-research package' }, true],
    [{ id: 'GHSA-xxxx-yyyy-zzzz', summary: 'Prototype pollution in lodash' }, false],
    [{ id: 'GHSA-xxxx-yyyy-zzzz', summary: 'Malware in lodahs' }, true],
    [{ id: 'GHSA-xxxx-yyyy-zzzz', aliases: ['MAL-2026-2'] }, true],
    [{ id: 'GHSA-xxxx-yyyy-zzzz', database_specific: { cwe_ids: ['CWE-506'] } }, true],
    [{ id: 'GHSA-xxxx-yyyy-zzzz', database_specific: { cwe_ids: ['CWE-79'] } }, false],
    [{ id: 'PYSEC-2026-1' }, false],
    [{ id: 'GO-2026-1' }, false],
    [{ id: 'RUSTSEC-2026-1' }, false],
    [{ id: 'CVE-2026-1' }, false],
  ]
  for (const [fields, expected] of cases) {
    assert.equal(isMalicious(readRecord({ ...plain, ...fields }).value!), expected, JSON.stringify(fields))
  }
})
