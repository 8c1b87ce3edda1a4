import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import pino from 'pino'
import { roleNames } from '../src/kernel/database/connections/connection.ts'
import { checkConnections } from '../src/kernel/database/connections/session-pooling.ts'
import { migrate } from '../src/kernel/database/migrations/migrate.ts'
import { startEmbedded } from '../src/postgres/embedded.ts'
import { runningConnection, serviceConnection } from '../src/postgres/process/running.ts'
import { madeFolder, removeData, temporaryFolder } from '../src/postgres/process/test-owner-process.ts'
import { serve } from '../src/serve.ts'
import { readSettings } from '../src/settings/settings.ts'
import { throwAwayDatabase } from './cluster.ts'
import { caller } from './gatehouse.ts'
import { databaseUrl } from './servers/real-process.ts'

type Target = Parameters<typeof databaseUrl>[0]

const start = (env: Record<string, string>) =>
  serve(readSettings({ PORT: '0', GATEHOUSE_FEED: 'none', ...env }), pino({ level: 'silent' }))

/** Everything by which a connection could become more than it is. */
const escapes = (owner: string, others: readonly string[]) => [
  `set role ${owner}`,
  `set session authorization ${owner}`,
  `select set_config('role', '${owner}', false)`,
  ...others.map((role) => `set role ${role}`),
  'alter role current_user superuser',
  'alter role current_user bypassrls',
  'create role planted superuser',
  `grant ${owner} to current_user`,
  'create table planted (n int)',
  'alter table audit_event disable row level security',
  'create or replace function current_deployment() returns bigint language sql return 1',
  "copy person to program 'true'",
  "select pg_read_file('postgresql.conf')",
  'alter system set fsync = off',
]

async function refusedAll(to: pg.ClientConfig, statements: string[]): Promise<void> {
  const client = new pg.Client(to)
  await client.connect()
  try {
    const passed: string[] = []
    for (const statement of statements) {
      await client.query('reset role')
      await client.query(statement).then(
        () => passed.push(statement),
        () => {},
      )
    }
    assert.deepEqual(passed, [])
  } finally {
    await client.end()
  }
}

test('the embedded database is served without its superuser, also one from before, and no login becomes more', async (t) => {
  const folder = await madeFolder()
  // From before: the roles are there, and only the superuser signs in.
  const old = await startEmbedded({ folder, log: () => {} })
  await migrate(old.connection)
  await old.stop()

  const running = await start({ GATEHOUSE_DATA: folder })
  t.after(async () => {
    await running.stop()
    await removeData(folder)
  })
  const call = caller(running.url, running.welcome!.token)
  assert.equal((await call('GET', '/api/tokens/v1/self')).status, 200)
  const owner = runningConnection(folder)!
  const admin = new pg.Client(owner)
  await admin.connect()
  // One that is still signing in has no name yet.
  const { rows } = await admin.query(`select distinct usename as login from pg_stat_activity
    where backend_type = 'client backend' and pid <> pg_backend_pid() and usename is not null`)
  await admin.end()
  const roles = Object.values(roleNames)
  assert.deepEqual(
    rows.map(({ login }) => login).filter((login) => !roles.includes(login)),
    [],
  )
  assert.ok(rows.length > 1)
  const { logins, serviceLogin: _, ...address } = serviceConnection(owner)
  for (const role of roles) {
    const others = roles.filter((each) => each !== role)
    await refusedAll({ ...address, ...logins![role] }, escapes(owner.user, others))
  }
})

async function withLogin(t: TestContext) {
  const { connection, drop } = await throwAwayDatabase()
  const owner = connection as Target
  const login = `service_${owner.database}`
  const admin = new pg.Client(connection)
  await admin.connect()
  await admin.query(`create role ${login} login noinherit password 'secret'`)
  const folder = temporaryFolder()
  t.after(async () => {
    await admin.query(`drop role ${login}`)
    await admin.end()
    await drop()
    rmSync(folder, { recursive: true, force: true })
  })
  return { owner, admin, login, folder, service: { ...owner, user: login, password: 'secret' } }
}

test('a login for service alone gets the roles and nothing else', async (t) => {
  const { owner, service, folder } = await withLogin(t)
  const env = { DATABASE_URL: databaseUrl(service), GATEHOUSE_MIGRATION_DATABASE_URL: databaseUrl(owner) }
  const running = await start({ ...env, GATEHOUSE_DATA: folder })
  const call = caller(running.url, running.welcome!.token)
  assert.equal((await call('GET', '/api/tokens/v1/self')).status, 200)
  await running.stop()
  await refusedAll(service, [...escapes(owner.user, []), 'select 1 from person', 'select 1 from outbox'])
})

test('a login that is more than a login for service is refused', async (t) => {
  const { owner, admin, login, service, folder } = await withLogin(t)
  const env = { GATEHOUSE_MIGRATION_DATABASE_URL: databaseUrl(owner), GATEHOUSE_DATA: folder }
  const tooMuch = /login owns tables of Gatehouse or could get more rights/
  await assert.rejects(start({ ...env, DATABASE_URL: databaseUrl(owner) }), tooMuch)
  const asService = () => start({ ...env, DATABASE_URL: databaseUrl(service) })
  await admin.query(`alter role ${login} createrole`)
  await assert.rejects(asService(), tooMuch)
  await admin.query(`alter role ${login} nocreaterole`)
  // What it does not have itself it may take by SET ROLE.
  const more = `more_${owner.database}`
  await admin.query(`create role ${more} bypassrls`)
  try {
    for (const role of [more, 'pg_execute_server_program']) {
      await admin.query(`grant ${role} to ${login}`)
      await assert.rejects(asService(), tooMuch, role)
      await admin.query(`revoke ${role} from ${login}`)
    }
  } finally {
    await admin.query(`drop role ${more}`)
  }
})

test('a role that has got too much is refused', async (t) => {
  // In a cluster of its own, because roles belong to all databases of one.
  const folder = await madeFolder()
  const database = await startEmbedded({ folder, log: () => {} })
  await migrate(database.connection)
  const admin = new pg.Client(database.connection)
  await admin.connect()
  t.after(async () => {
    await admin.end()
    await database.stop()
    await removeData(folder)
  })
  await admin.query('create role landlord')
  await admin.query('alter table tag owner to landlord')
  await admin.query('grant landlord to gatehouse_app with inherit false, set true')
  const env = { DATABASE_URL: databaseUrl(database.connection), GATEHOUSE_DATA: temporaryFolder() }
  await assert.rejects(start(env), /has the rights of the tables' owner/)
  await admin.query('revoke landlord from gatehouse_app')
  await checkConnections(database.connection)
  const bypasses = /gatehouse_app, or one that it may take, bypasses row-level security/
  await admin.query('alter role landlord bypassrls')
  await admin.query('alter table tag owner to current_user')
  await admin.query('grant landlord to gatehouse_app with inherit false, set true')
  await assert.rejects(checkConnections(database.connection), bypasses)
  await admin.query('revoke landlord from gatehouse_app')
  await checkConnections(database.connection)
  await admin.query('alter role gatehouse_app bypassrls')
  await assert.rejects(checkConnections(database.connection), bypasses)
})
