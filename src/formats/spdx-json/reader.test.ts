import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spdxJson } from './reader.ts'

const readText = (text: string) => spdxJson.read([Buffer.from(text)], '')
const top = {
  spdxVersion: 'SPDX-2.3',
  dataLicense: 'CC0-1.0',
  SPDXID: 'SPDXRef-DOCUMENT',
  name: 'document',
  documentNamespace: 'https://example.org/document',
  creationInfo: { created: '2026-01-01T00:00:00Z', creators: ['Tool: x'] },
}
const readDocument = (document: object) => readText(JSON.stringify({ ...top, ...document }, null, 1))
const purlRef = (purl: string, category = 'PACKAGE-MANAGER', type = 'purl') => ({
  referenceCategory: category,
  referenceType: type,
  referenceLocator: purl,
})
const packageNamed = (name: string, more: object = {}) => ({
  SPDXID: `SPDXRef-${name}`,
  name,
  versionInfo: '1.0',
  downloadLocation: 'NOASSERTION',
  externalRefs: [purlRef(`pkg:npm/${name}@1.0`)],
  ...more,
})
const relate = (from: string, relationshipType: string, to: string) => ({
  spdxElementId: `SPDXRef-${from}`,
  relationshipType,
  relatedSpdxElement: `SPDXRef-${to}`,
})

test('a package becomes an item', () => {
  const { items, problems } = readDocument({
    packages: [
      packageNamed('a', {
        licenseConcluded: 'NOASSERTION',
        licenseDeclared: 'MIT OR ISC',
        downloadLocation: 'https://me:secret@example.org/a.tgz',
      }),
    ],
  })
  assert.deepEqual(problems, [])
  assert.deepEqual(items, [
    {
      key: 'SPDXRef-a',
      ecosystem: 'npm',
      name: 'a',
      version: '1.0',
      transitivity: 'UNKNOWN',
      development: false,
      licence: 'MIT OR ISC',
      resolved: 'https://example.org/a.tgz',
      dependsOn: [],
      line: 14,
    },
  ])
})

const relationships: { type: string; backwards?: boolean; expected: string }[] = [
  { type: 'DEPENDS_ON', expected: 'DIRECT' },
  { type: 'DEPENDENCY_OF', backwards: true, expected: 'DIRECT' },
  { type: 'RUNTIME_DEPENDENCY_OF', backwards: true, expected: 'DIRECT' },
  { type: 'OPTIONAL_DEPENDENCY_OF', backwards: true, expected: 'DIRECT' },
  { type: 'DEV_DEPENDENCY_OF', backwards: true, expected: 'DIRECT development' },
  { type: 'TEST_DEPENDENCY_OF', backwards: true, expected: 'DIRECT development' },
  { type: 'HAS_PREREQUISITE', expected: 'DIRECT' },
  { type: 'DYNAMIC_LINK', expected: 'DIRECT' },
  { type: 'CONTAINS', expected: 'UNKNOWN' },
  { type: 'CONTAINED_BY', backwards: true, expected: 'UNKNOWN' },
  { type: 'OTHER', expected: 'UNKNOWN' },
]
for (const { type, backwards, expected } of relationships) {
  test(`what the subject is related to by ${type} is ${expected}`, () => {
    const { items } = readDocument({
      documentDescribes: ['SPDXRef-app'],
      packages: [packageNamed('app'), packageNamed('a')],
      relationships: [backwards ? relate('a', type, 'app') : relate('app', type, 'a')],
    })
    const found = items.map((item) => `${item.name} ${item.transitivity}${item.development ? ' development' : ''}`)
    assert.deepEqual(found, [`a ${expected}`])
  })
}

test('what only development dependencies bring in is for development too', () => {
  const { items } = readDocument({
    packages: ['app', 'runner', 'both', 'only', 'used'].map((name) => packageNamed(name)),
    relationships: [
      relate('DOCUMENT', 'DESCRIBES', 'app'),
      relate('runner', 'DEV_DEPENDENCY_OF', 'app'),
      relate('app', 'DEPENDS_ON', 'used'),
      relate('runner', 'DEPENDS_ON', 'only'),
      relate('runner', 'DEPENDS_ON', 'both'),
      relate('used', 'DEPENDS_ON', 'both'),
    ],
  })
  assert.deepEqual(
    items.map(({ name, development, transitivity }) => `${name} ${development} ${transitivity}`),
    ['runner true DIRECT', 'both false TRANSITIVE', 'only true TRANSITIVE', 'used false DIRECT'],
  )
})

const subjects: { what: string; describes: string[]; edges: string[][]; expected: string[] }[] = [
  { what: 'the one described package is the subject', describes: ['a'], edges: [], expected: ['b', 'c'] },
  {
    what: 'packages described one by one are a list',
    describes: ['a', 'b', 'c'],
    edges: [],
    expected: ['a', 'b', 'c'],
  },
  {
    what: 'described packages with parts are subjects',
    describes: ['a', 'b'],
    edges: [['a', 'c']],
    expected: ['b', 'c'],
  },
  { what: 'nothing described', describes: [], edges: [['a', 'b']], expected: ['a', 'b', 'c'] },
]
for (const { what, describes, edges, expected } of subjects) {
  test(`subject: ${what}`, () => {
    const { items } = readDocument({
      documentDescribes: describes.map((name) => `SPDXRef-${name}`),
      packages: ['a', 'b', 'c'].map((name) => packageNamed(name)),
      relationships: edges.map(([from = '', to = '']) => relate(from, 'DEPENDS_ON', to)),
    })
    assert.deepEqual(
      items.map((item) => item.name),
      expected,
    )
  })
}

test('a document of a single package has that package', () => {
  const { items } = readDocument({ documentDescribes: ['SPDXRef-a'], packages: [packageNamed('a')] })
  assert.equal(items.length, 1)
})

test('a document in the wrapping of the GitHub API is read', () => {
  const wrapped = Buffer.from(JSON.stringify({ sbom: { ...top, packages: [packageNamed('a')] } }))
  assert.equal(spdxJson.recognises(wrapped, ''), true)
  const { items, problems } = spdxJson.read([wrapped], '')
  assert.deepEqual([items[0]?.name, problems], ['a', []])
})

const references: { what: string; refs: object[]; expected: string }[] = [
  { what: 'the old category', refs: [purlRef('pkg:npm/x@2', 'PACKAGE_MANAGER')], expected: 'x 2' },
  { what: 'a wrong category', refs: [purlRef('pkg:npm/x@2', 'SECURITY')], expected: 'x 2' },
  {
    what: 'the long type',
    refs: [purlRef('pkg:npm/x@2', 'OTHER', 'http://spdx.org/rdf/references/purl')],
    expected: 'x 2',
  },
  { what: 'several, one of ours', refs: [purlRef('pkg:generic/y@1'), purlRef('pkg:npm/x@2')], expected: 'x 2' },
  { what: 'no version in it', refs: [purlRef('pkg:npm/x')], expected: 'x 1.0' },
]
for (const { what, refs, expected } of references) {
  test(`package URL: ${what}`, () => {
    const [item] = readDocument({ packages: [packageNamed('a', { externalRefs: refs })] }).items
    assert.equal(`${item?.name} ${item?.version}`, expected)
  })
}

test('a licence of the document itself goes by its name', () => {
  const { items } = readDocument({
    packages: [
      packageNamed('a', { licenseDeclared: 'LicenseRef-3' }),
      packageNamed('b', { licenseDeclared: 'LicenseRef-3 AND MIT' }),
    ],
    hasExtractedLicensingInfos: [{ licenseId: 'LicenseRef-3', name: 'Our licence', extractedText: 'Do as you like.' }],
  })
  assert.deepEqual(
    items.map((item) => item.licence),
    ['Our licence', 'LicenseRef-3 AND MIT'],
  )
})

const noted: { what: string; document: object; code: string }[] = [
  {
    what: 'a package without download location',
    document: { packages: [packageNamed('a', { downloadLocation: undefined })] },
    code: 'missing-field',
  },
  {
    what: 'a 2.2 package without copyright',
    document: { packages: [packageNamed('a')], spdxVersion: 'SPDX-2.2' },
    code: 'missing-field',
  },
  { what: 'a document without name', document: { name: undefined }, code: 'missing-field' },
  {
    what: 'a field nobody knows',
    document: { packages: [packageNamed('a', { colour: 'red' })] },
    code: 'unknown-field',
  },
  { what: 'a package that is not an object', document: { packages: ['a'] }, code: 'invalid-document' },
  { what: 'a field of the document that is none', document: { license: 'MIT' }, code: 'unknown-field' },
  {
    what: 'a document that nobody made',
    document: { creationInfo: { created: '2026-01-01T00:00:00Z' } },
    code: 'missing-field',
  },
  {
    what: 'a relationship of a made-up type',
    document: {
      relationships: [{ spdxElementId: 'SPDXRef-a', relationshipType: 'NEEDS', relatedSpdxElement: 'SPDXRef-b' }],
    },
    code: 'invalid-field',
  },
  {
    what: 'a checksum of a made-up algorithm',
    document: { packages: [packageNamed('a', { checksums: [{ algorithm: 'CRC', checksumValue: '1' }] })] },
    code: 'invalid-field',
  },
  {
    what: 'a word where a truth value belongs',
    document: { packages: [packageNamed('a', { filesAnalyzed: 'no' })] },
    code: 'invalid-field',
  },
  {
    what: 'a package with a purl that names none',
    document: { packages: [packageNamed('a', { externalRefs: [purlRef('pkg:maven/@1')] })] },
    code: 'invalid-purl',
  },
]
for (const { what, document, code } of noted) {
  test(`${what} is noted`, () => {
    const { problems } = readDocument(document)
    assert.deepEqual(
      problems.filter((problem) => problem.code === code && !problem.fatal).length > 0,
      true,
      JSON.stringify(problems),
    )
  })
}

const refused: { what: string; text: string; code: string; says?: RegExp }[] = [
  {
    what: 'SPDX 2.1',
    text: '{"spdxVersion":"SPDX-2.1"}',
    code: 'unsupported-version',
    says: /SPDX-2\.2 and SPDX-2\.3/,
  },
  { what: 'no version', text: '{"SPDXID":"SPDXRef-DOCUMENT"}', code: 'missing-version' },
  { what: 'a cut document', text: '{"spdxVersion":"SPDX-2.3","packages":[', code: 'truncated' },
]
for (const { what, text, code, says } of refused) {
  test(`${what} is refused whole`, () => {
    const { items, problems } = readText(text)
    assert.deepEqual([items, problems.length, problems[0]?.code, problems[0]?.fatal], [[], 1, code, true])
    if (says) assert.match(problems[0]?.detail ?? '', says)
  })
}

const heads: { head: string; mine: boolean }[] = [
  { head: '{"spdxVersion": "SPDX-2.3", "packa', mine: true },
  { head: '{"SPDXID": "SPDXRef-DOCUMENT", "packa', mine: true },
  { head: '{"files": [{"fileName": "x", "SPDXID": "SPDXRef-1", "', mine: true },
  { head: '{"bomFormat": "CycloneDX", "name": "SPDXRef-1"', mine: false },
  { head: '{"@context": "https://spdx.org/rdf/3.0.1/spdx-context.jsonld"', mine: false },
  { head: 'SPDXVersion: SPDX-2.3', mine: false },
]
for (const { head, mine } of heads) {
  test(`${mine ? 'recognises' : 'leaves alone'} ${head.slice(0, 50)}`, () => {
    assert.equal(spdxJson.recognises(Buffer.from(head), 'x.spdx.json'), mine)
  })
}

test('packages without a purl, and packages of distributions, are kept; operating systems and files are not', () => {
  const cpe = 'cpe:2.3:a:gnu:glibc:2.11.1:*:*:*:*:*:*:*'
  const named = (name: string, more: object) => ({ ...packageNamed(name, { externalRefs: [] }), ...more })
  const { items, problems } = readDocument({
    packages: [
      named('glibc', {
        versionInfo: '2.11.1',
        externalRefs: [{ referenceCategory: 'SECURITY', referenceType: 'cpe23Type', referenceLocator: cpe }],
      }),
      named('debian', { versionInfo: '12', primaryPackagePurpose: 'OPERATING-SYSTEM' }),
      named('etc', { primaryPackagePurpose: 'FILE' }),
      packageNamed('curl', { externalRefs: [purlRef('pkg:deb/debian/curl@7.88.1-10?arch=amd64&distro=debian-12')] }),
    ],
  })
  assert.deepEqual(
    items.map(({ ecosystem, name, version, resolved }) => [ecosystem, name, version, resolved]),
    [
      ['generic', 'glibc', '2.11.1', cpe],
      ['deb', 'curl', '7.88.1-10', 'pkg:deb/debian/curl@7.88.1-10?arch=amd64&distro=debian-12'],
    ],
  )
  assert.deepEqual(
    problems.map(({ code, detail }) => `${code} ${detail}`),
    [
      "no-purl 1 components of type 'OPERATING-SYSTEM' are not packages and were left out.",
      "no-purl 1 components of type 'FILE' are not packages and were left out.",
    ],
  )
})

test('packages as Trivy writes them have the spelling of their registry', () => {
  const annotation = (comment: string) => ({
    annotator: 'Tool: trivy-0.57.0',
    annotationDate: '2026-01-01T00:00:00Z',
    annotationType: 'OTHER',
    comment,
  })
  const written = (name: string, purl: string, more: object) => ({
    name,
    SPDXID: `SPDXRef-Package-${purl.replaceAll(/[^a-z0-9]/g, '')}`,
    versionInfo: '1.0.0',
    supplier: 'NOASSERTION',
    downloadLocation: 'NONE',
    filesAnalyzed: false,
    externalRefs: [purlRef(purl)],
    primaryPackagePurpose: 'LIBRARY',
    ...more,
  })
  const { items, problems } = readDocument({
    packages: [
      written('github.com/Masterminds/goutils', 'pkg:golang/github.com/masterminds/goutils@v1.1.0', {
        annotations: [annotation('PkgID: github.com/Masterminds/goutils@v1.1.0'), annotation('PkgType: gomod')],
      }),
      written('jsonstream', 'pkg:npm/jsonstream@1.3.5', {
        annotations: [annotation('PkgType: npm'), annotation('PkgID: JSONStream@1.3.5')],
      }),
      written('cssselect', 'pkg:npm/cssselect@0.4.1', { attributionTexts: ['PkgID: CSSselect@0.4.1', 'PkgType: npm'] }),
      written('DOMPurify', 'pkg:npm/dompurify@2.0.7', {}),
      written('Django', 'pkg:pypi/django@4.2', { annotations: [annotation('PkgID: Django@4.2')] }),
    ],
  })
  assert.deepEqual(problems, [])
  assert.deepEqual(
    items.map(({ name }) => name),
    ['github.com/Masterminds/goutils', 'JSONStream', 'CSSselect', 'dompurify', 'django'],
  )
})
