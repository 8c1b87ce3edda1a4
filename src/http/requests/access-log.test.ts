import assert from 'node:assert/strict'
import { once } from 'node:events'
import { connect } from 'node:net'
import { test } from 'node:test'
import fastify from 'fastify'
import pino from 'pino'
import { logRequests } from './access-log.ts'

test('the line of a client that has gone since is JSON like all others, and has its address', async (t) => {
  const lines: string[] = []
  const app = fastify()
  // So that it is gone when the line is written, as one that breaks off a large answer may be.
  app.addHook('onResponse', async ({ raw }) => {
    if (!raw.socket.closed) await once(raw.socket, 'close')
  })
  logRequests(app, pino({ base: null }, { write: (line: string) => void lines.push(line) }))
  const logged = new Promise<void>((resolve) => app.addHook('onResponse', async () => resolve()))
  app.get('/', async () => ({}))
  t.after(() => app.close())
  await app.listen({ host: '127.0.0.1', port: 0 })
  const client = connect((app.server.address() as { port: number }).port, '127.0.0.1')
  client.write('GET / HTTP/1.1\r\nHost: gatehouse\r\n\r\n')
  await once(client, 'data')
  client.destroy()
  await logged
  const [{ route, address }] = lines.map((line) => JSON.parse(line)) as [{ route: string; address: string }]
  assert.deepEqual([route, address], ['/', '127.0.0.1'])
})
