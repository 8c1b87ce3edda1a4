import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spdx3Json } from './reader.ts'

const context = 'https://spdx.org/rdf/3.0.1/spdx-context.jsonld'
const creation = {
  type: 'CreationInfo',
  '@id': '_:c',
  specVersion: '3.0.1',
  created: '2026-01-01T00:00:00Z',
  createdBy: ['urn:me'],
}
const read = (graph: object[], more: object = {}) =>
  spdx3Json.read(
    [Buffer.from(JSON.stringify({ '@context': context, '@graph': [creation, ...graph], ...more }, null, 1))],
    '',
  )
const packageNamed = (name: string, more: object = {}) => ({
  type: 'software_Package',
  spdxId: `urn:${name}`,
  name,
  software_packageVersion: '1.0',
  software_packageUrl: `pkg:npm/${name}@1.0`,
  ...more,
})
const relate = (from: string, relationshipType: string, to: string[], more: object = {}) => ({
  type: 'Relationship',
  from: `urn:${from}`,
  relationshipType,
  to: to.map((name) => `urn:${name}`),
  ...more,
})

test('packages, the graph and licences, in any order', () => {
  const { items, problems } = read([
    relate('a', 'dependsOn', ['b']),
    relate('app', 'dependsOn', ['a']),
    { ...relate('app', 'dependsOn', ['t'], { scope: 'test' }), type: 'LifecycleScopedRelationship' },
    relate('a', 'hasDeclaredLicense', ['mit']),
    relate('b', 'hasDeclaredLicense', ['mit']),
    {
      type: 'Relationship',
      from: 'urn:b',
      relationshipType: 'hasConcludedLicense',
      to: ['https://spdx.org/licenses/ISC'],
    },
    packageNamed('app'),
    packageNamed('a', { software_downloadLocation: 'https://example.org/a.tgz' }),
    packageNamed('b'),
    packageNamed('t'),
    { type: 'simplelicensing_LicenseExpression', spdxId: 'urn:mit', simplelicensing_licenseExpression: 'MIT' },
    { type: 'software_Sbom', spdxId: 'urn:sbom', rootElement: ['urn:app'] },
  ])
  assert.deepEqual(problems, [])
  assert.deepEqual(
    items.map((item) => [item.key, item.transitivity, item.development, item.licence, item.resolved, item.dependsOn]),
    [
      ['urn:a', 'DIRECT', false, 'MIT', 'https://example.org/a.tgz', ['urn:b']],
      ['urn:b', 'TRANSITIVE', false, 'ISC', '', []],
      ['urn:t', 'DIRECT', true, '', '', []],
    ],
  )
})

const identifiers: { what: string; more: object; elements: object[] }[] = [
  {
    what: 'in the package',
    more: { externalIdentifier: [{ externalIdentifierType: 'packageUrl', identifier: 'pkg:gem/x@2' }] },
    elements: [],
  },
  {
    what: 'as an element of its own',
    more: { externalIdentifier: ['urn:id'] },
    elements: [
      { type: 'ExternalIdentifier', spdxId: 'urn:id', externalIdentifierType: 'purl', identifier: 'pkg:gem/x@2' },
    ],
  },
]
for (const { what, more, elements } of identifiers) {
  test(`package URL ${what}`, () => {
    const [item] = read([packageNamed('a', { software_packageUrl: undefined, ...more }), ...elements]).items
    assert.deepEqual([item?.ecosystem, item?.name, item?.version], ['gem', 'x', '2'])
  })
}

test('relationships in capitals are understood', () => {
  const { items } = read([
    packageNamed('app'),
    packageNamed('a'),
    relate('doc', 'DESCRIBES', ['app']),
    relate('app', 'DEPENDS_ON', ['a']),
  ])
  assert.deepEqual(
    items.map((item) => `${item.name} ${item.transitivity}`),
    ['a DIRECT'],
  )
})

test('a document may be a single element', () => {
  const { items, problems } = read([], { '@graph': undefined, ...packageNamed('a') })
  assert.deepEqual([items.map(({ key, version }) => [key, version]), problems], [[['urn:a', '1.0']], []])
})

const refused: { what: string; more: object; code: string }[] = [
  {
    what: 'SPDX 3.1 by its context',
    more: { '@context': 'https://spdx.org/rdf/3.1.0/spdx-context.jsonld' },
    code: 'unsupported-version',
  },
  {
    what: 'SPDX 3.1 by its creation info',
    more: { '@graph': [{ ...creation, specVersion: '3.1' }] },
    code: 'unsupported-version',
  },
  { what: 'another context', more: { '@context': 'https://schema.org/' }, code: 'missing-version' },
  { what: 'no graph', more: { '@graph': undefined }, code: 'missing-graph' },
]
for (const { what, more, code } of refused) {
  test(`${what} is refused whole`, () => {
    const { items, problems } = read([], more)
    assert.deepEqual([items, problems[0]?.code, problems[0]?.fatal], [[], code, true])
    assert.match(problems[0]?.detail ?? '', /3\.0|@graph/)
  })
}

test('a creation info without its required fields is noted', () => {
  const { problems } = read([packageNamed('a'), { type: 'CreationInfo', createdBy: [] }])
  assert.deepEqual(
    problems.map((problem) => problem.code),
    ['missing-field', 'missing-field', 'missing-field'],
  )
})

const heads: { head: string; mine: boolean }[] = [
  { head: `{"@context": "${context}", "@graph": [`, mine: true },
  { head: `{"@context": ["${context}", {"x": 1}], "@gr`, mine: true },
  { head: '{"@context": "https://schema.org/", "@graph": [', mine: false },
  { head: '{"spdxVersion": "SPDX-2.3"', mine: false },
]
for (const { head, mine } of heads) {
  test(`${mine ? 'recognises' : 'leaves alone'} ${head.slice(0, 60)}`, () => {
    assert.equal(spdx3Json.recognises(Buffer.from(head), ''), mine)
  })
}
