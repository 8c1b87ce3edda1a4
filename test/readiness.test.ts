import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { openGatehouse } from './gatehouse.ts'
import { poll } from './servers/real-process.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())

test('a process is ready when it knows the advisories: until then the firewall would refuse every package', async (t) => {
  const admin = new pg.Client(gatehouse.connection)
  await admin.connect()
  t.after(() => admin.end())
  await admin.query('begin')
  await admin.query('lock table advisory_state in access exclusive mode')
  const started = await gatehouse.anotherProcess()
  t.after(started.close)
  const ask = () => started.call('GET', '/api/readiness-check', { as: '' })
  await setTimeout(300)
  const early = await ask()
  assert.deepEqual([early.status, early.body.detail], [503, 'The advisories are not loaded yet.'])
  assert.equal((await started.call('GET', '/api/health-check', { as: '' })).status, 200)
  await admin.query('rollback')
  await poll('it is ready', async () => (await ask()).status === 200)
})
