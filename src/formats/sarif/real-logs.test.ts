import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { realData, withoutRealData } from '../../../test/real-data.ts'
import type { Finding } from './finding.ts'
import { toPath } from './log/file-path.ts'
import { sarif } from './reader.ts'
import { readBytes, readLog } from './test-log.ts'

const folder = realData()
const skip = folder === undefined ? withoutRealData : false

type Counts = { version?: string; json?: boolean; results?: number; withSuppressions?: number }
type Log = { runs?: { results?: { kind?: string; properties?: { offender?: string } }[] | null }[] | null }
type Check = { index: number; attr: string; value: string | number }
type Case = { file: string; count: number; checks: Check[] }

const expected = <T>(name: string): T => JSON.parse(readFileSync(join(folder!, 'expected', name), 'utf8'))
const counts = (): [string, Counts][] =>
  Object.entries(expected<{ files: Record<string, Counts> }>('sarif-counts.json').files)
const resultsOf = (log: Log) => (log.runs ?? []).flatMap((run) => run.results ?? [])

function bytesOf(file: string): Buffer {
  const bytes = readFileSync(join(folder!, file))
  return file.endsWith('.gz') ? gunzipSync(bytes) : bytes
}

const parse = (bytes: Buffer): Log => JSON.parse(bytes.toString('utf8').replace(/^\ufeff/, ''))

test('every log of SARIF 2.1.0 gives as many findings as it has failures', { skip }, () => {
  let read = 0
  for (const [file, { version, results = 0, withSuppressions }] of counts()) {
    if (version !== '2.1.0') continue
    const bytes = bytesOf(file)
    const { findings, problems } = readBytes(bytes)
    const others = resultsOf(parse(bytes)).filter(({ kind = 'fail' }) => kind !== 'fail').length
    assert.equal(findings.length, results - others, file)
    assert.equal(
      problems.some(({ code }) => code === 'not-failures'),
      others > 0,
      file,
    )
    assert.deepEqual(
      problems.filter(({ fatal }) => fatal),
      [],
      file,
    )
    if (withSuppressions !== undefined) {
      assert.equal(findings.filter(({ suppressions }) => suppressions.length > 0).length, withSuppressions, file)
    }
    assert.equal(new Set(findings.map(({ fingerprint }) => fingerprint)).size, findings.length, file)
    assert.ok(sarif.recognises(bytes.subarray(0, 64 * 1024), ''), file)
    read += findings.length
  }
  assert.ok(read > 1000, `${read} findings`)
})

test('every other log is refused with one problem that says where', { skip }, () => {
  let refused = 0
  for (const [file, { version }] of counts()) {
    if (version === '2.1.0') continue
    const { findings, problems } = readBytes(bytesOf(file))
    assert.deepEqual(findings, [], file)
    assert.equal(problems.length, 1, file)
    const [problem] = problems
    assert.ok(problem?.fatal && problem.line > 0, file)
    if (version !== undefined)
      assert.ok(problem.code === 'unsupported-version' && problem.detail.includes(version), file)
    refused += 1
  }
  assert.ok(refused > 0)
})

/**
 * DefectDojo makes one finding per location for some tools, and only goes by level and security-severity, where
 * 'note' is Info and everything unrated is taken from the level; we also read each tool's own properties.
 */
test('what DefectDojo says of the same logs is what we say', { skip }, () => {
  const byLevel = { error: 'High', warning: 'Medium', note: 'Info', none: 'Info' }
  const says: Record<string, (finding: Finding, value: string) => boolean> = {
    severity: ({ severity, level }, value) => value.toLowerCase() === severity || value === byLevel[level],
    cwe: ({ cwes }, value) => cwes.includes(`CWE-${value}`),
    vuln_id_from_tool: ({ ruleId }, value) => ruleId === value,
    unique_id_from_tool: ({ fingerprints, partialFingerprints }, value) =>
      Object.values({ ...fingerprints, ...partialFingerprints }).includes(value),
    file_path: ({ locations }, value) => toPath(value).endsWith(locations[0]?.path ?? 'no path'),
    line: ({ locations }, value) => String(locations[0]?.startLine) === value,
  }
  let checked = 0
  for (const { file, count, checks } of expected<{ cases: Case[] }>('defectdojo-expected.json').cases) {
    if (!file.startsWith('sarif/')) continue
    const { findings } = readBytes(bytesOf(file))
    const perLocation = findings.reduce((sum, { locations }) => sum + Math.max(1, locations.length), 0)
    assert.ok(count === findings.length || count === perLocation, `${file}: ${findings.length} instead of ${count}`)
    if (count !== findings.length) continue
    for (const { index, attr, value } of checks) {
      const holds = says[attr]
      if (!holds) continue
      assert.ok(holds(findings[index]!, String(value)), `${file}: ${attr} of ${index} is not ${value}`)
      checked += 1
    }
  }
  assert.ok(checked > 0)
})

test('the same log with its results in another order has the same fingerprints', { skip }, () => {
  for (const [file, { version }] of counts()) {
    const bytes = bytesOf(file)
    if (version !== '2.1.0' || bytes.length > 1_000_000) continue
    const log = parse(bytes)
    for (const run of log.runs ?? []) run.results?.reverse()
    const prints = (findings: readonly Finding[]) => findings.map(({ fingerprint }) => fingerprint).sort()
    assert.deepEqual(prints(readLog(log).findings), prints(readBytes(bytes).findings), file)
  }
})

test('no secret of a real log gets through', { skip }, () => {
  let secrets = 0
  for (const [file, { version }] of counts()) {
    if (version !== '2.1.0') continue
    const bytes = bytesOf(file)
    const offenders = new Set(resultsOf(parse(bytes)).map((result) => result.properties?.offender ?? ''))
    offenders.delete('')
    if (offenders.size === 0) continue
    const shown = JSON.stringify(readBytes(bytes).findings)
    for (const secret of offenders) assert.ok(!shown.includes(secret), file)
    secrets += offenders.size
  }
  assert.ok(secrets > 0)
})
