import assert from 'node:assert/strict'
import { existsSync, mkdirSync, mkdtempSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { setImmediate } from 'node:timers/promises'
import { createDisk } from './disk.ts'

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-disk-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function put(disk: ReturnType<typeof createDisk>, name: string, bytes: number): Promise<void> {
  await disk.write(name, [Buffer.alloc(bytes)])
}

test('what was not used for longest makes room', async (t) => {
  const folder = folderFor(t)
  const disk = createDisk({ folder, maxBytes: 1_000 })
  for (const name of ['a/1', 'a/2', 'a/3']) await put(disk, name, 300)
  disk.used('a/1')
  await put(disk, 'a/4', 300)
  assert.deepEqual(
    ['a/1', 'a/2', 'a/3', 'a/4'].map((name) => existsSync(join(folder, name))),
    [true, false, true, true],
  )
  assert.equal(disk.bytes(), 900)
})

test('what an earlier process left is counted, oldest first, and what it had not finished is cleared away', async (t) => {
  const folder = folderFor(t)
  mkdirSync(join(folder, 'incoming'), { recursive: true })
  mkdirSync(join(folder, 'a'))
  for (const [name, age] of [
    ['a/old', 5_000],
    ['a/new', 1_000],
    ['incoming/half', 7_200],
    ['incoming/busy', 1],
  ] as const) {
    writeFileSync(join(folder, name), Buffer.alloc(400))
    const at = Date.now() / 1000 - age
    utimesSync(join(folder, name), at, at)
  }
  const disk = createDisk({ folder, maxBytes: 1_000 })
  await put(disk, 'a/third', 400)
  assert.deepEqual(
    ['a/old', 'a/new', 'a/third', 'incoming/half', 'incoming/busy'].map((name) => existsSync(join(folder, name))),
    [false, true, true, false, true],
  )
})

test('files that are being written count, and make room for themselves as they grow', async (t) => {
  const folder = folderFor(t)
  const disk = createDisk({ folder, maxBytes: 1_000 })
  await put(disk, 'a/1', 300)
  await put(disk, 'a/2', 300)
  const [first, second] = [disk.reserve(), disk.reserve()]
  await first.take(300)
  assert.equal(disk.bytes(), 900)
  await second.take(200)
  assert.ok(!existsSync(join(folder, 'a/1')))
  assert.equal(disk.bytes(), 800)
  await second.take(500)
  assert.ok(!existsSync(join(folder, 'a/2')))
  await assert.rejects(second.take(1), { code: 'unavailable' })
  second.release()
  assert.equal(disk.bytes(), 300)
  await assert.rejects(disk.write('a/3', [Buffer.alloc(701)]), { code: 'unavailable' })
  assert.equal(disk.bytes(), 300)
  first.release()
  first.release()
  await put(disk, 'a/3', 701)
  assert.equal(disk.bytes(), 701)
})

test('registries of one deployment take half of the room at once, or as much as one file needs', async (t) => {
  const disk = createDisk({ folder: folderFor(t), maxBytes: 1_000 })
  const slow = [disk.reserve('deployment-1'), disk.reserve('deployment-1')]
  await slow[0]!.take(400)
  await assert.rejects(slow[1]!.take(200), { code: 'unavailable' })
  await slow[1]!.take(100)
  const other = disk.reserve('deployment-2')
  await other.take(500)
  for (const each of [...slow, other]) each.release()
  const large = disk.reserve('deployment-1')
  await large.take(900)
  large.release()
  assert.equal(disk.bytes(), 0)
  // A length that is only promised gets no more than that half before the bytes are there.
  assert.deepEqual([disk.reserve('deployment-1').mostAhead(), disk.reserve().mostAhead()], [500, 1_000])
})

test('where the file system has little room, the cache gives way to others, and takes it again when there is some', async (t) => {
  const folder = folderFor(t)
  let room = { spare: Number.POSITIVE_INFINITY, least: 0 }
  const disk = createDisk({ folder, maxBytes: 1_000, room: () => room })
  for (const name of ['a/1', 'a/2', 'a/3']) await put(disk, name, 300)
  room = { spare: -500, least: 0 }
  await disk.adjust()
  assert.deepEqual(
    ['a/1', 'a/2', 'a/3'].map((name) => existsSync(join(folder, name))),
    [false, false, true],
  )
  await assert.rejects(put(disk, 'a/4', 500), { code: 'insufficient_storage' })
  // What passes through may take something as long as there is more than the reserve.
  room = { spare: -500, least: 550 }
  await disk.adjust()
  await put(disk, 'a/4', 500)
  assert.equal(disk.bytes(), 500)
})

test('who finds no room waits for others to be done, in the order in which they came', async (t) => {
  const disk = createDisk({ folder: folderFor(t), maxBytes: 1_000, waitMs: 600_000 })
  const [first, second, third] = [disk.reserve(), disk.reserve(), disk.reserve()]
  await first.take(600)
  const order: string[] = []
  const large = second.take(900).then(() => order.push('second'))
  const small = third.take(300).then(() => order.push('third'))
  first.release()
  await large
  assert.deepEqual(order, ['second'])
  second.release()
  await small
  assert.deepEqual(order, ['second', 'third'])
  third.release()
  assert.equal(disk.bytes(), 0)
})

test('who waits for the share of a deployment holds up nobody else', { timeout: 60_000 }, async (t) => {
  const disk = createDisk({ folder: folderFor(t), maxBytes: 1_000, waitMs: 600_000 })
  const [slow, next, other] = [disk.reserve('deployment-1'), disk.reserve('deployment-1'), disk.reserve()]
  await slow.take(400)
  const waiting = next.take(200)
  // Until it waits.
  await setImmediate()
  await other.take(500)
  slow.release()
  await waiting
  for (const each of [next, other]) each.release()
})

test('of files that wait for each other, the one that began last gives up', async (t) => {
  const disk = createDisk({ folder: folderFor(t), maxBytes: 1_000, waitMs: 600_000 })
  const [first, second] = [disk.reserve(), disk.reserve()]
  await first.take(500)
  await second.take(500)
  const rest = first.take(300)
  await assert.rejects(
    second.take(300).finally(() => second.release()),
    { code: 'unavailable' },
  )
  await rest
  first.release()
})

test('nobody waits for room for longer than they may, nor for what is never there', { timeout: 60_000 }, async (t) => {
  const disk = createDisk({ folder: folderFor(t), maxBytes: 1_000, waitMs: 1 })
  const [first, second] = [disk.reserve(), disk.reserve()]
  await first.take(600)
  await assert.rejects(second.take(500), { code: 'unavailable' })
  second.release()
  const patient = createDisk({ folder: folderFor(t), maxBytes: 1_000, waitMs: 600_000 })
  await assert.rejects(patient.reserve().take(1_001), { code: 'unavailable' })
})
