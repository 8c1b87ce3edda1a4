import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { often } from '../../test/depth.ts'
import { openQueue, until } from './test-queue.ts'

const program = fileURLToPath(new URL('./test-worker-process.ts', import.meta.url))
const jobs = often(120)
const kills = often(2, 40)

test('a worker that is killed in the middle, again and again, loses nothing and does nothing under another id', {
  timeout: often(120_000),
}, async (t) => {
  const taken = new Map<string, number>()
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    const id = String(request.headers['webhook-id'])
    taken.set(id, (taken.get(id) ?? 0) + 1)
    setTimeout(() => response.end(), 20)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const queue = await openQueue(t)
  const receiver = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`
  await queue.put(
    await queue.tenant(),
    Array.from({ length: jobs }, (_, n) => ({ kind: 'a', payload: n, lane: `lane ${n % 8}` })),
  )
  const keys = (await queue.rows()).map(({ key }) => String(key))
  const begin = () => {
    const argument = JSON.stringify({ connection: queue.connection, receiver })
    const child = spawn(process.execPath, [program, argument], { stdio: 'ignore' })
    t.after(() => child.kill('SIGKILL'))
    return child
  }
  for (let round = 1; round <= kills; round++) {
    const child = begin()
    await until(() => taken.size >= (round * jobs) / (kills + 1))
    child.kill('SIGKILL')
    await once(child, 'exit')
  }
  const underWay = (await queue.rows()).filter(({ leased_until }) => leased_until !== null)
  assert.ok(underWay.length > 0, 'nothing was under way when it was killed')
  begin()
  await until(async () => (await queue.rows()).length === 0)
  assert.deepEqual([...taken.keys()].toSorted(), keys.toSorted())
})
