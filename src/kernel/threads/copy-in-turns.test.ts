import assert from 'node:assert/strict'
import { test } from 'node:test'
import { Worker } from 'node:worker_threads'
import { turnsOf } from '../../../test/turns.ts'
import { copyInTurns, sharedCopy } from './copy-in-turns.ts'

test('chunks become one, in their order', async () => {
  const chunks = ['one', '', 'two', 'x'.repeat(5_000_000)].map((text) => Buffer.from(text))
  const whole = Buffer.allocUnsafe(5_000_006)
  await copyInTurns(chunks, whole)
  assert.ok(whole.equals(Buffer.concat(chunks)))
})

test('a large document reaches a thread without holding up anybody', async (t) => {
  const script = `const { parentPort } = require('node:worker_threads')
    parentPort.on('message', ({ body }) => parentPort.postMessage([body.length, body[0], body.at(-1)]))`
  const worker = new Worker(script, { eval: true })
  t.after(() => worker.terminate())
  const body = Buffer.alloc(256 * 1024 * 1024, 7)
  const { result, longestMs, totalMs } = await turnsOf(async () => {
    const answer = new Promise((resolve) => worker.once('message', resolve))
    worker.postMessage({ body: await sharedCopy(body) })
    return answer
  })
  assert.deepEqual(result, [body.length, 7, 7])
  assert.ok(longestMs * 4 < totalMs, `${longestMs} of ${totalMs} ms of the processor in one turn`)
})
