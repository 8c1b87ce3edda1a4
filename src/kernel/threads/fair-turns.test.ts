import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createFairTurns } from './fair-turns.ts'

test('one goes on in each turn of the event loop, and keys take turns', async () => {
  const turns = createFairTurns<string>()
  const order: string[] = []
  let loops = 0
  let isOver = false
  const count = () => {
    loops++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  const begunIn = new Set<number>()
  const wait = async (key: string, name: string) => {
    await turns.wait(key)
    order.push(name)
    begunIn.add(loops)
  }
  await Promise.all([
    wait('a', 'a1'),
    wait('a', 'a2'),
    wait('a', 'a3'),
    wait('b', 'b1'),
    wait('b', 'b2'),
    wait('c', 'c1'),
  ])
  isOver = true
  assert.deepEqual(order, ['a1', 'b1', 'c1', 'a2', 'b2', 'a3'])
  assert.equal(begunIn.size, order.length)
})
