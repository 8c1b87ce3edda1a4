import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { after, afterEach, before, test } from 'node:test'
import fc from 'fast-check'
import { openHouse, type TestHouse } from '../../../test/house.ts'
import { openProxyHouse, type ProxyHouse } from '../../../test/proxy-house.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../../sandbox/npm-registry.ts'
import type { RegistryAnswer, RegistryRequest } from '../../sandbox/registry-server.ts'

let house: TestHouse
let registry: NpmRegistrySandbox
let elsewhere: NpmRegistrySandbox
let proxy: ProxyHouse
let packages = 0

before(async () => {
  house = await openHouse()
  registry = await startNpmRegistry({ token: 'secret' })
  elsewhere = await startNpmRegistry()
  // The login of the operator's own registry.
  const upstream = registry.url.replace('//', '//user:secret@')
  registry.control.meddle = undefined
  proxy = await openProxyHouse({ upstreams: { npm: upstream }, egressAllow: '127.0.0.1,::1' }, house)
})

afterEach(() => {
  registry.control.meddle = undefined
  registry.control.takeOver = undefined
})

after(async () => {
  await proxy.close()
  await registry.close()
  await elsewhere.close()
  await house.close()
})

/** A package that nobody has asked for yet. */
function publish(): string {
  const name = `package-${packages++}`
  registry.publish({ name, version: '1.0.0' })
  return name
}

const tarballOf = (name: string) => `npm/${name}/-/${name}-1.0.0.tgz`
const isTarball = ({ path }: RegistryRequest) => path.endsWith('.tgz')

function meddleWithTarballs(change: (honest: RegistryAnswer) => RegistryAnswer | Promise<RegistryAnswer>): void {
  registry.control.meddle = (request, honest) => (isTarball(request) ? change(honest) : honest)
}

async function heldArtifacts(): Promise<number> {
  await proxy.proxy.settle()
  return globSync('packages/{artifacts,incoming}/**/*', { cwd: proxy.folder, withFileTypes: true }).filter((file) =>
    file.isFile(),
  ).length
}

const broken: [what: string, change: (honest: RegistryAnswer) => RegistryAnswer][] = [
  ['one byte flipped', (honest) => ({ ...honest, body: flipped(honest.body as Buffer) })],
  ['cut off, and said to be whole', (honest) => ({ ...honest, body: (honest.body as Buffer).subarray(0, -1) })],
  ['longer than it is', (honest) => ({ ...honest, body: Buffer.concat([honest.body as Buffer, Buffer.from('x')]) })],
  ['a page of HTML', () => ({ headers: { 'content-type': 'text/html' }, body: '<html>Sign in</html>' })],
  ['empty', () => ({ body: '' })],
  ['a server error', () => ({ status: 500, body: 'oops' })],
  ['a demand for credentials', () => ({ status: 401, body: '' })],
  ['a status that makes no sense', () => ({ status: 206, body: 'part' })],
]

for (const [what, change] of broken) {
  test(`a tarball that is ${what}: 502, nothing kept, nothing served`, async () => {
    const name = publish()
    const held = await heldArtifacts()
    meddleWithTarballs(change)
    const answer = await proxy.get(tarballOf(name))
    assert.equal(answer.status, 502)
    assert.equal((await answer.json()).code, 'bad_upstream')
    assert.equal(await heldArtifacts(), held)
    assert.ok(!proxy.events.some((event) => event.name === name))
    registry.control.meddle = undefined
    assert.equal((await proxy.get(tarballOf(name))).status, 200)
  })
}

test('a large tarball with one byte flipped leaves nothing on disk either', async () => {
  const name = publish()
  registry.publish({ name, version: '1.0.0', files: { 'package/large': noise(3_000_000) } })
  const held = await heldArtifacts()
  meddleWithTarballs((honest) => ({ ...honest, body: flipped(honest.body as Buffer) }))
  assert.equal((await proxy.get(tarballOf(name))).status, 502)
  assert.equal(await heldArtifacts(), held)
  registry.control.meddle = undefined
  const right = await proxy.get(tarballOf(name))
  assert.deepEqual(Buffer.from(await right.arrayBuffer()), registry.tarballs.get(`/${name}/-/${name}-1.0.0.tgz`))
})

test('a connection that breaks in the middle', async () => {
  const name = publish()
  registry.control.takeOver = (request, response) => {
    if (!request.url?.endsWith('.tgz')) return false
    response.writeHead(200, { 'content-length': '5000' })
    response.write('some')
    setImmediate(() => response.socket?.destroy())
    return true
  }
  assert.equal((await proxy.get(tarballOf(name))).status, 502)
})

const brokenMetadata: [what: string, answer: RegistryAnswer][] = [
  ['HTML', { headers: { 'content-type': 'text/html' }, body: '<html>Sign in</html>' }],
  ['HTML that says it is JSON', { headers: { 'content-type': 'application/json' }, body: '<html></html>' }],
  ['JSON cut off', { headers: { 'content-type': 'application/json' }, body: '{"name":"x","versions":{' }],
  ['a list', { body: '[]' }],
  ['nothing', { body: '' }],
  ['another package', { body: '{"name":"another","versions":{}}' }],
  ['versions that are none', { body: '{"versions":{"1.0.0":null}}' }],
  ['a server error', { status: 503, body: '' }],
  ['"not modified" out of the blue', { status: 304 }],
]

for (const [what, answer] of brokenMetadata) {
  test(`metadata that is ${what}: 502, and right again with the next right answer`, async () => {
    const name = publish()
    registry.control.meddle = () => answer
    assert.equal((await proxy.get(`npm/${name}`)).status, 502)
    registry.control.meddle = undefined
    assert.equal((await proxy.get(`npm/${name}`)).status, 200)
  })
}

test('metadata that is known is served while the registry is away, and artifacts that are held too', async () => {
  const name = publish()
  assert.equal((await proxy.get(`npm/${name}`)).status, 200)
  assert.equal((await proxy.get(tarballOf(name))).status, 200)
  registry.control.meddle = () => ({ status: 500, body: '' })
  const again = { headers: { 'cache-control': 'no-cache' } }
  proxy.expire()
  assert.equal((await proxy.get(`npm/${name}`, again)).status, 200)
  assert.equal((await proxy.get(tarballOf(name))).status, 200)
})

test('a redirect is followed without credentials for an artifact, and not at all for metadata', async () => {
  const name = publish()
  const path = `/${name}/-/${name}-1.0.0.tgz`
  elsewhere.tarballs.set(path, registry.tarballs.get(path)!)
  const moved = (request: RegistryRequest) => ({ status: 302, headers: { location: elsewhere.url + request.path } })
  registry.control.meddle = (request, honest) => (isTarball(request) ? moved(request) : honest)
  assert.equal((await proxy.get(tarballOf(name))).status, 200)
  const seen = elsewhere.seen.filter((request) => request.path === path)
  assert.deepEqual(
    seen.map(({ headers }) => headers.authorization),
    [undefined],
  )
  const other = publish()
  registry.control.meddle = (request) => moved(request)
  assert.equal((await proxy.get(`npm/${other}`)).status, 502)
})

test('a tarball at another host: only where it is let through, and never with credentials', async () => {
  const name = publish()
  const path = `/${name}/-/${name}-1.0.0.tgz`
  elsewhere.tarballs.set(path, registry.tarballs.get(path)!)
  const { dist } = registry.packages.get(name)!.versions.get('1.0.0')!
  const other = new URL(elsewhere.url)
  dist.tarball = `http://localhost:${other.port}${path}`
  const refused = await proxy.get(tarballOf(name))
  assert.equal(refused.status, 502)
  assert.match((await refused.json()).error, /localhost.*not one of its own hosts/)
  assert.ok(!elsewhere.seen.some((request) => request.path === path))

  const entry = { config: { name: 'Files', url: 'localhost', registryType: 'REGISTRY_TYPE_MALWARE_FIREWALL' } }
  const configs = '/api/agent/deployments/1/packagemanagerauthconfigs'
  assert.equal((await house.call('POST', configs, { body: { packageManagerConfigForInsert: entry } })).status, 200)
  proxy.expire()
  const answer = await proxy.get(tarballOf(name))
  assert.equal(answer.status, 200)
  const seen = elsewhere.seen.filter((request) => request.path === path)
  assert.deepEqual(
    seen.map(({ headers }) => headers.authorization),
    [undefined],
  )
})

test('one fetch serves all who ask at once', async () => {
  const name = publish()
  const asked = () => registry.seen.filter(({ path }) => path.includes(name)).length
  const answers = await Promise.all(Array.from({ length: 20 }, () => proxy.get(tarballOf(name))))
  assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
  assert.equal(asked(), 2)
})

test('a thousand broken answers: none is kept, none hangs', async () => {
  const held = await heldArtifacts()
  const tarballs = fc.record({
    kind: fc.constant('tarball' as const),
    status: fc.constantFrom(200, 200, 200, 203, 301, 302, 400, 404, 429, 500, 502),
    headers: fc.dictionary(
      fc.constantFrom('content-type', 'content-encoding', 'location', 'etag', 'x-more'),
      fc.constantFrom('gzip', 'text/html', 'http://127.0.0.1:1/', '//', '', 'br', 'data:x', 'W/"x"'),
    ),
    body: fc.uint8Array({ maxLength: 2_000 }),
    breaks: fc.boolean(),
  })
  let wrong = 0
  await fc.assert(
    fc.asyncProperty(tarballs, async ({ status, headers, body, breaks }) => {
      const name = publish()
      registry.control.takeOver = (request, response) => {
        if (!request.url?.endsWith('.tgz')) return false
        const length = breaks ? { 'content-length': String(body.length + 10) } : {}
        response.on('error', () => {})
        response.writeHead(status, { ...headers, ...length })
        if (breaks) {
          response.write(Buffer.from(body))
          setImmediate(() => response.socket?.destroy())
        } else {
          response.end(Buffer.from(body))
        }
        return true
      }
      const answer = await proxy.get(tarballOf(name), { signal: AbortSignal.timeout(20_000) })
      await answer.arrayBuffer()
      if (answer.status < 400) wrong++
      assert.ok([404, 502, 503].includes(answer.status), String(answer.status))
    }),
    { numRuns: 1_000 },
  )
  assert.equal(wrong, 0)
  assert.equal(await heldArtifacts(), held)
})

function flipped(bytes: Buffer): Buffer {
  const copy = Buffer.from(bytes)
  copy[Math.floor(copy.length / 2)]! ^= 1
  return copy
}

/** Text that does not compress, the same every time. */
function noise(length: number): string {
  let text = ''
  for (let i = 0, x = 1; i < length; i++) {
    x = (x * 48_271) % 2_147_483_647
    text += String.fromCharCode(33 + (x % 94))
  }
  return text
}
