import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createDerivationQueue } from './derivation-queue.ts'

type Queue = ReturnType<typeof createDerivationQueue>

/** One after the other, each when the test says so; `begun` is the order in which they got their turn. */
function bench(limits: Partial<Parameters<typeof createDerivationQueue>[0]> = {}) {
  const queue: Queue = createDerivationQueue({
    running: 1,
    waiting: 100,
    perLane: 50,
    knownInARow: 4,
    longestWaitMs: 60_000,
    ...limits,
  })
  const begun: string[] = []
  const first = Promise.withResolvers<void>()
  const all: Promise<void>[] = [queue.run({ key: 'first', known: true }, () => first.promise)]
  function come(name: string, lane: string, known = false): Promise<void> {
    const result = queue.run({ key: lane, known }, async () => void begun.push(name))
    all.push(result.catch(() => {}))
    return result
  }
  async function finish(): Promise<string> {
    first.resolve()
    await Promise.all(all)
    return begun.join(' ')
  }
  return { queue, come, finish }
}

test('no more derivations at a time than told, whether or not they succeed', async () => {
  const queue = createDerivationQueue({ running: 2, waiting: 100, perLane: 50, knownInARow: 4, longestWaitMs: 60_000 })
  const deferred = Array.from({ length: 6 }, () => Promise.withResolvers<void>())
  let running = 0
  let most = 0
  const results = deferred.map(({ promise }, n) =>
    queue.run({ key: `${n}`, known: n % 2 === 0 }, async () => {
      most = Math.max(most, ++running)
      await promise.finally(() => running--)
    }),
  )
  assert.deepEqual([running, queue.waiting()], [2, 4])
  deferred[0]!.reject(new Error('failed'))
  for (const { resolve } of deferred) resolve()
  const outcomes = (await Promise.allSettled(results)).map(({ status }) => status)
  assert.deepEqual(outcomes, ['rejected', ...Array(5).fill('fulfilled')])
  assert.deepEqual([most, running, queue.waiting()], [2, 0, 0])
})

test('one from each lane in turn: who comes once does not wait for whoever comes often', async () => {
  const { come, finish } = bench()
  for (const n of [1, 2, 3, 4]) void come(`flood${n}`, 'flood')
  void come('once', 'other')
  void come('late', 'third')
  assert.equal(await finish(), 'flood1 once late flood2 flood3 flood4')
})

test('known ones go before strangers, of whom one in five still gets a turn', async () => {
  const { come, finish } = bench()
  for (const n of [1, 2]) void come(`stranger${n}`, `s${n}`)
  for (const n of [1, 2, 3, 4, 5]) void come(`known${n}`, `k${n}`, true)
  assert.equal(await finish(), 'known1 known2 known3 known4 stranger1 known5 stranger2')
})

test('a lane that is full is refused by itself', async () => {
  const { come, finish } = bench({ perLane: 2 })
  void come('a', 'flood')
  void come('b', 'flood')
  await assert.rejects(come('c', 'flood'), { code: 'too_many_requests', retryAfterSeconds: 5 })
  void come('d', 'other')
  assert.equal(await finish(), 'a d b')
})

test('strangers do not fill the room of known ones, and the longest lane gives a place to a new one', async () => {
  const { come, finish } = bench({ waiting: 3 })
  void come('a', 'flood')
  void come('b', 'flood')
  const last = come('c', 'flood')
  void come('new', 'other')
  await assert.rejects(last, { code: 'unavailable', retryAfterSeconds: 5 })
  void come('known', 'office', true)
  await assert.rejects(come('d', 'flood'), { code: 'unavailable' })
  assert.equal(await finish(), 'known a new b')
})

test('who waits too long is refused, and takes no turn from the others', async () => {
  const { queue, come, finish } = bench({ longestWaitMs: 1 })
  const [one, two] = [come('one', 'lane'), come('two', 'lane')]
  await assert.rejects(one, { code: 'unavailable', retryAfterSeconds: 5 })
  await assert.rejects(two, { code: 'unavailable' })
  assert.equal(queue.waiting(), 0)
  assert.equal(await finish(), '')
  assert.equal(await queue.run({ key: 'lane', known: false }, async () => 'mine'), 'mine')
})

test('when everybody has one place nobody is pushed out', async () => {
  const { come, finish } = bench({ waiting: 2 })
  void come('a', 'one')
  void come('b', 'two')
  await assert.rejects(come('c', 'three'), { code: 'unavailable', retryAfterSeconds: 5 })
  assert.equal(await finish(), 'a b')
})
