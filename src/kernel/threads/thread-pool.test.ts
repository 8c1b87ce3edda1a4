import assert from 'node:assert/strict'
import { test } from 'node:test'
import { createThreadPool } from './thread-pool.ts'

/** Takes jobs and never ends one. */
const endless = new URL(
  `data:text/javascript,${encodeURIComponent(`import { parentPort } from 'node:worker_threads'
    parentPort.on('message', () => {})
    parentPort.postMessage('ready')`)}`,
)
const limits = { workers: 1, perKey: 1, waiting: 10, secondsPerJob: 5, memoryMebibytes: 64, idleSeconds: 60 }

test('a pool that is closed begins nothing of what waits', async () => {
  const pool = createThreadPool(endless, limits)
  const jobs = [1, 2, 3].map((key) => pool.run({ key, message: {}, onPart: () => {} }))
  const reasons = Promise.all(jobs.map((job) => job.catch(({ reason }) => reason)))
  await pool.close()
  assert.deepEqual(await reasons, ['broken', 'busy', 'busy'])
  await assert.rejects(pool.run({ key: 1, message: {}, onPart: () => {} }), { reason: 'busy' })
})
