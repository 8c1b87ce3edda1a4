import assert from 'node:assert/strict'
import { readdirSync } from 'node:fs'
import { createServer, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { makeTar, makeZip } from '../../../formats/osv/test-archives.ts'
import { osvRecord } from './test-feed.ts'

const gatehouse = await openGatehouse({ env: { GATEHOUSE_EGRESS_ALLOW: '127.0.0.1' } })
let answer: (response: ServerResponse, ifNoneMatch: string | undefined) => void
const server = createServer((request, response) => answer(response, request.headers['if-none-match']))
await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/npm/all.zip`
after(async () => {
  server.closeAllConnections()
  server.close()
  await gatehouse.close()
})

const sync = () => gatehouse.firewall.feeds.sync({ kind: 'url', url })
const files = (...names: string[]) =>
  names.map((name) => ({ name: `${name}.json`, content: JSON.stringify(osvRecord({ id: `MAL-${name}`, name })) }))

async function decision(name: string): Promise<string> {
  await gatehouse.firewall.refresh()
  return gatehouse.firewall.verdict(gatehouse.owner.deploymentId, 'npm', name, '1.0.0').decision
}

test('a feed behind a URL is fetched when it has changed', async () => {
  let asked: (string | undefined)[] = []
  const serve = (bytes: Buffer, etag: string | undefined) => {
    asked = []
    answer = (response, ifNoneMatch) => {
      asked.push(ifNoneMatch)
      if (etag && ifNoneMatch === etag) response.writeHead(304).end()
      else response.writeHead(200, etag ? { etag } : {}).end(bytes)
    }
  }
  serve(makeZip(files('one')), '"1"')
  assert.equal((await sync()).outcome, 'activated')
  assert.equal((await sync()).outcome, 'current')
  assert.deepEqual(asked, [undefined, '"1"'])
  assert.equal(await decision('one'), 'block')

  serve(gzipSync(makeTar(files('one', 'two'))), undefined)
  assert.equal((await sync()).outcome, 'activated')
  assert.equal(await decision('two'), 'block')
  // Without an ETag the content tells.
  assert.equal((await sync()).outcome, 'current')
})

test('what goes wrong on the way changes nothing, and is said', async () => {
  const zip = makeZip(files('one', 'two', 'three'))
  const troubles: [RegExp, typeof answer][] = [
    [/answered 404/, (response) => response.writeHead(404).end()],
    [/answered 500/, (response) => response.writeHead(500).end('no')],
    [/corrupt/, (response) => response.writeHead(200).end('<html>Sign in</html>')],
    [/corrupt/, (response) => response.writeHead(200).end(zip.subarray(0, zip.length / 2))],
    [/corrupt/, (response) => response.writeHead(200).end(gzipSync(makeTar(files('one', 'two'))).subarray(0, 90))],
    [
      /cannot be read/,
      (response) => {
        response.writeHead(200, { 'content-length': zip.length })
        response.write(zip.subarray(0, 20), () => response.destroy())
      },
    ],
    [/cannot be read/, (response) => response.writeHead(302, { location: 'http://10.0.0.1/all.zip' }).end()],
    [/cannot be read/, (response) => void response.destroy()],
  ]
  for (const [expected, trouble] of troubles) {
    answer = trouble
    const result = await sync()
    assert.equal(result.outcome, 'refused')
    assert.match(result.outcome === 'refused' ? result.problem : '', expected)
    assert.equal(await decision('two'), 'block')
    assert.equal(await decision('three'), 'allow')
  }
  const state = await gatehouse.call('GET', `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}/state`)
  assert.equal(state.body.ready, true)
  assert.match(state.body.advice, /cannot be read/)
  assert.deepEqual(readdirSync(join(gatehouse.dataFolder, 'feeds')), [], 'no download is left behind')
})

test('a process that stops calls off a download, which is no problem of the feed', async () => {
  const stopping = new AbortController()
  const begun = Promise.withResolvers<void>()
  answer = (response) => {
    response.writeHead(200).write('the beginning')
    begun.resolve()
  }
  const before = await gatehouse.firewall.feeds.list()
  const { run } = gatehouse.firewall.feeds.refreshing([{ kind: 'url', url }], 0)
  const running = run(stopping.signal)
  await begun.promise
  stopping.abort()
  await assert.rejects(running, { name: 'AbortError' })
  assert.deepEqual(await gatehouse.firewall.feeds.list(), before)
  assert.deepEqual(readdirSync(join(gatehouse.dataFolder, 'feeds')), [])
})
