import assert from 'node:assert/strict'
import { EventEmitter } from 'node:events'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import type { FastifyInstance } from 'fastify'
import { aside, watchStalls } from './stall-watch.ts'

/** Until the thread itself has worked so long. */
function work(ms: number): void {
  for (const before = process.threadCpuUsage(); process.threadCpuUsage(before).user < ms * 1000; );
}

async function watched(burden: () => void, isAsked = true): Promise<void> {
  const server = new EventEmitter()
  const watch = watchStalls({ server } as unknown as FastifyInstance)
  await delay(50)
  if (isAsked) server.emit('request', { method: 'GET', url: '/' })
  burden()
  await delay(50)
  watch.stop()
}

test('a turn of the event loop that takes long is a stall', async () => {
  await assert.rejects(
    watched(() => work(450)),
    /stood still: \d+ ms around GET/,
  )
  await assert.rejects(
    watched(() => work(1_100), false),
    /stood still: \d+ ms around no request/,
  )
})

test('a shorter one is none, nor is what a test says is its own, nor time that passes', async () => {
  await watched(() => work(50))
  await watched(() => aside(() => work(450)))
  await watched(() => work(200), false)
  await watched(() => Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 300))
})
