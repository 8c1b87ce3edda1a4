import assert from 'node:assert/strict'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { type TestContext, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import { inspect } from 'node:util'
import { startBucketServer } from '../../../test/outside/bucket-server.ts'
import { startServer } from '../test-server.ts'
import { type Bucket, createObjectStore } from './object-store.ts'

async function openBucket(t: TestContext, more: Partial<Bucket> = {}) {
  const server = await startBucketServer()
  t.after(server.close)
  return { server, store: storeFor(t, { ...server.bucket, ...more }) }
}

function storeFor(t: TestContext, bucket: Bucket, silenceMs = 3_000) {
  const store = createObjectStore({ bucket, allow: '', silenceMs, outbound: { circuitFailures: 100 } })
  t.after(store.close)
  return store
}

test('objects are put, read and removed under their prefix, signed, from memory and from a stream', async (t) => {
  const { server, store } = await openBucket(t)
  const content = Buffer.alloc(300_000, 'content')
  await store.put('a/small', 5, Buffer.from('small'))
  await store.put('a/large', content.length, Readable.from([content.subarray(0, 1000), content.subarray(1000)]))
  assert.deepEqual([...server.objects.keys()], ['house/a/small', 'house/a/large'])
  const large = (await store.get('a/large'))!
  assert.equal(large.bytes, content.length)
  assert.deepEqual(await buffer(large.body), content)
  assert.equal(await store.get('a/other'), undefined)
  await store.remove('a/large')
  assert.equal(await store.get('a/large'), undefined)
  await store.probe()
  assert.deepEqual([...server.objects.keys()], ['house/a/small'])
})

test('who may not, and where nothing is: what the store says is told, and nothing that was sent', async (t) => {
  const { server } = await openBucket(t)
  const cases: [Partial<Bucket>, RegExp][] = [
    [{ secretAccessKey: 'canary-of-another-key' }, /^It answers 403 SignatureDoesNotMatch\.$/],
    [{ url: `${server.url}/others` }, /^It answers 404 NoSuchBucket\.$/],
    [{ url: 'http://127.0.0.1:1/packages' }, /127\.0\.0\.1:1/],
  ]
  for (const [more, expected] of cases) {
    const error = await storeFor(t, { ...server.bucket, ...more })
      .probe()
      .catch((error) => error)
    assert.match(error.message, expected)
    assert.doesNotMatch(inspect(error, { depth: 9, showHidden: true }), /canary|AKIA|Signature=/)
  }
})

test('a store that is silent, drips or redirects is given up on', async (t) => {
  const asked: string[] = []
  const server = await startServer(t, (request, response) => {
    asked.push(request.url!)
    if (request.url!.endsWith('/silent')) return
    if (request.url!.endsWith('/moved')) {
      response.writeHead(307, { location: '/packages/p/elsewhere' }).end()
      return
    }
    response.writeHead(200, { 'content-length': '1000' }).write('.')
    const drip = setInterval(() => response.write('.'), 20)
    response.on('close', () => clearInterval(drip))
  })
  const bucket = {
    url: `http://127.0.0.1:${server.port}/packages`,
    prefix: 'p',
    region: 'r',
    accessKeyId: 'a',
    secretAccessKey: 'b',
  }
  const store = storeFor(t, bucket, 200)
  await assert.rejects(store.get('silent'), /did not answer/)
  await assert.rejects(store.get('moved'), { name: 'ObjectStoreError' })
  assert.ok(!asked.some((path) => path.endsWith('/elsewhere')))
  await assert.rejects(buffer((await store.get('dripping'))!.body), /too slow/)
})

test('a store is not slow where it is the reader that takes time', async (t) => {
  const server = await startBucketServer()
  t.after(server.close)
  const store = storeFor(t, server.bucket, 200)
  const content = Buffer.alloc(500_000, 'content')
  server.objects.set('house/large', content)
  const { body } = (await store.get('large'))!
  // Longer than the store would have for all of it.
  await setTimeout(2_000)
  assert.deepEqual(await buffer(body), content)
})

test('a metadata service is out of reach, whatever the setting says', async (t) => {
  const keys = { prefix: 'p', region: 'r', accessKeyId: 'a', secretAccessKey: 'b' }
  await assert.rejects(storeFor(t, { url: 'http://169.254.169.254/latest', ...keys }).get('x'), {
    name: 'ObjectStoreError',
  })
})
