import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { setFlagsFromString } from 'node:v8'
import { compileFunction, runInNewContext } from 'node:vm'
import type { FastifyInstance } from 'fastify'
import { watchStalls } from './stall-watch.ts'

// Alone in its process: it holds up the event loop.

setFlagsFromString('--expose-gc')

/** Until the thread itself has worked so long. */
function work(ms: number): void {
  for (const before = process.threadCpuUsage(); process.threadCpuUsage(before).user < ms * 1000; );
}

/** Until memory has been cleared up so long, by Node. */
function cleared(ms: number): Promise<void> {
  const clear = runInNewContext('gc') as () => void
  return new Promise((done) => {
    setImmediate(
      compileFunction(
        `for (const before = process.threadCpuUsage(); process.threadCpuUsage(before).user < ${ms * 1000}; ) clear(); done()`,
        ['clear', 'done'],
      ) as never,
      clear,
      done,
    )
  })
}

/** The same as a part of the product does it, called by nobody else. */
function workOfProduct(ms: number): Promise<void> {
  const code = `for (const before = process.threadCpuUsage(); process.threadCpuUsage(before).user < ${ms * 1000}; ); done()`
  return new Promise((done) => {
    setImmediate(
      compileFunction(code, ['done'], { filename: 'file:///gatehouse/src/slow.ts' }) as (done: () => void) => void,
      done,
    )
  })
}

async function watched(burden: () => unknown, isAsked = true): Promise<void> {
  const server = new EventEmitter()
  const watch = watchStalls({ server } as unknown as FastifyInstance)
  await delay(50)
  if (isAsked) server.emit('request', { method: 'GET', url: '/' })
  await burden()
  await delay(50)
  watch.stop()
}

/** Several times what is a stall: on a loaded machine the thread is seen at work for a part of its time alone. */
const long = 1_000

test('a turn of the event loop that the product makes long is a stall', async () => {
  await assert.rejects(
    watched(() => workOfProduct(long)),
    /stood still: \d+ ms around GET \/, mostly in .*src\/slow\.ts/,
  )
  await assert.rejects(
    watched(() => workOfProduct(long), false),
    /stood still: \d+ ms around no request/,
  )
})

test('a shorter one is none, nor is what a test does itself, nor time that passes', async () => {
  await watched(() => workOfProduct(50))
  await watched(() => work(600))
  await watched(() => work(600), false)
  await watched(() => cleared(300))
  await watched(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300))
})

test('beside the work of a test, that of the product counts', async () => {
  await watched(() => {
    const both = workOfProduct(60)
    work(300)
    return both
  })
  await assert.rejects(
    watched(() => {
      const both = workOfProduct(long)
      work(300)
      return both
    }),
    /stood still/,
  )
})
