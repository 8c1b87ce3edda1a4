import assert from 'node:assert/strict'
import { type TestContext, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { type EmbeddedPostgres, startEmbedded } from '../src/postgres/embedded.ts'
import { oursIn } from '../src/postgres/process/test-owner-process.ts'
import type { Answer } from './gatehouse.ts'
import { databaseUrl, dataFolder, poll, startServer } from './servers/real-process.ts'
import type { Call } from './write-load.ts'

const outageMs = 10_000
// Three seconds, and one more for a machine that is busy with other things.
const answeredWithinMs = 4_000
const backWithinMs = 5_000

type Sample = { what: string; at: number; ms: number; status: number; retryAfter: string | null }

type OpenGatehouse = Awaited<ReturnType<typeof open>>

/** A PostgreSQL that somebody else runs, and a Gatehouse on it. */
async function open(t: TestContext) {
  let database: EmbeddedPostgres | undefined
  // First of all, because it would start again what is killed in its folder.
  t.after(async () => {
    signal('SIGCONT')
    await database?.stop()
  })
  const folder = dataFolder(t)
  const start = async () => {
    database = await startEmbedded({ folder, log: () => {} })
    return database.connection
  }
  const stop = () => database?.stop()
  const signal = (name: NodeJS.Signals) => {
    // Frozen twice: before the first of them was, it may have started others.
    for (let pass = name === 'SIGSTOP' ? 2 : 1; pass > 0; pass--) {
      for (const { pid, role } of oursIn(folder)) if (role !== 'guard') process.kill(pid, name)
    }
  }
  const url = databaseUrl(await start())
  const server = await startServer({ GATEHOUSE_DATA: dataFolder(t), DATABASE_URL: url })
  return { server, database: { start, stop, signal } }
}

/** Asks everything that can be asked, over and over, and remembers what came of it. */
function sampling(call: Call, deploymentId: number, jwt: string) {
  const repositories = `/api/repositories/v1/deployments/${deploymentId}/repositories`
  let count = 0
  const asked: Record<string, () => Promise<Answer>> = {
    live: () => call('GET', '/api/health-check'),
    ready: () => call('GET', '/api/readiness-check'),
    read: () => call('GET', repositories),
    otherRead: () => call('GET', `/api/agent/deployments/${deploymentId}/ruleboards`),
    write: () => call('POST', repositories, { body: { name: `written-${count++}` } }),
    signedIn: () => call('GET', '/api/deployments/v1/deployments', { as: jwt }),
  }
  const samples: Sample[] = []
  let running = true
  const done = Promise.all(
    Object.entries(asked).map(async ([what, ask]) => {
      while (running) {
        const at = performance.now()
        const { status, headers } = await ask()
        samples.push({ what, at, ms: performance.now() - at, status, retryAfter: headers.get('retry-after') })
        await delay(50)
      }
    }),
  )
  return {
    samples,
    /** Whether each of them was last answered well, asked after that moment. */
    allWell: (since: number) =>
      Object.keys(asked).every((name) => {
        const last = samples.findLast(({ what, at }) => what === name && at > since)
        return last?.status === 200
      }),
    stop: () => {
      running = false
      return done
    },
  }
}

/** Runs one outage from beginning to end, and holds every answer of that time against the promise. */
async function endure(
  t: TestContext,
  { server }: OpenGatehouse,
  away: () => unknown,
  back: () => unknown,
): Promise<void> {
  const { email, password, deploymentId } = server.welcome
  const { body } = await server.call('POST', '/api/auth/login', { as: '', body: { email, password } })
  const { samples, allWell, stop } = sampling(server.call, deploymentId!, body.accessToken)
  const moments = { gone: 0, returning: 0, returned: 0, well: 0 }
  try {
    await poll('everything works', () => allWell(0))
    await away()
    moments.gone = performance.now()
    await poll('the outage is over', () => performance.now() - moments.gone > outageMs)
    moments.returning = performance.now()
    await back()
    moments.returned = performance.now()
    await poll('everything works again', () => allWell(moments.returned))
    moments.well = performance.now()
  } finally {
    await stop()
  }

  const slowestMs = Math.max(...samples.map(({ ms }) => ms))
  const backMs = moments.well - moments.returned
  t.diagnostic(`${samples.length} answers, the slowest after ${Math.round(slowestMs)} ms`)
  t.diagnostic(`everything worked ${Math.round(backMs)} ms after its return`)
  const isWrong = ({ what, status, retryAfter }: Sample) =>
    status !== 200 && (what === 'live' || status !== 503 || !retryAfter)
  assert.deepEqual(samples.filter(isWrong), [])
  // What is asked just before its return may have its answer afterwards.
  const during = samples.filter(({ at, ms }) => at > moments.gone && at + ms < moments.returning)
  for (const what of ['ready', 'read', 'otherRead', 'write', 'signedIn']) {
    const statuses = during.filter((sample) => sample.what === what).map(({ status }) => status)
    assert.deepEqual(new Set(statuses), new Set([503]), what)
  }
  assert.ok(slowestMs < answeredWithinMs, `the slowest answer took ${slowestMs} ms`)
  assert.ok(backMs < backWithinMs, `back after ${backMs} ms`)
  assert.equal(server.child.exitCode, null)
  assert.doesNotMatch(server.log(), /"level":60|unhandled|uncaught|is a bug/i)
}

test('the database is stopped for ten seconds: refused at once, live but not ready, and soon back', async (t) => {
  const gatehouse = await open(t)
  await endure(t, gatehouse, gatehouse.database.stop, gatehouse.database.start)
})

test('the database is frozen for ten seconds: what waits is let go, and everything recovers', async (t) => {
  const gatehouse = await open(t)
  const { signal } = gatehouse.database
  await endure(
    t,
    gatehouse,
    () => signal('SIGSTOP'),
    () => signal('SIGCONT'),
  )
})

test('told to stop while the database is frozen, it still ends', async (t) => {
  const { server, database } = await open(t)
  database.signal('SIGSTOP')
  server.child.kill('SIGTERM')
  assert.equal(await server.ended, 0)
})
