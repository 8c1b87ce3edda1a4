import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import pino from 'pino'
import sql from 'sql-template-tag'
import { UnsafeConnection } from '../src/kernel/database/connections/connection.ts'
import { refuseTransactionPooling } from '../src/kernel/database/connections/session-pooling.ts'
import { createDatabase } from '../src/kernel/database/database.ts'
import { temporaryFolder } from '../src/postgres/process/test-owner-process.ts'
import { type Running, serve } from '../src/serve.ts'
import { readSettings } from '../src/settings/settings.ts'
import { throwAwayDatabase } from './cluster.ts'
import { caller } from './gatehouse.ts'
import { startPgBouncer, withoutPgBouncer } from './outside/pgbouncer.ts'
import { startWireProxy } from './outside/wire-proxy.ts'
import { plainVault } from './plain-vault.ts'
import { poll } from './servers/real-process.ts'

type Target = Parameters<typeof startWireProxy>[1]

async function database(t: TestContext) {
  const { connection, drop } = await throwAwayDatabase()
  const admin = new pg.Client(connection)
  admin.on('error', () => {})
  await admin.connect()
  t.after(async () => {
    await admin.end()
    await drop()
  })
  return { target: connection as Target, admin }
}

async function start(t: TestContext, url: string): Promise<Running & { call: ReturnType<typeof caller> }> {
  const folder = temporaryFolder()
  const env = { PORT: '0', DATABASE_URL: url, GATEHOUSE_DATA: folder, GATEHOUSE_FEED: 'none' }
  const running = await serve(readSettings(env), pino({ level: 'silent' }))
  t.after(async () => {
    await running.stop()
    rmSync(folder, { recursive: true, force: true })
  })
  return { ...running, call: caller(running.url, running.welcome!.token) }
}

const refused = (t: TestContext, url: string, says: RegExp) =>
  assert.rejects(start(t, url), (error: Error) => {
    assert.ok(error instanceof UnsafeConnection, `${error}`)
    assert.match(error.message, says)
    return true
  })

test('behind PgBouncer in session mode tenants stay apart, under load and through failover', {
  skip: withoutPgBouncer,
}, async (t) => {
  const { target, admin } = await database(t)
  const pooler = await startPgBouncer(t, target, 'session')
  const { call, welcome } = await start(t, pooler.url)
  const tenants = [{ id: welcome!.deploymentId, as: welcome!.token }, await secondTenant(call, welcome!)]
  // Straight at the database too, where a query that forgot its tenant is not saved by its where clause.
  const db = createDatabase({ connectionString: pooler.url }, plainVault)
  t.after(() => db.close())

  let answered = 0
  let running = true
  const load = Array.from({ length: 8 }, async (_, lane) => {
    const mine = tenants[lane % 2]!
    for (let n = 0; running; n++) {
      const path = `/api/repositories/v1/deployments/${mine.id}/repositories`
      const made = await call('POST', path, { as: mine.as, body: { name: `tenant-${mine.id}/${lane}-${n}` } })
      const listed = await call('GET', path, { as: mine.as })
      for (const { status } of [made, listed]) assert.ok([200, 503].includes(status), `status ${status}`)
      if (listed.status === 200) {
        const names = listed.body.repositories.map(({ name }: { name: string }) => name.split('/')[0])
        assert.deepEqual(
          [...new Set(names)].filter((name) => name !== `tenant-${mine.id}`),
          [],
        )
      }
      const seen = await db
        .as({ deploymentId: mine.id })
        .query<{ id: number }>(sql`select distinct deployment_id as id from repository`)
        .catch(() => [])
      assert.ok(seen.every(({ id }) => id === mine.id))
      if (made.status === 200 && seen.length > 0) answered++
    }
  })
  const more = async () => {
    const since = answered
    await poll('requests are answered', () => answered > since + 20)
  }
  try {
    await more()
    await admin.query(`select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`)
    await more()
    await pooler.stop()
    await pooler.start()
    await more()
  } finally {
    running = false
    await Promise.all(load)
  }
  assert.equal((await call('GET', '/api/readiness-check')).status, 200)
})

test('what an earlier client left on a connection does not reach ours', { skip: withoutPgBouncer }, async (t) => {
  const { target, admin } = await database(t)
  const pooler = await startPgBouncer(t, target, 'session')
  await admin.query(`insert into deployment (name, slug) values ('One', 'one'), ('Two', 'two')`)
  const { rows } = await admin.query('select min(id)::int as one, max(id)::int as two from deployment')
  const left = new pg.Client(pooler.url)
  await left.connect()
  await left.query({ name: 'read-as-tenant', text: 'select 1' })
  await left.query('set role gatehouse_worker')
  await left.query("select set_config('gatehouse.tenant', $1, false)", [String(rows[0].one)])
  await left.query('reset role')
  await left.query('create temp table deployment as select 42::bigint as id')
  const { pid } = (await left.query('select pg_backend_pid() as pid')).rows[0]
  await left.end()

  const db = createDatabase({ connectionString: pooler.url }, plainVault, {
    readers: 1,
    writers: 1,
    identity: 1,
    worker: 1,
  })
  t.after(() => db.close())
  const seen = await db.workerQuery(sql`select pg_backend_pid() as pid, current_user as role,
    coalesce(current_setting('gatehouse.tenant', true), '') as tenant, to_regclass('pg_temp.deployment') as planted`)
  assert.deepEqual(seen, [{ pid, role: 'gatehouse_worker', tenant: '', planted: null }])
  assert.deepEqual(await db.as({ deploymentId: rows[0].two }).query(sql`select id from deployment`), [
    { id: rows[0].two },
  ])
})

test('a server that goes away behind PgBouncer is lost, and not taken for a pooler in another mode', {
  skip: withoutPgBouncer,
}, async (t) => {
  const { target, admin } = await database(t)
  const pooler = await startPgBouncer(t, target, 'session')
  const opened: pg.Client[] = []
  const connect = async () => {
    const client = new pg.Client(pooler.url)
    client.on('error', () => {})
    await client.connect()
    const { rows } = await client.query('select pg_backend_pid() as pid')
    if (opened.push(client) === 2) await admin.query('select pg_terminate_backend($1)', [rows[0].pid])
    return client
  }
  await assert.rejects(refuseTransactionPooling(connect), (error) => !(error instanceof UnsafeConnection))
})

for (const mode of ['transaction', 'statement'] as const) {
  test(`PgBouncer in ${mode} mode is refused, with what to set`, { skip: withoutPgBouncer }, async (t) => {
    const { target } = await database(t)
    const pooler = await startPgBouncer(t, target, mode)
    await refused(t, pooler.url, /pooler in transaction mode.*pool_mode = session/)
  })
}

test('PgBouncer in transaction mode with one connection is refused at once, with what to set', {
  skip: withoutPgBouncer,
}, async (t) => {
  const { target, admin } = await database(t)
  const pooler = await startPgBouncer(t, target, 'transaction', 1)
  await refused(t, pooler.url, /pooler in transaction mode.*pool_mode = session/)
  const { rows } = await admin.query(`select from pg_locks where locktype = 'advisory'
    and database = (select oid from pg_database where datname = current_database())`)
  assert.equal(rows.length, 0, 'nothing of a start that was refused stays behind')
})

test('a pooler that has too few connections to give is named, with what to set', {
  skip: withoutPgBouncer,
}, async (t) => {
  const { target } = await database(t)
  const pooler = await startPgBouncer(t, target, 'session', 1)
  await assert.rejects(start(t, pooler.url), {
    name: 'DatabaseProblem',
    message: /not on others beside it.*default_pool_size/,
  })
})

test('a pooler that is switched to transaction mode is noticed: nothing is served until it is switched back', {
  skip: withoutPgBouncer,
}, async (t) => {
  const { target } = await database(t)
  const pooler = await startPgBouncer(t, target, 'session')
  const { call } = await start(t, pooler.url)
  const ready = async () => (await call('GET', '/api/readiness-check')).status
  assert.equal(await ready(), 200)
  await pooler.stop()
  await pooler.start('transaction')
  await poll('it is refused', async () => (await ready()) === 503 && (await sentenceOf(call)) === notSafe)
  await pooler.stop()
  await pooler.start('session')
  await poll('it serves again', async () => (await ready()) === 200)
})

const notSafe = 'The connection to the database is not safe, so nothing is served. The log of the server says why.'
const sentenceOf = async (call: ReturnType<typeof caller>) => (await call('GET', '/api/readiness-check')).body.detail

test('start-up options are not needed, so whoever strips them takes nothing away', async (t) => {
  const { target } = await database(t)
  const proxy = await startWireProxy(t, target)
  const { call, welcome } = await start(t, proxy.url)
  const path = `/api/repositories/v1/deployments/${welcome!.deploymentId}/repositories`
  assert.equal((await call('GET', path)).status, 200)
  const db = createDatabase({ connectionString: `${proxy.url}?options=-c%20role%3Dgatehouse` }, plainVault)
  t.after(() => db.close())
  assert.deepEqual(await db.as({ deploymentId: 999 }).query(sql`select current_user as role, id from deployment`), [])
  const [row] = await db.as({ deploymentId: 999 }).query(sql`select current_user as role`)
  assert.deepEqual(row, { role: 'gatehouse_app' })
  assert.equal(proxy.sawOptions, true)
})

const swallowed: [what: string, statement: string, says: RegExp][] = [
  ['the role of tenants', 'set role gatehouse_app;', /works as gatehouse and not as gatehouse_app/],
  ['the role of identities', 'set role gatehouse_identity;', /works as gatehouse and not as gatehouse_identity/],
  ['the role of workers', 'set role gatehouse_worker;', /works as gatehouse and not as gatehouse_worker/],
  ['the time-out of statements', 'set statement_timeout = 30000;', /another statement_timeout/],
  ['the time-out of idle transactions', 'set idle_in_transaction_session_timeout = 60000;', /another idle_in_trans/],
  ['read-only', 'set default_transaction_read_only = on;', /not read-only/],
]

test('whoever swallows one of the settings is found out, and nothing is served', async (t) => {
  const { target } = await database(t)
  const proxy = await startWireProxy(t, target)
  for (const [what, statement, says] of swallowed) {
    proxy.dropped = [statement]
    await t.test(what, () => refused(t, proxy.url, says))
  }
})

test('a login or database with defaults against us is refused', async (t) => {
  const { target, admin } = await database(t)
  const proxy = await startWireProxy(t, target)
  const cases: [setting: string, value: string, says: RegExp][] = [
    ['gatehouse.tenant', '1', /bound to a tenant already/],
    ['row_security', 'off', /row_security is off/],
  ]
  proxy.dropped = ['set row_security = on;']
  for (const [setting, value, says] of cases) {
    await admin.query(`alter database ${target.database} set ${setting} = '${value}'`)
    await refused(t, proxy.url, says)
    await admin.query(`alter database ${target.database} reset ${setting}`)
  }
})

test('what begins to swallow settings later stops the service, and its end brings it back', async (t) => {
  const { target } = await database(t)
  const proxy = await startWireProxy(t, target)
  const { call, welcome } = await start(t, proxy.url)
  const path = `/api/repositories/v1/deployments/${welcome!.deploymentId}/repositories`
  assert.equal((await call('GET', path)).status, 200)
  proxy.dropped = ['set default_transaction_read_only = on;']
  proxy.cut()
  await poll('reads are refused', async () => (await call('GET', path)).body.detail === notSafe)
  assert.equal((await call('GET', '/api/readiness-check')).status, 503)
  proxy.dropped = []
  await poll('it serves again', async () => (await call('GET', '/api/readiness-check')).status === 200)
  assert.equal((await call('GET', path)).status, 200)
})

async function secondTenant(call: ReturnType<typeof caller>, owner: { email: string; password: string }) {
  const login = { email: owner.email, password: owner.password }
  const signIn = async () => (await call('POST', '/api/auth/login', { as: '', body: login })).body.accessToken
  const made = await call('POST', '/api/deployments/v1/deployments', { as: await signIn(), body: { name: 'Second' } })
  const { id } = made.body.deployment
  const path = `/api/tokens/v1/deployments/${id}/tokens`
  const token = await call('POST', path, { as: await signIn(), body: { name: 'load', webApi: true } })
  return { id: id as number, as: token.body.secret as string }
}
