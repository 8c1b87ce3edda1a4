import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import {
  globSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  readlinkSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { often } from '../../../test/depth.ts'
import { createArtifacts } from './artifacts.ts'
import type { Digest } from './digest.ts'
import { createDisk } from './disk.ts'

function openCache(t: TestContext, folder = mkdtempSync(join(tmpdir(), 'gatehouse-artifacts-'))) {
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return { folder, artifacts: createArtifacts(createDisk({ folder, maxBytes: 10 * 1024 ** 3 })) }
}

function digestFor(content: Buffer): Digest {
  return { algorithm: 'sha512', hex: createHash('sha512').update(content).digest('hex') }
}

async function* chunksOf(content: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < content.length; at += 65_536) yield content.subarray(at, at + 65_536)
}

async function bytesOf(
  found: Awaited<ReturnType<ReturnType<typeof createArtifacts>['find']>>,
): Promise<Buffer | undefined> {
  if (!found) return undefined
  if ('content' in found) return found.content
  const content = await found.file.readFile()
  await found.file.close()
  return content
}

function filesIn(folder: string): string[] {
  return globSync('{artifacts,incoming}/**/*', { cwd: folder })
    .map((name) => join(folder, name))
    .filter((path) => statSync(path).isFile())
}

const sizes = { small: 2_000, large: 3_000_000 }

for (const [size, bytes] of Object.entries(sizes)) {
  const content = Buffer.alloc(bytes, 'content')
  const digest = digestFor(content)

  async function fill(t: TestContext): Promise<string> {
    const { folder, artifacts } = openCache(t)
    const kept = await artifacts.receive('here', digest, { chunks: chunksOf(content) }, 'x')
    if ('file' in kept) await kept.file.close()
    await artifacts.settle()
    return folder
  }

  test(`a ${size} artifact is found again by another process, under its own upstream only`, async (t) => {
    const { artifacts } = openCache(t, await fill(t))
    assert.deepEqual(await bytesOf(await artifacts.find('here', digest)), content)
    assert.equal(await artifacts.find('elsewhere', digest), undefined)
  })

  test(`a ${size} artifact that was changed on disk is not believed, and thrown away`, async (t) => {
    for (const spoil of [flip, cutOff, grow]) {
      const folder = await fill(t)
      const [file] = filesIn(folder)
      spoil(file!)
      const { artifacts } = openCache(t, folder)
      assert.equal(await artifacts.find('here', digest), undefined)
      assert.deepEqual(filesIn(folder), [])
    }
  })

  test(`a ${size} artifact with other bytes than promised is refused, and leaves nothing`, async (t) => {
    const { folder, artifacts } = openCache(t)
    const other = Buffer.from(content)
    other[1]! ^= 1
    await assert.rejects(
      artifacts.receive('here', digest, { chunks: chunksOf(other) }, 'left@1.0.0'),
      /other bytes for left@1\.0\.0/,
    )
    await artifacts.settle()
    assert.deepEqual(filesIn(folder), [])
    assert.equal(await artifacts.find('here', digest), undefined)
  })
}

test('a file whose sum cannot be found is closed', { skip: process.platform !== 'linux' }, async (t) => {
  const digest: Digest = { algorithm: 'h1', hex: 'a'.repeat(64) }
  for (const bytes of Object.values(sizes)) {
    const { folder } = openCache(t)
    const disk = createDisk({ folder, maxBytes: 1024 ** 3 })
    const honest = createArtifacts(disk, async () => digest.hex)
    const kept = await honest.receive('here', digest, { chunks: chunksOf(Buffer.alloc(bytes)) }, 'x')
    if ('file' in kept) await kept.file.close()
    await honest.settle()
    const busy = createArtifacts(disk, () => Promise.reject(new Error('no thread is free')))
    await assert.rejects(busy.find('here', digest), /no thread is free/)
    assert.deepEqual(openFilesIn(join(folder, 'artifacts')), [])
  }
})

test('a large artifact takes no memory to speak of, coming in or going out', async (t) => {
  const { artifacts } = openCache(t)
  const mebibyte = 1024 * 1024
  const chunks = often(300, 2048)
  const chunk = Buffer.alloc(mebibyte, 'x')
  const hash = createHash('sha256')
  for (let i = 0; i < chunks; i++) hash.update(chunk)
  async function* source(): AsyncGenerator<Buffer> {
    for (let i = 0; i < chunks; i++) yield chunk
  }
  const before = process.memoryUsage().rss
  const digest: Digest = { algorithm: 'sha256', hex: hash.digest('hex') }
  const kept = await artifacts.receive('here', digest, { chunks: source() }, 'x')
  assert.equal(kept.bytes, chunks * mebibyte)
  assert.ok('file' in kept)
  let read = 0
  for await (const part of kept.file.createReadStream({ start: 0, highWaterMark: 256 * 1024 })) read += part.length
  assert.equal(read, kept.bytes)
  const grown = process.memoryUsage().rss - before
  assert.ok(grown < 100 * mebibyte, `${Math.round(grown / mebibyte)} MiB more`)
})

function openFilesIn(folder: string): string[] {
  return readdirSync('/proc/self/fd').flatMap((fd) => {
    const path = realpathIfOpen(fd)
    return path?.startsWith(folder) ? [path] : []
  })
}

/** Undefined for the one that the list itself was read by. */
function realpathIfOpen(fd: string): string | undefined {
  try {
    return readlinkSync(`/proc/self/fd/${fd}`)
  } catch {
    return undefined
  }
}

function flip(path: string): void {
  const content = readFileSync(path)
  content[content.length >> 1]! ^= 1
  writeFileSync(path, content)
}

function cutOff(path: string): void {
  truncateSync(path, statSync(path).size - 1)
}

function grow(path: string): void {
  writeFileSync(path, 'x', { flag: 'a' })
}

test('artifacts that come in at the same time never take more than the cache may have', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-artifacts-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const maxBytes = 4_000_000
  const artifacts = createArtifacts(createDisk({ folder, maxBytes }))
  const [isHalfWay, secondEnded] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()]
  let most = 0
  async function* watched(content: Buffer, halfWay = async () => {}): AsyncGenerator<Buffer> {
    let sent = 0
    for await (const chunk of chunksOf(content)) {
      yield chunk
      sent += chunk.length
      const onDisk = filesIn(folder).reduce((sum, path) => sum + statSync(path).size, 0)
      most = Math.max(most, onDisk)
      if (sent > 2_500_000) await halfWay()
    }
  }
  const [a, b] = [Buffer.alloc(3_000_000, 'a'), Buffer.alloc(3_000_000, 'b')]
  const waiting = watched(a, () => {
    isHalfWay.resolve()
    return secondEnded.promise
  })
  const first = artifacts.receive('here', digestFor(a), { chunks: waiting }, 'a')
  await isHalfWay.promise
  await assert.rejects(artifacts.receive('here', digestFor(b), { chunks: watched(b) }, 'b'), { code: 'unavailable' })
  secondEnded.resolve()
  const kept = await first
  if ('file' in kept) await kept.file.close()
  assert.ok(most > 2_500_000 && most <= maxBytes, `${most} bytes`)
  // What was given up has left nothing behind, and there is room again.
  assert.equal(filesIn(folder).length, 1)
  const again = await artifacts.receive('here', digestFor(b), { chunks: chunksOf(b) }, 'b')
  if ('file' in again) await again.file.close()
  assert.equal(again.bytes, 3_000_000)
})

test('an artifact that is shorter than was promised leaves no room reserved', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-artifacts-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const disk = createDisk({ folder, maxBytes: 4_000_000 })
  const artifacts = createArtifacts(disk)
  const content = Buffer.alloc(sizes.small, 'content')
  await artifacts.receive('here', digestFor(content), { chunks: chunksOf(content), expectedBytes: 3_000_000 }, 'x')
  await artifacts.settle()
  assert.equal(disk.bytes(), sizes.small)
})

/** Many that are fetched side by side, each a chunk at a time. How many came through, and the most that was on disk. */
async function fetchTogether(t: TestContext, files: number, areLengthsKnown: boolean) {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-artifacts-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const artifacts = createArtifacts(createDisk({ folder, maxBytes: 10_000_000, waitMs: 600_000 }))
  let most = 0
  async function* inTurns(content: Buffer): AsyncGenerator<Buffer> {
    for await (const chunk of chunksOf(content)) {
      yield chunk
      await setImmediate()
      const incoming = filesIn(folder).map((path) => statSync(path, { throwIfNoEntry: false })?.size ?? 0)
      most = Math.max(
        most,
        incoming.reduce((sum, size) => sum + size, 0),
      )
    }
  }
  const ended = await Promise.allSettled(
    Array.from({ length: files }, async (_, at) => {
      const content = Buffer.alloc(3_000_000, `content ${at}`)
      const incoming = { chunks: inTurns(content), expectedBytes: areLengthsKnown ? content.length : undefined }
      const kept = await artifacts.receive('here', digestFor(content), incoming, String(at))
      if ('file' in kept) await kept.file.close()
    }),
  )
  const refused = ended.filter((one) => one.status === 'rejected').map(({ reason }) => reason.code)
  return { came: files - refused.length, refused: [...new Set(refused)], most }
}

test('of many artifacts that are fetched at once, those wait that do not fit, and all come through', async (t) => {
  const { came, refused, most } = await fetchTogether(t, 12, true)
  assert.deepEqual([came, refused], [12, []])
  assert.ok(most <= 10_000_000, `${most} bytes`)
})

test('where nobody says how long artifacts are, as many come through as fit', async (t) => {
  const { came, refused, most } = await fetchTogether(t, 12, false)
  assert.ok(came >= 3, `${came} came through`)
  assert.deepEqual(refused, ['unavailable'])
  assert.ok(most <= 10_000_000, `${most} bytes`)
})
