import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { setTimeout } from 'node:timers/promises'
import pg from 'pg'
import { throwAwayDatabase } from './cluster.ts'
import { openGatehouse } from './gatehouse.ts'
import { databaseUrl, dataFolder, freePort, poll, startProcess, startServer } from './servers/real-process.ts'

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

test('a process that is started listens when it knows the advisories', async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const port = String(await freePort())
  const to = connection as Parameters<typeof databaseUrl>[0]
  const env = { DATABASE_URL: databaseUrl(to), GATEHOUSE_DATA: dataFolder(t), PORT: port }
  const first = await startServer(env)
  first.child.kill()
  assert.equal(await first.ended, 0)
  const admin = new pg.Client(connection as pg.ClientConfig)
  await admin.connect()
  // The database is dropped under it where this fails.
  admin.on('error', () => {})
  await admin.query('begin')
  await admin.query('lock table advisory_state in access exclusive mode')
  const started = startProcess(env)
  await poll('it waits for the advisories', async () => {
    const { rowCount } = await admin.query(
      `select from pg_locks where not granted and relation = 'advisory_state'::regclass`,
    )
    return rowCount! > 0
  })
  const answers = () =>
    fetch(`http://127.0.0.1:${port}/api/health-check`).then(
      () => true,
      () => false,
    )
  // Long enough for all else that it does before it listens.
  await setTimeout(3_000)
  assert.equal(await answers(), false)
  await admin.query('rollback')
  await admin.end()
  await poll('it listens', answers)
  started.child.kill()
  assert.equal(await started.ended, 0)
})
