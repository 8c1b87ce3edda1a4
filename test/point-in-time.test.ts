import assert from 'node:assert/strict'
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { join, relative } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import {
  baseFile,
  findArchives,
  firstGap,
  listBases,
  listSegments,
  nextSegment,
} from '../src/backup/point-in-time/archive-contents.ts'
import { baseIfDue } from '../src/backup/point-in-time/archive-schedule.ts'
import { restoreMoment } from '../src/backup/point-in-time/restore-moment.ts'
import { checkArchive } from '../src/cli/doctor/archive-checks.ts'
import { walFolder } from '../src/postgres/archive/wal-archive.ts'
import { findLocation } from '../src/postgres/cluster/location.ts'
import { type EmbeddedPostgres, startEmbedded } from '../src/postgres/embedded.ts'
import { runningConnection } from '../src/postgres/process/running.ts'
import { removeData, temporaryFolder } from '../src/postgres/process/test-owner-process.ts'
import { readSettings } from '../src/settings/settings.ts'
import { runCommand } from './clients/command-line.ts'
import { deepOnly } from './depth.ts'
import { dataFolder, poll, startServer } from './servers/real-process.ts'

const repositories = '/api/repositories/v1/deployments/1/repositories'

async function asOwner<T>(folder: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const client = new pg.Client(runningConnection(folder)!)
  await client.connect()
  try {
    return await work(client)
  } finally {
    await client.end()
  }
}

/** Everything that is acknowledged so far gets into the archive. */
async function archiveAll(folder: string): Promise<void> {
  await asOwner(folder, async (client) => {
    // Something has to be in a segment, or it is not ended.
    await client.query("select pg_logical_emit_message(true, 'test', 'something')")
    const { rows } = await client.query('select pg_walfile_name(pg_switch_wal()) as segment')
    await poll('the segment is archived', async () => {
      const archived = 'select last_archived_wal >= $1 as done from pg_stat_archiver'
      return (await client.query(archived, [rows[0].segment])).rows[0].done === true
    })
  })
}

type Closing = { after(clean: () => Promise<void>): void }

/** A folder for the embedded server of this process; it goes when the server has stopped. */
function ownFolder(): string {
  const folder = temporaryFolder()
  chmodSync(folder, 0o711)
  return folder
}

async function startOwn(t: Closing, folder: string, archiveFolder: string): Promise<EmbeddedPostgres> {
  const server = await startEmbedded({ folder, log: () => {}, archiveFolder })
  t.after(async () => {
    await server.stop()
    removeData(folder)
  })
  return server
}

test('after a kill, a moment is restored: all that was acknowledged before it, nothing that came after', async (t) => {
  const folder = dataFolder(t)
  const archives = dataFolder(t)
  const env = { GATEHOUSE_DATA: folder, GATEHOUSE_WAL_ARCHIVE: archives }
  const server = await startServer(env)
  const archive = join(archives, findLocation(folder)!.id)
  await poll('there is a base', async () => (await listBases(archive)).length === 1)
  const add = async (name: string) =>
    assert.equal((await server.call('POST', repositories, { body: { name } })).status, 200)
  for (const n of [1, 2, 3]) await add(`before/${n}`)
  const moment = await asOwner(folder, async (client) => {
    const { rows } = await client.query(
      `select to_char(clock_timestamp() at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at`,
    )
    return rows[0].at as string
  })
  for (const n of [1, 2]) await add(`after/${n}`)
  await archiveAll(folder)
  const token = server.welcome.token!
  server.child.kill('SIGKILL')
  await server.ended

  const restored = dataFolder(t)
  const ran = await runCommand(['restore', relative(process.cwd(), archives), '--to', moment], {
    env: { GATEHOUSE_DATA: restored },
  })
  assert.equal(ran.code, 0, ran.stderr)
  cpSync(join(folder, 'key'), join(restored, 'key'))
  const again = await startServer({ GATEHOUSE_DATA: restored }, token)
  const { body } = await again.call('GET', repositories)
  const doctor = await runCommand(['doctor', '--json'], { env: { GATEHOUSE_DATA: restored } })
  assert.doesNotMatch(doctor.stdout, /"state": ?"problem"/)
  again.child.kill('SIGTERM')
  assert.equal(await again.ended, 0)
  const names = body.repositories.map(({ name }: { name: string }) => name).sort()
  assert.deepEqual(names, ['before/1', 'before/2', 'before/3'])

  const momentless = await runCommand(['restore', archives], { env: { GATEHOUSE_DATA: dataFolder(t) } })
  assert.match(momentless.stderr, /is a folder\. .* say by --to which moment/)
  assert.equal(momentless.code, 1)

  // Into a data folder that has a database nothing is restored.
  const taken = await runCommand(['restore', archives, '--to', moment], { env: { GATEHOUSE_DATA: folder } })
  assert.match(taken.stderr, /has a database already/)
  assert.notEqual(taken.code, 0)
})

test('from the first start on, and after each one, what was written is in the archive when its time has come', async (t) => {
  const folder = ownFolder()
  const archives = dataFolder(t)
  t.after(async () => removeData(folder))
  for (const _ of ['first', 'second']) {
    const settings = { archive_timeout: '1s' }
    const server = await startEmbedded({ folder, log: () => {}, archiveFolder: archives, settings })
    t.after(server.stop)
    // One connection: those that come and go may wake what sleeps.
    await asOwner(folder, async (client) => {
      const written = await client.query(
        "select pg_walfile_name(pg_logical_emit_message(true, 'test', 'something', true)) as segment",
      )
      const isDone = async () => {
        const { rows } = await client.query('select last_archived_wal >= $1 as done from pg_stat_archiver', [
          written.rows[0].segment,
        ])
        return rows[0].done === true
      }
      // Well before the next checkpoint, which would end it, too.
      await poll('the segment is archived', isDone, 120_000)
    })
    await server.stop()
  }
})

test('what an archive does not have whole is refused with a sentence, and leaves no database', {
  skip: deepOnly('a restore for each part that is missing takes a minute'),
}, async (t) => {
  const folder = ownFolder()
  const archives = dataFolder(t)
  const server = await startOwn(t, folder, archives)
  const schedule = { cluster: server.cluster, archive: server.archive!, hours: 24, days: 7 }
  const { archive } = schedule
  await assert.rejects(
    baseIfDue({ ...schedule, reserveBytes: 2 ** 50 }, (work) => work(server.connection), new Date()),
    { name: 'BackupProblem', message: /^No backup was made: the disk of .* keeps 1073741824 MiB free/ },
  )
  assert.deepEqual(await listBases(archive), [])
  const base = await baseIfDue(schedule, (work) => work(server.connection), new Date())
  assert.ok(base)
  assert.equal(await baseIfDue(schedule, (work) => work(server.connection), new Date()), undefined)
  const query = (text: string) => asOwner(folder, async (client) => (await client.query(text)).rows[0])
  await query('create table kept (n integer)')
  for (const n of [1, 2, 3, 4]) {
    await query(`insert into kept values (${n})`)
    await archiveAll(folder)
  }
  const { at: moment } = await query('select clock_timestamp() as at')
  await delay(2)
  await query('insert into kept values (5)')
  await archiveAll(folder)
  await server.stop()

  const segments = await listSegments(archive)
  const fileOf = (segment: string) => join(walFolder(archive), `${segment}.gz`)
  const middle = segments[segments.indexOf(base.startSegment) + 3]!
  const refused = async (to: string, sentence: RegExp) => {
    const target = dataFolder(t)
    await assert.rejects(restoreMoment(archives, target, to), { name: 'BackupProblem', message: sentence })
    assert.equal(existsSync(join(findLocation(target)?.home ?? target, 'cluster')), false)
  }
  const to = moment.toISOString() as string
  // Beyond its end, before its beginning, and no moment at all.
  await refused(
    new Date(Date.now() + 3_600_000).toISOString(),
    /The archive ends before .* its last transaction was at/,
  )
  await refused('2020-01-01T00:00:00Z', /The archive begins at/)
  await refused('yesterday', /is not a moment/)

  const whole = readFileSync(fileOf(middle))
  const damaged = Buffer.from(whole)
  // Its checksum: among so many zeros another byte may stand for the same ones.
  damaged[whole.length - 6]! ^= 0xff
  writeFileSync(fileOf(middle), damaged)
  await refused(to, new RegExp(`Segment ${middle} of the archive is damaged`))
  writeFileSync(fileOf(middle), whole)

  renameSync(fileOf(middle), `${fileOf(middle)}.away`)
  await refused(to, new RegExp(`Segment ${middle} is missing`))
  await refused('latest', new RegExp(`Segment ${middle} is missing`))
  renameSync(`${fileOf(middle)}.away`, fileOf(middle))

  const copy = readFileSync(base.file)
  writeFileSync(base.file, copy.subarray(0, copy.length - 10))
  await refused(to, /The base .* cannot be used. The file is damaged or not whole/)
  writeFileSync(base.file, copy)

  for (const [until, sum] of [
    ['latest', 15],
    [to, 10],
  ] as const) {
    const target = ownFolder()
    await restoreMoment(archive, target, until)
    await startOwn(t, target, archives)
    const found = await asOwner(target, async (client) => (await client.query('select sum(n)::int from kept')).rows[0])
    assert.equal(found.sum, sum)
  }
  // It archives into a folder of its own, and who restores now has to say which one is meant.
  assert.equal((await findArchives(archives)).length, 3)
  await assert.rejects(restoreMoment(archives, dataFolder(t), to), { message: /archives of several databases/ })
})

test('the doctor tells of an archive that fails, has a gap or no base', {
  skip: deepOnly('each archive that fails has a database of its own'),
}, async (t) => {
  const folder = ownFolder()
  const archives = dataFolder(t)
  const server = await startOwn(t, folder, archives)
  const settings = readSettings({ GATEHOUSE_DATA: folder, GATEHOUSE_WAL_ARCHIVE: archives })
  const look = (now = Date.now()) =>
    asOwner(folder, async (client) => {
      const query = async <Row>({ text, values }: { text: string; values: unknown[] }) =>
        (await client.query(text, values)).rows as Row[]
      const [found] = await checkArchive({ query } as never, settings, now)
      return `${found!.state}: ${found!.detail}`
    })
  assert.match(await look(), /^warning: there is no base yet/)
  const schedule = { cluster: server.cluster, archive: server.archive!, hours: 24, days: 7 }
  await baseIfDue(schedule, (work) => work(server.connection), new Date())
  // Both folders are on one disk here.
  assert.match(await look(), /^warning: .* on the same disk/)
  assert.match(await look(Date.now() + 49 * 3_600_000), /^warning: the newest base is 49 hours old/)
  assert.match(await look(Date.now() + 3_600_000), /^warning: the last segment was archived at/)
  await archiveAll(folder)
  await archiveAll(folder)
  const { startSegment } = (await listBases(server.archive!))[0]!
  const gone = join(walFolder(server.archive!), `${nextSegment(startSegment)}.gz`)
  rmSync(gone)
  assert.match(await look(), /^problem: segment .* is missing/)
  assert.ok(await baseIfDue(schedule, (work) => work(server.connection), new Date()))
  assert.match(await look(), /^warning: .* on the same disk/)
  // A segment of the same name and other content is not written over: archiving fails, and is seen to.
  const { segment } = await asOwner(folder, async (client) => {
    const { rows } = await client
      .query('create table more (n integer)')
      .then(() => client.query('select pg_walfile_name(pg_current_wal_insert_lsn()) as segment'))
    return rows[0]
  })
  const foreign = join(walFolder(server.archive!), `${segment}.gz`)
  writeFileSync(foreign, 'not a segment', { mode: 0o644 })
  await asOwner(folder, (client) => client.query('select pg_switch_wal()'))
  await poll('it failed', async () => (await look()).startsWith('problem: segment'))
  await poll('the failing one is told', async () => (await look()).includes('could not be archived'))
  assert.equal(readFileSync(foreign, 'utf8'), 'not a segment')
})

test('what no moment that is kept needs is removed, and nothing else', async (t) => {
  const archive = dataFolder(t)
  mkdirSync(walFolder(archive))
  const now = new Date('2026-11-16T12:00:00.000Z')
  const daysAgo = (days: number) => new Date(now.getTime() - days * 86_400_000)
  const segment = (n: number) => `00000001${'0'.repeat(14)}${n.toString(16).toUpperCase().padStart(2, '0')}`
  for (const [days, n] of [
    [10, 1],
    [8, 3],
    [6, 5],
  ] as const)
    writeFileSync(baseFile(archive, daysAgo(days), segment(n)), '')
  for (const n of [1, 2, 3, 4, 5, 6]) writeFileSync(join(walFolder(archive), `${segment(n)}.gz`), '')
  writeFileSync(join(walFolder(archive), `${segment(1)}.00000028.backup.gz`), '')
  writeFileSync(join(archive, 'notes.txt'), 'not ours')
  const made = { file: baseFile(archive, now, segment(6)), endedAt: now, startSegment: segment(6) }
  await baseIfDue({ cluster: '', archive, hours: 24, days: 7 }, async () => made as never, now)
  assert.deepEqual(await listSegments(archive), [3, 4, 5, 6].map(segment))
  assert.deepEqual(
    (await listBases(archive)).map(({ startSegment }) => startSegment),
    [segment(3), segment(5)],
  )
  assert.ok(readdirSync(archive).includes('notes.txt'))
  assert.ok(!readdirSync(walFolder(archive)).some((name) => name.includes('backup')))
})

test('a base that was made under a clock in the future keeps no other from being made', async (t) => {
  const archive = dataFolder(t)
  mkdirSync(walFolder(archive))
  const segment = '000000010000000000000001'
  writeFileSync(join(walFolder(archive), `${segment}.gz`), '')
  const now = new Date('2026-11-16T12:00:00.000Z')
  writeFileSync(baseFile(archive, new Date('2027-11-16T12:00:00.000Z'), segment), '')
  let made = 0
  const make = async () => {
    made++
    writeFileSync(baseFile(archive, now, segment), '')
    return undefined as never
  }
  const schedule = { cluster: '', archive, hours: 24, days: 7 }
  for (const _ of ['due', 'not due any more']) await baseIfDue(schedule, make, now)
  assert.equal(made, 1)
})

test('segments follow each other across the parts of their names', () => {
  assert.equal(nextSegment('0000000100000000000000FF'), '000000010000000100000000')
  const names = ['0000000100000000000000FE', '0000000100000000000000FF', '000000010000000100000000']
  assert.equal(firstGap(names, names[0]!), undefined)
  assert.equal(firstGap([names[0]!, names[2]!], names[0]!), names[1])
  assert.equal(firstGap([], names[0]!), names[0])
})

test('an archive of WAL is for the embedded server alone', () => {
  const env = { GATEHOUSE_WAL_ARCHIVE: '/somewhere', DATABASE_URL: 'postgres://localhost/gatehouse' }
  assert.throws(() => readSettings(env), { name: 'SettingsProblem', message: /is for the embedded PostgreSQL/ })
})

test('what is archived is readable by the user of PostgreSQL alone', async (t) => {
  const folder = ownFolder()
  const archives = dataFolder(t)
  const server = await startOwn(t, folder, archives)
  await archiveAll(folder)
  const [first] = await listSegments(server.archive!)
  assert.equal(statSync(join(walFolder(server.archive!), `${first}.gz`)).mode & 0o077, 0)
})
