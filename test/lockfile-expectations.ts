import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import type { Format, Reading } from '../src/formats/format.ts'

export type ExpectedPackage = { name: string; version: string; groups: string[] }

/** What another reader makes of one file: its packages, or only that it must complain. */
export type ExpectedCase = {
  /** Path inside the real data, e.g. `lockfiles/scalibr-fixtures/yarnlock/empty.v1.lock`. */
  file: string
  path: string
  expectError: boolean
  packages: ExpectedPackage[]
}

type RawPackage = { name: string; version: string; depGroups?: string[] }
type RawCase = { fixture: string; expectError: boolean; packages: RawPackage[] } & Record<string, unknown>

/** `extractor` as osv-scalibr calls it: 'packagelockjson', 'yarnlock', 'gemfilelock' ... Files not at hand are left out. */
export function scalibrCases(root: string, extractor: string): ExpectedCase[] {
  return fixtureCases(root, 'scalibr-expected.json', 'extractor', extractor)
}

/** `parser` as osv-detector calls it: 'NpmLock', 'YarnLock', 'GemfileLock' ... */
export function osvDetectorCases(root: string, parser: string): ExpectedCase[] {
  return fixtureCases(root, 'osv-detector-expected.json', 'parser', parser)
}

/** Whole real-world files of one folder of `lockfiles/`, as read by the ecosystem's own tool: 'npm-package-lock', 'uv' ... */
export function referenceCases(root: string, folder: string): ExpectedCase[] {
  const packed = readFileSync(join(root, 'expected', 'reference-lockfile-packages.json.gz'))
  const { files } = JSON.parse(gunzipSync(packed).toString()) as { files: Record<string, { packages: RawPackage[] }> }
  return Object.entries(files)
    .filter(([file]) => file.startsWith(`lockfiles/${folder}/`))
    .map(([file, { packages }]) => toCase(root, file, false, packages))
    .filter(({ path }) => existsSync(path))
}

/** Our reading of the file, with no name to go by. */
export function readCase(format: Format, expected: ExpectedCase): Reading {
  const bytes = readFileSync(expected.path)
  return format.read([bytes], '')
}

/**
 * Fails unless our reader finds exactly the expected names and versions (each once), and complains where it must.
 * `adjust` states where our convention differs from theirs: it gets their package and answers ours, or undefined
 * where we leave it out.
 */
export function assertAgrees(
  format: Format,
  expected: ExpectedCase,
  adjust: (theirs: ExpectedPackage, file: string) => ExpectedPackage | undefined = (theirs) => theirs,
): Reading {
  const reading = readCase(format, expected)
  const theirs = expected.packages.map((item) => adjust(item, expected.file)).filter((item) => item !== undefined)
  // Some give up on the first thing they cannot read; then only that it is said can be compared.
  const gaveUp = expected.expectError && theirs.length === 0
  if (!gaveUp) assert.deepEqual(distinct(reading.items), distinct(theirs), expected.file)
  if (expected.expectError)
    assert.notDeepEqual(reading.problems, [], `${expected.file} is broken, and that is not said`)
  else assert.deepEqual(reading.problems, [], expected.file)
  assertSound(reading, expected.file)
  return reading
}

/** What holds of every reading, whatever the format: unique keys, and edges that lead to items. */
export function assertSound(reading: Reading, label: string): void {
  const keys = new Set(reading.items.map(({ key }) => key))
  assert.equal(keys.size, reading.items.length, `${label}: keys are not unique`)
  for (const item of reading.items) {
    assert.notEqual(item.name, '', `${label}: ${item.key} has no name`)
    for (const key of item.dependsOn) assert.ok(keys.has(key), `${label}: ${item.key} depends on missing ${key}`)
    assert.equal(new Set(item.dependsOn).size, item.dependsOn.length, `${label}: ${item.key} names an edge twice`)
    assert.doesNotMatch(item.resolved, /\/\/[^/?#]*@/, `${label}: ${item.key} keeps credentials`)
  }
}

function distinct(packages: readonly { name: string; version: string }[]): string[] {
  return [...new Set(packages.map(({ name, version }) => `${name}@${version}`))].sort()
}

function fixtureCases(root: string, table: string, field: string, value: string): ExpectedCase[] {
  const { cases } = JSON.parse(readFileSync(join(root, 'expected', table), 'utf8')) as { cases: RawCase[] }
  return cases
    .filter((item) => item[field] === value)
    .map((item) => toCase(root, item.fixture, item.expectError, item.packages))
    .filter(({ path }) => existsSync(path))
}

function toCase(root: string, file: string, expectError: boolean, packages: RawPackage[]): ExpectedCase {
  const listed = packages.map(({ name, version, depGroups }) => ({ name, version, groups: depGroups ?? [] }))
  return { file, path: join(root, file), expectError, packages: listed }
}
