import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createRelatedPackages } from './related-packages.ts'

const minute = 60_000
const published = Date.parse('2026-11-15T12:00:00Z')
const release = { name: '@acme/a', publishedAt: new Date(published) }
const facts = () => ({ signals: [], siblings: ['@acme/b'], earlierAt: [0] })

function scene() {
  const state = { now: published + minute, out: 1, asked: 0, fails: false }
  const related = createRelatedPackages(() => new Date(state.now))
  const others = {
    deploymentId: 1,
    bornAt: async () => 0,
    namesIn: async () => ['@acme/c', '@acme/d', '@acme/e'],
    async timesOf(names: readonly string[]) {
      state.asked++
      if (state.fails) throw new Error('no registry')
      return names.map((_, at) => (at < state.out ? [published] : []))
    },
  }
  const seen = async (of: ReturnType<typeof facts>) =>
    (await related.factsOf(of, release, others)).signals.map(({ signal }) => signal)
  return { state, seen }
}

test('within its hour a release is looked at again, because others may follow; what was seen stays', async () => {
  const { state, seen } = scene()
  const own = facts()
  assert.deepEqual(await seen(own), [])
  state.out = 5
  assert.deepEqual(await seen(own), [], 'believed for a minute')
  state.now += minute
  assert.deepEqual(await seen(own), ['scope_burst'])
  state.out = 1
  state.now += 10 * minute
  assert.deepEqual(await seen(own), ['scope_burst'])
  assert.equal(state.asked, 2)
})

test('after its hour once is enough; what could not be asked is asked again', async () => {
  const { state, seen } = scene()
  state.now = published + 61 * minute
  state.fails = true
  const own = facts()
  await assert.rejects(seen(own), /no registry/)
  state.fails = false
  assert.deepEqual(await seen(own), [])
  state.now += 61 * minute
  assert.deepEqual(await seen(own), [])
  assert.equal(state.asked, 2)
})
