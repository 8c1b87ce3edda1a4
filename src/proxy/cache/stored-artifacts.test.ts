import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Readable } from 'node:stream'
import { after, before, type TestContext, test } from 'node:test'
import pino from 'pino'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { type BucketServer, startBucketServer } from '../../../test/outside/bucket-server.ts'
import { openProxyGatehouse } from '../../../test/servers/proxy-gatehouse.ts'
import { createObjectStore, type ObjectStore } from '../../outbound/object-store/object-store.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../../sandbox/registries/npm-registry.ts'
import { closeArtifact } from '../artifact-source.ts'
import { artifactName, createArtifacts } from './artifacts.ts'
import type { Digest } from './digest.ts'
import { createDisk } from './disk.ts'
import { createStoredArtifacts } from './stored-artifacts.ts'

let gatehouse: TestGatehouse
let registry: NpmRegistrySandbox
let server: BucketServer

before(async () => {
  gatehouse = await openGatehouse()
  registry = await startNpmRegistry()
  server = await startBucketServer()
})

after(async () => {
  await server.close()
  await registry.close()
  await gatehouse.close()
})

/** A process with a disk of its own. */
async function openProcess(t: TestContext) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-stored-'))
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const upstreams = { npm: registry.url }
  const proxy = await openProxyGatehouse({ folder, upstreams, bucket: server.bucket, log }, gatehouse)
  t.after(async () => {
    await proxy.close()
    rmSync(folder, { recursive: true, force: true })
    server.control.meddle = undefined
    server.control.takeOver = undefined
  })
  return { ...proxy, lines }
}

const pathOf = (name: string) => `/${name}/-/${name}-1.0.0.tgz`
const asked = (name: string) => registry.seen.filter(({ path }) => path === pathOf(name)).length
const objectsOf = () => [...server.objects.keys()].filter((key) => key.includes('/artifacts/'))

function digestFor(content: Buffer): Digest {
  return { algorithm: 'sha512', hex: createHash('sha512').update(content).digest('hex') }
}

function publish(name: string, isLarge: boolean): Buffer {
  const files = isLarge ? { 'package/large': Array.from({ length: 90_000 }, Math.random).join('') } : {}
  registry.publish({ name, version: '1.0.0', files })
  return registry.tarballs.get(pathOf(name))!
}

async function contentOf(answer: Pick<Response, 'status' | 'arrayBuffer'>): Promise<Buffer> {
  assert.equal(answer.status, 200)
  return Buffer.from(await answer.arrayBuffer())
}

for (const isLarge of [false, true]) {
  const size = isLarge ? 'large' : 'small'

  test(`a ${size} artifact that one process fetched comes to another from the store`, async (t) => {
    const name = `shared-${size}`
    const content = publish(name, isLarge)
    assert.equal(content.length > 512 * 1024, isLarge)
    const first = await openProcess(t)
    assert.deepEqual(await contentOf(await first.get(`npm${pathOf(name)}`)), content)
    await first.proxy.settle()
    const second = await openProcess(t)
    assert.deepEqual(await contentOf(await second.get(`npm${pathOf(name)}`)), content)
    assert.equal(asked(name), 1)
    const figures = second.proxy.figures.package_cache_requests_total.read()
    assert.deepEqual([figures.get('store'), figures.get('upstream')], [1, 0])
    // From its own disk from then on.
    const reads = () => server.seen.filter(({ path }) => path.includes('/artifacts/')).length
    const before = reads()
    assert.deepEqual(await contentOf(await second.get(`npm${pathOf(name)}`)), content)
    assert.equal(reads(), before)
  })

  test(`a ${size} object that was changed in the store is refused, removed and fetched anew`, async (t) => {
    const spoilt: [string, (content: Buffer) => Buffer][] = [
      ['swapped', (content) => Buffer.alloc(content.length, 'malicious')],
      ['cut', (content) => content.subarray(0, -1)],
      ['grown', (content) => Buffer.concat([content, Buffer.from('x')])],
      ['empty', () => Buffer.alloc(0)],
    ]
    for (const [how, spoil] of spoilt) {
      const name = `${how}-${size}`
      const content = publish(name, isLarge)
      const first = await openProcess(t)
      const known = new Set(objectsOf())
      await contentOf(await first.get(`npm${pathOf(name)}`))
      await first.proxy.settle()
      const [key] = objectsOf().filter((each) => !known.has(each))
      server.objects.set(key!, spoil(content))
      const second = await openProcess(t)
      const removals = () => server.seen.filter(({ method, path }) => method === 'DELETE' && path.endsWith(key!)).length
      assert.deepEqual(await contentOf(await second.get(`npm${pathOf(name)}`)), content, how)
      assert.deepEqual([asked(name), removals()], [2, 1], how)
      assert.ok(second.lines.some((line) => line.includes('had other bytes')))
      await second.proxy.settle()
      assert.deepEqual(server.objects.get(key!), content)
    }
  })
}

test('a store that refuses, fails or breaks off costs nobody an answer, is said once for reading and for writing, and shows no key', async (t) => {
  let rounds = 0
  const troubles: [string, () => void][] = [
    ['refuses', () => (server.control.meddle = async () => ({ status: 403, body: '<Error/>' }))],
    ['fails', () => (server.control.meddle = async () => ({ status: 500, body: 'canary' }))],
    [
      'breaks off',
      () => {
        server.control.takeOver = (_request, response) => {
          response.writeHead(200, { 'content-length': '100000' }).write('half')
          setImmediate(() => response.destroy())
          return true
        }
      },
    ],
  ]
  for (const [how, begin] of troubles) {
    begin()
    const { get, proxy, lines } = await openProcess(t)
    for (let n = 0; n < 3; n++) {
      const name = `trouble-${rounds++}`
      const content = publish(name, n === 2)
      assert.deepEqual(await contentOf(await get(`npm${pathOf(name)}`)), content, how)
      assert.equal(asked(name), 1, how)
    }
    await proxy.settle()
    const uses = lines.filter((line) => line.includes('cannot be used')).map((line) => JSON.parse(line).use)
    assert.deepEqual(uses.sort(), ['reading', 'writing'], how)
    assert.doesNotMatch(lines.join(), /canary|AKIA|Signature=/)
    server.control.meddle = undefined
    server.control.takeOver = undefined
  }
})

/** Behind a disk of its own, with a clock that the test moves. */
function openStored(t: TestContext, get?: ObjectStore['get']) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-stored-'))
  const store = createObjectStore({ bucket: server.bucket, allow: '', silenceMs: 600_000 })
  t.after(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
    server.control.meddle = undefined
    server.control.takeOver = undefined
  })
  const artifacts = createArtifacts(createDisk({ folder, maxBytes: 10_000_000, waitMs: 600_000 }))
  const lines: string[] = []
  const log = pino({ level: 'info' }, { write: (line: string) => void lines.push(line) })
  const clock = { ms: 0 }
  const used = get ? { ...store, get } : store
  const stored = createStoredArtifacts({ store: used, artifacts, log, now: () => clock.ms })
  /** What to look for; it is in the store, and not on disk. */
  const add = (text: string) => {
    const wanted = { partition: 'here', digest: digestFor(Buffer.from(text)) }
    server.objects.set(`${server.bucket.prefix}/${artifactName('here', wanted.digest)}`, Buffer.from(text))
    return wanted
  }
  const find = async (text: string) => {
    const artifact = await stored.find(add(text), text)
    if (artifact) await closeArtifact(artifact)
    return artifact !== undefined
  }
  /** Which uses of it began to fail or work again, as the log says. */
  const said = () =>
    lines
      .map((line) => JSON.parse(line) as { use: string; msg: string })
      .map(({ use, msg }) => `${use}: ${msg.split(';')[0]}`)
  return { stored, artifacts, find, clock, said }
}

test('a store that begins every answer and ends none is left alone after five, and asked again by itself', async (t) => {
  let reads = 0
  let isBroken = true
  async function* half() {
    yield Buffer.from('half')
    throw new Error('broken off')
  }
  const { find, clock } = openStored(t, async (name) => {
    reads++
    if (isBroken) return { body: Readable.from(half()), bytes: 100_000 }
    const content = server.objects.get(`${server.bucket.prefix}/${name}`)!
    return { body: Readable.from([content]), bytes: content.length }
  })
  for (let n = 0; n < 8; n++) assert.equal(await find(`left alone ${n}`), false)
  assert.equal(reads, 5)
  isBroken = false
  assert.equal(await find('too early'), false)
  clock.ms += 30_000
  assert.equal(await find('in time'), true)
  assert.equal(await find('and from then on'), true)
})

test('one that is full is read from, and the log does not say that it works before it takes something', async (t) => {
  const { stored, artifacts, find, clock, said } = openStored(t)
  const keep = async (text: string) => {
    const wanted = { partition: 'here', digest: digestFor(Buffer.from(text)) }
    const incoming = { chunks: Readable.from([Buffer.from(text)]), expectedBytes: text.length }
    await closeArtifact(await artifacts.receive('here', wanted.digest, incoming, text))
    stored.keep(wanted)
    await stored.settle()
  }
  server.control.meddle = ({ method }, honest) => (method === 'PUT' ? { status: 507, body: '<Error/>' } : honest)
  for (let n = 0; n < 7; n++) await keep(`no room ${n}`)
  assert.equal(stored.counts().failed, 7)
  clock.ms += 120_000
  assert.equal(await find('read all the same'), true)
  const fails = 'writing: the object store cannot be used'
  assert.deepEqual(said(), [fails])
  server.control.meddle = undefined
  await keep('room again')
  assert.deepEqual(said(), [fails, 'writing: the object store is used again'])
})

test('many large artifacts that come from the store at once wait for room, and all come through', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-stored-'))
  const store = createObjectStore({ bucket: server.bucket, allow: '', silenceMs: 600_000 })
  t.after(async () => {
    await store.close()
    rmSync(folder, { recursive: true, force: true })
  })
  const artifacts = createArtifacts(createDisk({ folder, maxBytes: 10_000_000, waitMs: 600_000 }))
  const stored = createStoredArtifacts({ store, artifacts })
  const found = await Promise.all(
    Array.from({ length: 12 }, async (_, n) => {
      const content = Buffer.alloc(3_000_000, `content ${n}`)
      const wanted = { partition: 'here', digest: digestFor(content) }
      server.objects.set(`${server.bucket.prefix}/${artifactName(wanted.partition, wanted.digest)}`, content)
      const artifact = await stored.find(wanted, `artifact ${n}`)
      if (artifact) await closeArtifact(artifact)
      return artifact?.bytes
    }),
  )
  assert.deepEqual(found, Array(12).fill(3_000_000))
})

test('objects are apart for each registry, as files are', async (t) => {
  const name = 'apart'
  publish(name, false)
  const first = await openProcess(t)
  await contentOf(await first.get(`npm${pathOf(name)}`))
  await first.proxy.settle()
  const other = await startNpmRegistry()
  t.after(other.close)
  other.publish({ name, version: '1.0.0' })
  // It says that it has the very same, and has nothing.
  const { dist } = registry.packages.get(name)!.versions.get('1.0.0')!
  other.packages.get(name)!.versions.get('1.0.0')!.dist.integrity = dist.integrity
  other.tarballs.delete(pathOf(name))
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-stored-'))
  const second = await openProxyGatehouse({ folder, upstreams: { npm: other.url }, bucket: server.bucket }, gatehouse)
  t.after(async () => {
    await second.close()
    rmSync(folder, { recursive: true, force: true })
  })
  assert.equal((await second.get(`npm${pathOf(name)}`)).status, 404)
})
