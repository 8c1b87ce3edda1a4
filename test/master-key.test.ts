import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync, readFileSync, renameSync } from 'node:fs'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { sarifLog } from '../src/capabilities/findings/test-log.ts'
import { multipart, scansPath } from '../src/capabilities/scans/test-upload.ts'
import { runDoctorChecks } from '../src/cli/doctor/doctor-checks.ts'
import { composeCore } from '../src/compose/core.ts'
import { systemClock } from '../src/kernel/time/clock.ts'
import { readSettings, type Settings } from '../src/settings/settings.ts'
import { openMasterKey } from '../src/start/master-key.ts'
import { throwAwayDatabase } from './cluster.ts'
import {
  databaseUrl,
  dataFolder,
  poll,
  type RealServer,
  root,
  startProcess,
  startServer,
} from './servers/real-process.ts'

const newKey = () => randomBytes(32).toString('base64')
const limit = { timeout: 240_000 }

async function place(t: TestContext) {
  const database = await throwAwayDatabase()
  const admin = new pg.Client(database.connection)
  await admin.connect()
  const folder = dataFolder(t)
  t.after(async () => {
    await admin.end()
    await database.drop()
  })
  const url = databaseUrl(database.connection as Parameters<typeof databaseUrl>[0])
  return { admin, folder, env: { DATABASE_URL: url, GATEHOUSE_DATA: folder } }
}

function rotate(env: Record<string, string>) {
  const node = [process.execPath, '--disable-warning=ExperimentalWarning', `${root}/src/main.ts`]
  return startProcess(env, [...node, 'keys', 'rotate', '--master'])
}

async function rotated(env: Record<string, string>): Promise<string> {
  const run = rotate(env)
  assert.equal(await run.ended, 0, run.log() + run.output())
  return run.output()
}

async function refused(env: Record<string, string>): Promise<string> {
  const run = rotate(env)
  assert.equal(await run.ended, 1, run.output())
  return run.log()
}

const configs = '/api/agent/deployments/1/packagemanagerauthconfigs'
const config = {
  packageManagerConfigForInsert: {
    config: { name: 'npm', url: 'https://r.example.com', ecosystem: 'npm' },
    npm: { token: 'canary' },
  },
}
const once = { body: config, headers: { 'idempotency-key': 'one' } }

/** Sends the log of a secret scanner; how many of its findings are new. */
async function scan(server: RealServer, as: string, commit: string): Promise<number> {
  const results = Array.from({ length: 3 }, (_, n) => ({
    rule: 'aws',
    path: `.env${n}`,
    code: `AKIAQYLPMN5HHHFPZAM${n}`,
  }))
  const body = multipart(
    { repository: 'shop/one', ref: 'main', commit },
    { 'log.sarif': sarifLog({ tool: 'gitleaks', results }) },
  )
  const headers = {
    authorization: `Bearer ${as}`,
    'content-type': 'multipart/form-data; boundary=Boundary-7f3a',
  }
  const answer = await fetch(server.url + scansPath(1), { method: 'POST', headers, body: new Uint8Array(body) })
  const receipt = (await answer.json()) as { files: { findings: { raised: number } }[] }
  assert.equal(answer.status, 200, JSON.stringify(receipt))
  return receipt.files[0]!.findings.raised
}

test(
  'findings, stored secrets, cursors and repetitions outlive a change; processes with the former key end',
  limit,
  async (t) => {
    const { admin, env } = await place(t)
    const [former, next] = [newKey(), newKey()]
    const old = await startServer({ ...env, GATEHOUSE_KEY: former })
    const token = old.welcome.token!
    assert.equal(await scan(old, token, '1111111'), 3)
    const made = await old.call('POST', configs, once)
    const search = (cursor?: string) => ({ body: { filter: {}, pageSize: 2, ...(cursor ? { cursor } : {}) } })
    const first = await old.call('POST', '/api/findings/1/findings/search', search())
    assert.deepEqual([made.status, first.status, first.body.findings.length], [200, 200, 2], JSON.stringify(first.body))
    // As older versions left it, which derived what they needed from the master key each time.
    await admin.query(`delete from data_key where scope like 'kept:%'`)
    await admin.query('delete from master_key')

    assert.match(await refused({ ...env, GATEHOUSE_KEY: former }), /GATEHOUSE_NEW_KEY/)
    assert.match(await refused({ ...env, GATEHOUSE_KEY: former, GATEHOUSE_NEW_KEY: former }), /in use/)
    assert.match(await refused({ ...env, GATEHOUSE_KEY: former, GATEHOUSE_NEW_KEY: 'short' }), /GATEHOUSE_NEW_KEY/)
    const told = await rotated({ ...env, GATEHOUSE_KEY: former, GATEHOUSE_NEW_KEY: next })
    assert.ok(!told.includes(next) && !told.includes(former), 'no key is printed')
    assert.equal(await old.ended, 1)
    assert.match(old.log(), /The master key was changed/)

    const stale = startProcess({ ...env, GATEHOUSE_KEY: former })
    assert.equal(await stale.ended, 1)
    assert.match(stale.output(), /does not open under this master key\. Check that GATEHOUSE_KEY/)
    const server = await startServer({ ...env, GATEHOUSE_KEY: next }, token)
    assert.equal(await scan(server, token, '2222222'), 0, 'the same secrets are the same findings')
    assert.deepEqual((await server.call('POST', configs, once)).body, made.body)
    const rest = await server.call('POST', '/api/findings/1/findings/search', search(first.body.cursor))
    assert.deepEqual([rest.status, rest.body.findings.length], [200, 1], JSON.stringify(rest.body))
    const signedIn = await server.call('POST', '/api/auth/login', {
      as: '',
      body: { email: old.welcome.email, password: old.welcome.password },
    })
    assert.equal(signedIn.status, 200, 'the keys that sign tokens open')
    const again = await rotated({ ...env, GATEHOUSE_KEY: former, GATEHOUSE_NEW_KEY: next })
    assert.match(again, /already/)
    const audit = await server.call('GET', '/api/audit/v1/deployments/1/events')
    assert.ok(audit.body.events.some(({ action }: { action: string }) => action === 'keys.rotate-master'))
    server.child.kill('SIGTERM')
    assert.equal(await server.ended, 0)
  },
)

test(
  'a change in the data folder that is killed at any point is ended by the next run or the next start',
  limit,
  async (t) => {
    const { admin, folder, env } = await place(t)
    const key = () => readFileSync(join(folder, 'key'), 'utf8')
    const files = () => readdirSync(folder).filter((name) => name.startsWith('key'))
    const first = await startServer(env)
    first.child.kill('SIGTERM')
    await first.ended
    const former = key()

    // Before the database knows of it.
    await admin.query('begin')
    await admin.query('select from master_key for update')
    const early = rotate(env)
    await poll('it waits', async () => (await waiting(admin)) > 0)
    early.child.kill('SIGKILL')
    await early.ended
    await admin.query('rollback')
    assert.deepEqual([key(), files()], [former, ['key', 'key.next']])
    const next = readFileSync(join(folder, 'key.next'), 'utf8')
    const untouched = await startServer(env, first.welcome.token)
    untouched.child.kill('SIGTERM')
    assert.equal(await untouched.ended, 0)

    // In the middle of it, with a server beside: some keys are wrapped by the next one, and nothing is committed.
    await admin.query('begin')
    await admin.query('select from data_key order by scope desc, version desc limit 1 for update')
    const beside = await startServer(env, first.welcome.token)
    const amid = rotate(env)
    await poll('it waits', async () => (await changing(admin, 'Lock')) > 0)
    amid.child.kill('SIGKILL')
    await amid.ended
    await admin.query('rollback')
    await poll('its transaction is gone', async () => (await changing(admin)) === 0)
    assert.deepEqual([key(), files()], [former, ['key', 'key.next']])
    assert.equal((await beside.call('POST', configs, { body: config })).status, 200, 'it seals with the former key')
    beside.child.kill('SIGTERM')
    assert.equal(await beside.ended, 0)
    assert.equal(await auditedChanges(admin), 1, 'who tried is on record')

    // After the database knows of it, and before the file does: as if the last step had not been reached.
    await rotated(env)
    const kept = files().find((name) => name !== 'key')!
    renameSync(join(folder, 'key'), join(folder, 'key.next'))
    renameSync(join(folder, kept), join(folder, 'key'))
    assert.deepEqual([key(), files()], [former, ['key', 'key.next']])
    const server = await startServer(env, first.welcome.token)
    assert.equal(key(), next, 'the key that the first run made')
    assert.equal(files().length, 2)
    assert.equal(readFileSync(join(folder, files().find((name) => name !== 'key')!), 'utf8'), former)
    assert.equal((await server.call('POST', configs, { body: config })).status, 200)
    server.child.kill('SIGTERM')
    assert.equal(await server.ended, 0)
    assert.equal(await auditedChanges(admin), 2)
  },
)

async function auditedChanges(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query(
    `select count(*)::int as count from audit_event where action = 'keys.rotate-master'`,
  )
  return rows[0].count
}

/** How many change the master key at this moment: all, or those that wait for this, such as a lock. */
async function changing(admin: pg.Client, waitsFor = '%'): Promise<number> {
  // Within a transaction, what was read of the activity first is read again.
  await admin.query('select pg_stat_clear_snapshot()')
  const { rows } = await admin.query(
    `select count(*)::int as count from pg_stat_activity
    where datname = current_database() and state <> 'idle' and pid <> pg_backend_pid() and query like '%data_key held%'
      and coalesce(wait_event_type, '') like $1`,
    [waitsFor],
  )
  return rows[0].count
}

async function waiting(admin: pg.Client): Promise<number> {
  const { rows } = await admin.query(`select count(distinct pid)::int as count from pg_locks
    where not granted and (database is null or database = (select oid from pg_database where datname = current_database()))`)
  return rows[0].count
}

test('without the master key of its database nothing starts, and none is made in its place', async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const folder = dataFolder(t)
  const settings = readSettings({ GATEHOUSE_DATA: folder })
  const masterKey = await openMasterKey(settings, connection)
  const { db, ring } = composeCore({ connection, masterKey, clock: systemClock })
  try {
    await ring.keep('anything')
  } finally {
    await db.close()
  }
  assert.deepEqual(await openMasterKey(settings, connection), masterKey)
  // As after a restore.
  renameSync(join(folder, 'key'), join(folder, 'elsewhere'))
  await assert.rejects(openMasterKey(settings, connection), /^VaultError: There is no master key here/)
  const checked = await doctorOnKey({ ...settings, databaseUrl: databaseUrl(connection as never) })
  assert.match(checked, /^problem it is missing: .* put it into .*key \(mode 0600\), or set GATEHOUSE_KEY to it\.$/)
  assert.deepEqual(readdirSync(folder), ['elsewhere'])
})

test('doctor asks for no master key where the first start has yet to make it', async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const folder = dataFolder(t)
  const settings = readSettings({ GATEHOUSE_DATA: folder })
  const none = 'ok there is none yet; the first start makes it'
  // As a first start leaves it that failed after its migrations.
  assert.equal(await doctorOnKey({ ...settings, databaseUrl: databaseUrl(connection as never) }), none)
  assert.equal(await doctorOnKey(settings), none, 'and where it failed before')
  const away = await doctorOnKey({ ...settings, databaseUrl: 'postgres://nobody@127.0.0.1:1/none' })
  assert.match(away, /^warning there is none here, and the database does not say/)
  assert.deepEqual(readdirSync(folder), [])
})

async function doctorOnKey(settings: Settings): Promise<string> {
  const { state, detail, advice = '' } = (await runDoctorChecks(settings)).find(({ part }) => part === 'master key')!
  return `${state} ${detail} ${advice}`.trim()
}
