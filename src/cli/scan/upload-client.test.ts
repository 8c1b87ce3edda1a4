import assert from 'node:assert/strict'
import { once } from 'node:events'
import { mkdtempSync, rmSync, symlinkSync } from 'node:fs'
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, type TestContext, test } from 'node:test'
import type { OutgoingFile } from './upload-body.ts'
import { sendScan } from './upload-client.ts'

const scan = { repository: 'a/b', ref: 'main' }

type Answer = (request: IncomingMessage, response: ServerResponse) => void

/** Sends a scan to a server of this behaviour; tells how long it would have waited. */
async function sendTo(t: TestContext, answer: Answer, files: OutgoingFile[] = []) {
  const server = createServer((request, response) => {
    request.resume()
    request.on('end', () => answer(request, response))
  })
  server.listen(0, '127.0.0.1')
  await once(server, 'listening')
  t.after(() => server.close())
  const url = new URL(`http://127.0.0.1:${(server.address() as AddressInfo).port}/base/`)
  const waits: number[] = []
  const wait = async (seconds: number) => waits.push(seconds)
  const result = await sendScan({ url, token: 'gth_secret', deploymentId: 7 }, scan, files, { wait }).then(
    (receipt) => ({ receipt, message: '' }),
    (error: Error) => ({ receipt: undefined, message: error.message.replaceAll(url.port, 'PORT') }),
  )
  return { ...result, waits }
}

test('goes below the path of the address', async (t) => {
  const asked: unknown[] = []
  await sendTo(t, ({ url, headers }, response) => {
    asked.push(url, headers.authorization)
    response.end('{"files":[]}')
  })
  assert.deepEqual(asked, ['/base/api/scans/v1/deployments/7/scans', 'Bearer gth_secret'])
})

test('gives up after six attempts, waiting longer each time', async (t) => {
  const { message, waits } = await sendTo(t, (_, response) => response.writeHead(503).end('down'))
  const [first, ...next] = message.split(/(?<=row\.) /)
  assert.equal(first, 'http://127.0.0.1:PORT/base/api/scans/v1/deployments/7/scans answers 503, 6 times in a row.')
  assert.match(next.join(), /run it again later/)
  assert.deepEqual(waits, [0.5, 1, 2, 4, 8])
})

test('gives up on a connection that is lost each time', async (t) => {
  const { message, waits } = await sendTo(t, (request) => request.socket.destroy())
  assert.match(message, /^http:\/\/127\.0\.0\.1:PORT cannot be reached \(\w+\), 6 times in a row\. Check the address/)
  assert.equal(waits.length, 5)
})

const inAnHour = new Date(Date.now() + 3_600_000).toUTCString()
const delays: [retryAfter: string, seconds: number][] = [
  ['0', 0],
  ['7', 7],
  ['100000', 120],
  [inAnHour, 120],
  ['Thu, 01 Jan 1970 00:00:00 GMT', 0],
  ['soon', 0.5],
]

for (const [retryAfter, seconds] of delays) {
  test(`waits ${seconds} s when told to with '${retryAfter}'`, async (t) => {
    let first = true
    const { waits } = await sendTo(t, (_, response) => {
      if (!first) return response.end('{"files":[]}')
      first = false
      return response.writeHead(429, { 'retry-after': retryAfter }).end()
    })
    assert.deepEqual(waits, [seconds])
  })
}

const finals: [title: string, status: number, headers: Record<string, string>, body: string, message: RegExp][] = [
  [
    'a redirect',
    302,
    { location: 'https://elsewhere.example.com/' },
    '',
    /redirects to https:\/\/elsewhere\.example\.com\/: give the address/,
  ],
  ['a page', 200, {}, '<html>', /answers 200, and not as Gatehouse does\.$/],
  ['a page of an error', 404, {}, '<html>', /answers 404, and not as Gatehouse does\.$/],
  ['a token that has expired', 401, {}, '{"detail":"No."}', /\(401\): No\. Sign in again \(gatehouse login\), or/],
  ['a refusal', 403, {}, '{"detail":"Not you."}', /^Gatehouse refused the upload \(403\): Not you\.$/],
  ['a failure', 500, {}, '{"detail":"A bug.","requestId":"r1"}', /\(500\): A bug\. \(request r1\)$/],
  [
    'places',
    422,
    {},
    '{"detail":"No.","errors":[{"pointer":"/a~1b","detail":"is \\u001b[2Jbroken"}]}',
    /No\.\n {2}a\/b: is \ufffd\[2Jbroken$/,
  ],
]

for (const [title, status, headers, body, sentence] of finals) {
  test(`tries once and says what it got: ${title}`, async (t) => {
    const { message, waits } = await sendTo(t, (_, response) => response.writeHead(status, headers).end(body))
    assert.match(message, sentence)
    assert.deepEqual(waits, [])
  })
}

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-files-'))
after(() => rmSync(folder, { recursive: true, force: true }))

test('a file that cannot be read, or has become a link since it was found, ends it with its name', async (t) => {
  symlinkSync('/etc/hostname', join(folder, 'link'))
  for (const [name, code] of Object.entries({ none: 'ENOENT', link: 'ELOOP' })) {
    const files = [{ path: 'a/go.sum', place: join(folder, name), bytes: 1 }]
    const { message, waits } = await sendTo(t, (_, response) => response.end('{"files":[]}'), files)
    assert.equal(message, `'a/go.sum' cannot be read (${code}).`)
    assert.deepEqual(waits, [])
  }
})
