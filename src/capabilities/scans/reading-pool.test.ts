import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { Fault } from '../../kernel/fault.ts'
import { createReadingPool, type ReadingLimits } from './reading-pool.ts'
import { packageLock } from './test-upload.ts'

const folder = mkdtempSync(join(tmpdir(), 'gatehouse-pool-'))
const descriptors: number[] = []
after(() => {
  for (const descriptor of descriptors) closeSync(descriptor)
  rmSync(folder, { recursive: true, force: true })
})

function place(content: string) {
  const path = join(folder, `file-${descriptors.length}`)
  writeFileSync(path, content)
  descriptors.push(openSync(path, 'r'))
  return { descriptor: descriptors.at(-1)!, start: 0, bytes: Buffer.byteLength(content) }
}

function poolFor(t: { after(done: () => Promise<void>): void }, limits: Partial<ReadingLimits>) {
  const pool = createReadingPool((error) => assert.fail(error as Error), limits)
  t.after(pool.close)
  return pool
}

const lockOf = (count: number) =>
  packageLock(Object.fromEntries(Array.from({ length: count }, (_, at) => [`package-${at}`, '1.0.0'])))

test('the event loop turns while a large file is read', async (t) => {
  const pool = poolFor(t, { inlineBytes: 0 })
  let turns = 0
  const turn = setInterval(() => turns++, 1)
  const reading = await pool.read(place(lockOf(20_000)), 'package-lock.json')
  clearInterval(turn)
  assert.equal(reading.packed?.count, 20_000)
  assert.ok(turns > 3, `${turns} turns`)
})

test('a thread and the thread of the requests read the same', async (t) => {
  const file = place(lockOf(3_000))
  const inline = await poolFor(t, { inlineBytes: file.bytes }).read(file, 'package-lock.json')
  const threaded = await poolFor(t, { inlineBytes: 0 }).read(file, 'package-lock.json')
  assert.deepEqual({ ...threaded.packed, graph: [] }, { ...inline.packed, graph: [] })
  assert.deepEqual(threaded.problems, inline.problems)
})

test('a file that takes too much memory is a problem of that file; the next one is read', async (t) => {
  const pool = poolFor(t, { inlineBytes: 0, workers: 1, memoryMebibytes: 24 })
  const [large, small] = await Promise.all([
    pool.read(place(lockOf(100_000)), 'package-lock.json'),
    pool.read(place(lockOf(10)), 'package-lock.json'),
  ])
  assert.deepEqual([large.packed, large.problems[0]?.code], [undefined, 'too-large'])
  assert.equal(small.packed?.count, 10)
})

test('a file that takes too long is a problem of that file; the next one is read', async (t) => {
  const pool = poolFor(t, { inlineBytes: 0, workers: 1, secondsPerFile: 2 })
  const [slow, quick] = await Promise.all([
    pool.read(place(lockOf(300_000)), 'package-lock.json'),
    pool.read(place(lockOf(10)), 'package-lock.json'),
  ])
  assert.deepEqual([slow.packed, slow.problems[0]?.code], [undefined, 'too-slow'])
  assert.equal(quick.packed?.count, 10)
})

test('only so many files wait', async (t) => {
  const pool = poolFor(t, { inlineBytes: 0, workers: 1, waiting: 1 })
  const file = place(lockOf(10))
  const [first, second, third] = await Promise.allSettled([1, 2, 3].map(() => pool.read(file, 'package-lock.json')))
  assert.deepEqual([first?.status, second?.status, third?.status], ['fulfilled', 'fulfilled', 'rejected'])
  assert.ok(third?.status === 'rejected' && third.reason instanceof Fault && third.reason.code === 'unavailable')
})
