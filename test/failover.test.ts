import assert from 'node:assert/strict'
import { chownSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { type EmbeddedPostgres, startEmbedded } from '../src/postgres/embedded.ts'
import { inspectEmbedded } from '../src/postgres/inspect.ts'
import { deepOnly } from './depth.ts'
import { startPgBouncer, withoutPgBouncer } from './outside/pgbouncer.ts'
import { databaseUrl, dataFolder, poll, startProcess, startServer } from './servers/real-process.ts'
import { createWriteLoad } from './write-load.ts'

/** A PostgreSQL that somebody else runs; as a standby it only reads, until it is promoted. */
async function openServer(t: TestContext) {
  let server: EmbeddedPostgres | undefined
  // First of all, because it would start again what is killed in its folder.
  t.after(() => server?.stop())
  const folder = dataFolder(t)
  server = await startEmbedded({ folder, log: () => {} })
  const { cluster } = inspectEmbedded(folder).database!
  const signal = join(cluster, 'standby.signal')

  async function restart(as: 'primary' | 'standby'): Promise<void> {
    await server!.stop()
    rmSync(signal, { force: true })
    if (as === 'standby') {
      const { uid, gid } = statSync(cluster)
      writeFileSync(signal, '')
      chownSync(signal, uid, gid)
    }
    server = await startEmbedded({ folder, log: () => {} })
  }

  async function ask(statement: string): Promise<Record<string, unknown>[]> {
    const client = new pg.Client(server!.connection)
    await client.connect()
    try {
      return (await client.query(statement)).rows
    } finally {
      await client.end()
    }
  }

  return { connection: server.connection, restart, promote: () => ask('select pg_promote()'), ask }
}

type Server = Awaited<ReturnType<typeof openServer>>

/** Under load: a restart, then a server that only reads, then its promotion. Nothing that was acknowledged is lost. */
async function throughFailover(t: TestContext, server: Server, url: string): Promise<void> {
  const gatehouse = await startServer({ GATEHOUSE_DATA: dataFolder(t), DATABASE_URL: url })
  const { call } = gatehouse
  const ready = async () => (await call('GET', '/api/readiness-check')).status
  const repositories = '/api/repositories/v1/deployments/1/repositories'
  const load = await createWriteLoad(call, 1)
  const writing = load.run(call)
  const more = async () => {
    const since = load.acknowledged()
    await poll('writes are acknowledged', () => load.acknowledged() > since + 10)
  }
  try {
    await more()
    await server.restart('primary')
    await more()
    await server.restart('standby')
    await poll('it is not ready', async () => (await ready()) === 503)
    const known = load.acknowledged()
    const answers = [await call('GET', repositories), await call('POST', repositories, { body: { name: 'never' } })]
    for (const { status, body } of answers) {
      assert.deepEqual([status, body.detail], [503, 'The database cannot be reached right now.'])
    }
    assert.equal(load.acknowledged(), known)
    await server.promote()
    await poll('it is ready', async () => (await ready()) === 200)
    await more()
  } finally {
    load.stop()
    await writing
  }
  const admin = new pg.Client(server.connection)
  await admin.connect()
  try {
    assert.deepEqual(await load.faults(admin), [])
  } finally {
    await admin.end()
  }
}

test('a server that turns read-only is left, and nothing is served until it writes again', async (t) => {
  const server = await openServer(t)
  await throughFailover(t, server, databaseUrl(server.connection))
})

test('the same behind PgBouncer in session mode', {
  skip: withoutPgBouncer || deepOnly('another failover takes a while'),
}, async (t) => {
  const server = await openServer(t)
  const pooler = await startPgBouncer(t, server.connection, 'session')
  await throughFailover(t, server, pooler.url)
})

test('a server that is told to be read-only is left at once, though every session says itself that it writes', async (t) => {
  const server = await openServer(t)
  const url = databaseUrl(server.connection)
  const gatehouse = await startServer({ GATEHOUSE_DATA: dataFolder(t), DATABASE_URL: url })
  const { call } = gatehouse
  const ready = async () => (await call('GET', '/api/readiness-check')).status
  const make = (name: string) => call('POST', '/api/repositories/v1/deployments/1/repositories', { body: { name } })
  assert.equal((await make('before')).status, 200)
  await server.ask('alter system set default_transaction_read_only = on')
  await server.ask('select pg_reload_conf()')
  await poll('it is not ready', async () => (await ready()) === 503)
  const refused = await make('never')
  assert.deepEqual([refused.status, refused.body.detail], [503, 'The database cannot be reached right now.'])
  await poll('the log says why', () => gatehouse.log().includes('the server only reads'))
  const env = { GATEHOUSE_DATA: dataFolder(t), DATABASE_URL: url }
  const late = startProcess(env)
  assert.equal(await late.ended, 1)
  assert.match(JSON.parse(late.output()).error, /only reads: it is a standby, or default_transaction_read_only is on/)
  // It looks twice a second whether the server writes again, beside those that listen, and leaves no session behind.
  const open = `select count(*)::int as number from pg_stat_activity where application_name like 'gatehouse %'`
  await poll('none is left open', async () => Number((await server.ask(open))[0]!.number) <= 4)
  await server.ask('alter system reset default_transaction_read_only')
  await server.ask('select pg_reload_conf()')
  await poll('it is ready', async () => (await ready()) === 200)
  assert.equal((await make('after')).status, 200)
})

test('a start on a standby is refused with a sentence', async (t) => {
  const server = await openServer(t)
  await server.restart('standby')
  const env = { GATEHOUSE_DATA: dataFolder(t), DATABASE_URL: databaseUrl(server.connection) }
  const refused = startProcess(env)
  assert.equal(await refused.ended, 1)
  assert.match(JSON.parse(refused.output()).error, /The database in DATABASE_URL only reads: it is a standby/)
})
