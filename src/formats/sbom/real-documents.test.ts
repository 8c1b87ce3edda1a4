import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { test } from 'node:test'
import { gunzipSync } from 'node:zlib'
import { realData, withoutRealData } from '../../../test/real-data.ts'
import { cyclonedxJson } from '../cyclonedx-json/reader.ts'
import { cyclonedxXml } from '../cyclonedx-xml/reader.ts'
import type { Format, Reading } from '../format.ts'
import { spdxJson } from '../spdx-json/reader.ts'
import { spdxTagValue } from '../spdx-tag-value/reader.ts'
import { spdx3Json } from '../spdx3-json/reader.ts'

const formats: Format[] = [cyclonedxJson, cyclonedxXml, spdxJson, spdx3Json, spdxTagValue]
const folder = realData()
const skip = folder === undefined ? withoutRealData : false
const bytesOf = (path: string) => readFileSync(join(folder ?? '', path))
const json = (path: string) => JSON.parse(bytesOf(path).toString('utf8'))

function recognised(path: string): { format: Format | undefined; bytes: Buffer } {
  const bytes = bytesOf(path)
  const found = formats.filter((format) => format.recognises(bytes.subarray(0, 65536), basename(path)))
  assert.ok(found.length < 2, `${path} is recognised by ${found.map((format) => format.id)}`)
  return { format: found[0], bytes }
}

/** In chunks, as an upload comes. */
function read(format: Format, bytes: Buffer, path: string): Reading {
  const chunks = Array.from({ length: Math.ceil(bytes.length / 5000) }, (_, i) =>
    bytes.subarray(i * 5000, i * 5000 + 5000),
  )
  return format.read(chunks, basename(path))
}

const aboutInventory = new Set(['no-purl', 'unsupported-ecosystem', 'invalid-purl'])
const leftOut = ({ problems }: Reading) =>
  problems
    .filter((problem) => aboutInventory.has(problem.code))
    .reduce((sum, problem) => sum + Number.parseInt(problem.detail, 10), 0)

type Counts = {
  format?: string
  error?: string
  encoding?: string
  schemaValid?: boolean
  componentsFlattened?: number
  packages?: number
  withPurl: number
}

test('every component of every document is an item or counted as left out', { skip }, () => {
  const files: [string, Counts][] = Object.entries(json('expected/sbom-counts.json').files)
  let documents = 0
  for (const [path, counts] of files) {
    const { format, bytes } = recognised(path)
    if (counts.encoding === 'utf-16le-bom') {
      assert.ok(read(format!, bytes, path).items.length > 0, path)
      continue
    }
    if (counts.format === 'other' || counts.error !== undefined || counts.encoding !== undefined) {
      // Not an SBOM, or not JSON: nobody takes it, or it is taken and refused. One is tag-value under the name of JSON.
      if (!format || format.id === 'spdx-tag-value') continue
      assert.equal(read(format, bytes, path).problems[0]?.fatal, true, path)
      continue
    }
    assert.ok(format, `${path} is not recognised`)
    const reading = read(format, bytes, path)
    assert.deepEqual(
      reading.problems.filter((problem) => problem.fatal),
      [],
      path,
    )
    const total = counts.componentsFlattened ?? counts.packages ?? 0
    const subject = total - reading.items.length - leftOut(reading)
    // The subject of an SPDX document is one of its packages, and in CycloneDX it may be listed once more.
    assert.ok(subject === 0 || subject === 1, `${path}: ${subject} of ${total} components unaccounted for`)
    documents += 1
  }
  assert.ok(documents > 300)
})

test('the documents of the CycloneDX project are judged as it judges them', { skip }, () => {
  const files: [string, { upstreamExpects: 'valid' | 'invalid' }][] = Object.entries(
    json('expected/cyclonedx-spec-expected.json').files,
  )
  for (const [path, { upstreamExpects }] of files) {
    const { format, bytes } = recognised(path)
    assert.ok(format, `${path} is not recognised`)
    const broken = read(format, bytes, path).problems.filter((problem) => !aboutInventory.has(problem.code))
    const verdict = broken.length > 0 ? 'invalid' : 'valid'
    assert.equal(verdict, upstreamExpects, `${path}: ${broken.map((problem) => problem.detail)}`)
  }
})

test('documents that keep to their schema have nothing said against them', { skip }, () => {
  const files: [string, Counts][] = Object.entries(json('expected/sbom-counts.json').files)
  for (const [path, { schemaValid, encoding }] of files) {
    if (schemaValid !== true || encoding !== undefined) continue
    const { format, bytes } = recognised(path)
    const noted = read(format!, bytes, path).problems.filter(
      ({ code }) => !aboutInventory.has(code) && code !== 'duplicate-ref',
    )
    assert.deepEqual(noted, [], path)
  }
})

test('documents that break their schema are read, and it is said what is wrong', { skip }, () => {
  const files: [string, Counts & { err?: string }][] = Object.entries(json('expected/sbom-counts.json').files)
  for (const [path, { schemaValid, err }] of files) {
    // Odd addresses do not matter here, and of SPDX 3 there is no reason given.
    if (schemaValid !== false || err === undefined || err.includes('iri-reference')) continue
    const { format, bytes } = recognised(path)
    const noted = read(format!, bytes, path).problems.filter((problem) => !aboutInventory.has(problem.code))
    assert.notEqual(noted.length, 0, `${path}: ${err}`)
  }
})

type Case = {
  extractor: string
  fixture: string
  expectError: boolean
  packages: { name: string; version: string; purlType?: string }[]
}

test('the packages that osv-scalibr finds in its fixtures', { skip }, () => {
  const cases: Case[] = json('expected/scalibr-expected.json').cases
  let found = 0
  for (const { fixture, expectError, packages } of cases.filter((one) => one.fixture.startsWith('sbom/'))) {
    const { format, bytes } = recognised(fixture)
    if (expectError) assert.equal(format, undefined, fixture)
    // SPDX as YAML and RDF are formats we do not read.
    if (!format) continue
    const isOurs = (type: string | undefined) => type === 'cargo' || type === 'maven'
    const found1 = read(format, bytes, fixture).items.filter((item) => isOurs(item.ecosystem))
    const items = found1.map((item) => item.version)
    const ours = packages.filter(({ purlType }) => isOurs(purlType))
    assert.deepEqual(
      items,
      ours.map(({ version }) => version),
      fixture,
    )
    found += items.length
  }
  assert.equal(found, 2)
})

for (const [name, lockfile] of [
  ['bootstrap', 'bootstrap__v3'],
  ['npm-cli', 'cli__v3'],
]) {
  test(`what npm writes of ${name} is what its lockfile has`, { skip }, () => {
    const reference = JSON.parse(gunzipSync(bytesOf('expected/reference-lockfile-packages.json.gz')).toString('utf8'))
    const locked = reference.files[`lockfiles/npm-package-lock/${lockfile}/package-lock.json`]
    const wanted: string[] = locked.packages.map(
      (one: { name: string; version: string }) => `${one.name}@${one.version}`,
    )
    for (const [format, suffix] of [
      [cyclonedxJson, 'cdx'],
      [spdxJson, 'spdx'],
    ] as const) {
      const path = `sbom/npm-generated/${name}.${suffix}.json`
      const { items } = read(format, bytesOf(path), path)
      const got = new Set(items.map((item) => `${item.name}@${item.version}`))
      assert.deepEqual(
        wanted.filter((one) => !got.has(one)),
        [],
      )
      // The lockfile's list leaves its workspaces out; npm names them.
      assert.equal(got.size, new Set(wanted).size + locked.workspaces)
      assert.equal(
        items.some((item) => item.transitivity === 'UNKNOWN'),
        false,
      )
    }
  })
}

test('XML and tag-value documents', { skip }, () => {
  const expected: [string, number, number][] = [
    ['sbom/defectdojo-cyclonedx/cyclonedx_bom.xml', 73, 0],
    ['sbom/defectdojo-cyclonedx/grype.xml', 307, 0],
    ['sbom/defectdojo-cyclonedx/spec1.xml', 1, 0],
    ['sbom/defectdojo-cyclonedx/valid-vulnerability-1.4.xml', 1, 0],
    ['sbom/in-the-wild/grype-sbom-modified.spdx.json', 1160, 0],
  ]
  for (const [path, items, others] of expected) {
    const { format, bytes } = recognised(path)
    const reading = read(format!, bytes, path)
    assert.deepEqual([reading.items.length, leftOut(reading)], [items, others], path)
  }
})

test('names are those of the package URLs, but for capitals that these lost', { skip }, () => {
  const files = Object.keys(json('expected/sbom-counts.json').files)
  const others = new Set<string>()
  for (const path of files) {
    const { format, bytes } = recognised(path)
    if (!format) continue
    const decoded = bytes.toString('utf8').replaceAll('%40', '@').replaceAll('%2F', '/').replaceAll('%2f', '/')
    for (const { ecosystem, name } of read(format, bytes, path).items) {
      const type = { gomod: 'golang', npm: 'npm' }[ecosystem as string]
      if (type && name !== name.toLowerCase() && !decoded.includes(`pkg:${type}/${name}`)) others.add(name)
    }
  }
  assert.deepEqual([...others].sort(), [
    'github.com/Masterminds/semver/v3',
    'github.com/shurcooL/sanitized_anchor_name',
  ])
})
