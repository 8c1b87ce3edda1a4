import assert from 'node:assert/strict'
import { spawnSync } from 'node:child_process'
import {
  chmodSync,
  chownSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { ask, oursIn, removeData, startOwner, temporaryFolder, until } from '../process/test-owner-process.ts'
import { findLocation } from './location.ts'

const skip = process.getuid?.() === 0 ? false : 'only root can become somebody else'
const NOBODY = { uid: 65534, gid: 65534 }
// Their process runs these very sources, which a checkout in a closed home keeps from them.
const reachable = skip || spawnSync('test', ['-r', import.meta.filename], NOBODY).status === 0
const skipOthers = skip || (reachable ? false : 'other users cannot read this checkout')

test('as root, in a folder others can pass through: an unprivileged server, its data inside', { skip }, async (t) => {
  const folder = join(temporaryFolder(), 'data')
  chmodSync(join(folder, '..'), 0o755)
  t.after(() => removeData(folder))
  const owner = startOwner(folder)
  await owner.said('ready')
  const place = findLocation(folder)!
  assert.equal(place.cluster, join(folder, 'postgres', 'cluster'))
  const { uid, mode } = statSync(place.cluster)
  assert.notEqual(uid, 0)
  assert.equal(mode & 0o777, 0o700)
  for (const { pid } of oursIn(folder)) assert.equal(statSync(`/proc/${pid}`).uid, uid)
  // Root's own files are not the server's to read or replace.
  for (const name of ['id', 'lock', 'password']) {
    const file = statSync(join(folder, 'postgres', name))
    assert.deepEqual([name, file.uid, file.mode & 0o777], [name, 0, 0o600])
  }
  assert.equal(statSync(join(folder, 'postgres')).uid, 0)
})

test('as root, in a closed folder: data where the server can reach it, and a fresh start when removed', {
  skip,
}, async (t) => {
  const folder = join(temporaryFolder(), 'closed')
  mkdirSync(folder, { mode: 0o700 })
  t.after(() => removeData(folder))
  await ask(folder, 'create table kept as select 1 as n')
  const first = findLocation(folder)!
  t.after(() => rmSync(first.home, { recursive: true }))
  assert.equal(first.home, `/var/lib/gatehouse/${first.id}`)
  assert.equal(statSync(first.cluster).mode & 0o777, 0o700)
  assert.ok(!existsSync(join(folder, 'postgres', 'cluster')))
  assert.deepEqual(await ask(folder, 'select n from kept'), [{ n: 1 }])

  rmSync(folder, { recursive: true })
  mkdirSync(folder, { mode: 0o700 })
  assert.deepEqual(await ask(folder, "select to_regclass('kept') as kept"), [{ kept: null }])
  assert.notEqual(findLocation(folder)!.home, first.home)
})

test('as an ordinary user, also after root has used the same folder', { skip: skipOthers }, async (t) => {
  const folder = temporaryFolder()
  chownSync(folder, NOBODY.uid, NOBODY.gid)
  t.after(() => removeData(folder))
  await ask(folder, 'create table acknowledged (n serial primary key)')
  for (const name of readdirSync(join(folder, 'postgres'))) {
    assert.deepEqual([name, statSync(join(folder, 'postgres', name)).uid], [name, NOBODY.uid])
  }
  const owner = startOwner(folder, NOBODY)
  assert.ok(await owner.said('ready'))
  await until('inserts are acknowledged', () => owner.acknowledged.length > 5)
  await owner.kill()
  await until('all its processes have gone', () => oursIn(folder).length === 0)
  const again = startOwner(folder, NOBODY)
  assert.ok(await again.said('ready'))
})

test('as root, a link that the owner of the folder has laid is neither written through nor given away', {
  skip,
}, async (t) => {
  const folder = temporaryFolder()
  const theirs = temporaryFolder()
  t.after(() => Promise.all([removeData(folder), removeData(theirs)]))
  chownSync(folder, NOBODY.uid, NOBODY.gid)
  await ask(folder, 'select 1')
  const file = join(theirs, 'of-root')
  writeFileSync(file, 'kept')
  symlinkSync(file, join(folder, 'postgres', 'lock.pid'))
  await ask(folder, 'select 1')
  assert.deepEqual([readFileSync(file, 'utf8'), statSync(file).uid], ['kept', 0])
})

test('as an ordinary user, in a folder that is not theirs: said in words', { skip: skipOthers }, async (t) => {
  const folder = temporaryFolder()
  t.after(() => removeData(folder))
  const problem = await startOwner(folder, NOBODY).said('problem')
  assert.match(problem ?? '', new RegExp(`^Cannot use '${folder}.*': permission denied`))
})
