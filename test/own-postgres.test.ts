import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, test } from 'node:test'
import pg from 'pg'
import pino from 'pino'
import { migrate } from '../src/kernel/database/migrations/migrate.ts'
import { type EmbeddedPostgres, startEmbedded } from '../src/postgres/embedded.ts'
import { madeFolder, removeData, temporaryFolder } from '../src/postgres/process/test-owner-process.ts'
import { serve } from '../src/serve.ts'
import { readSettings } from '../src/settings/settings.ts'
import { caller } from './gatehouse.ts'
import { databaseUrl } from './servers/real-process.ts'

// Of its own, because roles belong to all databases of a server, and others have made those of Gatehouse before.
let folder: string
let server: EmbeddedPostgres
let admin: pg.Client
before(async () => {
  folder = await madeFolder()
  server = await startEmbedded({ folder, log: () => {} })
  admin = new pg.Client(server.connection)
  await admin.connect()
})
after(async () => {
  await admin.end()
  await server.stop()
  removeData(folder)
})

const as = (user: string, database: string) => ({ ...server.connection, user, password: 'secret', database })

async function isServed(env: Record<string, string>): Promise<void> {
  const data = temporaryFolder()
  const settings = readSettings({ PORT: '0', GATEHOUSE_FEED: 'none', GATEHOUSE_DATA: data, ...env })
  const running = await serve(settings, pino({ level: 'silent' }))
  try {
    const call = caller(running.url, running.welcome!.token)
    assert.equal((await call('GET', '/api/tokens/v1/self')).status, 200)
  } finally {
    await running.stop()
    rmSync(data, { recursive: true, force: true })
  }
}

const forgetRoles = 'drop role if exists gatehouse_app, gatehouse_identity, gatehouse_worker'

test('an administrator runs what the message says, and a login without the right to make roles serves', async () => {
  await admin.query(`create role "Plain Owner" login password 'secret'`)
  await admin.query('create database plain owner "Plain Owner"')
  // Another Gatehouse on the server made one of them.
  await admin.query('create role gatehouse_app nologin')
  const owner = as('Plain Owner', 'plain')
  const sentence = await migrate({ ...owner, setting: 'GATEHOUSE_MIGRATION_DATABASE_URL' }).then(
    () => '',
    ({ message }: Error) => message,
  )
  const [, statements = ''] = /^The user in GATEHOUSE_MIGRATION_DATABASE_URL .* to run: (.+)$/.exec(sentence) ?? []
  await admin.query(statements)
  await isServed({ DATABASE_URL: databaseUrl(owner) })
  await admin.query('drop database plain with (force)')
  await admin.query(forgetRoles)
})

test('a login that may make roles, and is no superuser, owns the schema and serves', async () => {
  await admin.query(`create role making login createrole password 'secret'`)
  await admin.query('create database one owner making')
  await isServed({ DATABASE_URL: databaseUrl(as('making', 'one')) })
  await admin.query('drop database one with (force)')
  await admin.query(forgetRoles)
})

test('a login that was given the roles without the right to take them gets that too, also after the migrations', async () => {
  await admin.query(`create role giving login createrole password 'secret'`)
  await admin.query(`create role serving login noinherit password 'secret'`)
  await admin.query('create database two owner giving')
  const owner = as('giving', 'two')
  await migrate(owner)
  await admin.query('revoke gatehouse_app, gatehouse_identity, gatehouse_worker from giving granted by giving')
  await isServed({ DATABASE_URL: databaseUrl(owner) })
  await admin.query(
    'grant gatehouse_app, gatehouse_identity, gatehouse_worker to serving with inherit false, set false',
  )
  const env = { DATABASE_URL: databaseUrl(as('serving', 'two')), GATEHOUSE_MIGRATION_DATABASE_URL: databaseUrl(owner) }
  await migrate(owner, { connectionString: env.DATABASE_URL, serviceLogin: true })
  const client = new pg.Client(as('serving', 'two'))
  await client.connect()
  await client.query('set role gatehouse_app')
  await client.end()
  await admin.query('drop database two with (force)')
})

for (const encoding of ['SQL_ASCII', 'LATIN1']) {
  test(`nothing is made in a database that stores text as ${encoding}`, async () => {
    const name = encoding.toLowerCase()
    const locale = "locale_provider libc locale 'C'"
    await admin.query(`create database ${name} encoding '${encoding}' ${locale} template template0`)
    const to = { ...server.connection, database: name }
    await assert.rejects(
      migrate(to),
      new RegExp(`stores text as ${encoding}, and UTF8 is needed\\. Nothing was changed`),
    )
    const client = new pg.Client(to)
    await client.connect()
    const { rows } = await client.query("select relname from pg_class where relnamespace = 'public'::regnamespace")
    await client.end()
    assert.deepEqual(rows, [])
  })
}
