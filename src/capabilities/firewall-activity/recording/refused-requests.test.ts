import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { TimedEvent } from './event-batch.ts'
import { createRefusedRequests } from './refused-requests.ts'

const event = (name: string) => ({ deploymentId: 1, name }) as TimedEvent

test('who comes at the moment when a transaction ends is written by the next', { timeout: 10_000 }, async () => {
  const written: string[][] = []
  const refusals = createRefusedRequests(async (events) => void written.push(events.map(({ name }) => name)))
  // Without an await in between: the second is recorded before anything else happens after the first.
  await refusals.record(event('first')).then(() => refusals.record(event('second')))
  await Promise.all([refusals.record(event('third')), refusals.record(event('fourth'))])
  await refusals.close()
  assert.deepEqual(written, [['first'], ['second'], ['third'], ['fourth']])
})
