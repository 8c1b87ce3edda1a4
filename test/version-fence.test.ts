import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import sql from 'sql-template-tag'
import { openSession } from '../src/backup/session.ts'
import { systemActor } from '../src/kernel/access/actor.ts'
import { bindTenant } from '../src/kernel/database/connections/prepared-query.ts'
import { connectSecurely } from '../src/kernel/database/connections/secure-session.ts'
import { sessions } from '../src/kernel/database/connections/session-pooling.ts'
import { createDatabase } from '../src/kernel/database/database.ts'
import { type MigrateOptions, migrate, pendingMigrations } from '../src/kernel/database/migrations/migrate.ts'
import { migrationFolder, readMigrations, schemaLevel } from '../src/kernel/database/migrations/migration-files.ts'
import { throwAwayDatabase } from './cluster.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'
import { startWireProxy } from './outside/wire-proxy.ts'
import { plainVault } from './plain-vault.ts'
import { poll } from './servers/real-process.ts'

const newer = schemaLevel + 1

async function openWithAdmin(t: TestContext): Promise<TestGatehouse & { admin: pg.Client }> {
  const gatehouse = await openGatehouse()
  t.after(() => gatehouse.close())
  return { ...gatehouse, admin: await adminOf(t, gatehouse.connection as pg.ClientConfig) }
}

async function adminOf(t: TestContext, connection: pg.ClientConfig): Promise<pg.Client> {
  const admin = new pg.Client(connection)
  admin.on('error', () => {})
  await admin.connect()
  t.after(() => admin.end())
  return admin
}

/** Our migrations, and one more of a release to come. */
function nextRelease(t: TestContext, text: string): MigrateOptions {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-next-'))
  t.after(() => rmSync(folder, { recursive: true }))
  cpSync(migrationFolder, folder, { recursive: true })
  writeFileSync(join(folder, `${String(newer).padStart(4, '0')}_next.sql`), text)
  return { folder, waitMs: 0 }
}

const contract = 'alter table team rename column name to shown_name;'
const expand = `-- compatible-with: ${String(schemaLevel).padStart(4, '0')}\nalter table team add column motto text;`
const sentence = /A newer Gatehouse has taken over the database, and this process is too old for its schema/
const raise = `update schema_fence set oldest = ${newer}`
const lower = `update schema_fence set oldest = ${schemaLevel}`
const teams = '/api/permissions/v2/deployments/1/teams'
const sees = async (admin: pg.Client, column: string) =>
  (await admin.query(`select from pg_attribute where attrelid = 'team'::regclass and attname = $1`, [column])).rowCount

test('an overtaken process writes nothing, reads nothing and is not ready, whatever it notices by itself', async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const admin = await adminOf(t, connection as pg.ClientConfig)
  await admin.query(`insert into deployment (id, name, slug) values (1, 'One', 'one')`)
  const db = createDatabase(connection, plainVault)
  t.after(() => db.close())
  const actor = systemActor(1, 'test')
  const ways: [string, () => Promise<unknown>][] = [
    ['a tenant writes', () => db.transaction(actor, (tx) => tx.query(sql`select 1`))],
    ['a tenant writes, and asks for nothing', () => db.transaction(actor, async () => {})],
    ['a tenant reads', () => db.as(actor).query(sql`select 1`)],
    ['identities are written', () => db.identity((tx) => tx.query(sql`select 1`))],
    ['identities are asked', () => db.identityQuery(sql`select 1`)],
    ['the queue is written', () => db.worker((tx) => tx.query(sql`select 1`))],
    ['the queue is asked', () => db.workerQuery(sql`select 1`)],
  ]
  for (const [what, use] of ways) {
    await use()
    await admin.query(raise)
    // At once: nobody has had time to look.
    const refused = await use().then(
      () => `${what} all the same`,
      (error: Error) => error.message,
    )
    await admin.query(lower)
    assert.match(refused, sentence, what)
    await poll('it serves again', () =>
      use().then(
        () => true,
        () => false,
      ),
    )
  }
})

test('a process that is overtaken says so and turns not ready by itself, and serves again when it may', async (t) => {
  const { call, admin } = await openWithAdmin(t)
  const ready = async () => (await call('GET', '/api/readiness-check')).status
  await admin.query(raise)
  await poll('it is not ready', async () => (await ready()) === 503)
  assert.match((await call('GET', '/api/readiness-check')).body.detail, sentence)
  const [read, written] = [await call('GET', teams), await call('POST', teams, { body: { team: { name: 'Late' } } })]
  assert.deepEqual([read.status, written.status], [503, 503])
  assert.equal((await admin.query(`select from team where name = 'Late'`)).rowCount, 0)
  await admin.query(lower)
  await poll('it is ready', async () => (await ready()) === 200)
})

test('a migration that a running process would not survive is refused, names it, and changes nothing', async (t) => {
  const { call, admin, connection } = await openWithAdmin(t)
  await poll('it has said what it is', async () => (await levels(admin)).length === 1)
  const level = String(schemaLevel).padStart(4, '0')
  await assert.rejects(migrate(connection, undefined, nextRelease(t, contract)), {
    name: 'DatabaseProblem',
    message: new RegExp(
      `An older Gatehouse still works on the database.*server process \\d+, knows migrations up to ${level}.*Stop it`,
    ),
  })
  assert.equal(await sees(admin, 'name'), 1)
  assert.equal((await call('POST', teams, { body: { team: { name: 'Still' } } })).status, 200)
})

test('it waits for such a process to end, and then goes ahead', async (t) => {
  const gatehouse = await openGatehouse()
  t.after(() => gatehouse.clear())
  const admin = await adminOf(t, gatehouse.connection as pg.ClientConfig)
  await poll('it has said what it is', async () => (await levels(admin)).length === 1)
  const migrating = migrate(gatehouse.connection, undefined, { ...nextRelease(t, contract), waitMs: 120_000 })
  await poll('it waits', async () => {
    const { rowCount } = await admin.query(`select from pg_stat_activity where application_name = 'gatehouse migrate'
      and datname = current_database() and query like '%pg_locks%'`)
    return rowCount === 1
  })
  assert.equal(await sees(admin, 'name'), 1)
  await gatehouse.stop()
  assert.equal((await migrating).applied.length, 1)
  assert.equal(await sees(admin, 'name'), 0)
  assert.equal((await admin.query('select oldest from schema_fence')).rows[0].oldest, newer)
  // Whoever comes now with the older release.
  const refused = /migrated by a newer Gatehouse \(\d+_next.sql\)/
  await assert.rejects(migrate(gatehouse.connection), refused)
  await assert.rejects(pendingMigrations(gatehouse.connection), refused, 'doctor and other commands say so too')
})

test('a migration that says what it is compatible with goes ahead beside running processes, which start again too', async (t) => {
  const { call, admin, connection, anotherProcess } = await openWithAdmin(t)
  assert.equal((await migrate(connection, undefined, nextRelease(t, expand))).applied.length, 1)
  assert.equal(await sees(admin, 'motto'), 1)
  assert.equal((await call('POST', teams, { body: { team: { name: 'Beside' } } })).status, 200)
  assert.deepEqual((await migrate(connection)).applied, [])
  const again = await anotherProcess()
  assert.equal((await again.call('GET', teams)).status, 200)
  await again.close()
})

test('while another process migrates, one that has nothing to migrate starts; one that has waits, and says for whom', {
  timeout: 60_000,
}, async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const other = await adminOf(t, connection as pg.ClientConfig)
  const { pid } = (await other.query('select pg_backend_pid() as pid, pg_advisory_lock(4283746501)')).rows[0]
  assert.deepEqual((await migrate(connection)).applied, [])
  const { call, close } = await openGatehouse({ connection })
  t.after(close)
  assert.equal((await call('GET', '/api/readiness-check')).status, 200)

  const told = Promise.withResolvers<string>()
  const migrating = migrate(connection, undefined, { ...nextRelease(t, expand), tell: told.resolve })
  assert.match(await told.promise, new RegExp(`Another process changes the schema .*server process ${pid}\\).*waits`))
  assert.equal(await sees(other, 'motto'), 0)
  await other.query('select pg_advisory_unlock(4283746501)')
  assert.equal((await migrating).applied.length, 1)
})

test('a transaction that is under way ends before the schema changes below it, and none begins after', async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const admin = await adminOf(t, connection as pg.ClientConfig)
  await admin.query(`insert into deployment (id, name, slug) values (1, 'One', 'one')`)
  // Of a process that does not say what it is: its session for that was lost.
  const writer = await connectSecurely(connection, sessions.writer)
  t.after(() => writer.end())
  const begin = () => Promise.all([writer.query('begin'), bindTenant(writer, 1)])
  await begin()
  const options = { ...nextRelease(t, contract), lockTimeoutMs: 100 }
  const migrating = migrate(connection, undefined, options)
  await poll('it waits for the transaction', async () => {
    const { rowCount } = await admin.query(`select from pg_locks l join pg_database d on d.oid = l.database
      where d.datname = current_database() and locktype = 'advisory' and objsubid = 1 and not granted`)
    return rowCount! > 0
  })
  await writer.query(`insert into repository (deployment_id, name, default_branch) values (1, 'before', 'main')`)
  await writer.query('commit')
  await migrating
  assert.deepEqual((await admin.query('select name from repository')).rows, [{ name: 'before' }])
  await assert.rejects(begin(), { code: 'GH001' })
})

async function levels(admin: pg.Client): Promise<unknown[]> {
  const { rows } = await admin.query(`select objid from pg_locks l join pg_database d on d.oid = l.database
    where d.datname = current_database() and locktype = 'advisory' and objsubid = 2 and classid = 428374650`)
  return rows
}

test('a migration gives way to who holds a lock for long, and tries again after a deadlock', async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const holder = await adminOf(t, connection as pg.ClientConfig)
  const admin = await adminOf(t, connection as pg.ClientConfig)
  const both = `-- compatible-with: ${String(schemaLevel).padStart(4, '0')}
    lock table ruleboard; lock table team; alter table team add column motto text;`
  await holder.query('begin')
  await holder.query('lock table team in access share mode')
  const migrating = migrate(connection, undefined, { ...nextRelease(t, both), lockTimeoutMs: 100 })
  const waits = async () =>
    (await admin.query(`select from pg_locks where relation = 'team'::regclass and not granted`)).rowCount === 1
  await poll('it waits', waits)
  // Others pass: while it waits for good, whoever comes after it would wait too.
  await admin.query('select from team')
  // Whoever holds what it wants, and wants what it holds.
  await poll('it holds the first again', waits)
  await holder.query('lock table ruleboard in access share mode').catch(() => {})
  await holder.query('rollback')
  assert.equal((await migrating).applied.length, 1)
  assert.equal(await sees(admin, 'motto'), 1)
})

test('a migration that is called off ends while it waits, and changes nothing', async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const holder = await adminOf(t, connection as pg.ClientConfig)
  await holder.query('begin; lock table team in access share mode')
  const control = new AbortController()
  const { signal } = control
  const options = { ...nextRelease(t, expand), lockTimeoutMs: 3_600_000, signal }
  const migrating = migrate(connection, undefined, options)
  migrating.catch(() => {})
  const waits = `select from pg_locks where relation = 'team'::regclass and not granted`
  await poll('it waits', async () => (await holder.query(waits)).rowCount === 1)
  control.abort()
  await assert.rejects(migrating, { name: 'AbortError' })
  await holder.query('commit')
  assert.equal(await sees(holder, 'motto'), 0)
})

test('one that is called off does not wait for a database that says nothing, and TCP looks after its connection', {
  timeout: 60_000,
}, async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const proxy = await startWireProxy(t, connection as Parameters<typeof startWireProxy>[1])
  const to = { connectionString: proxy.url }
  const kept = t.mock.method(Socket.prototype, 'setKeepAlive')
  await migrate(to)
  assert.ok(kept.mock.callCount() >= 3)
  for (const { arguments: given } of kept.mock.calls) assert.deepEqual(given, [true, 10_000])
  const holder = await adminOf(t, connection as pg.ClientConfig)
  await holder.query('select pg_advisory_lock(4283746501)')
  const control = new AbortController()
  const { signal } = control
  const told = Promise.withResolvers<string>()
  const options = { ...nextRelease(t, expand), goodbyeMs: 50, signal, tell: told.resolve }
  const migrating = migrate(to, undefined, options)
  migrating.catch(() => {})
  await told.promise
  proxy.isSilent = true
  control.abort()
  await assert.rejects(migrating, { name: 'AbortError' })
})

test('a migration waits for a backup without holding up others, says so, and is refused with its name when it takes too long', async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const admin = await adminOf(t, connection as pg.ClientConfig)
  const options = { ...nextRelease(t, expand), lockTimeoutMs: 50 }
  // Some of that name only keep a place, and are in nobody's way.
  const keeper = await openSession(connection)
  await keeper.client.query('select pg_advisory_lock(1)')
  t.after(() => keeper.end())
  const backup = await openSession(connection)
  t.after(() => backup.end())
  await backup.client.query('begin; lock table team in access share mode')
  const who = /\(gatehouse backup, [^,]+, server process \d+, since [^;]+Z\)/
  await assert.rejects(migrate(connection, undefined, { ...options, backupWaitMs: 0 }), ({ name, message }: Error) => {
    assert.equal(name, 'DatabaseProblem')
    assert.match(message, who)
    assert.match(message, /a backup reads the tables and had not ended.* stop it/)
    return true
  })
  assert.equal(await sees(admin, 'motto'), 0)

  const told = Promise.withResolvers<string>()
  const migrating = migrate(connection, undefined, { ...options, tell: told.resolve })
  assert.match(await told.promise, /waits for a backup to end, for at most 60 minutes/)
  assert.match(await told.promise, who)
  // Nobody queues behind it.
  const queue = `select from pg_locks where relation = 'team'::regclass and not granted`
  for (let look = 0; look < 100; look++) assert.equal((await admin.query(queue)).rowCount, 0)
  await backup.client.query('commit')
  assert.equal((await migrating).applied.length, 1)
  assert.equal(await sees(admin, 'motto'), 1)
})

test('so does the build of an index, which would wait for it without a word', async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const text = `-- compatible-with: ${String(schemaLevel).padStart(4, '0')}
-- outside-a-transaction
create index concurrently team_mottos on team (name);`
  const backup = await openSession(connection)
  t.after(() => backup.end())
  await backup.client.query('begin; lock table ruleboard in access share mode')
  const options = nextRelease(t, text)
  await assert.rejects(
    migrate(connection, undefined, { ...options, backupWaitMs: 0 }),
    /was not applied: a backup reads the tables/,
  )
  await backup.client.query('commit')
  assert.equal((await migrate(connection, undefined, options)).applied.length, 1)
})

test('every migration that names what it is compatible with names one before it', () => {
  const migrations = readMigrations()
  assert.equal(migrations.find(({ name }) => name.startsWith('0065'))!.oldest, 65)
  for (const { name, text, oldest } of migrations) {
    assert.ok(oldest <= Number.parseInt(name, 10), name)
    const said = text.match(/compatible-with/g)?.length ?? 0
    assert.ok(said <= 1 && (said === 0 || oldest < Number.parseInt(name, 10)), `${name}: -- compatible-with: NNNN`)
  }
})

test('what tells older processes that they are too old tells a process of today nothing', async (t) => {
  const { connection, drop } = await throwAwayDatabase(false)
  t.after(drop)
  await migrate(connection as Parameters<typeof migrate>[0])
  const admin = await adminOf(t, connection as pg.ClientConfig)
  const { rows } = await admin.query("select current_setting('gatehouse.deployment', true) as told")
  assert.notEqual(rows[0].told, '')
  const db = createDatabase(connection as Parameters<typeof createDatabase>[0], plainVault)
  t.after(() => db.close())
  // Beside the policy of its own, that of tenants is looked at: it asks which tenant this is.
  await db.workerQuery(sql`delete from automation_run where created_at < now() - interval '90 days'`)
})
