import assert from 'node:assert/strict'
import { globSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { after, afterEach, before, describe, type TestContext, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../test/gatehouse.ts'
import { registries, type TestRegistry } from '../../test/registry-adapters.ts'
import { openProxyGatehouse, type ProxyGatehouse, toldBy } from '../../test/servers/proxy-gatehouse.ts'

/** Each case has one limit that is short, so that nobody waits for the usual ones, and that alone ends it. */
const untilSilence = { headersMs: 150, idleMs: 150 }
const untilTooLong = { documentMs: 600, artifactMs: 600 }
/** Far longer than these, and far shorter than the usual ones. */
const patience = () => ({ signal: AbortSignal.timeout(15_000) })

let gatehouse: TestGatehouse

before(async () => {
  gatehouse = await openGatehouse()
})

after(() => gatehouse.close())

type Slow = { times: object; answer(response: ServerResponse): void }

const slow: Record<string, Slow> = {
  'headers that never come': { times: untilSilence, answer: () => {} },
  'a body that never begins': {
    times: untilSilence,
    answer: (response) => response.writeHead(200, { 'content-length': '5000' }).flushHeaders(),
  },
  'a body that stops halfway': {
    times: untilSilence,
    answer: (response) => void response.writeHead(200, { 'content-length': '5000' }).write('half of it'),
  },
  'a body that trickles': {
    times: untilTooLong,
    answer(response) {
      response.writeHead(200, { 'content-length': '5000' })
      const drip = setInterval(() => response.write('.'), 40)
      response.on('close', () => clearInterval(drip))
    },
  },
}

for (const [name, open] of Object.entries(registries)) {
  describe(`a slow upstream of ${name}`, () => {
    let registry: TestRegistry

    before(async () => {
      registry = await open()
    })

    afterEach(() => {
      registry.server.control.takeOver = undefined
    })

    after(() => registry.server.close())

    async function openProxy(t: TestContext, times: object): Promise<ProxyGatehouse> {
      const proxy = await openProxyGatehouse({ upstreams: { [name]: registry.upstream }, times }, gatehouse)
      t.after(() => proxy.close())
      return proxy
    }

    function hold(isHeld: (path: string) => boolean, answer: (response: ServerResponse) => void): void {
      registry.server.control.takeOver = (request, response) => {
        if (!isHeld(request.url ?? '')) return false
        answer(response)
        return true
      }
    }

    test('one answer that does not come holds up nobody else', async (t) => {
      const proxy = await openProxy(t, {})
      const [held, other] = [registry.publish(), registry.publish()]
      const waiting: ServerResponse[] = []
      hold(held.isMetadata, (response) => void waiting.push(response))
      const late = Promise.all(Array.from({ length: 20 }, () => proxy.get(held.metadata)))
      for (const path of [other.metadata, other.artifact]) assert.equal((await proxy.get(path)).status, 200)
      for (const response of waiting) response.destroy()
      assert.deepEqual([...new Set((await late).map(({ status }) => status))], [502])
    })

    for (const [what, { times, answer }] of Object.entries(slow)) {
      test(`${what}: 502 in time, and nothing kept`, async (t) => {
        const proxy = await openProxy(t, times)
        const held = registry.publish()
        for (const [path, isHeld] of [
          [held.metadata, held.isMetadata],
          [held.artifact, held.isArtifact],
        ] as const) {
          hold(isHeld, answer)
          const answers = await Promise.all([proxy.get(path, patience()), proxy.get(path, patience())])
          assert.deepEqual(
            answers.map(({ status }) => status),
            [502, 502],
          )
          assert.ok((await toldBy(answers[0]!)).length > 20)
        }
        await proxy.proxy.settle()
        assert.deepEqual(artifactsIn(proxy.folder), [])
        registry.server.control.takeOver = undefined
        for (const path of [held.metadata, held.artifact]) assert.equal((await proxy.get(path)).status, 200)
      })

      test(`${what}: metadata that is known is served meanwhile, and the upstream is asked once`, async (t) => {
        const proxy = await openProxy(t, { patienceMs: 50 })
        const known = registry.publish()
        assert.equal((await proxy.get(known.metadata)).status, 200)
        proxy.expire()
        let asked = 0
        hold(known.isMetadata, (response) => {
          asked++
          answer(response)
        })
        const answers = await Promise.all(Array.from({ length: 5 }, () => proxy.get(known.metadata, patience())))
        assert.deepEqual([...new Set(answers.map(({ status }) => status))], [200])
        assert.equal(asked, 1)
      })
    }
  })
}

function artifactsIn(folder: string): string[] {
  const files = globSync('packages/{artifacts,incoming}/**/*', { cwd: folder, withFileTypes: true })
  return files.filter((file) => file.isFile()).map((file) => file.name)
}
