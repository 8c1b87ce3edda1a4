import assert from 'node:assert/strict'
import { once } from 'node:events'
import { createServer } from 'node:net'
import { test } from 'node:test'
import { readSettings } from '../settings/settings.ts'
import { reservePort } from './reserve-port.ts'

test('any free port is a certain one before anybody is told of it, and nobody else gets it until it is released', async (t) => {
  const { settings, url, release } = await reservePort(readSettings({ PORT: '0' }))
  t.after(release)
  const port = Number(new URL(url).port)
  assert.ok(port > 0)
  assert.deepEqual([settings.port, settings.publicUrl], [port, url])
  const other = createServer()
  const [refused] = (await once(other.listen(port, '127.0.0.1'), 'error').catch((error) => [error])) as [
    { code: string },
  ]
  assert.equal(refused.code, 'EADDRINUSE')
  await release()
  await once(other.listen(port, '127.0.0.1'), 'listening')
  other.close()
})

test('an address that was given stays what people are told', async (t) => {
  const given = 'https://gatehouse.example.com'
  const { settings, url, release } = await reservePort(readSettings({ PORT: '0', GATEHOUSE_URL: given }))
  t.after(release)
  assert.deepEqual([settings.publicUrl, new URL(url).hostname], [given, '127.0.0.1'])
})

test('a port that was given is taken as it is, and a host that is not ours is for the server to complain of', async () => {
  const [certain, away] = [readSettings({ PORT: '8080' }), readSettings({ PORT: '0', HOST: '192.0.2.1' })]
  assert.equal((await reservePort(certain)).settings, certain)
  assert.equal((await reservePort(away)).settings, away)
})
