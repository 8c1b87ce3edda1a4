import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readdirSync, rmSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { test } from 'node:test'
import { newDownloadFile, removeLeftDownloads } from './download-files.ts'

const program = `
  import { writeFileSync } from 'node:fs'
  import { newDownloadFile } from '${new URL('./download-files.ts', import.meta.url)}'
  globalThis.kept = newDownloadFile(process.argv[1])
  writeFileSync(globalThis.kept.path, 'half of it')
  console.log('written')
  setInterval(() => {}, 1000)`

test('what a killed process was downloading is removed; what a living one is, and other files, stay', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-downloads-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const left = async () => {
    await removeLeftDownloads(folder)
    return readdirSync(folder).sort()
  }
  writeFileSync(join(folder, 'notes.download'), '')
  const other = spawn(process.execPath, ['--input-type=module', '--eval', program, folder], {
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  t.after(() => other.kill('SIGKILL'))
  await once(other.stdout, 'data')
  const own = newDownloadFile(folder)
  writeFileSync(own.path, 'whole')
  assert.equal((await left()).length, 5)

  const ended = once(other, 'exit')
  other.kill('SIGKILL')
  await ended
  const [name] = own.path.split('/').slice(-1)
  assert.deepEqual(await left(), [name, name!.replace('.download', '.lock'), 'notes.download'].sort())
  await own.remove()
  assert.deepEqual(await left(), ['notes.download'])
})

test('one without a lock may be of an older release that is at it: it stays for a day', async (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'gatehouse-downloads-'))
  t.after(() => rmSync(folder, { recursive: true }))
  const names = ['00000000-0000-4000-8000-000000000001.download', '00000000-0000-4000-8000-000000000002.download']
  for (const name of names) writeFileSync(join(folder, name), 'half of it')
  const yesterday = new Date(Date.now() - 25 * 3_600_000)
  utimesSync(join(folder, names[0]!), yesterday, yesterday)
  await removeLeftDownloads(folder)
  assert.deepEqual(readdirSync(folder), [names[1]])
})

test('a folder that is not there has nothing in it', () => removeLeftDownloads('/nowhere/at/all'))
