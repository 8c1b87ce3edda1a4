import assert from 'node:assert/strict'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import fastify from 'fastify'
import { aside, watchStalls } from './stall-watch.ts'

/** Until the thread itself has worked so long. */
function work(ms: number): void {
  for (const before = process.threadCpuUsage(); process.threadCpuUsage(before).user < ms * 1000; );
}

async function watched(burden: () => void): Promise<void> {
  const watch = watchStalls(fastify())
  await delay(50)
  burden()
  await delay(50)
  watch.stop()
}

test('a turn of the event loop that takes long is a stall', async () => {
  await assert.rejects(
    watched(() => work(250)),
    /stood still/,
  )
})

test('a shorter one is none, nor is what a test says is its own, nor time that passes', async () => {
  await watched(() => work(50))
  await watched(() => aside(() => work(250)))
  await watched(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300))
})
