import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createSemaphore } from './semaphore.ts'

test('so many at a time, the others in the order in which they came, whether or not the work succeeds', async () => {
  const turns = createSemaphore(2, 60_000)
  const begun: number[] = []
  const deferred = Array.from({ length: 5 }, () => Promise.withResolvers<number>())
  const results = deferred.map(({ promise }, index) =>
    turns.run(() => {
      begun.push(index)
      return promise
    }),
  )
  assert.deepEqual([begun, turns.waiting()], [[0, 1], 3])
  deferred[1]!.reject(new Error('failed'))
  await assert.rejects(results[1]!, /failed/)
  assert.deepEqual([begun, turns.waiting()], [[0, 1, 2], 2])
  for (const { resolve } of deferred) resolve(7)
  assert.deepEqual(
    (await Promise.allSettled(results)).map(({ status }) => status),
    ['fulfilled', 'rejected', 'fulfilled', 'fulfilled', 'fulfilled'],
  )
  assert.deepEqual(begun, [0, 1, 2, 3, 4])
})

test('who waits too long is refused, and takes no turn from the others', async () => {
  const turns = createSemaphore(1, 1)
  const { promise, resolve } = Promise.withResolvers<void>()
  const first = turns.run(() => promise)
  await assert.rejects(
    turns.run(async () => assert.fail('it was refused')),
    { code: 'unavailable', retryAfterSeconds: 5 },
  )
  resolve()
  await first
  assert.equal(await turns.run(async () => 'mine'), 'mine')
})
