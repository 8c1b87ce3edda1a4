import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { brotliDecompressSync, gunzipSync } from 'node:zlib'
import fastify from 'fastify'
import type { Endpoint } from '../../kernel/contract/endpoint.ts'
import { getHealth } from '../health-contract.ts'
import { serveDocuments } from './documents.ts'

const app = fastify()
after(() => app.close())

let looks = 0
const contracts = new Proxy([getHealth as unknown as Endpoint], {
  get(list, name) {
    if (name === Symbol.iterator) looks++
    return Reflect.get(list, name)
  },
})
const documents = serveDocuments(app, contracts)

test('the large ones are made before anybody asks', async () => {
  await documents.make()
  assert.ok(looks > 0)
})

for (const path of ['/openapi.json', '/docs']) {
  test(`${path} is made once, whoever asks`, async () => {
    const before = looks
    for (let count = 0; count < 5; count++) assert.equal((await app.inject(path)).statusCode, 200)
    assert.equal(looks, before)
  })
}

const unpack = { gzip: gunzipSync, br: brotliDecompressSync }

for (const path of ['/openapi.json', '/docs', '/docs/errors', '/docs/style.css', '/docs/search.js']) {
  test(`${path} is not sent again to those who have it, and compressed for those who take that`, async () => {
    const plain = await app.inject(path)
    assert.equal(plain.headers['content-encoding'], undefined)
    for (const [accepted, encoding] of [
      ['gzip, br', 'br'],
      ['gzip, deflate', 'gzip'],
      ['br;q=0, gzip;q=0.5', 'gzip'],
      ['br;q=1.0', 'br'],
    ] as const) {
      const packed = await app.inject({ path, headers: { 'accept-encoding': accepted } })
      assert.equal(packed.headers['content-encoding'], encoding, accepted)
      assert.equal(unpack[encoding](packed.rawPayload).toString(), plain.body)
      assert.equal(packed.headers.etag, plain.headers.etag)
    }
    const refused = await app.inject({ path, headers: { 'accept-encoding': 'br;q=0, gzip;q=0.0' } })
    assert.deepEqual([refused.headers['content-encoding'], refused.body], [undefined, plain.body])
    const known = await app.inject({ path, headers: { 'if-none-match': String(plain.headers.etag) } })
    assert.deepEqual([known.statusCode, known.body], [304, ''])
    const other = await app.inject({ path, headers: { 'if-none-match': '"other"' } })
    assert.equal(other.statusCode, 200)
  })
}
