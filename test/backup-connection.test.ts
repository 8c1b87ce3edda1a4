import assert from 'node:assert/strict'
import { chmodSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { readBackupFile } from '../src/backup/backup-file.ts'
import { makeBackup } from '../src/backup/make-backup.ts'
import { makeBase } from '../src/backup/point-in-time/base-backup.ts'
import { restore } from '../src/backup/restore.ts'
import { lockSession, openSession } from '../src/backup/session.ts'
import { startEmbedded } from '../src/postgres/embedded.ts'
import { removeData, temporaryFolder } from '../src/postgres/process/test-owner-process.ts'
import { throwAwayDatabase } from './cluster.ts'
import { startWireProxy } from './outside/wire-proxy.ts'
import { dataFolder, poll, root } from './servers/real-process.ts'
import { countLockWaits } from './watching/lock-waits.ts'

type Address = Parameters<typeof startWireProxy>[1]

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-backup-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function database(t: TestContext, isMigrated = true) {
  const { connection, drop } = await throwAwayDatabase(isMigrated)
  t.after(drop)
  const proxy = await startWireProxy(t, connection as Address)
  return { connection, proxy, owner: { connectionString: proxy.url } }
}

/** Keeps a backup waiting for the findings until it is told to let them go. */
async function holdFindings(connection: object) {
  const client = new pg.Client(connection)
  await client.connect()
  await client.query('begin; lock table finding in access exclusive mode')
  return { client, waiting: () => poll('it waits', async () => (await countLockWaits(client)) > 0) }
}

const lost = { name: 'BackupProblem', message: /^No backup was made: the connection to the database was lost \(/ }

test('a connection that is cut in the middle of a backup fails it in words, and leaves the process and no file', async (t) => {
  const { connection, proxy, owner } = await database(t)
  const folder = folderFor(t)
  const holder = await holdFindings(connection)
  const made = makeBackup(owner, join(folder, 'all.backup'))
  made.catch(() => {})
  await holder.waiting()
  proxy.cut()
  await assert.rejects(made, lost)
  await holder.client.end()
  assert.deepEqual(readdirSync(folder), [])
})

test('so does a session that the administrator of the database ends', async (t) => {
  const { connection } = await database(t)
  const folder = folderFor(t)
  const holder = await holdFindings(connection)
  const made = makeBackup(connection, join(folder, 'all.backup'))
  made.catch(() => {})
  await holder.waiting()
  await holder.client.query(
    "select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and application_name = 'gatehouse backup'",
  )
  await assert.rejects(made, lost)
  await holder.client.end()
  assert.deepEqual(readdirSync(folder), [])
})

test('a base of the archive whose session ends fails in words', async (t) => {
  const archive = dataFolder(t)
  const folder = temporaryFolder()
  chmodSync(folder, 0o711)
  const server = await startEmbedded({ folder, log: () => {}, archiveFolder: archive })
  t.after(async () => {
    await server.stop()
    removeData(folder)
  })
  const client = new pg.Client(server.connection)
  await client.connect()
  const made = makeBase(server.connection, { cluster: server.cluster, archive: server.archive! })
  made.catch(() => {})
  await poll('it copies', async () => {
    const { rows } = await client.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'gatehouse backup' and state = 'idle' and query like '%pg_backup_start%'",
    )
    return rows.length > 0
  })
  await assert.rejects(made, lost)
  await client.end()
})

test('a connection that is cut in the middle of a restore breaks it off in words', async (t) => {
  const source = await database(t)
  const file = join(folderFor(t), 'all.backup')
  await makeBackup(source.connection, file)
  const { connection, proxy, owner } = await database(t, false)
  const beside = new pg.Client(connection as pg.ClientConfig)
  await beside.connect()
  let readings = 0
  async function* cutOff() {
    const isLoading = ++readings === 2
    for await (const frame of readBackupFile(file, undefined)) {
      yield frame
      if (!isLoading || frame.type !== 'table' || frame.table !== 'finding') continue
      proxy.cut()
      const sessions = 'select from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()'
      await poll('its session has ended', async () => (await beside.query(sessions)).rowCount === 0)
    }
  }
  await assert.rejects(
    restore(owner, connection, cutOff, () => false),
    {
      name: 'BackupProblem',
      message: /^The restore was broken off: the connection to the database was lost \(/,
    },
  )
  await beside.end()
})

test('a network that falls silent in the middle of a backup: whoever stops it does not wait for an answer', {
  timeout: 60_000,
}, async (t) => {
  const { connection, proxy, owner } = await database(t)
  const folder = folderFor(t)
  const holder = await holdFindings(connection)
  const stopping = new AbortController()
  const made = makeBackup(owner, join(folder, 'all.backup'), { signal: stopping.signal })
  made.catch(() => {})
  await holder.waiting()
  proxy.isSilent = true
  stopping.abort()
  await assert.rejects(made, { name: 'AbortError' })
  await holder.client.end()
  assert.deepEqual(readdirSync(folder), [])
})

test('a database that says nothing for too long fails what waits for it, and is not waited for at the end', {
  timeout: 60_000,
}, async (t) => {
  const { proxy, owner } = await database(t)
  const { client, end } = await openSession(owner, { silenceMs: 600 })
  const idle = await openSession(owner)
  proxy.isSilent = true
  await assert.rejects(client.query('select 1'), {
    name: 'BackupProblem',
    message: 'No backup was made: the database said nothing for 0.01 minutes. Is it running, and can it be reached?',
  })
  await end()
  await idle.end()
})

test('a session that keeps a lock says something before a load balancer as in the sample takes it for idle', async (t) => {
  const config = readFileSync(join(root, 'deploy/patroni/haproxy.cfg'), 'utf8')
  const hours = [...config.matchAll(/^ *timeout (?:client|server) (\d+)h$/gm)].map(([, number]) => Number(number))
  assert.equal(hours.length, 2)
  assert.ok(lockSession.awakeMs * 2 < Math.min(...hours) * 3_600_000)

  const { connection } = await database(t)
  const { client, end } = await openSession(connection, { awakeMs: 10 })
  await client.query('select pg_advisory_lock(1)')
  const beside = new pg.Client(connection as pg.ClientConfig)
  await beside.connect()
  const spoken = "select from pg_stat_activity where application_name = 'gatehouse backup' and query = 'select'"
  await poll('it has said something', async () => (await beside.query(spoken)).rowCount === 1)
  await beside.end()
  await end()
})
