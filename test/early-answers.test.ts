import assert from 'node:assert/strict'
import { connect } from 'node:net'
import { after, before, test } from 'node:test'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ env: { GATEHOUSE_REQUESTS_PER_MINUTE: '400' } })
})
after(() => gatehouse.close())

type Answer = { status: number; headers: string }
type Asked = { line: string; headers?: Record<string, string>; body?: Buffer | string; as?: string }

const mebibyte = 1024 * 1024
const second = 'GET /api/health-check HTTP/1.1\r\nhost: x\r\n\r\n'

/** What came before the body: `sent` of it are sent, and the rest never comes. */
function bytesOf({ line, headers = {}, body = '', as = gatehouse.owner.token }: Asked, sent?: number): Buffer {
  const content = Buffer.from(body)
  const length = headers['transfer-encoding'] ? {} : { 'content-length': String(content.length) }
  const all = { host: 'x', ...(as ? { authorization: `Bearer ${as}` } : {}), ...length, ...headers }
  const head = [`${line} HTTP/1.1`, ...Object.entries(all).map(([name, value]) => `${name}: ${value}`)].join('\r\n')
  return Buffer.concat([Buffer.from(`${head}\r\n\r\n`), content.subarray(0, sent ?? content.length)])
}

/** Sends, and gives what was answered on this one connection, and whether it was closed. */
function converse(first: Buffer, pipelined: boolean): Promise<{ answers: Answer[]; closed: boolean }> {
  const { port } = new URL(gatehouse.url)
  const socket = connect(Number(port), '127.0.0.1')
  const answers: Answer[] = []
  let text = ''
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => finish(false), 8_000)
    const finish = (closed: boolean) => {
      clearTimeout(timer)
      socket.destroy()
      resolve({ answers, closed })
    }
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'EPIPE' || error.code === 'ECONNRESET') finish(true)
      else reject(error)
    })
    socket.on('end', () => finish(true))
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1')
      for (let answer = takeAnswer(); answer; answer = takeAnswer()) {
        answers.push(answer)
        if (answers.length === 2) finish(false)
        else if (!pipelined && !isLast(answer)) socket.write(second)
      }
    })
    socket.write(pipelined ? Buffer.concat([first, Buffer.from(second)]) : first)
  })

  function takeAnswer(): Answer | undefined {
    const end = text.indexOf('\r\n\r\n')
    if (end < 0) return undefined
    const headers = text.slice(0, end).toLowerCase()
    const length = Number(/content-length: (\d+)/.exec(headers)?.[1] ?? 0)
    if (text.length < end + 4 + length) return undefined
    text = text.slice(end + 4 + length)
    const status = Number(headers.split(' ')[1])
    return status === 100 ? takeAnswer() : { status, headers }
  }
}

function isLast({ headers }: Answer): boolean {
  return headers.includes('connection: close')
}

const json = { 'content-type': 'application/json' }
const upload = 'POST /api/scans/v1/deployments/1/scans'
const form = { 'content-type': 'multipart/form-data; boundary=XX' }
const scan = '--XX\r\nContent-Disposition: form-data; name="scan"\r\n\r\n{"repository":"a/b","ref":"main"}\r\n'
const part = (content: string) => `--XX\r\nContent-Disposition: form-data; name="a.json"\r\n\r\n${content}`
const login = 'POST /api/auth/login'
const large = Buffer.alloc(2 * mebibyte, 0x20)
const huge = Buffer.alloc(20 * mebibyte, 0x20)
const damaged = Buffer.concat([gzipSync(`${scan}--XX--\r\n`).subarray(0, 30), large])
const chunked = (bytes: Buffer) =>
  Buffer.concat([Buffer.from(`${bytes.length.toString(16)}\r\n`), bytes, Buffer.from('\r\n0\r\n\r\n')])

const cases: Record<string, [status: number, () => Asked]> = {
  'JSON that is too large': [413, () => ({ line: login, headers: json, body: large, as: '' })],
  'JSON that is too large, in chunks': [
    413,
    () => ({ line: login, headers: { ...json, 'transfer-encoding': 'chunked' }, body: chunked(large), as: '' }),
  ],
  'JSON that is none': [400, () => ({ line: login, headers: json, body: '{', as: '' })],
  'a body of another type': [415, () => ({ line: login, headers: { 'content-type': 'text/plain' }, body: 'x' })],
  'a large body of another type': [
    415,
    () => ({ line: login, headers: { 'content-type': 'text/plain' }, body: large }),
  ],
  'no credentials': [401, () => ({ line: 'POST /api/deployments/v1/deployments', headers: json, body: '{}', as: '' })],
  'no credentials, and much to say': [401, () => ({ line: upload, headers: form, body: huge, as: '' })],
  'an unknown path': [404, () => ({ line: 'POST /nowhere', headers: json, body: '{}' })],
  'an unknown path, and much to say': [404, () => ({ line: 'POST /nowhere', headers: form, body: large })],
  'a wrong method': [405, () => ({ line: 'DELETE /api/auth/login', headers: json, body: '{}' })],
  'a wrong method, and much to say': [405, () => ({ line: 'PUT /api/auth/login', headers: form, body: large })],
  'a body where none belongs': [200, () => ({ line: 'GET /api/health-check', body: large })],
  'a part of the path that is too long': [
    414,
    () => ({ line: `POST /api/scans/v1/deployments/${'1'.repeat(600)}/scans`, headers: form, body: large }),
  ],
  'a path that cannot be decoded': [400, () => ({ line: 'POST /api/%zz', headers: json, body: large })],
  'an upload of another type': [415, () => ({ line: upload, headers: { 'content-type': 'text/plain' }, body: large })],
  'an upload in another encoding': [
    415,
    () => ({ line: upload, headers: { ...form, 'content-encoding': 'br' }, body: large }),
  ],
  'an upload that is damaged gzip': [
    400,
    () => ({ line: upload, headers: { ...form, 'content-encoding': 'gzip' }, body: damaged }),
  ],
  'a small upload that is damaged gzip': [
    400,
    () => ({ line: upload, headers: { ...form, 'content-encoding': 'gzip' }, body: 'not gzip at all' }),
  ],
  'an upload that is damaged zstd': [
    400,
    () => ({
      line: upload,
      headers: { ...form, 'content-encoding': 'zstd' },
      body: Buffer.concat([zstdCompressSync(scan).subarray(0, 20), large]),
    }),
  ],
  'an upload that is a bomb': [
    413,
    () => ({
      line: upload,
      headers: { ...form, 'content-encoding': 'gzip' },
      body: Buffer.concat([gzipSync(scan + part('a'.repeat(64 * mebibyte))), large]),
    }),
  ],
  'an upload that breaks its form': [400, () => ({ line: upload, headers: form, body: large })],
  'an upload without JSON': [400, () => ({ line: upload, headers: form, body: part(' '.repeat(mebibyte)) })],
  'an upload with bad JSON': [
    400,
    () => ({ line: upload, headers: form, body: `${scan.replace('"ref"', '"reff"')}${part(' '.repeat(mebibyte))}` }),
  ],
  'a package that is published': [405, () => ({ line: 'PUT /firewall/1/npm/x', headers: json, body: large })],
  'packages without credentials': [
    401,
    () => ({ line: 'POST /firewall/1/npm/-/npm/v1/security/advisories/bulk', headers: json, body: large, as: '' }),
  ],
  'an audit that is too large': [
    413,
    () => ({ line: 'POST /firewall/1/npm/-/npm/v1/security/advisories/bulk', headers: json, body: huge }),
  ],
  'an audit that is damaged gzip': [
    400,
    () => ({
      line: 'POST /firewall/1/npm/-/npm/v1/security/advisories/bulk',
      headers: { ...json, 'content-encoding': 'gzip' },
      body: 'not gzip',
    }),
  ],
  'headers that are too large': [400, () => ({ line: login, headers: { ...json, 'x-much': 'x'.repeat(20_000) } })],
  'no HTTP': [400, () => ({ line: 'what?' })],
}

for (const [name, [status, ask]] of Object.entries(cases)) {
  for (const pipelined of [false, true]) {
    test(`${name}: the next request ${pipelined ? 'sent along ' : ''}is answered, or the connection ends`, async () => {
      const { answers, closed } = await converse(bytesOf(ask()), pipelined)
      assert.equal(answers[0]?.status, status)
      if (isLast(answers[0]!)) assert.ok(closed, 'it was announced, and is not closed')
      else assert.equal(answers[1]?.status, 200, 'the second was not answered')
    })
  }
}

const decidedEarly = [
  'JSON that is too large',
  'no credentials, and much to say',
  'an upload of another type',
  'an upload that is damaged gzip',
  'an upload that breaks its form',
  'a package that is published',
]

for (const name of decidedEarly) {
  test(`${name}, of which most never comes: the connection ends, as announced`, async () => {
    const { answers, closed } = await converse(bytesOf(cases[name]![1](), 100_000), false)
    assert.equal(answers[0]?.status, cases[name]![0])
    assert.ok(isLast(answers[0]!) && closed)
  })
}

test('too many requests: the connection goes on', async () => {
  const asked = { line: 'POST /api/deployments/v1/deployments', headers: json, body: '{}' }
  for (let count = 0; count < 400; count++) {
    if ((await gatehouse.call('GET', '/api/deployments/v1/deployments')).status === 429) break
  }
  const { answers } = await converse(bytesOf(asked), false)
  assert.deepEqual(
    answers.map(({ status }) => status),
    [429, 200],
  )
})
