import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readChecksum } from './checksum.ts'
import { readMetadata, withoutVersions } from './metadata.ts'

function metadata(versions: string[], latest: string, release = latest): string {
  const list = versions.map((version) => `      <version>${version}</version>\n`).join('')
  return `<?xml version="1.0"?>\n<metadata>\n  <groupId>g</groupId>\n  <versioning>\n    <latest>${latest}</latest>\n    <release>${release}</release>\n    <versions>\n${list}    </versions>\n    <lastUpdated>20240229123456</lastUpdated>\n  </versioning>\n</metadata>\n`
}

const read = (text: string) => readMetadata(Buffer.from(text))

const cases: [what: string, before: string, refused: string[], after: string][] = [
  ['nothing', metadata(['1.0', '1.1'], '1.1'), [], metadata(['1.0', '1.1'], '1.1')],
  ['the newest', metadata(['1.0', '1.9', '1.10', '2.0'], '2.0'), ['2.0'], metadata(['1.0', '1.9', '1.10'], '1.10')],
  ['an old one', metadata(['1.0', '1.1'], '1.1'), ['1.0'], metadata(['1.1'], '1.1')],
  [
    'a snapshot',
    metadata(['1.0', '1.1-SNAPSHOT'], '1.1-SNAPSHOT', '1.0'),
    ['1.1-SNAPSHOT'],
    metadata(['1.0'], '1.0', '1.0'),
  ],
  [
    'the release below a snapshot',
    metadata(['1.0', '1.1', '1.2-SNAPSHOT'], '1.2-SNAPSHOT', '1.1'),
    ['1.1'],
    metadata(['1.0', '1.2-SNAPSHOT'], '1.2-SNAPSHOT', '1.0'),
  ],
]

for (const [what, before, refused, after] of cases) {
  test(`without ${what}`, () => assert.equal(withoutVersions(read(before), new Set(refused)), after))
}

test('versions and the time of the last change are read', () => {
  const { versions, updatedAt } = read(metadata(['1.0', '1.1'], '1.1'))
  assert.deepEqual([versions, updatedAt?.toISOString()], [['1.0', '1.1'], '2024-02-29T12:34:56.000Z'])
})

for (const text of ['', '<html></html>', '<metadata><versioning>', '<!DOCTYPE x [<!ENTITY a "b">]><metadata/>', '{}']) {
  test(`'${text}' is not a metadata`, () => assert.throws(() => read(text), { code: 'bad_upstream' }))
}

const sha1 = 'da39a3ee5e6b4b0d3255bfef95601890afd80709'
for (const text of [sha1, `${sha1}\n`, `${sha1}  left-1.0.jar`, `SHA1(left-1.0.jar)= ${sha1}`, sha1.toUpperCase()]) {
  test(`'${text.trim()}' is a checksum`, () => assert.equal(readChecksum(Buffer.from(text), 'sha1').hex, sha1))
}

for (const text of ['', sha1.slice(1), '<html>404</html>', `${' '.repeat(2_000)}${sha1}`]) {
  test(`'${text.trim()}' is none`, () =>
    assert.throws(() => readChecksum(Buffer.from(text), 'sha1'), { code: 'bad_upstream' }))
}
