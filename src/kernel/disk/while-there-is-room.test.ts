import assert from 'node:assert/strict'
import { test } from 'node:test'
import { whileThereIsRoom } from './while-there-is-room.ts'

test('what is written is passed on until its disk has less than the reserve, which is looked at every 16 MiB', async () => {
  const piece = Buffer.alloc(4 * 1024 ** 2)
  const left = [300, 200, 99]
  const read = async () => ({ freeBytes: left.shift()!, device: 1 })
  async function* endless() {
    for (;;) yield piece
  }
  let passed = 0
  const writing = async () => {
    const place = { folder: '/', reserveBytes: 100, read }
    for await (const _ of whileThereIsRoom(endless(), place, (free) => new Error(`${free} left`))) passed++
  }
  await assert.rejects(writing(), { message: '99 left' })
  assert.equal(passed, 8)
})
