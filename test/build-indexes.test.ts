import assert from 'node:assert/strict'
import { cpSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { type MigrateOptions, migrate } from '../src/kernel/database/migrations/migrate.ts'
import { migrationFolder, readMigrations, schemaLevel } from '../src/kernel/database/migrations/migration-files.ts'
import { throwAwayDatabase } from './cluster.ts'
import { poll } from './servers/real-process.ts'

const level = (number: number) => String(number).padStart(4, '0')
const next = `${level(schemaLevel + 1)}_next.sql`
const build = `-- compatible-with: ${level(schemaLevel)}
-- outside-a-transaction
create index concurrently setting_by_value on setting (value);`

function nextRelease(t: TestContext, text: string): MigrateOptions {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-next-'))
  t.after(() => rmSync(folder, { recursive: true }))
  cpSync(migrationFolder, folder, { recursive: true })
  writeFileSync(join(folder, next), text)
  return { folder, waitMs: 0 }
}

async function open(t: TestContext) {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const clients: pg.Client[] = []
  t.after(() => Promise.all(clients.map((client) => client.end())))
  const connect = async () => {
    const client = new pg.Client(connection as pg.ClientConfig)
    client.on('error', () => {})
    clients.push(client)
    await client.connect()
    return client
  }
  const admin = await connect()
  await admin.query('create table setting (name text primary key, value text)')
  return { connection, connect, admin }
}

const isValid = async (admin: pg.Client): Promise<boolean | undefined> =>
  (await admin.query(`select indisvalid as valid from pg_index where indexrelid = to_regclass('setting_by_value')`))
    .rows[0]?.valid

test('an index is built while others write, and whoever waits for its turn to migrate does not hold it up', async (t) => {
  const { connection, connect, admin } = await open(t)
  const writer = await connect()
  await writer.query('begin')
  await writer.query(`insert into setting values ('a', '1')`)
  const options = nextRelease(t, build)
  const building = migrate(connection, undefined, options)
  await poll('it waits for what is under way', async () => (await isValid(admin)) === false)
  // Its turn comes when the index is there.
  const second = migrate(connection, undefined, options)
  await poll(
    'another asks for its turn',
    async () =>
      (
        await admin.query(`select from pg_stat_activity where application_name = 'gatehouse migrate'
        and datname = current_database()`)
      ).rowCount === 2,
  )
  // A lock that held up writers would hold up this one, and it would be given up.
  await admin.query(`set lock_timeout = 1000`)
  await admin.query(`insert into setting values ('b', '2')`)
  assert.equal(await isValid(admin), false)
  await writer.query('commit')
  assert.deepEqual((await building).applied, [next])
  assert.deepEqual((await second).applied, [])
  assert.equal(await isValid(admin), true)
})

test('an index whose build was interrupted is built again, and one that is complete stays', async (t) => {
  const { connection, admin } = await open(t)
  await admin.query(`insert into setting values ('a', '1'), ('b', '1')`)
  await assert.rejects(admin.query('create unique index concurrently setting_by_value on setting (value)'))
  assert.equal(await isValid(admin), false)
  const options = nextRelease(t, build)
  assert.deepEqual((await migrate(connection, undefined, options)).applied, [next])
  assert.equal(await isValid(admin), true)
  const fileOf = async () => (await admin.query(`select pg_relation_filenode('setting_by_value') as node`)).rows[0].node
  const before = await fileOf()
  await admin.query('delete from schema_migration where name = $1', [next])
  assert.deepEqual((await migrate(connection, undefined, options)).applied, [next])
  assert.equal(await fileOf(), before)
})

test('nothing else is done outside a transaction', async (t) => {
  const { connection, admin } = await open(t)
  const text = `${build}\ninsert into setting values ('c', '3');`
  await assert.rejects(
    migrate(connection, undefined, nextRelease(t, text)),
    /only indexes are built outside a transaction/,
  )
  assert.equal((await admin.query('select from schema_migration where name = $1', [next])).rowCount, 0)
  for (const { name, text: own, outsideTransaction, oldest } of readMigrations()) {
    assert.equal(outsideTransaction, /concurrently/.test(own), name)
    if (outsideTransaction) assert.ok(oldest < Number.parseInt(name, 10), `${name} holds up nobody`)
  }
})
