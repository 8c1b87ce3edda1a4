import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { tmpdir } from 'node:os'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import pino from 'pino'
import Type from 'typebox'
import type { Identity } from '../kernel/access/identity.ts'
import { withAnswer } from '../kernel/contract/answer.ts'
import type { ReceivedFile } from '../kernel/contract/api.ts'
import { endpoint } from '../kernel/contract/endpoint.ts'
import { Fault } from '../kernel/contract/fault.ts'
import { basicPassword, headerToken, type Protocol, schemeToken } from '../kernel/contract/protocol.ts'
import { readPiece } from '../kernel/disk/file-range.ts'
import { systemClock } from '../kernel/time/clock.ts'
import { createApi } from './api.ts'
import type { Credentials } from './requests/credentials.ts'
import { createCredentials } from './requests/credentials.ts'
import { createRateLimit } from './requests/rate-limit.ts'
import { createServer } from './server.ts'
import { createReceiver } from './uploads/upload.ts'

const protocol: Protocol = {
  name: 'Example',
  below: ['/theirs/'],
  tokenIn: (headers) => headerToken(headers, 'x-key') ?? schemeToken(headers, 'Token') ?? basicPassword(headers),
  refusal: (fault, status) => ({
    ...(status === 403 && { status: 401 }),
    headers: { 'x-theirs': fault.code },
    body: { message: fault.message },
    mediaType: 'application/vnd.theirs+json',
  }),
}
const open = {
  summary: '',
  description: '',
  tag: '',
  stability: 'stable',
  security: 'token',
  permission: 'scans:write',
  params: Type.Object({}),
  faults: [],
  protocol,
} as const

function identity(roles: [number, 'member' | 'readonly'][]): Identity {
  const rest = { personId: 1, sessionId: '', operator: false, scopes: undefined, webApi: true }
  return { kind: 'token', tokenId: 1, roles: new Map(roles), ...rest }
}
const known: Record<string, Identity> = {
  one: identity([[7, 'member']]),
  reader: identity([[7, 'readonly']]),
  two: identity([
    [7, 'member'],
    [8, 'member'],
  ]),
  none: identity([]),
}

const app = createServer({ log: pino({ level: 'silent' }), trustProxy: [], https: false })
let url: string
before(async () => {
  const cookie = { read: () => 'a browser', write: () => '' }
  const credentials = createCredentials({
    authenticate: async (token: string) => {
      if (known[token]) return known[token]
      throw new Fault('unauthenticated', 'No such token.', { cause: 'unknown' })
    },
    authenticateBrowser: async () => known.one!,
    cookie,
    signInCookie: cookie,
  } as unknown as Parameters<typeof createCredentials>[0]) as Credentials
  const api = createApi(app, [], {
    credentials,
    clock: systemClock,
    limit: createRateLimit({ limit: 10_000, windowSeconds: 60, clock: systemClock }),
    receiver: createReceiver(tmpdir()),
    checkResponses: true,
  })
  const Told = Type.Object({ deployment: Type.Integer(), body: Type.Optional(Type.Unknown()) })
  api.serve(endpoint({ ...open, id: 'read', method: 'GET', path: '/theirs/read', response: Told }), ({ actor }) =>
    withAnswer({ status: 202, headers: { 'x-total-count': '1' }, body: { deployment: actor.deploymentId } }),
  )
  api.serve(endpoint({ ...open, id: 'same', method: 'GET', path: '/theirs/same', response: Type.Object({}) }), () =>
    withAnswer({ status: 304 }),
  )
  const body = Type.Object(
    { name: Type.String(), tags: Type.Optional(Type.Array(Type.String())), file: Type.Optional(Type.String()) },
    { additionalProperties: true },
  )
  api.serve(
    endpoint({ ...open, id: 'write', method: 'POST', path: '/theirs/write', body, response: Told }),
    ({ actor, body }) => ({ deployment: actor.deploymentId, body }),
  )
  const Received = Type.Object({ body: Type.Unknown(), files: Type.Array(Type.String()) })
  api.serve(
    endpoint({
      ...open,
      id: 'upload',
      method: 'PUT',
      path: '/theirs/upload',
      body,
      upload: { form: 'fields', files: ['file'], orJson: true },
      response: Received,
    }),
    ({ body, files }) => ({ body, files: files.map(contentOf) }),
  )
  url = await app.listen({ port: 0 })
})
after(() => app.close())

function contentOf(file: ReceivedFile): string {
  return shown(Buffer.from(readPiece(file, 0, file.bytes)).toString())
}

/** A long one by its digest. */
function shown(content: string): string {
  return content.length < 100 ? content : createHash('sha256').update(content).digest('hex')
}

type Sent = { method?: string; headers?: Record<string, string>; body?: string | FormData }
async function ask(path: string, { method = 'GET', headers = {}, body }: Sent) {
  const answer = await fetch(url + path, { method, headers, ...(body !== undefined && { body }) })
  const text = await answer.text()
  return { status: answer.status, headers: answer.headers, body: text && JSON.parse(text), text }
}
const key = { 'x-key': 'one' }
const json = { ...key, 'content-type': 'application/json' }

test('the token is where the client puts it, and says which deployment is meant', async () => {
  const basic = `Basic ${Buffer.from('anybody:one').toString('base64')}`
  for (const headers of [key, { authorization: 'token one' }, { authorization: basic }] as Record<string, string>[]) {
    const { status, body, headers: answered } = await ask('/theirs/read', { headers })
    assert.deepEqual([status, body, answered.get('x-total-count')], [202, { deployment: 7 }, '1'])
  }
  assert.equal((await ask('/theirs/same', { headers: key })).status, 304)
})

test('everything is refused in the words of the protocol, with our sentence', async () => {
  const cases: [why: string, path: string, sent: Sent, status: number, message: RegExp][] = [
    ['no token', '/theirs/read', {}, 401, /where this client sends its key/],
    ['a browser', '/theirs/read', { headers: { cookie: 'gatehouse=1' } }, 401, /where this client/],
    ['a wrong token', '/theirs/read', { headers: { 'x-key': 'other' } }, 401, /No such token/],
    ['no token at all', '/theirs/read', { headers: { 'x-key': 'ä b' } }, 401, /not an API token/],
    ['several deployments', '/theirs/read', { headers: { 'x-key': 'two' } }, 401, /several deployments/],
    ['no deployment', '/theirs/read', { headers: { 'x-key': 'none' } }, 401, /no deployment/],
    ['no permission', '/theirs/read', { headers: { 'x-key': 'reader' } }, 401, /'scans:write'/],
    ['no such path', '/theirs/nowhere', { headers: key }, 404, /nothing at this path/],
    ['another method', '/theirs/read', { method: 'DELETE', headers: key }, 405, /takes GET/],
    ['no JSON', '/theirs/write', { method: 'POST', headers: json, body: '{' }, 400, /not valid JSON/],
    ['wrong JSON', '/theirs/write', { method: 'POST', headers: json, body: '{"name":1}' }, 400, /does not fit/],
    ['no form', '/theirs/upload', { method: 'PUT', headers: json, body: '[' }, 400, /not valid JSON/],
  ]
  for (const [why, path, sent, status, message] of cases) {
    const answer = await ask(path, sent)
    assert.equal(answer.status, status, why)
    assert.match(answer.body.message, message, why)
    assert.equal(answer.headers.get('content-type'), 'application/vnd.theirs+json; charset=utf-8', why)
    assert.ok(answer.headers.get('x-theirs'), why)
  }
  assert.equal((await ask('/ours', {})).headers.get('content-type'), 'application/problem+json; charset=utf-8')
})

test('what is not known is passed over', async () => {
  const body = JSON.stringify({ name: 'a', other: 1 })
  const answer = await ask('/theirs/write?unknown=1', { method: 'POST', headers: json, body })
  assert.deepEqual(answer.body, { deployment: 7, body: { name: 'a' } })
})

test('JSON is taken whatever its client calls it', async () => {
  for (const headers of [
    {},
    { 'content-type': 'text/plain' },
    { 'content-type': 'application/x-www-form-urlencoded' },
  ]) {
    // As bytes: of a text the client here would say what it is.
    const body = Buffer.from(JSON.stringify({ name: 'a' })) as unknown as string
    const answer = await ask('/theirs/write', { method: 'POST', headers: { ...key, ...headers }, body })
    assert.deepEqual(answer.body, { deployment: 7, body: { name: 'a' } }, JSON.stringify(headers))
  }
})

test('a form has fields in any order, and files', async () => {
  const form = new FormData()
  form.append('tags', 'x')
  form.append('file', new Blob([gzipSync('packed')]), 'any.json')
  form.append('name', 'é')
  form.append('tags', 'y')
  form.append('file', 'plain')
  const answer = await ask('/theirs/upload', { method: 'PUT', headers: key, body: form })
  assert.deepEqual(answer.body, { body: { tags: ['x', 'y'], name: 'é' }, files: ['packed', 'plain'] })
  const many = new FormData()
  for (let at = 0; at < 65; at++) many.append('name', 'x')
  assert.equal((await ask('/theirs/upload', { method: 'PUT', headers: key, body: many })).status, 413)
  const long = new FormData()
  long.append('name', 'x'.repeat(64 * 1024 + 1))
  assert.equal((await ask('/theirs/upload', { method: 'PUT', headers: key, body: long })).status, 413)
})

test('an envelope is JSON with a file in it', async () => {
  const large = 'large '.repeat(200_000)
  for (const content of ['', 'x', large]) {
    const file = Buffer.from(content).toString('base64')
    const body = JSON.stringify({ name: 'a"file":"b', file, more: [1] })
    const answer = await ask('/theirs/upload', { method: 'PUT', headers: json, body })
    assert.deepEqual(answer.body.files, [shown(content)], answer.text.slice(0, 200))
    assert.deepEqual(answer.body.body, { name: 'a"file":"b' })
  }
  const without = await ask('/theirs/upload', { method: 'PUT', headers: json, body: '{"name":"a"}' })
  assert.deepEqual(without.body, { body: { name: 'a' }, files: [] })
})
