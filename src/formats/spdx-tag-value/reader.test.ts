import assert from 'node:assert/strict'
import { test } from 'node:test'
import { spdxTagValue } from './reader.ts'

const read = (text: string) => spdxTagValue.read([Buffer.from(text)], '')
const document = `SPDXVersion: SPDX-2.3
DataLicense: CC0-1.0
SPDXID: SPDXRef-DOCUMENT
DocumentComment: <text>First line
PackageName: not a package
last line</text>
# A comment

PackageName: app
SPDXID: SPDXRef-app
PackageDownloadLocation: NONE
ExternalRef: PACKAGE-MANAGER purl pkg:npm/app@1.0

PackageName: left-pad\r
SPDXID: SPDXRef-a\r
PackageVersion: 1.3.0\r
PackageDownloadLocation: https://me:secret@example.org/a.tgz\r
PackageLicenseConcluded: NOASSERTION\r
PackageLicenseDeclared: MIT\r
PackageComment: <text>All on one line</text>\r
ExternalRef: SECURITY cpe23Type cpe:2.3:a:x:y
ExternalRef: PACKAGE_MANAGER purl pkg:npm/left-pad@1.3.0
PackageName: b
SPDXID: SPDXRef-b
ExternalRef: PACKAGE-MANAGER purl pkg:npm/b
FileName: ./b.js
SPDXID: SPDXRef-file

Relationship: SPDXRef-DOCUMENT DESCRIBES SPDXRef-app
Relationship: SPDXRef-app DEPENDS_ON SPDXRef-a
Relationship: SPDXRef-b DEPENDENCY_OF SPDXRef-a
`

test('packages and relationships', () => {
  const { items, problems } = read(document)
  assert.deepEqual(problems, [])
  const common = { ecosystem: 'npm', development: false }
  assert.deepEqual(items, [
    {
      ...common,
      key: 'SPDXRef-a',
      name: 'left-pad',
      version: '1.3.0',
      transitivity: 'DIRECT',
      licence: 'MIT',
      resolved: 'https://example.org/a.tgz',
      dependsOn: ['SPDXRef-b'],
      line: 14,
    },
    {
      ...common,
      key: 'SPDXRef-b',
      name: 'b',
      version: '',
      transitivity: 'TRANSITIVE',
      licence: '',
      resolved: '',
      dependsOn: [],
      line: 23,
    },
  ])
})

test('cut anywhere into chunks it reads the same', () => {
  const bytes = Buffer.from(document)
  const chunks = Array.from(bytes, (_, i) => bytes.subarray(i, i + 1))
  assert.deepEqual(spdxTagValue.read(chunks, ''), read(document))
})

test('lines that are not pairs are counted', () => {
  const { items, problems } = read(`${document}what is this\n- and this: here\n`)
  assert.equal(items.length, 2)
  assert.deepEqual(
    problems.map(({ code, line, detail }) => ({ code, line, detail })),
    [{ code: 'invalid-line', line: 32, detail: "2 lines are not 'Tag: value' pairs." }],
  )
})

const refused: { what: string; text: string | Buffer; code: string }[] = [
  { what: 'SPDX 2.1', text: 'SPDXVersion: SPDX-2.1\n', code: 'unsupported-version' },
  { what: 'no version', text: 'PackageName: a\n', code: 'missing-version' },
  { what: 'a text that never ends', text: `${document}PackageComment: <text>and`, code: 'truncated' },
  {
    what: 'bytes that are not UTF-8',
    text: Buffer.from('SPDXVersion: SPDX-2.3\nPackageName: caf\xe9\n', 'latin1'),
    code: 'not-utf8',
  },
]
for (const { what, text, code } of refused) {
  test(`${what} is refused whole`, () => {
    const { items, problems } = spdxTagValue.read([Buffer.from(text)], '')
    assert.deepEqual([items, problems.length, problems[0]?.code, problems[0]?.fatal], [[], 1, code, true])
    if (code === 'not-utf8') assert.equal(problems[0]?.line, 2)
  })
}

const heads: { head: string; mine: boolean }[] = [
  { head: 'SPDXVersion: SPDX-2.3\nDataLicense:', mine: true },
  { head: '# by hand\n\nSPDXVersion: SPDX-2.2\n', mine: true },
  { head: 'spdxVersion: "SPDX-2.3"\n', mine: false },
  { head: '{"comment": "\nSPDXVersion: SPDX-2.3"}', mine: false },
]
for (const { head, mine } of heads) {
  test(`${mine ? 'recognises' : 'leaves alone'} ${head.slice(0, 50)}`, () => {
    assert.equal(spdxTagValue.recognises(Buffer.from(head), 'x.spdx'), mine)
  })
}
