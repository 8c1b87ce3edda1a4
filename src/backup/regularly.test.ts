import assert from 'node:assert/strict'
import { test } from 'node:test'
import { regularly } from './regularly.ts'

const minute = 60_000
/** What was promised meanwhile has happened. */
const settled = () => new Promise<void>((resolve) => setImmediate(resolve))

test('a look that takes long is not followed by those that it kept waiting, also not after the end', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let looks = 0
  const { promise, resolve } = Promise.withResolvers<void>()
  const schedule = regularly(
    () => {
      looks++
      return promise
    },
    () => {},
  )
  t.mock.timers.tick(5 * minute)
  const ended = schedule.end()
  resolve()
  await ended
  await settled()
  assert.equal(looks, 1)
})
