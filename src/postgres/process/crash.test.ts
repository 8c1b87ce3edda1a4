import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { often } from '../../../test/depth.ts'
import { findLocation } from '../cluster/location.ts'
import {
  ask,
  kill,
  madeFolder,
  type Owner,
  oursIn,
  postmastersIn,
  removeData,
  startOwner,
  temporaryFolder,
  until,
} from './test-owner-process.ts'

const ROUNDS = often(2, 30)

async function lostOf(folder: string, acknowledged: number[]): Promise<number[]> {
  const rows = await ask(folder, 'select n from acknowledged')
  const kept = new Set(rows.map(({ n }) => n))
  return acknowledged.filter((n) => !kept.has(n))
}

async function ready(owner: Owner): Promise<void> {
  const problem = owner.said('problem')
  if ((await owner.said('ready')) === undefined) throw new Error(`The owner did not start: ${await problem}`)
  await until('inserts are acknowledged', () => owner.acknowledged.length > 5)
}

const crashes: Record<string, (owner: Owner, folder: string) => Promise<void>> = {
  'Gatehouse is killed': (owner) => owner.kill(),
  'Gatehouse and the postmaster are killed': async (owner, folder) => {
    for (const pid of postmastersIn(folder)) kill(pid)
    await owner.kill()
  },
  'Gatehouse and the guard are killed, the server runs on': async (owner, folder) => {
    for (const { pid, role } of oursIn(folder)) if (role === 'guard') kill(pid)
    await owner.kill()
  },
  'every process is killed': async (owner, folder) => {
    owner.child.kill('SIGKILL')
    for (const { pid } of oursIn(folder)) kill(pid)
    await owner.exited
  },
}

for (const [what, crash] of Object.entries(crashes)) {
  test(`${what}: the next start works and nothing acknowledged is lost`, async (t) => {
    const folder = await madeFolder()
    t.after(() => removeData(folder))
    const acknowledged: number[] = []
    for (let round = 0; round < ROUNDS; round++) {
      const owner = startOwner(folder)
      await ready(owner)
      await delay(Math.random() * 100)
      await crash(owner, folder)
      acknowledged.push(...owner.acknowledged)
    }
    assert.deepEqual(await lostOf(folder, acknowledged), [])
  })
}

test('Gatehouse is killed at any moment of its first start: the next start works', async (t) => {
  for (let round = 0; round < ROUNDS; round++) {
    const folder = temporaryFolder()
    t.after(() => removeData(folder))
    const owner = startOwner(folder)
    // From before it has done anything, to while the database is being made, to when it is about to be used.
    if (round > 0) await until('the database is being made', () => oursIn(folder).some(({ role }) => role === 'initdb'))
    await delay(Math.random() * (round % 2 === 0 ? 800 : 100))
    await owner.kill()
    assert.deepEqual(await ask(folder, 'select 1 as n'), [{ n: 1 }])
    const left = readdirSync(join(folder, 'postgres')).filter((name) => name.startsWith('unfinished'))
    assert.deepEqual(left, [])
    assert.deepEqual(oursIn(folder), [])
  }
})

test('when Gatehouse is killed, nothing of the database stays running', async (t) => {
  const folder = await madeFolder()
  t.after(() => removeData(folder))
  const owner = startOwner(folder)
  await ready(owner)
  assert.ok(oursIn(folder).length > 3)
  await owner.kill()
  await until('all its processes have gone', () => oursIn(folder).length === 0)

  const during = temporaryFolder()
  t.after(() => removeData(during))
  const early = startOwner(during)
  await until('the database is being made', () => oursIn(during).some(({ role }) => role === 'initdb'))
  await early.kill()
  await until('all processes of the unfinished start have gone', () => oursIn(during).length === 0)
})

test('the postmaster is killed: it comes back by itself and nothing acknowledged is lost', async (t) => {
  const folder = await madeFolder()
  t.after(() => removeData(folder))
  const owner = startOwner(folder)
  await ready(owner)
  for (let round = 0; round < ROUNDS; round++) {
    const before = postmastersIn(folder)
    for (const pid of before) kill(pid)
    await until('there is another postmaster', () => postmastersIn(folder).some((pid) => !before.includes(pid)))
    const count = owner.acknowledged.length
    await until('inserts go on', () => owner.acknowledged.length > count + 5)
  }
  owner.child.stdin!.write('stop')
  await owner.exited
  assert.deepEqual(oursIn(folder), [])
  assert.deepEqual(await lostOf(folder, owner.acknowledged), [])
})

test('the guard is killed: the server comes back under a new one', async (t) => {
  const folder = await madeFolder()
  t.after(() => removeData(folder))
  const owner = startOwner(folder)
  await ready(owner)
  const guards = () => oursIn(folder).filter(({ role }) => role === 'guard')
  const before = guards().map(({ pid }) => pid)
  for (const pid of before) kill(pid)
  await until('there are new guards', () => {
    const now = guards()
    return now.length === 2 && !now.some(({ pid }) => before.includes(pid))
  })
  await owner.kill()
  await until('all its processes have gone', () => oursIn(folder).length === 0)
})

test('Ctrl-C, and a service manager that tells every process to stop, leave the database to Gatehouse', async (t) => {
  const folder = await madeFolder()
  t.after(() => removeData(folder))
  const owner = startOwner(folder)
  await ready(owner)
  const before = oursIn(folder).filter(({ role }) => role === 'postmaster' || role === 'guard')
  process.kill(-owner.child.pid!, 'SIGINT')
  for (const { pid, role } of before) if (role === 'guard') process.kill(pid, 'SIGTERM')
  await owner.said('log')
  const count = owner.acknowledged.length
  await until('inserts go on', () => owner.acknowledged.length > count + 50)
  const now = oursIn(folder).map(({ pid }) => pid)
  assert.deepEqual(
    before.filter(({ pid }) => !now.includes(pid)),
    [],
  )
})

test('a process of somebody else that has the number of an earlier postmaster is left alone, and in nobody’s way', async (t) => {
  const folder = await madeFolder()
  t.after(() => removeData(folder))
  const owner = startOwner(folder)
  await ready(owner)
  const place = findLocation(folder)!
  const pidFile = readFileSync(join(place.cluster, 'postmaster.pid'), 'utf8')
  await crashes['every process is killed']!(owner, folder)

  // As the user PostgreSQL runs as: others' processes it tells apart by itself.
  const { uid, gid } = statSync(place.cluster)
  const foreign: ChildProcess = spawn('/bin/sleep', ['1000'], { uid, gid })
  t.after(() => foreign.kill('SIGKILL'))
  writeFileSync(join(place.cluster, 'postmaster.pid'), pidFile.replace(/^\d+/, String(foreign.pid)))
  writeFileSync(join(place.home, 'run', '.s.PGSQL.5432.lock'), pidFile.replace(/^\d+/, String(foreign.pid)))
  assert.deepEqual(await lostOf(folder, owner.acknowledged), [])
  assert.equal(foreign.exitCode, null)
  assert.equal(foreign.signalCode, null)
})
