import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { Client } from 'pg'
import { startEmbedded } from './embedded.ts'
import { inspectEmbedded } from './inspect.ts'
import { PostgresProblem } from './problem.ts'
import { runningConnection } from './process/running.ts'
import {
  ask,
  madeFolder,
  oursIn,
  removeData,
  startOwner,
  temporaryFolder,
  until,
} from './process/test-owner-process.ts'

const silent = () => {}

// Alone in its process: what a person may have set for servers of their own must not reach ours, and is set here.
Object.assign(process.env, { PGSSLMODE: 'require', PGDATA: '/nowhere', PGPORT: '1', PGTZ: 'Asia/Tokyo' })

test('makes, starts, stops, and keeps data over a restart', async (t) => {
  const folder = join(temporaryFolder(), "with space, comma and 'quotes' -D")
  const database = await startEmbedded({ folder, log: silent, settings: { work_mem: '7MB' } })
  t.after(() => database.stop().then(() => removeData(folder)))
  const client = new Client(database.connection)
  await client.connect()
  const { rows } =
    await client.query(`select current_user as user, current_database() as database, lower('ÄÉ') as lower,
    array_agg(name || '=' || setting order by name) as settings from pg_settings where name in ('data_checksums', 'fsync',
    'full_page_writes', 'listen_addresses', 'synchronous_commit', 'TimeZone', 'work_mem')`)
  assert.deepEqual(rows[0], {
    user: 'gatehouse',
    database: 'gatehouse',
    lower: 'äé',
    settings: [
      'TimeZone=UTC',
      'data_checksums=on',
      'fsync=on',
      'full_page_writes=on',
      'listen_addresses=',
      'synchronous_commit=on',
      'work_mem=7168',
    ],
  })
  assert.equal(inspectEmbedded(folder).database?.gatehousePid, process.pid)
  assert.equal(inspectEmbedded(folder).database?.server?.ready, true)
  assert.equal(statSync(database.connection.host).mode & 0o777, 0o700)
  assert.equal(statSync(join(folder, 'postgres', 'password')).mode & 0o777, 0o600)
  await assert.rejects(new Client({ ...database.connection, password: 'guess' }).connect(), { code: '28P01' })

  await client.query("create table kept as select 'this' as word")
  await client.end()
  await database.stop()
  assert.deepEqual(oursIn(folder), [])
  assert.equal(inspectEmbedded(folder).database?.server, undefined)
  assert.deepEqual(await ask(folder, 'select word from kept'), [{ word: 'this' }])
})

test('a copy of a folder whose server runs has a server of its own, and what was moved keeps its id', async (t) => {
  const folder = await madeFolder()
  const database = await startEmbedded({ folder, log: silent })
  const copy = join(temporaryFolder(), 'copy')
  execFileSync('cp', ['-a', folder, copy])
  t.after(async () => {
    await database.stop()
    await Promise.all([removeData(folder), removeData(copy)])
  })
  const pid = () => inspectEmbedded(folder).database?.server?.pid
  const before = pid()
  assert.ok(before)
  // Commands would work on the original.
  assert.equal(runningConnection(copy), undefined)
  await ask(copy, 'create table of_the_copy (n int)')
  const client = new Client(database.connection)
  await client.connect()
  const { rows } = await client.query("select to_regclass('of_the_copy') as found")
  await client.end()
  assert.deepEqual([rows, pid()], [[{ found: null }], before])
  const idOf = (of: string) => readFileSync(join(of, 'postgres', 'id'), 'utf8')
  assert.notEqual(idOf(copy), idOf(folder))

  const moved = join(temporaryFolder(), 'moved')
  const id = idOf(copy)
  renameSync(copy, moved)
  t.after(() => removeData(moved))
  assert.deepEqual(await ask(moved, 'select 1 as n'), [{ n: 1 }])
  assert.equal(idOf(moved), id)
})

test('a second start on the same folder is refused, here and elsewhere, for as long as the first lives', async (t) => {
  const folder = await madeFolder()
  const database = await startEmbedded({ folder, log: silent })
  t.after(() => database.stop().then(() => removeData(folder)))
  const refusal = new RegExp(`Another Gatehouse \\(process ${process.pid}\\) already uses the data folder`)
  await assert.rejects(startEmbedded({ folder, log: silent }), (error) => {
    return error instanceof PostgresProblem && refusal.test(error.message)
  })
  // Also after the refusal here: it must not have cost the first its lock.
  const second = startOwner(folder)
  assert.match((await Promise.race([second.said('problem'), second.said('ready')])) ?? '', refusal)
  const client = new Client(database.connection)
  await client.connect()
  await client.end()
})

test('of many starts in the same moment on a new folder, one wins', async (t) => {
  const folder = join(temporaryFolder(), 'new')
  const owners = Array.from({ length: 4 }, () => startOwner(folder))
  t.after(() => removeData(folder))
  const outcomes = await Promise.all(
    owners.map(async (owner) => {
      const problem = owner.said('problem')
      return (await Promise.race([owner.said('ready'), problem])) === (await Promise.race([problem, 'none']))
    }),
  )
  assert.deepEqual(outcomes.sort(), [false, true, true, true])
})

test('a socket path too long for the system goes to a short folder that only we can enter', async (t) => {
  const folder = join(temporaryFolder(), 'long'.repeat(40))
  const database = await startEmbedded({ folder, log: silent })
  t.after(async () => {
    await database.stop()
    rmSync(database.connection.host, { recursive: true })
    await removeData(folder)
  })
  assert.ok(!database.connection.host.startsWith(folder))
  assert.equal(statSync(database.connection.host).mode & 0o777, 0o700)
  const client = new Client(database.connection)
  await client.connect()
  await client.end()
})

test('the log says what befalls the server, and nothing of what it was asked', async (t) => {
  const folder = await madeFolder()
  const log: string[] = []
  const database = await startEmbedded({ folder, log: (...entry) => log.push(JSON.stringify(entry)) })
  t.after(() => database.stop().then(() => removeData(folder)))
  const client = new Client(database.connection)
  client.on('error', silent)
  await client.connect()
  await assert.rejects(client.query("select 'hunter2'::int"))
  await assert.rejects(client.query('select $1::int', ['hunter2']))
  const { rows } = await client.query('select pg_backend_pid() as pid')
  const dying = client.query("select 'hunter2', pg_sleep(1000)")
  const other = new Client(database.connection)
  other.on('error', silent)
  await other.connect()
  const sleeping = "select from pg_stat_activity where wait_event = 'PgSleep' and query ~ 'hunter2'"
  await until('the statement is under way', async () => (await other.query(sleeping)).rowCount === 1)
  process.kill(rows[0].pid, 'SIGKILL')
  await assert.rejects(dying)
  await database.stop()
  assert.match(log.join('\n'), /terminated by signal 9[^\n]*,"warn"\]/)
  assert.doesNotMatch(log.join('\n'), /hunter2/)
})

test('a lost password is replaced', async (t) => {
  const folder = await madeFolder()
  t.after(() => removeData(folder))
  await ask(folder, 'create table kept as select 1 as n')
  rmSync(join(folder, 'postgres', 'password'))
  assert.deepEqual(await ask(folder, 'select n from kept'), [{ n: 1 }])
  assert.deepEqual(await ask(folder, 'select n from kept'), [{ n: 1 }])
})

test('what a start cannot use is said, and nothing is left running', async (t) => {
  const folder = await madeFolder()
  t.after(() => removeData(folder))
  await assert.rejects(startEmbedded({ folder, log: silent, settings: { max_connections: 'many' } }), (error) => {
    return error instanceof PostgresProblem && /did not start.*max_connections/s.test(error.message)
  })
  assert.deepEqual(oursIn(folder), [])
  mkdirSync(join(folder, 'postgres', 'unfinished-left'))
  assert.equal((await ask(folder, 'select 1 as n')).length, 1)
  assert.ok(!existsSync(join(folder, 'postgres', 'unfinished-left')))
  assert.deepEqual(
    readdirSync(join(folder, 'postgres')).filter((name) => name.startsWith('unfinished')),
    [],
  )
})
