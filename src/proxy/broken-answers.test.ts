import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import { after, afterEach, before, describe, test } from 'node:test'
import fc from 'fast-check'
import { often } from '../../test/depth.ts'
import { openGatehouse, type TestGatehouse } from '../../test/gatehouse.ts'
import { type Published, registries, type TestRegistry } from '../../test/registry-adapters.ts'
import { openProxyGatehouse, type ProxyGatehouse, toldBy } from '../../test/servers/proxy-gatehouse.ts'
import type { RegistryAnswer } from '../sandbox/registries/registry-server.ts'
import { startRegistryServer } from '../sandbox/registries/registry-server.ts'

let gatehouse: TestGatehouse

before(async () => {
  gatehouse = await openGatehouse()
})

after(() => gatehouse.close())

type Change = (honest: RegistryAnswer) => RegistryAnswer

/** For each ecosystem: enough for every header with every one of its values. */
const brokenAnswers = often(60, 10_000)
const bytes = ({ body }: RegistryAnswer) => Buffer.from(body ?? '')
const page = { headers: { 'content-type': 'text/html' }, body: '<html><a href="/login">Sign in</a></html>' }

const brokenArtifacts: [what: string, change: Change][] = [
  ['with one byte flipped', (honest) => ({ ...honest, body: flipped(bytes(honest)) })],
  ['cut off, and said to be whole', (honest) => ({ ...honest, body: bytes(honest).subarray(0, -1) })],
  ['longer than it is', (honest) => ({ ...honest, body: Buffer.concat([bytes(honest), Buffer.from('x')]) })],
  ['a page of HTML', () => page],
  ['empty', () => ({ body: '' })],
  ['a server error', () => ({ status: 500, body: 'oops' })],
  ['a demand for credentials', () => ({ status: 401, body: '' })],
  ['a part', (honest) => ({ ...honest, status: 206 })],
]

const brokenMetadata: [what: string, change: Change][] = [
  ['a page of HTML', () => page],
  ['HTML that says it is something else', (honest) => ({ ...honest, body: page.body })],
  ['cut off', (honest) => ({ ...honest, body: bytes(honest).subarray(0, -40) })],
  ['a list', (honest) => ({ ...honest, body: '[]' })],
  ['nothing', (honest) => ({ ...honest, body: '' })],
  ['a server error', () => ({ status: 503, body: '' })],
  ['"not modified" out of the blue', () => ({ status: 304 })],
]

for (const [name, open] of Object.entries(registries)) {
  describe(`broken answers of ${name}`, () => {
    let registry: TestRegistry
    let proxy: ProxyGatehouse
    let elsewhere: Awaited<ReturnType<typeof startRegistryServer>>
    let foreign: RegistryAnswer

    before(async () => {
      registry = await open()
      elsewhere = await startRegistryServer(() => foreign)
      // The login of the operator's own registry.
      const upstream = registry.upstream.replace('//', '//user:secret@')
      const upstreams = { [name]: upstream }
      proxy = await openProxyGatehouse({ upstreams, egressAllow: '127.0.0.1', goSumdb: 'sum.golang.org' }, gatehouse)
    })

    afterEach(() => {
      registry.server.control.meddle = undefined
      registry.server.control.takeOver = undefined
    })

    after(async () => {
      await proxy.close()
      await registry.server.close()
      await elsewhere.close()
    })

    function meddle(isMeant: (path: string) => boolean, change: Change): void {
      registry.server.control.meddle = ({ path }, honest) => (isMeant(path) ? change(honest) : honest)
    }

    async function heldArtifacts(): Promise<number> {
      await proxy.proxy.settle()
      const files = globSync('packages/{artifacts,incoming}/**/*', { cwd: proxy.folder, withFileTypes: true })
      return files.filter((file) => file.isFile()).length
    }

    async function arrives({ artifact, content }: Published): Promise<void> {
      const answer = await proxy.get(artifact)
      assert.equal(answer.status, 200)
      assert.deepEqual(Buffer.from(await answer.arrayBuffer()), content())
    }

    for (const [what, change] of brokenArtifacts) {
      for (const large of [false, true]) {
        test(`${large ? 'a large' : 'an'} artifact that is ${what}: 502, nothing kept, nothing served`, async () => {
          const published = registry.publish(large)
          const held = await heldArtifacts()
          meddle(published.isArtifact, change)
          const answer = await proxy.get(published.artifact)
          assert.equal(answer.status, 502)
          assert.ok((await toldBy(answer)).length > 20)
          assert.equal(await heldArtifacts(), held)
          assert.ok(!proxy.events.some((event) => event.name === published.name))
          registry.server.control.meddle = undefined
          await arrives(published)
        })
      }
    }

    test('an artifact whose connection breaks in the middle', async () => {
      const published = registry.publish()
      const held = await heldArtifacts()
      registry.server.control.takeOver = (request, response) => {
        if (!published.isArtifact(request.url ?? '')) return false
        response.writeHead(200, { 'content-length': '5000' }).write('some')
        setImmediate(() => response.socket?.destroy())
        return true
      }
      assert.equal((await proxy.get(published.artifact)).status, 502)
      assert.equal(await heldArtifacts(), held)
    })

    for (const [what, change] of brokenMetadata) {
      test(`metadata that is ${what}: 502, and right again with the next right answer`, async () => {
        const published = registry.publish()
        meddle(published.isMetadata, change)
        assert.equal((await proxy.get(published.metadata)).status, 502)
        registry.server.control.meddle = undefined
        assert.equal((await proxy.get(published.metadata)).status, 200)
        await arrives(published)
      })
    }

    test('metadata that is known is served while the registry is away, and artifacts that are held too', async () => {
      const published = registry.publish()
      assert.equal((await proxy.get(published.metadata)).status, 200)
      await arrives(published)
      meddle(
        () => true,
        () => ({ status: 500, body: '' }),
      )
      proxy.expire()
      assert.equal((await proxy.get(published.metadata, { headers: { 'cache-control': 'no-cache' } })).status, 200)
      await arrives(published)
    })

    test('a redirect to a foreign host: followed without credentials for an artifact, not at all for metadata', async () => {
      const published = registry.publish()
      foreign = { body: published.content() }
      const moved = () => ({ status: 302, headers: { location: `${elsewhere.url}/there` } })
      meddle(published.isArtifact, moved)
      await arrives(published)
      assert.deepEqual(
        elsewhere.seen.map(({ headers }) => headers.authorization),
        [undefined],
      )
      const asked = registry.server.seen.filter(({ path }) => published.isArtifact(path) || published.isMetadata(path))
      assert.ok(asked.length > 0 && asked.every(({ headers }) => headers.authorization?.startsWith('Basic ')))
      const other = registry.publish()
      meddle(other.isMetadata, (honest) => {
        foreign = honest
        return moved()
      })
      assert.equal((await proxy.get(other.metadata)).status, 502)
      assert.equal(elsewhere.seen.length, 1, 'it is not even asked, so it does not learn the name')
    })

    const waits: [what: string, status: number, retryAfter: string | undefined, seconds: RegExp][] = [
      ['in seconds', 429, '7', /^7$/],
      ['with a date', 503, new Date(Date.now() + 3_600_000).toUTCString(), /^300$/],
      ['without a word on when', 429, undefined, /^5$/],
    ]

    for (const [what, status, retryAfter, seconds] of waits) {
      test(`asked to wait ${what}: so is the client, and what is known is served`, async () => {
        const [known, unknown] = [registry.publish(), registry.publish()]
        assert.equal((await proxy.get(known.metadata)).status, 200)
        const headers: Record<string, string> = retryAfter === undefined ? {} : { 'retry-after': retryAfter }
        meddle(
          () => true,
          () => ({ status, headers, body: '' }),
        )
        proxy.expire()
        assert.equal((await proxy.get(known.metadata)).status, 200)
        for (const path of [unknown.metadata, unknown.artifact]) {
          const answer = await proxy.get(path)
          assert.equal(answer.status, 503)
          assert.match(answer.headers.get('retry-after') ?? '', seconds)
        }
      })
    }

    test(`${brokenAnswers} broken answers: none is kept, none is served, none hangs`, async () => {
      const held = await heldArtifacts()
      const answers = fc.record({
        isMetadata: fc.boolean(),
        status: fc.constantFrom(200, 200, 200, 203, 301, 302, 400, 404, 429, 500, 502),
        headers: fc.dictionary(
          fc.constantFrom('content-type', 'content-encoding', 'location', 'etag', 'x-more'),
          fc.constantFrom('gzip', 'text/html', 'http://127.0.0.1:1/', '//', '', 'br', 'data:x', 'W/"x"'),
        ),
        body: fc.uint8Array({ maxLength: 2_000 }),
        breaks: fc.boolean(),
      })
      await fc.assert(
        fc.asyncProperty(answers, async ({ isMetadata, status, headers, body, breaks }) => {
          const published = registry.publish()
          const isMeant = isMetadata ? published.isMetadata : published.isArtifact
          registry.server.control.takeOver = (request, response) => {
            if (!isMeant(request.url ?? '')) return false
            const length = breaks ? { 'content-length': String(body.length + 10) } : {}
            response.on('error', () => {})
            response.writeHead(status, { ...headers, ...length })
            if (breaks) response.write(Buffer.from(body))
            else response.end(Buffer.from(body))
            if (breaks) setImmediate(() => response.socket?.destroy())
            return true
          }
          const path = isMetadata ? published.metadata : published.artifact
          const answer = await proxy.get(path, { signal: AbortSignal.timeout(20_000) })
          await answer.arrayBuffer()
          assert.ok([404, 502, 503].includes(answer.status), String(answer.status))
        }),
        { numRuns: brokenAnswers },
      )
      assert.equal(await heldArtifacts(), held)
    })
  })
}

function flipped(content: Buffer): Buffer {
  const copy = Buffer.from(content)
  copy[Math.floor(copy.length / 2)]! ^= 1
  return copy
}
