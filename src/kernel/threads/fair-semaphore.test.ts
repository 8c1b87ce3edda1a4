import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairSemaphore } from './fair-semaphore.ts'
import { createKeyedQueue } from './keyed-queue.ts'

/** Work that goes on until it is told to end. */
function works() {
  const begun: string[] = []
  const ends = new Map<string, () => void>()
  const work = (name: string) => () => {
    begun.push(name)
    return new Promise<void>((resolve) => ends.set(name, resolve))
  }
  const end = async (name: string) => {
    ends.get(name)!()
    for (let turn = 0; turn < 10; turn++) await Promise.resolve()
  }
  return { begun, work, end }
}

test('one caller gets three quarters of the places, and the others the rest', async () => {
  const { begun, work, end } = works()
  const places = createFairSemaphore<string>(4, 60_000)
  const all = ['a1', 'a2', 'a3', 'a4', 'a5', 'b1', 'c1'].map((name) => places.run(name[0]!, work(name)))
  assert.deepEqual(begun, ['a1', 'a2', 'a3', 'b1'])
  // Who holds nothing comes before who came first.
  await end('a1')
  assert.deepEqual(begun.slice(4), ['c1'])
  await end('b1')
  assert.deepEqual(begun.slice(5), ['a4'])
  for (const name of ['a2', 'a3', 'c1']) await end(name)
  await end('a4')
  await end('a5')
  await Promise.all(all)
  assert.equal(places.waiting(), 0)
})

test('a place is given back where work fails, and whoever waits too long is told so', async () => {
  const places = createFairSemaphore<string>(1, 20)
  await assert.rejects(
    places.run('a', () => Promise.reject(new Error('broken'))),
    /broken/,
  )
  const { work, end } = works()
  const running = places.run('a', work('a'))
  await assert.rejects(places.run('b', work('b')), { code: 'unavailable' })
  await end('a')
  await running
  assert.equal(await places.run('b', async () => 'done'), 'done')
})

test('of one key one works at a time, of others too, and nothing is remembered of who is through', async () => {
  const { begun, work, end } = works()
  const queue = createKeyedQueue<string>(60_000)
  const all = ['a1', 'a2', 'b1'].map((name) => queue.run(name[0]!, work(name)))
  await Promise.resolve()
  assert.deepEqual(begun, ['a1', 'b1'])
  await end('a1')
  assert.deepEqual(begun, ['a1', 'b1', 'a2'])
  await end('b1')
  await end('a2')
  await Promise.all(all)
  assert.equal(queue.size(), 0)
})
