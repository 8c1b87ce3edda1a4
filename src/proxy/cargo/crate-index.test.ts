import assert from 'node:assert/strict'
import { test } from 'node:test'
import { readCrateIndex, withYanked } from './crate-index.ts'
import { downloadAddress, downloadTemplate } from './download-address.ts'

const line = (vers: string, more: object = {}) => JSON.stringify({ name: 'Left', vers, yanked: false, ...more })
const body = (...lines: string[]) => Buffer.from(`${lines.join('\n')}\n`)

test('a version a line, with its time and its checksum', () => {
  const read = readCrateIndex(
    body(line('1.0.0', { cksum: 'ab', pubtime: '2026-01-02T03:04:05Z' }), line('1.1.0')),
    'left',
  )
  assert.deepEqual(read, [
    { name: 'Left', version: '1.0.0', cksum: 'ab', publishedAt: new Date('2026-01-02T03:04:05Z') },
    { name: 'Left', version: '1.1.0', cksum: '', publishedAt: undefined },
  ])
})

test('refused versions are yanked; all others stay as they are written', () => {
  const spaced = '{"name": "Left", "vers": "1.0.0", "features2": {"x": []}}'
  const text = withYanked(body(spaced, line('1.1.0', { deps: [{ name: 'a' }] })), 'left', new Set(['1.1.0']))
  const [first, second, ...rest] = text.split('\n')
  assert.equal(first, spaced)
  assert.deepEqual(JSON.parse(second!), { name: 'Left', vers: '1.1.0', yanked: true, deps: [{ name: 'a' }] })
  assert.deepEqual(rest, [''])
})

for (const text of [
  '',
  '\n',
  '[]',
  '{}',
  '<html></html>',
  line('1.0.0').slice(0, -1),
  '{"name":"other","vers":"1.0.0"}',
]) {
  test(`'${text}' is not a file of the index`, () =>
    assert.throws(() => readCrateIndex(Buffer.from(text), 'left'), { code: 'bad_upstream' }))
}

const wanted = { name: 'Left', version: '1.0.0+x', cksum: 'abc' }
const addresses: [template: string, address: string][] = [
  ['https://c.example/crates', 'https://c.example/crates/Left/1.0.0%2Bx/download'],
  ['https://c.example/{crate}/{crate}-{version}.crate', 'https://c.example/Left/Left-1.0.0%2Bx.crate'],
  ['https://c.example/{prefix}/{lowerprefix}/{sha256-checksum}', 'https://c.example/Le/ft/le/ft/abc'],
]
for (const [template, address] of addresses) {
  test(`${template} leads to ${address}`, () => assert.equal(downloadAddress(template, wanted), address))
}

for (const text of ['', '[]', 'null', '{"dl":1}', '{}']) {
  test(`'${text}' says nothing of downloads`, () =>
    assert.throws(() => downloadTemplate(Buffer.from(text)), { code: 'bad_upstream' }))
}
