import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { gunzipSync } from 'node:zlib'
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
serveDocuments(app, contracts)

for (const path of ['/openapi.json', '/docs']) {
  test(`${path} is made once, whoever asks`, async () => {
    await app.inject(path)
    const before = looks
    assert.ok(before > 0)
    for (let count = 0; count < 5; count++) assert.equal((await app.inject(path)).statusCode, 200)
    assert.equal(looks, before)
  })
}

for (const path of ['/openapi.json', '/docs', '/docs/errors', '/docs/style.css']) {
  test(`${path} is not sent again to whoever has it, and packed to whoever takes that`, async () => {
    const plain = await app.inject(path)
    const packed = await app.inject({ path, headers: { 'accept-encoding': 'br, gzip' } })
    assert.equal(packed.headers['content-encoding'], 'gzip')
    assert.equal(gunzipSync(packed.rawPayload).toString(), plain.body)
    const known = await app.inject({ path, headers: { 'if-none-match': `W/${plain.headers.etag}` } })
    assert.deepEqual([known.statusCode, known.body], [304, ''])
  })
}
