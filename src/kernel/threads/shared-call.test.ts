import assert from 'node:assert/strict'
import { test } from 'node:test'
import { shareCalls } from './shared-call.ts'

test('who comes while a call is under way shares the next one, which begins after they came', async () => {
  const begun: { answer: (value: number) => void; fail: (error: Error) => void }[] = []
  const ask = shareCalls(() => {
    const { promise, resolve, reject } = Promise.withResolvers<number>()
    begun.push({ answer: resolve, fail: reject })
    return promise
  })
  const first = ask()
  const others = [ask(), ask()]
  assert.equal(begun.length, 1)
  begun[0]!.answer(1)
  assert.equal(await first, 1)
  const late = ask()
  begun[1]!.answer(2)
  assert.deepEqual(await Promise.all(others), [2, 2])
  assert.equal(begun.length, 3)
  begun[2]!.answer(3)
  assert.equal(await late, 3)
  const failing = ask()
  const after = ask()
  begun[3]!.fail(new Error('lost'))
  await assert.rejects(failing, /lost/)
  begun[4]!.answer(5)
  assert.equal(await after, 5)
})
