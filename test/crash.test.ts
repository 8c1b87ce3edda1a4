import assert from 'node:assert/strict'
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import type { Sql } from 'sql-template-tag'
import { firstBreak } from '../src/capabilities/audit/public.ts'
import { runningConnection } from '../src/postgres/process/running.ts'
import { kill, oursIn, postmastersIn } from '../src/postgres/process/test-owner-process.ts'
import { createAuditKeys } from '../src/vault/audit-keys.ts'
import { loadMasterKey } from '../src/vault/master-key/master-key.ts'
import { often } from './depth.ts'
import { dataFolder, poll, type RealServer, startServer } from './servers/real-process.ts'
import { createWriteLoad, type WriteLoad } from './write-load.ts'

// Five meet each kind of kill: of the server, of the database, of both.
const rounds = often(3, 200)
const readyWithinMs = 5_000
// What an empty Node takes to start on a machine at rest; where it takes longer, so may everything else.
const bareNodeMs = 100
const writesPerRound = 12
const int8 = 20

test(`killed ${rounds} times while it writes: nothing acknowledged is lost, nothing is doubled, and it is soon back`, async (t) => {
  const folder = dataFolder(t)
  const env = { GATEHOUSE_DATA: folder }
  let server = await startServer(env)
  const { token, deploymentId } = server.welcome
  const load = await createWriteLoad(server.call, deploymentId!)
  const readyMs: number[] = []
  const bareMs: number[] = []

  for (let round = 1; round <= rounds; round++) {
    const before = load.acknowledged()
    const writing = load.run(server.call)
    await poll('writes are acknowledged', () => load.acknowledged() >= before + writesPerRound)
    // Not to let time pass, but to hit another moment of the writes each time.
    await delay(Math.random() * 40)

    if (round % 5 === 0) {
      readyMs.push(await beside(bareMs, () => killDatabase(server, folder)))
      load.stop()
    } else {
      if (round % 3 === 0) for (const pid of postmastersIn(folder)) kill(pid)
      server.child.kill('SIGKILL')
      load.stop()
      assert.equal(await server.ended, 'SIGKILL')
      await writing
      server = await beside(bareMs, () => startServer(env, token))
      readyMs.push(server.readyMs)
    }
    await writing
    assert.deepEqual(await faultsIn(folder, load, deploymentId!), [], `after round ${round}`)
    await load.repeat(server.call)
    assert.deepEqual(await faultsIn(folder, load, deploymentId!), [], `after the repetitions of round ${round}`)
  }

  assert.equal(postmastersIn(folder).length, 1)
  assert.equal(server.child.kill('SIGTERM'), true)
  assert.equal(await server.ended, 0)
  assert.deepEqual(oursIn(folder), [])

  // Medians, because single starts wait for whatever else the machine is at.
  const limitMs = readyWithinMs * Math.max(1, median(bareMs) / bareNodeMs)
  t.diagnostic(`${load.acknowledged()} creations acknowledged`)
  t.diagnostic(`ready after ${median(readyMs)} ms, at most ${Math.max(...readyMs)} ms; bare Node ${median(bareMs)} ms`)
  assert.ok(median(readyMs) <= limitMs, `ready after ${median(readyMs)} ms, allowed are ${limitMs} ms`)
})

/** Adds how long an empty Node takes meanwhile, every now and then: the machine may be at rest before and after. */
async function beside<T>(bareMs: number[], work: () => Promise<T>): Promise<T> {
  let isOver = false
  const timing = (async () => {
    do {
      bareMs.push(await timeBareNode())
      await delay(500)
    } while (!isOver)
  })()
  try {
    return await work()
  } finally {
    isOver = true
    await timing
  }
}

async function timeBareNode(): Promise<number> {
  const since = performance.now()
  await once(spawn(process.execPath, ['-e', '0']), 'exit')
  return Math.round(performance.now() - since)
}

function median(values: number[]): number {
  return values.toSorted((a, b) => a - b)[values.length >> 1]!
}

/** Only PostgreSQL dies; Gatehouse lives on and has another one soon. */
async function killDatabase(server: RealServer, folder: string): Promise<number> {
  const since = performance.now()
  const killed = postmastersIn(folder)
  for (const pid of killed) kill(pid)
  await poll('there is another postmaster', () => postmastersIn(folder).some((pid) => !killed.includes(pid)))
  await poll('it is ready', async () => (await server.call('GET', '/api/readiness-check')).status === 200)
  assert.equal(server.child.exitCode, null)
  // At the level of the log that is usual, or higher.
  assert.match(server.log(), /"level":50,[^\n]*PostgreSQL has stopped unexpectedly/)
  return Math.round(performance.now() - since)
}

async function faultsIn(folder: string, load: WriteLoad, deploymentId: number): Promise<string[]> {
  const client = new pg.Client(runningConnection(folder))
  await client.connect()
  try {
    const faults = await load.faults(client)
    const numbers = { getTypeParser: (oid: number) => (oid === int8 ? Number : pg.types.getTypeParser(oid)) }
    const query = async <Row>({ text, values }: Sql) =>
      (await client.query({ text, values, types: numbers as pg.CustomTypesConfig })).rows as Row[]
    const masterKey = loadMasterKey({ env: undefined, folder }).key
    const keys = await createAuditKeys(masterKey, () => ({ identity: (work) => work({ query }) }))()
    const broken = await firstBreak({ deploymentId, query }, keys)
    return broken ? [...faults, `the audit chain breaks at ${broken.seq}: ${broken.reason}`] : faults
  } finally {
    await client.end()
  }
}
