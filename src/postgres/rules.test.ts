import assert from 'node:assert/strict'
import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { usableMemory } from '../kernel/memory/usable-memory.ts'
import { memorySettings } from './cluster/settings.ts'
import { chooseSocketFolder, fits, makeSocketFolder } from './cluster/socket-folder.ts'
import { fromFileError, fromServerOutput, PostgresProblem } from './problem.ts'
import { roleOf } from './process/processes.ts'
import { levelOf, readServerLine } from './process/server-log.ts'
import { pauseMs, supervise } from './process/supervise.ts'
import { temporaryFolder } from './process/test-owner-process.ts'

const MARKER = 'gatehouse-0123456789abcdef0123456789abcdef'
const SETTING = `cluster_name=${MARKER}`

const processes: [role: string | undefined, command: string[]][] = [
  ['postmaster', ['/a b/bin/postgres', '-D', '/data', '-c', SETTING, '-c', 'fsync=on', '']],
  ['helper', ['/a/bin/postgres', '--single', '-D', '/data', '-c', SETTING, 'postgres', '']],
  ['helper', ['/a/bin/postgres', '--boot', '-F', '-c', SETTING, '-X', '1048576', '']],
  ['child', [`postgres: ${MARKER}: checkpointer `, '', '']],
  ['initdb', ['/a/bin/initdb', '-D', '/data/postgres/unfinished-1/cluster', '-c', SETTING, '--username', 'x', '']],
  ['guard', ['/bin/sh', '-c', 'script', 'gatehouse-guard', '/a/bin/postgres', '-D', '/data', '-c', SETTING, '']],
  [undefined, ['sh', '-c', `"/a/bin/postgres" --boot -c ${SETTING} `, '']],
  [undefined, ['/usr/bin/less', `/var/lib/gatehouse/${MARKER}/cluster/postgresql.conf`, '']],
  [undefined, ['/usr/bin/grep', '-r', SETTING, '/', '']],
  [undefined, ['/a/bin/postgres', '-D', '/data', '-c', 'cluster_name=gatehouse-ffff', '']],
  [undefined, ['postgres: gatehouse-ffff: checkpointer ', '']],
  [undefined, ['']],
]

test('our processes are told from all others', () => {
  for (const [role, command] of processes) {
    assert.equal(roleOf({ pid: 1, command, zombie: false }, MARKER), role, command.join(' '))
    assert.equal(roleOf({ pid: 1, command, zombie: true }, MARKER), undefined)
  }
})

const lines: [line: string, message: string | undefined][] = [
  [
    '7 postmaster|LOG:  database system is ready to accept connections',
    'database system is ready to accept connections',
  ],
  ['7 client backend|PANIC:  could not write to file "pg_wal/1"', 'could not write to file "pg_wal/1"'],
  ['7 checkpointer|ERROR:  could not fsync file "base/1"', 'could not fsync file "base/1"'],
  ['7 client backend|ERROR:  invalid input syntax for type uuid: "secret"', undefined],
  ['7 parallel worker|ERROR:  division by zero', undefined],
  ['7 client backend|STATEMENT:  select secret', undefined],
  ['7 client backend|FATAL:  database "gatehouse" does not exist', undefined],
  ['\tsecond line of a statement', undefined],
  ['', undefined],
  ['postgres: could not find the database system', 'postgres: could not find the database system'],
]

test('the log has what befalls the server, and nothing of what clients sent', () => {
  for (const [line, message] of lines) assert.equal(readServerLine(line)?.message, message, line)
})

const levels: [line: string, level: string][] = [
  ['7 postmaster|LOG:  database system is ready to accept connections', 'debug'],
  ['7 postmaster|LOG:  server process (PID 9) was terminated by signal 9: Killed', 'warn'],
  ['7 postmaster|FATAL:  could not create lock file "postmaster.pid": No space left on device', 'error'],
  ['8 checkpointer|PANIC:  could not write to file "pg_wal/xlogtemp.8": No space left on device', 'error'],
  ['8 client backend|PANIC:  could not write to file "pg_wal/xlogtemp.8": No space left on device', 'error'],
  ['8 client backend|LOG:  could not receive data from client: Connection reset by peer', 'debug'],
  ['8 archiver|LOG:  archive command failed with exit code 1', 'warn'],
  ['8 archiver|WARNING:  archiving write-ahead log file "000000010000000000000001" failed too many times', 'warn'],
  ['8 autovacuum worker|ERROR:  invalid page in block 3 of relation base/5/16384', 'warn'],
  ['8 autovacuum worker|ERROR:  canceling autovacuum task', 'debug'],
  ['8 autovacuum launcher|FATAL:  terminating autovacuum process due to administrator command', 'debug'],
]

test('what befalls the server is logged where the operator sees it, and what is ordinary is not', () => {
  for (const [line, level] of levels) assert.equal(levelOf(readServerLine(line)!), level, line)
})

test('that the server stopped, could not be started and runs again is logged where the operator sees it', async () => {
  const runs = ['stops', 'does not start']
  const entries: [message: string, level: string | undefined][] = []
  const again = Promise.withResolvers<void>()
  const server = {
    async start(signal?: AbortSignal) {
      const how = runs.shift()
      if (how === 'does not start') throw new Error('no room')
      const { promise: exited, resolve } = Promise.withResolvers<number>()
      if (how === 'stops') resolve(1)
      signal?.addEventListener('abort', () => resolve(0))
      return { exited, stop: () => resolve(0) }
    },
    clear: async () => true,
  }
  const supervisor = await supervise(server, (message, _, level) => {
    entries.push([message, level])
    if (entries.length === 3) again.resolve()
  })
  await again.promise
  await supervisor.stop()
  assert.deepEqual(entries, [
    ['PostgreSQL has stopped unexpectedly; starting it again', 'error'],
    ['PostgreSQL could not be started again', 'error'],
    ['PostgreSQL runs again', 'info'],
  ])
})

test('memory is taken in proportion, within bounds', () => {
  const GIB = 1024 ** 3
  const table: [bytes: number, buffers: string, work: string][] = [
    [0.25 * GIB, '64MB', '4MB'],
    [4 * GIB, '512MB', '8MB'],
    [256 * GIB, '1024MB', '32MB'],
  ]
  for (const [bytes, buffers, work] of table) {
    assert.equal(memorySettings(bytes).shared_buffers, buffers)
    assert.equal(memorySettings(bytes).work_mem, work)
  }
  assert.equal(usableMemory(8 * GIB, 2 * GIB), 2 * GIB)
  assert.equal(usableMemory(8 * GIB, 2 ** 63), 8 * GIB)
  assert.equal(usableMemory(8 * GIB, 0), 8 * GIB)
})

test('the socket lies beside the database if its path is short enough', () => {
  const identity = { uid: 1, gid: 1, name: 'daemon' }
  const env = { XDG_RUNTIME_DIR: '/run/user/1000' }
  const choose = (home: string, who?: typeof identity) => chooseSocketFolder({ home, marker: MARKER }, who, env)
  assert.equal(choose('/data/postgres'), '/data/postgres/run')
  assert.equal(choose(`/${'d'.repeat(100)}`), `/run/user/1000/${MARKER}`)
  assert.equal(choose(`/${'d'.repeat(100)}`, identity), `/tmp/${MARKER}`)
  assert.equal(fits(`/${'é'.repeat(45)}`), true)
  assert.equal(fits(`/${'é'.repeat(47)}`), false)
})

test('a socket folder that others could enter, or that leads elsewhere, is refused', () => {
  const folder = temporaryFolder()
  mkdirSync(join(folder, 'open'), { mode: 0o755 })
  symlinkSync('/tmp', join(folder, 'link'))
  assert.throws(() => makeSocketFolder(join(folder, 'open'), undefined), PostgresProblem)
  assert.throws(() => makeSocketFolder(join(folder, 'link'), undefined), PostgresProblem)
  makeSocketFolder(join(folder, 'new'), undefined)
  makeSocketFolder(join(folder, 'new'), undefined)
})

test('what a person can do something about is said in words', () => {
  const full = Object.assign(new Error('no'), { code: 'ENOSPC', path: '/data' })
  assert.match((fromFileError(full) as Error).message, /^Cannot use '\/data': the disk is full/)
  const readOnly = Object.assign(new Error('no'), { code: 'ENOENT', syscall: 'mkdir', path: '/ro/data' })
  assert.match((fromFileError(readOnly) as Error).message, /^Cannot use '\/ro\/data': the file system is read-only/)
  const bug = new TypeError('x is not a function')
  assert.equal(fromFileError(bug), bug)
  assert.match(fromServerOutput('Failed', 'FATAL: could not extend: No space left on device').message, /disk is full/)
  const partly = 'FATAL:  could not extend file: wrote only 4096 of 8192 bytes\nHINT:  Check free disk space.'
  assert.match(fromServerOutput('Failed', partly).message, /disk is full/)
  assert.match(fromServerOutput('Failed', 'FATAL: something else').message, /DATABASE_URL.*something else/s)
})

test('a server that keeps dying is restarted at once, then less and less often', () => {
  assert.deepEqual([1, 2, 3, 4, 20].map(pauseMs), [0, 250, 500, 1000, 5000])
})
