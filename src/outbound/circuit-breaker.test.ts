import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createCircuitBreakers } from './circuit-breaker.ts'

function setUp(maxOrigins?: number) {
  const clock = { ms: 1_000_000 }
  const circuits = createCircuitBreakers({
    failures: 3,
    pauseMs: 1000,
    now: () => clock.ms,
    ...(maxOrigins ? { maxOrigins } : {}),
  })
  const fail = (times: number, origin = 'https://a.test') => {
    for (let time = 0; time < times; time++) circuits.enter(origin).failed()
  }
  return { clock, circuits, fail }
}

const isOpen = { reason: 'circuit_open' }

test('opens after so many failures in a row, for that origin only', () => {
  const { circuits, fail } = setUp()
  fail(2)
  assert.deepEqual(circuits.list(), [{ origin: 'https://a.test', state: 'closed', failures: 2 }])
  fail(1)
  assert.throws(() => circuits.enter('https://a.test'), isOpen)
  assert.deepEqual(circuits.list(), [{ origin: 'https://a.test', state: 'open', failures: 3 }])
  circuits.enter('https://b.test').succeeded()
})

test('a success in between starts the count again, and leaves nothing behind', () => {
  const { circuits, fail } = setUp()
  fail(2)
  circuits.enter('https://a.test').succeeded()
  assert.deepEqual(circuits.list(), [])
  fail(2)
  circuits.enter('https://a.test').abandoned()
})

test('after the pause one request is let through; its success closes the circuit', () => {
  const { clock, circuits, fail } = setUp()
  fail(3)
  clock.ms += 999
  assert.throws(() => circuits.enter('https://a.test'), isOpen)
  clock.ms += 1
  assert.equal(circuits.list()[0]?.state, 'half_open')
  const probe = circuits.enter('https://a.test')
  assert.throws(() => circuits.enter('https://a.test'), isOpen)
  probe.succeeded()
  circuits.enter('https://a.test').succeeded()
  assert.deepEqual(circuits.list(), [])
})

test('a failed probe starts the pause again', () => {
  const { clock, circuits, fail } = setUp()
  fail(3)
  clock.ms += 1000
  circuits.enter('https://a.test').failed()
  clock.ms += 999
  assert.throws(() => circuits.enter('https://a.test'), isOpen)
  clock.ms += 1
  circuits.enter('https://a.test').succeeded()
})

test('an abandoned probe leaves the door to the next one', () => {
  const { clock, circuits, fail } = setUp()
  fail(3)
  clock.ms += 1000
  circuits.enter('https://a.test').abandoned()
  circuits.enter('https://a.test').succeeded()
  assert.deepEqual(circuits.list(), [])
})

test('the number of origins it remembers is bounded; the one longest untroubled is forgotten', () => {
  const { circuits, fail } = setUp(2)
  fail(1, 'https://a.test')
  fail(1, 'https://b.test')
  fail(1, 'https://a.test')
  fail(1, 'https://c.test')
  assert.deepEqual(
    circuits.list().map(({ origin }) => origin),
    ['https://a.test', 'https://c.test'],
  )
})
