import assert from 'node:assert/strict'
import { closeSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { turnsWithin } from '../../../../test/turns.ts'
import { Fault } from '../../../kernel/contract/fault.ts'
import { packageLock } from '../test-upload.ts'
import { inPieces } from './reading-parts.ts'
import { createReadingPool, type ReadingLimits } from './reading-pool.ts'

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
  return { held: descriptors.at(-1)!, start: 0, bytes: Buffer.byteLength(content) }
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
  const reading = await pool.read(1, place(lockOf(20_000)), 'package-lock.json')
  clearInterval(turn)
  assert.equal(reading.packed?.count, 20_000)
  assert.ok(turns > 3, `${turns} turns`)
})

test('a thread and the thread of the requests read the same', async (t) => {
  const file = place(lockOf(3_000))
  const inline = await poolFor(t, { inlineBytes: file.bytes }).read(1, file, 'package-lock.json')
  const threaded = await poolFor(t, { inlineBytes: 0 }).read(1, file, 'package-lock.json')
  assert.deepEqual({ ...threaded.packed, graph: [] }, { ...inline.packed, graph: [] })
  assert.deepEqual(threaded.problems, inline.problems)
})

test('a file that takes too much memory is a problem of that file; the next one is read', async (t) => {
  const pool = poolFor(t, { inlineBytes: 0, workers: 1, memoryMebibytes: 24 })
  const [large, small] = await Promise.all([
    pool.read(1, place(lockOf(100_000)), 'package-lock.json'),
    pool.read(1, place(lockOf(10)), 'package-lock.json'),
  ])
  assert.deepEqual([large.packed, large.problems[0]?.code], [undefined, 'too-large'])
  assert.equal(small.packed?.count, 10)
})

test('a file that takes too long is a problem of that file; the next one is read', async (t) => {
  const pool = poolFor(t, { inlineBytes: 0, workers: 1, secondsPerJob: 2 })
  const [slow, quick] = await Promise.all([
    pool.read(1, place(lockOf(300_000)), 'package-lock.json'),
    pool.read(1, place(lockOf(10)), 'package-lock.json'),
  ])
  assert.deepEqual([slow.packed, slow.problems[0]?.code], [undefined, 'too-slow'])
  assert.equal(quick.packed?.count, 10)
})

test('only so many files wait', async (t) => {
  const pool = poolFor(t, { inlineBytes: 0, workers: 1, waiting: 1 })
  const file = place(lockOf(10))
  const [first, second, third] = await Promise.allSettled([1, 2, 3].map(() => pool.read(1, file, 'package-lock.json')))
  assert.deepEqual([first?.status, second?.status, third?.status], ['fulfilled', 'fulfilled', 'rejected'])
  assert.ok(third?.status === 'rejected' && third.reason instanceof Fault && third.reason.code === 'unavailable')
})

test('one tenant does not get the last thread', async (t) => {
  const pool = poolFor(t, { inlineBytes: 0, workers: 2, perKey: 1 })
  const large = place(lockOf(40_000))
  const done: string[] = []
  const read = async (tenant: number, file: typeof large, what: string) => {
    await pool.read(tenant, file, 'package-lock.json')
    done.push(what)
  }
  await Promise.all([read(1, large, 'large'), read(1, large, 'large'), read(2, place(lockOf(10)), 'small')])
  assert.deepEqual(done, ['small', 'large', 'large'])
})

test('tenants take turns where there is one thread', async (t) => {
  const pool = poolFor(t, { inlineBytes: 0, workers: 1, waiting: 64 })
  const file = place(lockOf(100))
  const order: number[] = []
  const read = async (tenant: number) => {
    await pool.read(tenant, file, 'package-lock.json')
    order.push(tenant)
  }
  await Promise.all([1, 1, 1, 1, 2, 2].map(read))
  assert.deepEqual(order, [1, 1, 2, 1, 2, 1])
})

test('one tenant never fills the queue', async (t) => {
  const pool = poolFor(t, { inlineBytes: 0, workers: 1, waiting: 8 })
  const file = place(lockOf(10))
  const greedy = await Promise.allSettled(Array.from({ length: 20 }, () => pool.read(1, file, 'package-lock.json')))
  const refused = greedy.filter(({ status }) => status === 'rejected').length
  assert.equal(refused, 15, 'one is read and four wait')
  const late = Array.from({ length: 20 }, () => pool.read(1, file, 'package-lock.json').catch(() => undefined))
  assert.equal((await pool.read(2, file, 'package-lock.json')).packed?.count, 10)
  await Promise.all(late)
})

test('what a thread read of a large log is taken over in turns with others', async (t) => {
  const results = Array.from({ length: 61_000 }, (_, at) => ({
    ruleId: `rule-${at % 300}`,
    level: 'error',
    message: { text: `What was found at ${at} is told in a sentence that is about as long as those of real tools.` },
    partialFingerprints: { 'primaryLocationLineHash/v1': `fingerprint-of-${at}` },
    locations: [
      {
        physicalLocation: {
          artifactLocation: { uri: `src/folder-${at % 700}/file-${at % 9_000}.ts` },
          region: { startLine: (at % 5_000) + 1, snippet: { text: `call(${at}, "argument", options)` } },
        },
      },
    ],
  }))
  const log = JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 'tester' } }, results }] })
  const file = place(log)
  const pool = poolFor(t, { inlineBytes: 0 })
  const small = JSON.stringify({ version: '2.1.0', runs: [{ tool: { driver: { name: 'tester' } }, results: [] }] })
  await pool.read(1, place(small), 'warm.sarif')
  const { result, longestMs } = await turnsWithin(50, () => pool.read(1, file, 'large.sarif'))
  assert.equal(result.findings?.[0]?.packed.count, 61_000)
  assert.equal(result.findings[0].packed.batches.flatMap(({ heads }) => heads.fingerprint).length, 61_000)
  assert.ok(longestMs < 50, `others waited ${longestMs} ms`)
  const pieces = [...inPieces(result)]
  assert.equal(pieces.length, result.findings[0].packed.batches.length)
})
