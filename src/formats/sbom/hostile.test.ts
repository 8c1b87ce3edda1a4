import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { often } from '../../../test/depth.ts'
import { cyclonedxJson } from '../cyclonedx-json/reader.ts'
import { writeCyclonedxJson } from '../cyclonedx-json/writer.ts'
import { cyclonedxXml } from '../cyclonedx-xml/reader.ts'
import type { Format } from '../format.ts'
import { spdxJson } from '../spdx-json/reader.ts'
import { writeSpdxJson } from '../spdx-json/writer.ts'
import { spdxTagValue } from '../spdx-tag-value/reader.ts'
import { spdx3Json } from '../spdx3-json/reader.ts'
import { sampleBill } from './test-bill.ts'

const formats: Format[] = [cyclonedxJson, cyclonedxXml, spdxJson, spdx3Json, spdxTagValue]

const garbage = Buffer.alloc(10_000_000)
for (let i = 0; i < garbage.length; i += 1) garbage[i] = (i * 2654435761) >>> 24

const hostile: { what: string; bytes: Buffer }[] = [
  { what: 'nothing', bytes: Buffer.alloc(0) },
  { what: 'zeros', bytes: Buffer.alloc(10_000_000) },
  { what: 'garbage', bytes: garbage },
  { what: 'letters without end', bytes: Buffer.alloc(10_000_000, 'a') },
  { what: 'lines without end', bytes: Buffer.alloc(10_000_000, 'a:\n') },
  { what: 'brackets without end', bytes: Buffer.alloc(10_000_000, '[') },
  { what: 'objects without end', bytes: Buffer.alloc(10_000_000, '{"a":') },
  { what: 'elements without end', bytes: Buffer.alloc(10_000_000, '<a>') },
  { what: 'UTF-16 of another kind', bytes: Buffer.from('\ufeff{"bom":1}', 'utf16le') },
  { what: 'null', bytes: Buffer.from('null') },
  { what: 'an empty object', bytes: Buffer.from('{}') },
  {
    what: 'a bomb of entities',
    bytes: Buffer.from(
      `<!DOCTYPE bom [<!ENTITY a0 "x">${Array.from({ length: 30 }, (_, i) => `<!ENTITY a${i + 1} "&a${i};&a${i};">`).join('')}]>
       <bom xmlns="http://cyclonedx.org/schema/bom/1.4"><components>&a30;</components></bom>`,
    ),
  },
]

for (const { what, bytes } of hostile) {
  for (const format of formats) {
    test(`${format.id}: ${what} ends in one fatal problem`, () => {
      const { items, problems } = format.read([bytes], 'x')
      assert.deepEqual(items, [])
      assert.deepEqual(
        problems.map((problem) => problem.fatal),
        [true],
      )
      assert.ok((problems[0]?.detail.length ?? 0) < 400)
      format.recognises(bytes.subarray(0, 65536), 'x')
    })
  }
}

const cyclonedxText = [...writeCyclonedxJson(sampleBill)].join('')
const spdxText = [...writeSpdxJson(sampleBill)].join('')
const seeds: { format: Format; text: string }[] = [
  { format: cyclonedxJson, text: cyclonedxText },
  { format: spdxJson, text: spdxText },
  {
    format: cyclonedxXml,
    text: `<bom xmlns="http://cyclonedx.org/schema/bom/1.4"><components><component type="library" bom-ref="a"><name>a</name>
      <hashes><hash alg="MD5">1</hash></hashes><licenses><license><id>MIT</id></license></licenses><purl>pkg:npm/a@1</purl>
      </component></components><dependencies><dependency ref="a"><dependency ref="b"/></dependency></dependencies></bom>`,
  },
  {
    format: spdx3Json,
    text: `{"@context": "https://spdx.org/rdf/3.0.1/spdx-context.jsonld", "@graph": [{"type": "CreationInfo", "specVersion": "3.0.1"},
      {"type": "software_Package", "spdxId": "a", "software_packageUrl": "pkg:npm/a@1", "externalIdentifier": [{}]},
      {"type": "Relationship", "relationshipType": "dependsOn", "from": "a", "to": ["b"]}]}`,
  },
  {
    format: spdxTagValue,
    text: 'SPDXVersion: SPDX-2.3\nPackageName: a\nSPDXID: SPDXRef-a\nExternalRef: X purl pkg:npm/a@1\nRelationship: a CONTAINS b\n',
  },
]

const replacements = [
  '',
  'null',
  '7',
  '"x"',
  '[]',
  '{}',
  '{"__proto__":{"x":1}}',
  '<',
  '>',
  '&',
  '\\',
  '\u0000',
  ':',
  '%',
  '\n',
]

for (const { format, text } of seeds) {
  test(`${format.id}: changed at random it never throws, and cut short never loses a word`, () => {
    const change = fc.record({ at: fc.nat(text.length), drop: fc.nat(12), put: fc.constantFrom(...replacements) })
    fc.assert(
      fc.property(fc.array(change, { minLength: 1, maxLength: 4 }), (changes) => {
        let mutant = text
        for (const { at, drop, put } of changes) mutant = mutant.slice(0, at) + put + mutant.slice(at + drop)
        const bytes = Buffer.from(mutant)
        format.recognises(bytes, 'x')
        const { items, problems } = format.read([bytes.subarray(0, 50), bytes.subarray(50)], 'x')
        if (problems.some((problem) => problem.fatal)) assert.deepEqual(items, [])
        const keys = new Set(items.map((item) => item.key))
        assert.equal(keys.size, items.length)
        for (const item of items) for (const key of item.dependsOn) assert.ok(keys.has(key))
      }),
      { numRuns: often(300) },
    )
    assert.equal((Object.prototype as { x?: number }).x, undefined)
  })
}

/** Values of JSON in place of each other: what is syntax no longer, but shape. */
const anyValue = fc.jsonValue({ maxDepth: 2 })
for (const { format, text } of seeds.filter((seed) => seed.format.id.endsWith('json'))) {
  test(`${format.id}: any member may be of any type`, () => {
    const document = JSON.parse(text)
    const places = memberPlaces(document)
    fc.assert(
      fc.property(fc.constantFrom(...places), anyValue, (place, value) => {
        const bytes = Buffer.from(JSON.stringify(replaced(document, place, value)))
        assert.doesNotThrow(() => format.read([bytes], 'x'))
      }),
      { numRuns: often(500) },
    )
  })
}

function memberPlaces(value: unknown, path: string[] = []): string[][] {
  if (value === null || typeof value !== 'object') return [path]
  return [path, ...Object.entries(value).flatMap(([key, inner]) => memberPlaces(inner, [...path, key]))]
}

function replaced(value: unknown, [key, ...rest]: string[], put: unknown): unknown {
  if (key === undefined) return put
  const copy = Array.isArray(value) ? [...value] : { ...(value as object) }
  const holder = copy as Record<string, unknown>
  holder[key] = replaced(holder[key], rest, put)
  return copy
}

test('a long cyclic chain of dependencies is walked without a deep stack', () => {
  const length = 50_000
  const names = Array.from({ length }, (_, i) => `p${i}`)
  const document = {
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    metadata: { component: { type: 'application', name: 'app', 'bom-ref': 'app' } },
    components: names.map((name) => ({ type: 'library', name, 'bom-ref': name, purl: `pkg:npm/${name}@1` })),
    dependencies: [
      { ref: 'app', dependsOn: ['p0'] },
      ...names.map((ref, i) => ({ ref, dependsOn: [`p${(i + 1) % length}`] })),
    ],
  }
  const { items, problems } = cyclonedxJson.read([Buffer.from(JSON.stringify(document))], '')
  assert.deepEqual(problems, [])
  assert.equal(items.filter((item) => item.transitivity === 'TRANSITIVE').length, length - 1)
})

test('a document may not make up endless kinds of problems', () => {
  const components = Array.from({ length: 5000 }, (_, i) => ({ type: `kind${i}`, name: '', purl: '' })).concat(
    Array.from({ length: 5000 }, (_, i) => ({ type: 'file', name: `x${i}`, purl: '' })),
  )
  const document = { bomFormat: 'CycloneDX', specVersion: '1.6', components }
  const { problems } = cyclonedxJson.read([Buffer.from(JSON.stringify(document))], '')
  assert.ok(problems.length <= 102)
  const counted = problems.map((problem) => Number(/^\d+/.exec(problem.detail)?.[0]))
  assert.ok(counted.filter((count) => count > 0).reduce((sum, count) => sum + count, 0) >= 10_000)
})
