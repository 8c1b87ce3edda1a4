import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, globSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import { often } from '../../../test/depth.ts'
import { poll } from '../../../test/servers/real-process.ts'
import { createDisk } from './disk.ts'

const maxBytes = 12_000_000
const largest = 4_000_000

function folderFor(t: TestContext): string {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-shared-'))
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return folder
}

function diskOn(t: TestContext, folder: string, bytes = maxBytes) {
  const disk = createDisk({ folder, maxBytes: bytes })
  t.after(disk.close)
  return disk
}

/** Bytes in files of the cache, and of those that are being written. */
function bytesIn(folder: string): number {
  const names = globSync('{artifacts,a,incoming}/**/*', { cwd: folder })
  return names.reduce((sum, name) => {
    const facts = statSync(join(folder, name), { throwIfNoEntry: false })
    return sum + (facts?.isFile() ? facts.size : 0)
  }, 0)
}

type Writer = { child: ChildProcess; kept: number; refused: number }

function startWriter(t: TestContext, folder: string): Writer {
  const script = new URL('./disk-fixture.ts', import.meta.url).pathname
  const args = ['--disable-warning=ExperimentalWarning', script, folder, String(maxBytes), String(largest)]
  const child = spawn(process.execPath, args, { stdio: ['pipe', 'pipe', 'inherit'] })
  t.after(() => child.kill('SIGKILL'))
  const writer: Writer = { child, kept: 0, refused: 0 }
  child.stdout.on('data', (data: Buffer) => {
    for (const sign of data.toString()) writer[sign === '+' ? 'kept' : 'refused']++
  })
  return writer
}

const isStopped = ({ child }: Writer) => /\) T /.test(readFileSync(`/proc/${child.pid}/stat`, 'utf8'))

/** What lies on the disk at one moment: nobody writes meanwhile. */
async function bytesAtOneMoment(folder: string, writers: Writer[]): Promise<number> {
  for (const { child } of writers) child.kill('SIGSTOP')
  await poll('all have stopped', () => writers.every(isStopped))
  const bytes = bytesIn(folder)
  for (const { child } of writers) child.kill('SIGCONT')
  return bytes
}

const withoutProc = existsSync('/proc/self/stat') ? false : 'whether a process is stopped is read in /proc'

test('processes on one folder never take more than the cache may have, also when some of them are killed', {
  skip: withoutProc,
}, async (t) => {
  const folder = folderFor(t)
  let writers = [1, 2, 3].map(() => startWriter(t, folder))
  const kept = () => writers.reduce((sum, writer) => sum + writer.kept, 0)
  let most = 0
  for (let round = 1; round <= often(4); round++) {
    for (let look = 0; look < 10; look++) {
      const before = kept()
      await poll('something more was kept', () => kept() > before)
      most = Math.max(most, await bytesAtOneMoment(folder, writers))
    }
    const [first, ...others] = writers
    first!.child.kill('SIGKILL')
    await once(first!.child, 'close')
    writers = [...others, startWriter(t, folder)]
  }
  await Promise.all(
    writers.map(async ({ child }) => {
      child.stdin!.write('end')
      assert.deepEqual(await once(child, 'close'), [0, null])
    }),
  )
  assert.ok(most > maxBytes / 2 && most <= maxBytes, `${most} bytes`)
  // What the killed ones were writing is cleared away, and the count is that of what is there.
  const disk = diskOn(t, folder)
  await disk.open()
  assert.deepEqual(readdirSync(join(folder, 'incoming')), [])
  assert.equal(disk.bytes(), bytesIn(folder))
  assert.deepEqual(
    readdirSync(join(folder, 'index')).filter((name) => name.endsWith('.lock')).length,
    1,
    'locks of the dead are gone',
  )
})

test('what another process keeps and reserves counts, and what it used last stays', async (t) => {
  const folder = folderFor(t)
  const [here, there] = [diskOn(t, folder, 1_000), diskOn(t, folder, 1_000)]
  await here.write('a/1', [Buffer.alloc(300)])
  await there.write('a/2', [Buffer.alloc(300)])
  assert.deepEqual([here.bytes(), there.bytes()], [600, 600])
  const room = there.reserve()
  await room.take(300)
  assert.ok(here.bytes() >= 900)
  there.used('a/1')
  await there.adjust()
  // The other has to know of the use before it decides.
  await there.write('a/3', [Buffer.alloc(50)])
  await here.write('a/4', [Buffer.alloc(100)])
  assert.deepEqual(
    ['a/1', 'a/2', 'a/3', 'a/4'].map((name) => existsSync(join(folder, name))),
    [true, false, true, true],
  )
  await assert.rejects(here.write('a/5', [Buffer.alloc(900)]), { code: 'unavailable' })
  room.release()
  await there.write('a/6', [Buffer.alloc(10)])
  await here.write('a/5', [Buffer.alloc(900)])
  assert.equal(bytesIn(folder), 900 + (existsSync(join(folder, 'a/6')) ? 10 : 0))
})

test('an index that was removed or spoilt is made anew from the files', async (t) => {
  const folder = folderFor(t)
  const disk = diskOn(t, folder, 1_000)
  await disk.write('a/1', [Buffer.alloc(400)])
  rmSync(join(folder, 'index'), { recursive: true })
  await disk.write('a/2', [Buffer.alloc(400)])
  await disk.open()
  assert.equal(disk.bytes(), 800)
  writeFileSync(join(folder, 'index', 'index.sqlite'), 'no database at all'.repeat(1_000))
  const other = diskOn(t, folder, 1_000)
  await other.write('a/3', [Buffer.alloc(400)])
  assert.deepEqual([other.bytes(), bytesIn(folder)], [800, 800])
  await disk.write('a/4', [Buffer.alloc(100)])
  assert.deepEqual([disk.bytes(), other.bytes(), bytesIn(folder)], [900, 900, 900])
})

test('where no index can be kept, every process counts for itself', async (t) => {
  const folder = folderFor(t)
  writeFileSync(join(folder, 'index'), 'a file in the place of the folder')
  const told: unknown[] = []
  const disk = createDisk({ folder, maxBytes: 1_000, onUnusable: (error) => told.push(error) })
  for (const name of ['a/1', 'a/2', 'a/3']) await disk.write(name, [Buffer.alloc(400)])
  assert.deepEqual([disk.bytes(), bytesIn(folder), told.length], [800, 800, 1])
  await disk.close()
})
