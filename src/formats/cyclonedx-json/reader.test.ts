import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InventoryItem } from '../format.ts'
import { cyclonedxJson } from './reader.ts'

const readText = (text: string) => cyclonedxJson.read([Buffer.from(text)], '')
const readDocument = (document: object) =>
  readText(JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, ...document }, null, 1))
const library = (name: string, more: object = {}) => ({
  type: 'library',
  'bom-ref': name,
  name,
  version: '1.0.0',
  purl: `pkg:npm/${name}@1.0.0`,
  ...more,
})
const codes = (document: object) => readDocument(document).problems.map((problem) => problem.code)

test('a component becomes an item', () => {
  const reading = readDocument({
    components: [
      library('left-pad', {
        licenses: [{ license: { id: 'MIT' } }],
        externalReferences: [
          { type: 'website', url: 'https://example.org' },
          { type: 'distribution', url: 'https://user:secret@registry.example.org/left-pad.tgz' },
        ],
      }),
    ],
  })
  const item: InventoryItem = {
    key: 'left-pad',
    ecosystem: 'npm',
    name: 'left-pad',
    version: '1.0.0',
    transitivity: 'UNKNOWN',
    development: false,
    licence: 'MIT',
    resolved: 'https://registry.example.org/left-pad.tgz',
    dependsOn: [],
    line: 6,
  }
  assert.deepEqual(reading, { items: [item], problems: [] })
})

const packages: { purl: string; expected: string }[] = [
  { purl: 'pkg:npm/%40babel/core@7.0.0', expected: 'npm @babel/core 7.0.0' },
  { purl: 'pkg:maven/org.apache/commons@1.0?type=jar', expected: 'maven org.apache:commons 1.0' },
  { purl: 'pkg:golang/github.com/a/b@v1.2.3', expected: 'gomod github.com/a/b v1.2.3' },
  { purl: 'pkg:pypi/django', expected: 'pypi django 9' },
]
for (const { purl, expected } of packages) {
  test(`${purl} is ${expected}`, () => {
    const [item] = readDocument({ components: [{ type: 'library', name: 'x', version: '9', purl }] }).items
    assert.equal(`${item?.ecosystem} ${item?.name} ${item?.version}`, expected)
  })
}

const trivyComponent = (purl: string, more: object, id: string) => ({
  'bom-ref': purl,
  type: 'library',
  version: purl.slice(purl.lastIndexOf('@') + 1),
  purl,
  properties: [
    { name: 'aquasecurity:trivy:PkgID', value: id },
    { name: 'aquasecurity:trivy:PkgType', value: 'x' },
  ],
  ...more,
})
const spelled: { what: string; component: object; expected: string }[] = [
  {
    what: 'a module as Trivy writes it has the spelling of its name',
    component: trivyComponent(
      'pkg:golang/github.com/masterminds/goutils@v1.1.0',
      { name: 'github.com/Masterminds/goutils' },
      'github.com/Masterminds/goutils@v1.1.0',
    ),
    expected: 'github.com/Masterminds/goutils',
  },
  {
    what: 'a package of npm as Trivy writes it has the spelling of its id',
    component: trivyComponent('pkg:npm/jsonstream@1.3.5', { name: 'jsonstream' }, 'JSONStream@1.3.5'),
    expected: 'JSONStream',
  },
  {
    what: 'a scoped one too',
    component: trivyComponent(
      'pkg:npm/%40acme/jsonstream@1.3.5',
      { group: '@acme', name: 'jsonstream' },
      '@acme/JSONStream@1.3.5',
    ),
    expected: '@acme/JSONStream',
  },
  {
    what: 'the name of a package of npm may be what its project is called (retire.js)',
    component: { type: 'library', name: 'DOMPurify', purl: 'pkg:npm/dompurify@2.0.7' },
    expected: 'dompurify',
  },
  {
    what: 'group and name are one name',
    component: {
      type: 'library',
      group: 'github.com/BurntSushi',
      name: 'toml',
      purl: 'pkg:golang/github.com/burntsushi/toml@v1.3.2',
    },
    expected: 'github.com/BurntSushi/toml',
  },
  {
    what: 'an id that is in lower case says that the name is only shown so',
    component: trivyComponent('pkg:npm/react@18.2.0', { name: 'React' }, 'react@18.2.0'),
    expected: 'react',
  },
  {
    what: 'capitals of a purl are right',
    component: { type: 'library', name: 'jsonstream', purl: 'pkg:npm/JSONStream@1.3.5' },
    expected: 'JSONStream',
  },
  {
    what: 'another name than that of the purl is not taken',
    component: { type: 'library', name: 'JSON-Stream', purl: 'pkg:npm/jsonstream@1.3.5' },
    expected: 'jsonstream',
  },
  {
    what: 'PyPI has one spelling',
    component: { type: 'library', name: 'Django', purl: 'pkg:pypi/django@4.2' },
    expected: 'django',
  },
  {
    what: 'purls of Maven lose nothing, and tools write what a project is called beside them',
    component: { type: 'library', group: 'junit', name: 'JUnit', purl: 'pkg:maven/junit/junit@4.13.2' },
    expected: 'junit:junit',
  },
]
for (const { what, component, expected } of spelled) {
  test(`spelling: ${what}`, () => {
    assert.deepEqual(
      readDocument({ components: [component] }).items.map(({ name }) => name),
      [expected],
    )
  })
}

test('without a version anywhere the version is empty', () => {
  const [item] = readDocument({ components: [{ type: 'library', name: 'x', purl: 'pkg:npm/x' }] }).items
  assert.equal(item?.version, '')
})

test('packages of distributions and what no ecosystem knows are kept', () => {
  const reading = readDocument({
    components: [
      { type: 'library', name: 'a', purl: 'pkg:deb/debian/a@1:1-2?arch=amd64&distro=debian-12&repository_url=u:p%40x' },
      { type: 'library', name: 'b', purl: 'pkg:rpm/fedora/B@1-2?epoch=3&distro=fedora-41' },
      { type: 'operating-system', name: 'c', purl: 'pkg:apk/alpine/c@1-r0' },
      { type: 'library', name: 'd', version: '4', group: 'acme', cpe: 'cpe:2.3:a:acme:d:4:*:*:*:*:*:*:*' },
      { type: 'firmware', name: 'e e' },
      { type: 'library', name: 'f', purl: 'pkg:conan/f@6?user=x' },
      { type: 'library', name: 'g', purl: 'pkg:generic/vendor/g@7' },
      { type: 'application', name: 'nginx', version: '1.27' },
      { type: 'application', name: 'holds nothing' },
    ],
  })
  assert.deepEqual(reading.problems, [])
  assert.deepEqual(
    reading.items.map(({ ecosystem, name, version, resolved }) => [ecosystem, name, version, resolved]),
    [
      ['deb', 'a', '1:1-2', 'pkg:deb/debian/a@1:1-2?arch=amd64&distro=debian-12'],
      ['rpm', 'B', '3:1-2', 'pkg:rpm/fedora/B@1-2?distro=fedora-41&epoch=3'],
      ['apk', 'c', '1-r0', 'pkg:apk/alpine/c@1-r0'],
      ['generic', 'acme/d', '4', 'cpe:2.3:a:acme:d:4:*:*:*:*:*:*:*'],
      ['generic', 'e e', '', ''],
      ['generic', 'f', '6', 'pkg:conan/f@6'],
      ['generic', 'vendor/g', '7', ''],
      ['generic', 'nginx', '1.27', ''],
      ['generic', 'holds nothing', '', ''],
    ],
  )
})

test('what has no place in the inventory is counted, one problem for each kind', () => {
  const reading = readDocument({
    components: [
      { type: 'file', name: '/etc/a' },
      { type: 'file', name: '/etc/b', version: '1' },
      { type: 'operating-system', name: 'debian', version: '12' },
      { type: 'file', name: '/etc/c', purl: 'pkg:generic/c@1' },
      { type: 'container', name: `sha256:${'a'.repeat(64)}` },
      { type: 'library', name: 'd\n' },
      { type: 'library', name: 'd\ne' },
      { type: 'library', name: 'e', purl: 'not a purl' },
      { type: 'library', name: 'f', version: '1', purl: 'pkg:maven/@1' },
      library('kept'),
    ],
  })
  assert.deepEqual(
    reading.items.map((item) => item.name),
    ['d', 'kept'],
  )
  assert.deepEqual(
    reading.problems.map(({ code, pointer, fatal }) => `${code} ${pointer} ${fatal}`),
    [
      'no-purl /components/3 false',
      'no-purl /components/6 false',
      'invalid-purl /components/7 false',
      'no-purl /components/2 false',
      'no-purl /components/4 false',
    ],
  )
  assert.match(reading.problems[0]?.detail ?? '', /^3 components of type 'file'/)
  assert.match(reading.problems[2]?.detail ?? '', /^2 components/)
})

test('nested components are read, those nested in the subject are its own modules', () => {
  const { items } = readDocument({
    metadata: { component: { ...library('app'), components: [library('module')] } },
    components: [library('outer', { components: [library('inner')] })],
    dependencies: [{ ref: 'module', dependsOn: ['inner'] }],
  })
  assert.deepEqual(
    items.map(({ name, transitivity }) => `${name} ${transitivity}`),
    ['outer UNKNOWN', 'inner DIRECT'],
  )
})

test('the graph says what is direct, transitive and unknown', () => {
  const { items, problems } = readDocument({
    metadata: { component: library('app') },
    components: ['a', 'b', 'c', 'loop', 'apart'].map((name) => library(name)),
    dependencies: [
      { ref: 'app', dependsOn: ['a', 'lock', 'not-there'] },
      { ref: 'a', dependsOn: ['b', 'a', 'not-there'] },
      { ref: 'b', dependsOn: ['loop'] },
      { ref: 'loop', dependsOn: ['a', 'app'] },
    ],
  })
  assert.deepEqual(
    items.map(({ key, transitivity, dependsOn }) => `${key} ${transitivity} ${dependsOn}`),
    ['a DIRECT b', 'b TRANSITIVE loop', 'c UNKNOWN ', 'loop TRANSITIVE a', 'apart UNKNOWN '],
  )
  assert.deepEqual(problems, [])
})

test('what a lockfile component depends on is direct; what a library without a purl depends on is not', () => {
  const { items } = readDocument({
    metadata: { component: library('app') },
    components: [
      { type: 'application', 'bom-ref': 'lock', name: 'package-lock.json' },
      { type: 'library', 'bom-ref': 'lib', name: 'some library' },
      library('a'),
      library('b'),
    ],
    dependencies: [
      { ref: 'app', dependsOn: ['lock', 'lib'] },
      { ref: 'lock', dependsOn: ['a'] },
      { ref: 'lib', dependsOn: ['b'] },
    ],
  })
  assert.deepEqual(
    items.map(({ key, transitivity }) => `${key} ${transitivity}`),
    ['lib DIRECT', 'a DIRECT', 'b TRANSITIVE'],
  )
})

const licences: { what: string; licenses: object[]; expected: string }[] = [
  { what: 'an id', licenses: [{ license: { id: 'Apache-2.0' } }], expected: 'Apache-2.0' },
  { what: 'an expression', licenses: [{ expression: 'MIT OR Apache-2.0' }], expected: 'MIT OR Apache-2.0' },
  { what: 'a name', licenses: [{ license: { name: 'Our licence' } }], expected: 'Our licence' },
  { what: 'two ids', licenses: [{ license: { id: 'MIT' } }, { license: { id: 'ISC' } }], expected: 'MIT AND ISC' },
  {
    what: 'an id and a name',
    licenses: [{ license: { id: 'MIT' } }, { license: { name: 'Our licence' } }],
    expected: 'MIT AND LicenseRef-Our-licence',
  },
  {
    what: 'declared and concluded',
    licenses: [
      { license: { id: 'MIT', acknowledgement: 'declared' } },
      { expression: 'ISC OR MIT', acknowledgement: 'concluded' },
    ],
    expected: 'ISC OR MIT',
  },
]
for (const { what, licenses, expected } of licences) {
  test(`licence: ${what}`, () => {
    assert.equal(readDocument({ components: [library('a', { licenses })] }).items[0]?.licence, expected)
  })
}

const development: { what: string; more: object; expected: boolean }[] = [
  { what: 'required', more: { scope: 'required' }, expected: false },
  { what: 'optional', more: { scope: 'optional' }, expected: false },
  { what: 'excluded', more: { scope: 'excluded' }, expected: true },
  { what: 'npm', more: { properties: [{ name: 'cdx:npm:package:development', value: 'true' }] }, expected: true },
  { what: 'not npm', more: { properties: [{ name: 'cdx:npm:package:development', value: 'false' }] }, expected: false },
]
for (const { what, more, expected } of development) {
  test(`development: ${what}`, () => {
    assert.equal(readDocument({ components: [library('a', more)] }).items[0]?.development, expected)
  })
}

const broken: { what: string; document: object; code: string }[] = [
  {
    what: 'a wrong hash',
    document: { components: [library('a', { hashes: [{ alg: 'MD5', content: 'x' }] })] },
    code: 'invalid-hash',
  },
  { what: 'a wrong type', document: { components: [library('a', { type: 'thing' })] }, code: 'invalid-component-type' },
  { what: 'no name', document: { components: [library('a', { name: undefined })] }, code: 'missing-name' },
  { what: 'an empty reference', document: { components: [library('a', { 'bom-ref': '' })] }, code: 'invalid-ref' },
  { what: 'a made-up scope', document: { components: [library('a', { scope: 'always' })] }, code: 'invalid-scope' },
  {
    what: 'an unlisted licence',
    document: { components: [library('a', { licenses: [{ license: { id: 'Apache-2' } }] })] },
    code: 'unknown-licence',
  },
  {
    what: 'a licence without name',
    document: { components: [library('a', { licenses: [{ license: {} }] })] },
    code: 'invalid-licence',
  },
  { what: 'a tag without id', document: { components: [library('a', { swid: { name: 'x' } })] }, code: 'invalid-swid' },
  {
    what: 'two components of one reference',
    document: { components: [library('a'), { ...library('b'), 'bom-ref': 'a' }] },
    code: 'duplicate-ref',
  },
  { what: 'a dependency without ref', document: { dependencies: [{ dependsOn: [] }] }, code: 'invalid-dependency' },
  { what: 'a wrong serial number', document: { serialNumber: 'urn:uuid:1' }, code: 'invalid-serial-number' },
  { what: 'a wrong timestamp', document: { metadata: { timestamp: 'today' } }, code: 'invalid-timestamp' },
  { what: 'an unknown member', document: { metadata: { distribution: 1 } }, code: 'unknown-field' },
  {
    what: 'a service of no direction',
    document: { services: [{ name: 's', data: [{ flow: 'up', classification: 'x' }] }] },
    code: 'invalid-service',
  },
  { what: 'components that are not a list', document: { components: {} }, code: 'invalid-document' },
  { what: 'a component that is not an object', document: { components: [7] }, code: 'invalid-component' },
  {
    what: 'a dependency named twice',
    document: { components: [library('a')], dependencies: [{ ref: 'a', dependsOn: ['b', 'b'] }] },
    code: 'invalid-dependency',
  },
  { what: 'a name that is a number', document: { components: [library('a', { group: 7 })] }, code: 'invalid-field' },
  {
    what: 'an external reference without address',
    document: { components: [library('a', { externalReferences: [{ type: 'vcs' }] })] },
    code: 'missing-field',
  },
  {
    what: 'an external reference of no known type',
    document: { externalReferences: [{ type: 'homepage', url: 'https://x.example' }] },
    code: 'invalid-field',
  },
  {
    what: 'a service that says nothing of its data',
    document: { services: [{ name: 's', data: [{ flow: 'inbound' }] }] },
    code: 'missing-field',
  },
  {
    what: 'a composition without aggregate',
    document: { compositions: [{ assemblies: ['a'] }] },
    code: 'missing-field',
  },
  {
    what: 'a rating of no known severity',
    document: { vulnerabilities: [{ id: 'CVE-1', ratings: [{ severity: 'urgent' }] }] },
    code: 'invalid-field',
  },
  {
    what: 'an unknown member deep inside',
    document: { metadata: { supplier: { name: 'x', contact: [{ fax: '1' }] } } },
    code: 'unknown-field',
  },
  {
    what: 'a tool that is a component without name',
    document: { metadata: { tools: { components: [{ type: 'application' }] } } },
    code: 'missing-name',
  },
  {
    what: 'an annotation of yesterday',
    document: { annotations: [{ subjects: ['a'], annotator: {}, timestamp: 'yesterday', text: 'x' }] },
    code: 'invalid-field',
  },
]
for (const { what, document, code } of broken) {
  test(`${what} is noted, and the rest is read`, () => {
    const found = codes(document)
    assert.deepEqual(found.includes(code) ? code : found, code)
    assert.equal(
      readDocument(document).problems.some((problem) => problem.fatal),
      false,
    )
  })
}

test('an object that hides its conversion to a text is a fault like any other', () => {
  const odd = { toString: 1 }
  const components = [library('a', { scope: odd, licenses: [{ license: { id: odd } }] })]
  const vulnerabilities = [{ analysis: { state: odd } }]
  const expected = ['invalid-analysis', 'invalid-scope', 'invalid-timestamp', 'unknown-licence']
  const found = codes({ components, vulnerabilities, metadata: { timestamp: odd } })
  assert.deepEqual(
    expected.filter((code) => !found.includes(code)),
    [],
  )
})

test('fields of another name are allowed up to 1.3, and a component without version is not', () => {
  const component = { type: 'library', 'bom-ref': 'a', name: 'a', mine: 1, supplier: { mine: 1 } }
  assert.deepEqual(codes({ specVersion: '1.3', components: [{ ...component, version: '1' }] }), [])
  assert.deepEqual(codes({ specVersion: '1.3', components: [component] }), ['missing-field'])
})

const refused: { what: string; text: string; code: string; says?: RegExp }[] = [
  {
    what: 'version 2.0',
    text: '{"bomFormat":"CycloneDX","specVersion":"2.0"}',
    code: 'unsupported-version',
    says: /1\.2 to 1\.7/,
  },
  { what: 'version 1.1', text: '{"bomFormat":"CycloneDX","specVersion":"1.1"}', code: 'unsupported-version' },
  { what: 'no version', text: '{"bomFormat":"CycloneDX"}', code: 'missing-version' },
  { what: 'another format', text: '{"bomFormat":"Other","specVersion":"1.6"}', code: 'not-cyclonedx' },
  { what: 'no object', text: '[]', code: 'not-cyclonedx' },
  {
    what: 'a cut document',
    text: '{"bomFormat":"CycloneDX","specVersion":"1.6","components":[{"type":',
    code: 'truncated',
  },
]
for (const { what, text, code, says } of refused) {
  test(`${what} is refused whole`, () => {
    const { items, problems } = readText(text)
    assert.deepEqual([items, problems.length, problems[0]?.code, problems[0]?.fatal], [[], 1, code, true])
    if (says) assert.match(problems[0]?.detail ?? '', says)
  })
}

test('the order of the members does not matter', () => {
  const { items, problems } = readText(
    JSON.stringify({
      dependencies: [{ ref: 'app', dependsOn: ['a'] }],
      components: [library('a')],
      metadata: { component: library('app') },
      version: 1,
      specVersion: '1.5',
      bomFormat: 'CycloneDX',
    }),
  )
  assert.deepEqual([items[0]?.transitivity, problems], ['DIRECT', []])
})

const heads: { head: string; mine: boolean }[] = [
  { head: '{"bomFormat": "CycloneDX", "components": [', mine: true },
  { head: '\ufeff {"$schema": "http://cyclonedx.org/schema/bom-1.4.schema.json", "comp', mine: true },
  { head: '{"components": [{"type": "library", "bom-ref": "a", "name"', mine: true },
  { head: '{"spdxVersion": "SPDX-2.3", "name": "CycloneDX"', mine: false },
  { head: '{"predicate": {"bomFormat": "CycloneDX"}}', mine: false },
  { head: '["bomFormat", "CycloneDX"]', mine: false },
  { head: '', mine: false },
]
for (const { head, mine } of heads) {
  test(`${mine ? 'recognises' : 'leaves alone'} ${head.slice(0, 50)}`, () => {
    assert.equal(cyclonedxJson.recognises(Buffer.from(head), 'bom.json'), mine)
  })
}
