import assert from 'node:assert/strict'
import { test } from 'node:test'
import { cyclonedxXml } from './reader.ts'

const read = (text: string) => cyclonedxXml.read([Buffer.from(text)], '')
const bom = (inside: string, version = '1.5') =>
  `<?xml version="1.0"?>\n<bom xmlns="http://cyclonedx.org/schema/bom/${version}" version="1">\n${inside}\n</bom>`
const component = (name: string, inside = '') =>
  `<component type="library" bom-ref="${name}"><name>${name}</name><version>1.0</version>${inside}<purl>pkg:npm/${name}@1.0</purl></component>`

test('components, nested ones and the graph', () => {
  const { items, problems } = read(
    bom(`<metadata><component type="application" bom-ref="app"><name>app</name></component></metadata>
<components>
  ${component('a', '<licenses><license><id>MIT</id></license><license><name>Ours</name></license></licenses>')}
  ${component('b', `<scope>excluded</scope><components>${component('c')}</components>`)}
</components>
<dependencies><dependency ref="app"><dependency ref="a"/></dependency><dependency ref="a"><dependency ref="c"/></dependency></dependencies>`),
  )
  assert.deepEqual(problems, [])
  assert.deepEqual(
    items.map((item) => [
      item.key,
      item.version,
      item.transitivity,
      item.licence,
      item.development,
      item.dependsOn,
      item.line,
    ]),
    [
      ['a', '1.0', 'DIRECT', 'MIT AND LicenseRef-Ours', false, ['c'], 5],
      ['b', '1.0', 'UNKNOWN', '', true, [], 6],
      ['c', '1.0', 'TRANSITIVE', '', false, [], 6],
    ],
  )
})

for (const version of ['1.0', '1.1', '1.2', '1.3', '1.4', '1.5', '1.6', '1.7']) {
  test(`version ${version} is read`, () => {
    assert.equal(read(bom(`<components>${component('a')}</components>`, version)).items.length, 1)
  })
}

test('a namespace prefix, CDATA, entities and foreign elements', () => {
  const { items, problems } = read(
    `<c:bom xmlns:c="http://cyclonedx.org/schema/bom/1.4" xmlns:v="urn:v"><c:components>
     <c:component type="library"><v:name>not me</v:name><c:name><![CDATA[a]]></c:name><c:version>1</c:version>
     <c:purl>pkg:npm/a@1?x=1&amp;y=2</c:purl><v:purl>pkg:npm/b@2</v:purl></c:component></c:components></c:bom>`,
  )
  assert.deepEqual([items.length, items[0]?.name, items[0]?.version, problems], [1, 'a', '1', []])
})

const refused: { what: string; text: string; code: string; says?: RegExp }[] = [
  { what: 'version 2.0', text: bom('', '2.0'), code: 'unsupported-version', says: /1\.0 to 1\.7/ },
  { what: 'another root', text: '<project xmlns="http://maven.apache.org/POM/4.0.0"/>', code: 'not-cyclonedx' },
  { what: 'another namespace', text: '<bom xmlns="urn:x"/>', code: 'not-cyclonedx' },
  { what: 'a cut document', text: bom('<components>').slice(0, -8), code: 'truncated' },
  {
    what: 'entities that multiply',
    text: `<!DOCTYPE bom [<!ENTITY a "aaaa"><!ENTITY b "&a;&a;&a;">]>${bom('<components>&b;</components>').slice(22)}`,
    code: 'doctype',
  },
  { what: 'deep nesting', text: bom('<a>'.repeat(5000) + '</a>'.repeat(5000)), code: 'too-deep' },
]
for (const { what, text, code, says } of refused) {
  test(`${what} is refused whole`, () => {
    const { items, problems } = read(text)
    assert.deepEqual([items, problems.length, problems[0]?.code, problems[0]?.fatal], [[], 1, code, true])
    if (says) assert.match(problems[0]?.detail ?? '', says)
  })
}

const noted: { what: string; inside: string; code: string }[] = [
  { what: 'a wrong hash', inside: '<hashes><hash alg="MD5">x</hash></hashes>', code: 'invalid-hash' },
  {
    what: 'two ids of one licence',
    inside: '<licenses><license><id>MIT</id><id>ISC</id></license></licenses>',
    code: 'invalid-licence',
  },
  {
    what: 'an unlisted licence',
    inside: '<licenses><license><id>Apache-2</id></license></licenses>',
    code: 'unknown-licence',
  },
  {
    what: 'a wrong patch',
    inside: '<pedigree><patches><patch type="odd"/></patches></pedigree>',
    code: 'invalid-patch',
  },
]
for (const { what, inside, code } of noted) {
  test(`${what} is noted, and the component is read`, () => {
    const { items, problems } = read(bom(`<components>${component('a', inside)}</components>`))
    assert.deepEqual([items.length, problems[0]?.code, problems[0]?.fatal], [1, code, false])
  })
}

const heads: { head: string; mine: boolean }[] = [
  { head: '<?xml version="1.0"?><!-- <x> --><bom xmlns="http://cyclonedx.org/schema/bom/1.4"', mine: true },
  { head: '<!DOCTYPE bom [ <!ENTITY a "b"> ]><bom xmlns="http://cyclonedx.org/schema/bom/1.4">', mine: true },
  { head: '\ufeff\n<x:bom serialNumber="1" xmlns:x="http://cyclonedx.org/schema/bom/1.0">', mine: true },
  { head: '<project><bom xmlns="http://cyclonedx.org/schema/bom/1.4">', mine: false },
  { head: '<bom>', mine: false },
  { head: '{"bomFormat": "CycloneDX"}', mine: false },
]
for (const { head, mine } of heads) {
  test(`${mine ? 'recognises' : 'leaves alone'} ${head.slice(0, 50)}`, () => {
    assert.equal(cyclonedxXml.recognises(Buffer.from(head), 'bom.xml'), mine)
  })
}
