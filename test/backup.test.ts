import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  utimesSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import sql from 'sql-template-tag'
import { readBackupFile, writeBackupFile } from '../src/backup/backup-file.ts'
import type { BackupProblem } from '../src/backup/backup-problem.ts'
import { dump } from '../src/backup/dump.ts'
import type { Frame } from '../src/backup/frames.ts'
import { makeBackup } from '../src/backup/make-backup.ts'
import { restore } from '../src/backup/restore.ts'
import { backUpIfDue } from '../src/backup/schedule.ts'
import { firstBreak } from '../src/capabilities/audit/public.ts'
import { recount } from '../src/capabilities/findings/public.ts'
import { sendLog } from '../src/capabilities/findings/test-findings.ts'
import { checkBackup } from '../src/cli/doctor/backup-checks.ts'
import { composeCore } from '../src/compose/core.ts'
import type { ConnectionOptions } from '../src/kernel/database/connections/connection.ts'
import { migrate, pendingMigrations } from '../src/kernel/database/migrations/migrate.ts'
import { systemClock } from '../src/kernel/time/clock.ts'
import { runCommand } from './clients/command-line.ts'
import { throwAwayDatabase } from './cluster.ts'
import { openGatehouse } from './gatehouse.ts'
import { dataFolder, poll, startServer } from './servers/real-process.ts'
import { countLockWaits } from './watching/lock-waits.ts'
import { createWriteLoad } from './write-load.ts'

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-backup-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

async function emptyDatabase(t: TestContext): Promise<ConnectionOptions> {
  const { connection, drop } = await throwAwayDatabase(false)
  t.after(drop)
  return connection
}

async function ask(connection: ConnectionOptions, text: string): Promise<Record<string, unknown>[]> {
  const client = new pg.Client(connection as pg.ClientConfig)
  await client.connect()
  try {
    return (await client.query(text)).rows
  } finally {
    await client.end()
  }
}

/** How many rows each table has. */
async function extent(connection: ConnectionOptions): Promise<Record<string, number>> {
  const tables = await ask(
    connection,
    `select relname as name from pg_class where relkind = 'r'
    and relnamespace = 'public'::regnamespace and relname not in ('schema_migration', 'last_backup') order by 1`,
  )
  const counts = tables.map(({ name }) => `select '${name}' as name, count(*)::int as number from ${name}`)
  const rows = await ask(connection, counts.join(' union all '))
  return Object.fromEntries(rows.map(({ name, number }) => [name, number as number]))
}

const bringBack = (to: ConnectionOptions, read: () => AsyncIterable<Frame>) => restore(to, to, read, () => false)

const results = Array.from({ length: 20 }, (_, n) => ({ code: `c${n}`, path: `src/f${n}.js` }))
const passphrase = 'correct horse battery staple'

test('a backup under load is of one moment: restored, counters and audit chain are right, and nothing acknowledged before is missing', async (t) => {
  const gatehouse = await openGatehouse()
  t.after(() => gatehouse.close())
  const file = join(folderFor(t), 'one.backup')
  await sendLog(gatehouse, 'backed/up', results)
  const load = await createWriteLoad(gatehouse.call, 1)
  const writing = [load.run(gatehouse.call), sendAll(gatehouse)]
  const before = await extent(gatehouse.connection)
  await makeBackup(gatehouse.connection, file, { passphrase })
  load.stop()
  await Promise.all(writing)

  const target = await emptyDatabase(t)
  const restored = await bringBack(target, () => readBackupFile(file, passphrase))
  assert.equal(restored.keptKey, false)
  const after = await extent(target)
  for (const [table, number] of Object.entries(before)) {
    if (/^(repository|team|finding|audit_event|person|scan)$/.test(table)) assert.ok(after[table]! >= number, table)
  }
  const { db } = composeCore({ connection: target, masterKey: gatehouse.masterKey, clock: systemClock })
  try {
    assert.deepEqual(await recount(db.as({ deploymentId: 1 })), [])
    assert.equal(await firstBreak(db.as({ deploymentId: 1 }), await db.auditKeys()), undefined)
    const [{ id }] = (await db.identityQuery<{ id: number }>(sql`select max(id) as id from person`)) as [{ id: number }]
    assert.ok(id > 0)
  } finally {
    await db.close()
  }
  // Numbers go on after those that were given, and foreign keys hold.
  await ask(target, `insert into repository (deployment_id, name, default_branch) values (1, 'next', 'main')`)
  await assert.rejects(
    ask(target, `insert into repository (deployment_id, name, default_branch) values (99, 'x', 'main')`),
  )
  assert.deepEqual(
    (await ask(target, `select count(*)::int as number from pg_constraint where contype = 'f'`))[0],
    (await ask(gatehouse.connection, `select count(*)::int as number from pg_constraint where contype = 'f'`))[0],
  )
})

async function sendAll(gatehouse: Parameters<typeof sendLog>[0]): Promise<void> {
  for (let n = 0; n < 4; n++) await sendLog(gatehouse, `load/${n}`, results)
}

test('while a backup is made nobody changes a table, also one that it has not come to', async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const frames = dump(connection, '0.0.0', undefined)
  assert.equal((await frames.next()).value.type, 'header')
  // Rewritten, it would be empty in the backup.
  const change = "set lock_timeout = '50ms'; alter table team add column place uuid not null default gen_random_uuid()"
  await assert.rejects(ask(connection, change), { code: '55P03' })
  // What changes none of them goes ahead.
  await ask(connection, 'create table newcomer as select 1 as id')
  const tables: string[] = []
  for await (const frame of frames) if (frame.type === 'table') tables.push(frame.table)
  assert.ok(tables.includes('team') && !tables.includes('newcomer'))
  await ask(connection, change)
})

test('what was changed just before a backup could begin is in it as it is then', async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  await ask(connection, 'create table dropped as select 1 as id')
  const holder = new pg.Client(connection as pg.ClientConfig)
  await holder.connect()
  await holder.query(`begin; drop table dropped; create table newcomer as select 1 as id;
    alter table finding add column place uuid not null default gen_random_uuid()`)
  const frames = dump(connection, '0.0.0', undefined)
  const first = frames.next()
  await poll('it waits', async () => (await countLockWaits(holder)) > 0)
  await holder.query('commit')
  await holder.end()
  await first
  const tables = new Map<string, string[]>()
  for await (const frame of frames) if (frame.type === 'table') tables.set(frame.table, frame.columns)
  assert.deepEqual([tables.has('dropped'), tables.get('newcomer')], [false, ['id']])
  assert.ok(tables.get('finding')!.includes('place'))
})

test('what is restored is what was there, row by row', async (t) => {
  const gatehouse = await openGatehouse({ jobs: false })
  const file = join(folderFor(t), 'one.backup')
  await sendLog(gatehouse, 'backed/up', results)
  await gatehouse.stop()
  t.after(() => gatehouse.clear())
  await makeBackup(gatehouse.connection, file)
  const target = await emptyDatabase(t)
  await bringBack(target, () => readBackupFile(file, undefined))
  assert.deepEqual(await extent(target), await extent(gatehouse.connection))
  const sums = `select md5(string_agg(f::text, '' order by f.id)) as sum from finding f`
  assert.deepEqual(await ask(target, sums), await ask(gatehouse.connection, sums))
  const state = await checkBackup({ query: async () => (await ask(gatehouse.connection, lastBackup)) as never })
  assert.equal(state.state, 'ok')
})

const lastBackup = 'select finished_at as at, bytes::int from last_backup'

const refused: [string, (file: string) => void, RegExp][] = [
  ['a byte was changed', (file) => edit(file, (bytes) => (bytes[bytes.length >> 1]! ^= 1)), /damaged|decrypted/],
  ['the end is missing', (file) => writeFileSync(file, readFileSync(file).subarray(0, -40)), /damaged or not whole/],
  ['something follows', (file) => writeFileSync(file, 'more', { flag: 'a' }), /damaged or not whole/],
  ['it is another file', (file) => writeFileSync(file, 'PGDMP and so on, and so forth, at length'), /not a backup/],
  ['it is empty', (file) => writeFileSync(file, ''), /not a backup/],
]

for (const secret of [undefined, passphrase]) {
  test(`a damaged or foreign ${secret ? 'encrypted ' : ''}file is refused and changes nothing`, async (t) => {
    const { connection, drop } = await throwAwayDatabase()
    t.after(drop)
    const folder = folderFor(t)
    const whole = join(folder, 'whole')
    await makeBackup(connection, whole, { passphrase: secret })
    const target = await emptyDatabase(t)
    for (const [what, spoil, says] of refused) {
      const file = join(folder, 'spoilt')
      writeFileSync(file, readFileSync(whole))
      spoil(file)
      await assert.rejects(
        bringBack(target, () => readBackupFile(file, secret)),
        (error: BackupProblem) => error.name === 'BackupProblem' && says.test(error.message),
        what,
      )
    }
    assert.deepEqual(await ask(target, `select from pg_class where relnamespace = 'public'::regnamespace`), [])
    if (secret) {
      const wrong = () => readBackupFile(whole, 'another passphrase')
      await assert.rejects(bringBack(target, wrong), /cannot be decrypted/)
      await assert.rejects(
        bringBack(target, () => readBackupFile(whole, undefined)),
        /is encrypted/,
      )
      assert.ok(!readFileSync(whole).includes('schema_migration'))
    }
    await assert.rejects(
      bringBack(connection, () => readBackupFile(whole, secret)),
      /not empty/,
    )
  })
}

function edit(file: string, change: (bytes: Buffer) => void): void {
  const bytes = readFileSync(file)
  change(bytes)
  writeFileSync(file, bytes)
}

test('a backup of an older version is migrated when it is restored; one of a newer version is refused', async (t) => {
  const folder = folderFor(t)
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const file = join(folder, 'new.backup')
  await makeBackup(connection, file)
  const frames: Frame[] = []
  for await (const frame of readBackupFile(file, undefined)) frames.push(frame)
  const rewrite = async (name: string, change: (migrations: { name: string; sha256: string }[]) => object[]) => {
    const changed = frames.map((frame) =>
      frame.type === 'header'
        ? { ...frame, header: { ...frame.header, migrations: change(frame.header.migrations) } }
        : frame,
    ) as Frame[]
    await writeBackupFile(join(folder, name), list(changed), undefined)
    return () => readBackupFile(join(folder, name), undefined)
  }
  const newer = await rewrite('newer', (known) => [...known, { name: '9999_later.sql', sha256: '' }])
  const target = await emptyDatabase(t)
  await assert.rejects(bringBack(target, newer), /whose schema this version does not know \(9999_later.sql\)/)
  // The last one adds a table that no backup has.
  const older = await rewrite('older', (known) => known.filter(({ name }) => name !== '0066_last_backup.sql'))
  const { migrated } = await bringBack(target, older)
  assert.deepEqual(migrated, ['0066_last_backup.sql'])
})

async function* list(frames: Frame[]): AsyncGenerator<Frame> {
  yield* frames
}

test('a restore that was broken off is named, and nobody takes what it left for a new database', async (t) => {
  const gatehouse = await openGatehouse()
  t.after(() => gatehouse.close())
  const file = join(folderFor(t), 'all.backup')
  await makeBackup(gatehouse.connection, file)
  const target = await emptyDatabase(t)
  let readings = 0
  async function* brokenOff() {
    // Once to see that it is whole, once to bring it back.
    const last = ++readings === 2 ? 20 : Infinity
    let frames = 0
    for await (const frame of readBackupFile(file, undefined)) {
      if (++frames > last) throw new Error('killed')
      yield frame
    }
  }
  await assert.rejects(bringBack(target, brokenOff), /^Error: killed$/)
  const says =
    /^DatabaseProblem: A restore of a backup into this database began at .* was broken off\. If it was broken off, remove/
  await assert.rejects(migrate(target), says)
  await assert.rejects(pendingMigrations(target), says)
  await assert.rejects(
    bringBack(target, () => readBackupFile(file, undefined)),
    says,
  )
  const whole = await emptyDatabase(t)
  await bringBack(whole, () => readBackupFile(file, undefined))
  assert.deepEqual(await pendingMigrations(whole), [])
})

test('the master key of a backup is kept before anybody may work with what was restored', async (t) => {
  const gatehouse = await openGatehouse()
  t.after(() => gatehouse.close())
  const file = join(folderFor(t), 'all.backup')
  await makeBackup(gatehouse.connection, file, { key: 'the key' })
  const target = await emptyDatabase(t)
  const read = () => readBackupFile(file, undefined)
  const full = () => {
    throw new Error('no room')
  }
  await assert.rejects(restore(target, target, read, full), /no room/)
  await assert.rejects(migrate(target), /has not ended/)
})

test('whoever may not read all rows is told what to do, and gets no backup with rows left out', async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const owner = `half_${randomBytes(6).toString('hex')}`
  const file = join(folderFor(t), 'half.backup')
  await ask(connection, `create role ${owner} login password 'half'`)
  try {
    const half = { ...connection, user: owner, password: 'half' }
    const says = new RegExp(`Ask the database's administrator to run: alter role "${owner}" bypassrls;`)
    await assert.rejects(makeBackup(half, file), says)
  } finally {
    await ask(connection, `drop role ${owner}`)
  }
  assert.deepEqual([existsSync(file), existsSync(`${file}.partial`)], [false, false])
})

test('by schedule: one when it is due, the oldest removed beyond what is kept, others left alone', async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const folder = folderFor(t)
  writeFileSync(join(folder, 'notes.txt'), 'mine')
  const schedule = { folder, hours: 24, keep: 2, passphrase: undefined }
  const asOwner = <T>(work: (owner: ConnectionOptions) => Promise<T>) => work(connection)
  const day = 24 * 3_600_000
  const start = Date.now()
  const made: string[] = []
  for (let n = 0; n < 4; n++) {
    const now = new Date(start + n * day)
    const file = await backUpIfDue(schedule, asOwner, now)
    assert.ok(file)
    utimesSync(file, now, now)
    made.push(file)
    assert.equal(await backUpIfDue(schedule, asOwner, new Date(now.getTime() + day / 2)), undefined)
  }
  assert.deepEqual(readdirSync(folder).sort(), [
    ...made.slice(2).map((file) => file.slice(folder.length + 1)),
    'notes.txt',
  ])
  assert.equal(statSync(made[3]!).mode & 0o777, 0o600)
  // Told to stop, it leaves nothing half made.
  const later = new Date(start + 9 * day)
  await assert.rejects(backUpIfDue(schedule, asOwner, later, AbortSignal.abort()), { name: 'AbortError' })
  assert.equal(readdirSync(folder).length, 3)
})

test('a backup that was made under a clock in the future keeps no other from being made, and goes first', async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const folder = folderFor(t)
  const schedule = { folder, hours: 24, keep: 1, passphrase: undefined }
  const asOwner = <T>(work: (owner: ConnectionOptions) => Promise<T>) => work(connection)
  const now = new Date()
  const ahead = new Date(now.getTime() + 100 * 24 * 3_600_000)
  const wrong = (await backUpIfDue(schedule, asOwner, ahead))!
  utimesSync(wrong, ahead, ahead)
  const file = await backUpIfDue(schedule, asOwner, now)
  assert.deepEqual(
    readdirSync(folder).map((name) => join(folder, name)),
    [file],
  )
  assert.equal(await backUpIfDue(schedule, asOwner, now), undefined)
})

test('a backup that takes hours stays, and the oldest goes for it', async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const folder = folderFor(t)
  const schedule = { folder, hours: 24, keep: 2, passphrase: undefined }
  const asOwner = <T>(work: (owner: ConnectionOptions) => Promise<T>) => work(connection)
  const hour = 3_600_000
  for (const [day, age] of [
    ['01', 50],
    ['02', 26],
  ] as const) {
    const file = join(folder, `gatehouse-2026-01-${day}T00-00-00Z.backup`)
    writeFileSync(file, 'whole')
    utimesSync(file, new Date(Date.now() - age * hour), new Date(Date.now() - age * hour))
  }
  // It begins with the look, and is whole two hours later.
  const file = (await backUpIfDue(schedule, asOwner, new Date(Date.now() - 2 * hour)))!
  assert.deepEqual(readdirSync(folder).sort(), ['gatehouse-2026-01-02T00-00-00Z.backup', basename(file)])
})

test('a scheduled backup leaves the reserve of the disk free, and says where there is no room', async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const folder = folderFor(t)
  const schedule = { folder, hours: 24, keep: 1, passphrase: undefined, reserveBytes: 2 ** 50 }
  const asOwner = <T>(work: (owner: ConnectionOptions) => Promise<T>) => work(connection)
  await assert.rejects(backUpIfDue(schedule, asOwner, new Date()), ({ name, message }: Error) => {
    assert.equal(name, 'BackupProblem', message)
    const says = `No backup was made: the disk of '${folder}' has `
    assert.ok(message.startsWith(says) && message.includes('keeps 1073741824 MiB free'), message)
    return true
  })
  assert.deepEqual(readdirSync(folder), [])
})

test('a backup that cannot be written ends, however much there is to read', { timeout: 60_000 }, async (t) => {
  const folder = folderFor(t)
  let open = 0
  async function* endless(): AsyncGenerator<Frame> {
    open++
    try {
      for (;;) yield { type: 'rows', bytes: randomBytes(1024 ** 2) }
    } finally {
      open--
    }
  }
  await assert.rejects(writeBackupFile(join(folder, 'full'), endless(), undefined, { reserveBytes: 2 ** 50 }), {
    name: 'BackupProblem',
    message: /has \d+ MiB left/,
  })
  await assert.rejects(writeBackupFile(join(folder, 'missing', 'all'), endless(), undefined), {
    name: 'BackupProblem',
    message: /^The backup cannot be written to .*ENOENT/,
  })
  assert.equal(open, 0)
  assert.deepEqual(readdirSync(folder), [])
})

test('processes with one folder make one backup, and what a killed one left there is removed', async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const folder = folderFor(t)
  for (const name of ['gatehouse-2026-01-01T00-00-00Z.backup.partial', 'notes.backup.partial'])
    writeFileSync(join(folder, name), 'half of it')
  const schedule = { folder, hours: 24, keep: 7, passphrase: undefined }
  const asOwner = <T>(work: (owner: ConnectionOptions) => Promise<T>) => work(connection)
  const start = Date.now()
  // Each second: a start of several processes is not of one moment.
  const made = await Promise.all(
    Array.from({ length: 4 }, (_, n) => backUpIfDue(schedule, asOwner, new Date(start + n * 1000))),
  )
  const [file, ...others] = made.filter((one) => one !== undefined)
  assert.deepEqual(others, [])
  assert.deepEqual(
    readdirSync(folder).map((name) => join(folder, name)),
    [file, join(folder, 'notes.backup.partial')],
  )
  for await (const _ of readBackupFile(file!, undefined));
})

test('of two backups to one file, one is refused and the other is whole', async (t) => {
  const gatehouse = await openGatehouse()
  t.after(() => gatehouse.close())
  const file = join(folderFor(t), 'all.backup')
  const holder = new pg.Client(gatehouse.connection)
  await holder.connect()
  await holder.query('begin; lock table finding in access exclusive mode')
  const both = [makeBackup(gatehouse.connection, file), makeBackup(gatehouse.connection, file)]
  let refused = 0
  for (const one of both) one.catch(() => refused++)
  await poll('one is refused, or both are at it', async () => refused > 0 || (await countLockWaits(holder)) > 1)
  await holder.query('commit')
  await holder.end()
  const reasons = (await Promise.allSettled(both)).flatMap((end) => (end.status === 'rejected' ? [end.reason] : []))
  assert.deepEqual(reasons.map(String), [`BackupProblem: Another backup to '${file}' is under way.`])
  for await (const _ of readBackupFile(file, undefined));
})

test('where a backup cannot be written is said, and not taken for a bug', async (t) => {
  const { connection, drop } = await throwAwayDatabase()
  t.after(drop)
  const folder = folderFor(t)
  writeFileSync(join(folder, 'file'), '')
  for (const [name, why] of [
    ['missing/x.backup', 'ENOENT'],
    ['file/x.backup', 'ENOTDIR'],
    [`${'long'.repeat(100)}.backup`, 'ENAMETOOLONG'],
  ] as const) {
    const file = join(folder, name)
    await assert.rejects(makeBackup(connection, file), ({ name, message }: Error) => {
      assert.equal(name, 'BackupProblem', message)
      assert.ok(message.startsWith(`The backup cannot be written to '${file}': ${why}`), message)
      return true
    })
  }
  assert.deepEqual(readdirSync(folder), ['file'])
  assert.deepEqual(await ask(connection, 'select * from last_backup'), [])
})

test('the doctor knows how old the last good backup is', async () => {
  const hour = 3_600_000
  const at = (age: number) => ({ query: async () => [{ at: new Date(100 * hour - age * hour), bytes: 7 }] as never })
  const states = [
    await checkBackup({ query: async () => [] }),
    await checkBackup(at(47), 24, 100 * hour),
    await checkBackup(at(48), 24, 100 * hour),
    await checkBackup(at(-0.01), 24, 100 * hour),
    await checkBackup(at(-300), 24, 100 * hour),
  ]
  assert.deepEqual(
    states.map(({ state, detail }) => `${state}: ${detail}`),
    [
      'warning: none was made',
      'ok: the last one was made 47 hours ago, 7 bytes',
      'warning: the last one was made 48 hours ago, 7 bytes',
      'ok: the last one was made 0 hours ago, 7 bytes',
      'warning: the last one is dated 300 hours in the future',
    ],
  )
})

test('by the command line: the embedded database, beside its server, into a new data folder that then serves', async (t) => {
  const env = { GATEHOUSE_DATA: dataFolder(t), GATEHOUSE_FEED: 'none', GATEHOUSE_BACKUP_PASSPHRASE: passphrase }
  const server = await startServer(env)
  const { token } = server.welcome
  const path = '/api/repositories/v1/deployments/1/repositories'
  assert.equal((await server.call('POST', path, { body: { name: 'kept' } })).status, 200)
  const file = join(folderFor(t), 'all.backup')
  const made = await runCommand(['backup', file, '--with-key'], { env })
  assert.match(made.stdout, /^Wrote .*: \d+ bytes, encrypted, with the master key\.$/m, made.stderr)
  assert.match((await runCommand(['backup', file], { env })).stderr, /exists already/)
  server.child.kill('SIGTERM')
  await server.ended

  const elsewhere = { ...env, GATEHOUSE_DATA: dataFolder(t) }
  const restored = await runCommand(['restore', file], { env: elsewhere })
  assert.match(
    restored.stdout,
    /^Restored \d+ tables as of .* The master key is in the data folder\.$/m,
    restored.stderr,
  )
  const again = await startServer(elsewhere, token)
  const { repositories } = (await again.call('GET', path)).body
  assert.deepEqual(
    repositories.map(({ name }: { name: string }) => name),
    ['kept'],
  )
  assert.match(
    (await runCommand(['restore', file], { env: { ...elsewhere, DATABASE_URL: '' } })).stderr,
    /already uses the data folder/,
  )
  again.child.kill('SIGTERM')
  assert.equal(await again.ended, 0)
})
