import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { readBackupFile } from '../src/backup/backup-file.ts'
import type { ConnectionOptions } from '../src/kernel/database/connections/connection.ts'
import { runningConnection } from '../src/postgres/process/running.ts'
import { oursIn } from '../src/postgres/process/test-owner-process.ts'
import { runCommand } from './clients/command-line.ts'
import { deepOnly } from './depth.ts'
import { openGatehouse } from './gatehouse.ts'
import { databaseUrl, dataFolder, poll, root, startProcess, startServer } from './servers/real-process.ts'
import { countLockWaits } from './watching/lock-waits.ts'

const backupCommand = (file: string) => [
  process.execPath,
  '--disable-warning=ExperimentalWarning',
  join(root, 'src/main.ts'),
  'backup',
  file,
]

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-killed-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

/** Kills it when it has written the tables, and is kept from what comes last. */
async function killHalfWay(env: Record<string, string>, file: string, owner: ConnectionOptions): Promise<void> {
  const holder = new pg.Client(owner as pg.ClientConfig)
  await holder.connect()
  try {
    await holder.query('begin; alter sequence finding_id_seq cache 1')
    const backup = startProcess(env, backupCommand(file))
    await poll('it waits for the sequence', async () => (await countLockWaits(holder)) > 0)
    await poll('some of it is written', () => existsSync(`${file}.partial`))
    backup.child.kill('SIGKILL')
    assert.equal(await backup.ended, 'SIGKILL')
    await holder.query('commit')
    const sessions = "select from pg_stat_activity where application_name = 'gatehouse backup'"
    await poll('its sessions have ended', async () => (await holder.query(sessions)).rowCount === 0)
    const { rows } = await holder.query(`select
      (select count(*)::int from pg_replication_slots) as slots,
      (select count(*)::int from pg_locks where locktype = 'advisory' and classid::bigint = hashtext('gatehouse backup to')::bigint & 4294967295) as locks`)
    assert.deepEqual(rows, [{ slots: 0, locks: 0 }])
  } finally {
    await holder.end()
  }
}

/** What it left is no backup, is named by the next one beside it, and makes way for the next one to the same file. */
async function checkLeftover(env: Record<string, string>, folder: string, file: string): Promise<void> {
  assert.deepEqual(readdirSync(folder), ['first.backup.partial'])
  const read = async () => {
    for await (const _ of readBackupFile(`${file}.partial`, undefined));
  }
  // Killed before its first bytes were written, it has none that would name it.
  await assert.rejects(read, /damaged or not whole|is not a backup of Gatehouse/)
  const beside = await runCommand(['backup', join(folder, 'second.backup')], { env })
  assert.match(
    beside.stdout,
    /^Remove .*first\.backup\.partial: it is left of a backup that was broken off/m,
    beside.stderr,
  )
  const again = await runCommand(['backup', file], { env })
  assert.match(
    again.stdout,
    /^Wrote .*first\.backup: \d+ bytes, not encrypted, without the master key\.\n$/,
    again.stderr,
  )
  assert.deepEqual(readdirSync(folder).sort(), ['first.backup', 'second.backup'])
  for await (const _ of readBackupFile(file, undefined));
}

const skip = deepOnly('a backup that is large enough to be killed half way takes a while')

test('a backup of a PostgreSQL of your own that is killed leaves one file, which the next one names or replaces', {
  skip,
}, async (t) => {
  const gatehouse = await openGatehouse({ jobs: false })
  t.after(() => gatehouse.close())
  const { connection } = gatehouse
  const DATABASE_URL = databaseUrl(connection as Parameters<typeof databaseUrl>[0])
  const env = { GATEHOUSE_DATA: dataFolder(t), GATEHOUSE_KEY: gatehouse.masterKey.toString('base64'), DATABASE_URL }
  const folder = folderFor(t)
  const file = join(folder, 'first.backup')
  await killHalfWay(env, file, connection)
  await checkLeftover(env, folder, file)
})

test('so does one of the embedded database, beside its server and without', { skip }, async (t) => {
  const data = dataFolder(t)
  const env = { GATEHOUSE_DATA: data, GATEHOUSE_FEED: 'none' }
  const server = await startServer(env)
  const folder = folderFor(t)
  const file = join(folder, 'first.backup')
  await killHalfWay(env, file, runningConnection(data)!)
  await checkLeftover(env, folder, file)
  server.child.kill('SIGTERM')
  await server.ended

  // It starts the database by itself, and is killed while it does.
  const alone = startProcess(env, backupCommand(join(folder, 'third.backup')))
  await poll('the database runs', () => runningConnection(data) !== undefined)
  alone.child.kill('SIGKILL')
  await alone.ended
  await poll('the database has ended', () => oursIn(data).length === 0)
  const third = await runCommand(['backup', join(folder, 'third.backup')], { env })
  assert.match(third.stdout, /^Wrote .*third\.backup/, third.stderr)
  assert.equal(oursIn(data).length, 0)
})
