import assert from 'node:assert/strict'
import { createHash, randomBytes } from 'node:crypto'
import { mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { gzipSync, zstdCompressSync } from 'node:zlib'
import type { ReceivedFile } from '../../kernel/contract/api.ts'
import { Fault, type FaultCode } from '../../kernel/contract/fault.ts'
import { readPiece } from '../../kernel/disk/file-range.ts'
import { atMinimumSpeed } from './minimum-speed.ts'
import { createReceiver } from './upload.ts'
import { uploadLimits } from './upload-meter.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-upload-'))
after(() => rmSync(folder, { recursive: true, force: true }))

const limits = {
  ...uploadLimits,
  receivedBytes: 100_000,
  unpackedBytes: 1_000_000,
  files: 3,
  ratioAppliesFromBytes: 50_000,
}
const receiver = createReceiver(folder, limits)
const multipart = { form: 'multipart', bodyPart: 'scan' } as const
const form = { 'content-type': 'multipart/form-data; boundary=XX' }

function body(files: Record<string, string | Uint8Array>, scan = '{"a":1}'): Buffer {
  const parts = Object.entries({ scan, ...files }).flatMap(([name, content]) => [
    Buffer.from(`--XX\r\nContent-Disposition: form-data; name="${name}"\r\n\r\n`),
    Buffer.from(content as string),
    Buffer.from('\r\n'),
  ])
  return Buffer.concat([...parts, Buffer.from('--XX--\r\n')])
}

async function* stream(bytes: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < bytes.length; at += 1000) yield bytes.subarray(at, at + 1000)
}

function contentOf(file: ReceivedFile): string {
  const bytes = Buffer.from(readPiece(file, 0, file.bytes))
  assert.deepEqual(file.digest, createHash('sha256').update(bytes).digest())
  return bytes.toString()
}

async function receive(bytes: Buffer, headers: Record<string, string> = form) {
  let given: unknown
  const takeBody = (value: unknown) => {
    given = value
  }
  return receiver.receive({ of: '1', headers, chunks: stream(bytes) }, multipart, takeBody, async (files) => {
    return { given, files: Object.fromEntries(files.map((file) => [file.name, contentOf(file)])) }
  })
}

const refused = (code: FaultCode) => (error: unknown) => error instanceof Fault && error.code === code

test('files are received as they are, or unpacked, each part and the body as a whole', async () => {
  const files = { plain: 'abc', empty: '', gzip: gzipSync('packed'), zstd: zstdCompressSync('packed too') }
  const expected = {
    given: { a: 1 },
    files: { plain: 'abc', empty: '', gzip: 'packed' },
  }
  const { zstd, ...three } = files
  assert.deepEqual(await receive(body(three)), expected)
  assert.deepEqual(await receive(gzipSync(body(three)), { ...form, 'content-encoding': 'gzip' }), expected)
  assert.deepEqual(await receive(zstdCompressSync(body({ zstd })), { ...form, 'content-encoding': 'zstd' }), {
    given: { a: 1 },
    files: { zstd: 'packed too' },
  })
})

test('what is too large for memory lies in a file without a name, and is what was sent', async () => {
  const files = { first: 'x'.repeat(40_000), second: 'y'.repeat(30_000), third: 'z'.repeat(1_000) }
  const held = await receiver.receive(
    { of: '1', headers: form, chunks: stream(body(files)) },
    multipart,
    () => {},
    async (received) => {
      assert.deepEqual(readdirSync(folder), [], 'nothing can be left behind by a process that is killed')
      assert.deepEqual(Object.fromEntries(received.map((file) => [file.name, contentOf(file)])), files)
      return received.map((file) => typeof file.held)
    },
  )
  assert.deepEqual(held, ['object', 'number', 'object'])
})

test('a document is one file without a name', async () => {
  const names = await receiver.receive(
    { of: '1', headers: {}, chunks: stream(gzipSync('the document')) },
    { form: 'document' },
    () => assert.fail('there is no JSON'),
    async (files) => files.map((file) => [file.name, contentOf(file)]),
  )
  assert.deepEqual(names, [['', 'the document']])
})

const noise = randomBytes(150_000)
const refusals: [why: string, code: FaultCode, bytes: () => Buffer, headers?: Record<string, string>][] = [
  ['too large', 'payload_too_large', () => body({ a: noise })],
  ['too large by its own account', 'payload_too_large', () => body({}), { ...form, 'content-length': '100001' }],
  ['too many files', 'payload_too_large', () => body({ a: '', b: '', c: '', d: '' })],
  ['too much JSON', 'payload_too_large', () => body({}, `"${'x'.repeat(65_536)}"`)],
  ['a bomb in a part', 'payload_too_large', () => body({ a: gzipSync(Buffer.alloc(2_000_000)) })],
  ['a bomb by its ratio', 'payload_too_large', () => body({ a: zstdCompressSync(Buffer.alloc(900_000)) })],
  [
    'a bomb as the body',
    'payload_too_large',
    () => gzipSync(body({ a: Buffer.alloc(2_000_000) })),
    { ...form, 'content-encoding': 'gzip' },
  ],
  ['a broken part', 'malformed_request', () => body({ a: gzipSync(noise).subarray(0, 5000) })],
  ['a body that is not gzip', 'malformed_request', () => body({}), { ...form, 'content-encoding': 'gzip' }],
  ['a body cut short', 'malformed_request', () => body({ a: 'abc' }).subarray(0, 120)],
  ['another encoding', 'unsupported_media_type', () => body({}), { ...form, 'content-encoding': 'br' }],
  ['another type', 'unsupported_media_type', () => body({}), { 'content-type': 'application/json' }],
  ['no JSON', 'malformed_request', () => body({}, '{')],
  ['files before the JSON', 'malformed_request', () => Buffer.from(body({}).toString().replace('"scan"', '"other"'))],
  ['no parts', 'malformed_request', () => Buffer.from('--XX--')],
]

for (const [why, code, bytes, headers] of refusals) {
  test(`refused: ${why}`, async () => {
    await assert.rejects(receive(bytes(), headers), refused(code))
    assert.deepEqual(readdirSync(folder), [])
  })
}

test('a body that breaks off is not an upload', async () => {
  async function* breaking(): AsyncGenerator<Buffer> {
    yield body({ a: 'abc' }).subarray(0, 100)
    throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' })
  }
  const upload = receiver.receive(
    { of: '1', headers: form, chunks: breaking() },
    multipart,
    () => {},
    async () => assert.fail(),
  )
  await assert.rejects(upload, /aborted/)
  assert.deepEqual(readdirSync(folder), [])
})

test('only so many at once', async () => {
  const narrow = createReceiver(folder, { ...limits, atOnce: 1 })
  const { promise: finished, resolve: finish } = Promise.withResolvers<void>()
  const { promise: begun, resolve: begin } = Promise.withResolvers<void>()
  const upload = (work: () => Promise<void>) =>
    narrow.receive({ of: '1', headers: form, chunks: stream(body({})) }, multipart, () => {}, work)
  const first = upload(async () => {
    begin()
    await finished
  })
  await begun
  await assert.rejects(
    upload(async () => {}),
    refused('unavailable'),
  )
  finish()
  await first
  await upload(async () => {})
})

test('large ones are worked on in turns, small ones beside them', async () => {
  const narrow = createReceiver(folder, { ...limits, largeAtOnce: 1, largeBytes: 1_000, largeWaitMs: 60_000 })
  const ends = new Map<string, () => void>()
  const begun: string[] = []
  const upload = (name: string, bytes: number) => {
    const chunks = stream(body({ 'a.lock': 'x'.repeat(bytes) }))
    return narrow.receive(
      { of: name, headers: form, chunks },
      multipart,
      () => {},
      async () => {
        begun.push(name)
        await new Promise<void>((resolve) => ends.set(name, resolve))
      },
    )
  }
  const until = async (count: number) => {
    while (begun.length < count) await delay(1)
  }
  const first = upload('first', 2_000)
  await until(1)
  const second = upload('second', 2_000)
  const small = upload('small', 1_000)
  await until(2)
  // Whatever the second is at, it is received sooner than so many small ones.
  for (let n = 0; n < 20; n++) {
    const one = upload(`small-${n}`, 10)
    await until(3 + n)
    ends.get(`small-${n}`)!()
    await one
  }
  assert.ok(!begun.includes('second'))
  const before = begun.length
  ends.get('first')!()
  await first
  await until(before + 1)
  assert.equal(begun.at(-1), 'second')
  for (const name of ['small', 'second']) ends.get(name)!()
  await Promise.all([small, second])
})

/** Begins as it should, and then nothing more comes. */
async function* stalled(): AsyncGenerator<Buffer> {
  yield body({}).subarray(0, 20)
  await new Promise(() => {})
}

const stall = (into: typeof receiver, of: string) =>
  into.receive(
    { of, headers: form, chunks: stalled() },
    multipart,
    () => {},
    async () => {},
  )

test('whose uploads stall does not keep those of others out', async () => {
  const narrow = createReceiver(folder, { ...limits, atOnce: 8, graceMs: 500 })
  const refusals: unknown[] = []
  for (let count = 0; count < 8; count++) stall(narrow, 'greedy').catch((error) => refusals.push(error))
  const other = () =>
    narrow.receive(
      { of: 'other', headers: form, chunks: stream(body({})) },
      multipart,
      () => {},
      async () => 'received',
    )
  assert.equal(await other(), 'received')
  assert.equal(refusals.filter(refused('unavailable')).length, 4, 'half of them is for one')
})

test('a body that stops to arrive is given up on, and its place is free again', { timeout: 20_000 }, async () => {
  const narrow = createReceiver(folder, { ...limits, atOnce: 1, graceMs: 20 })
  await assert.rejects(stall(narrow, '1'), refused('request_timeout'))
  await assert.rejects(stall(narrow, '1'), refused('request_timeout'))
  assert.deepEqual(readdirSync(folder), [])
})

test("time that we take to handle a chunk is not counted as the sender's", async () => {
  let received = 0
  for await (const chunk of atMinimumSpeed(stream(Buffer.alloc(5_000)), { graceMs: 5, leastSpeed: 1_000_000 })) {
    received += chunk.length
    await delay(10)
  }
  assert.equal(received, 5_000)
})
