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

test('what fails is tried again after longer and longer, at most an hour, until it works', async (t) => {
  t.mock.timers.enable({ apis: ['setInterval'] })
  let works = false
  let now = 0
  const looks: number[] = []
  const schedule = regularly(
    async () => {
      looks.push(now)
      if (!works) throw new Error('on purpose')
    },
    () => {},
  )
  const pass = async (minutes: number) => {
    for (let n = 0; n < minutes; n++) {
      await settled()
      now++
      t.mock.timers.tick(minute)
    }
  }
  await pass(183)
  assert.deepEqual(looks, [0, 2, 6, 14, 30, 62, 122, 182])
  works = true
  await pass(61)
  assert.deepEqual(looks.slice(8), [242, 243, 244])
  await schedule.end()
})
