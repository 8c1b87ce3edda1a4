import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { existsSync, readdirSync } from 'node:fs'
import http, { createServer } from 'node:http'
import { type AddressInfo, connect } from 'node:net'
import { join } from 'node:path'
import { type TestContext, test } from 'node:test'
import pg from 'pg'
import { runningConnection } from '../src/postgres/process/running.ts'
import { oursIn } from '../src/postgres/process/test-owner-process.ts'
import { throwAwayDatabase } from './cluster.ts'
import { deepOnly } from './depth.ts'
import {
  databaseUrl,
  dataFolder,
  poll,
  type RealServer,
  root,
  startProcess,
  startServer,
} from './servers/real-process.ts'

type Sent = { answer: Promise<{ status: number; connection: string | undefined }>; written: Promise<unknown> }

const inFlight = 200

async function open(t: TestContext) {
  const folder = dataFolder(t)
  const server = await startServer({ GATEHOUSE_DATA: folder })
  const teams = `/api/permissions/v2/deployments/${server.welcome.deploymentId}/teams`
  const send = (method: string, agent: http.Agent | false): Sent => {
    const headers = { authorization: `Bearer ${server.welcome.token}`, 'content-type': 'application/json' }
    const request = http.request(server.url + teams, { method, agent, headers })
    const answer = once(request, 'response').then(async ([response]) => {
      for await (const _ of response);
      return { status: response.statusCode as number, connection: response.headers.connection as string | undefined }
    })
    const written = once(request, 'finish')
    request.end(method === 'POST' ? JSON.stringify({ team: { name: 'In flight' } }) : undefined)
    return { answer, written }
  }
  return { folder, server, send }
}

/** Connections that stay open between requests, all of them used once. */
async function warmAgent(t: TestContext, send: (method: string, agent: http.Agent) => Sent, count: number) {
  const agent = new http.Agent({ keepAlive: true, maxSockets: count })
  t.after(() => agent.destroy())
  await Promise.all(Array.from({ length: count }, () => send('GET', agent).answer))
  return agent
}

async function refuses(server: RealServer): Promise<boolean> {
  return fetch(`${server.url}/api/health-check`).then(
    () => false,
    (error) => error.cause?.code === 'ECONNREFUSED',
  )
}

test(`told to stop with ${inFlight} requests in flight, it answers them all and then ends`, async (t) => {
  const { folder, server, send } = await open(t)
  const agent = await warmAgent(t, send, inFlight / 2)

  // Nobody gets further than to this table, so all of them are under way when the signal comes.
  const lock = new pg.Client(runningConnection(folder))
  await lock.connect()
  await lock.query('begin; lock table team in access exclusive mode')
  const sent = Array.from({ length: inFlight }, (_, index) =>
    send(index % 2 === 0 ? 'GET' : 'POST', index < inFlight / 2 ? agent : false),
  )
  await Promise.all(sent.map(({ written }) => written))
  server.child.kill('SIGTERM')
  await poll('no connection is accepted', () => refuses(server))
  await lock.query('commit')
  await lock.end()

  const answers = await Promise.all(sent.map(({ answer }) => answer))
  assert.deepEqual(tally(answers), { '200 close': inFlight })
  assert.equal(await server.ended, 0)
  assert.deepEqual(oursIn(folder), [])
})

test('requests that are sent as the signal comes are answered, on old connections and on new ones', async (t) => {
  const { folder, server, send } = await open(t)
  const agent = await warmAgent(t, send, 50)
  server.child.kill('SIGTERM')
  const sent = Array.from({ length: 100 }, (_, index) => send('GET', index < 50 ? agent : false))
  const answers = await Promise.all(sent.map(({ answer }) => answer))
  assert.deepEqual(tally(answers.map(({ status }) => ({ status, connection: undefined }))), { '200 open': 100 })
  assert.equal(await server.ended, 0)
  assert.deepEqual(oursIn(folder), [])
})

test('connections that ask nothing do not hold it up', async (t) => {
  const { server, send } = await open(t)
  await warmAgent(t, send, 5)
  const silent = connect(Number(new URL(server.url).port), '127.0.0.1')
  silent.on('error', () => {})
  await once(silent, 'connect')
  server.child.kill('SIGTERM')
  // Sooner than the time after which everything that is left is cut off.
  await poll('it has ended', () => server.child.exitCode !== null, 25_000)
  assert.equal(server.child.exitCode, 0)
})

function tally(answers: { status: number; connection: string | undefined }[]): Record<string, number> {
  const counts: Record<string, number> = {}
  for (const { status, connection } of answers) {
    const key = `${status} ${connection ?? 'open'}`
    counts[key] = (counts[key] ?? 0) + 1
  }
  return counts
}

test('told to stop while it waits to migrate, it ends at once, and cleanly', async (t) => {
  const { connection, drop } = await throwAwayDatabase(false)
  const holder = new pg.Client(connection as pg.ClientConfig)
  await holder.connect()
  t.after(async () => {
    await holder.end()
    await drop()
  })
  // As another process that migrates.
  await holder.query('select pg_advisory_lock(4283746501)')
  const DATABASE_URL = databaseUrl(connection as Parameters<typeof databaseUrl>[0])
  const env = { GATEHOUSE_DATA: dataFolder(t), DATABASE_URL, GATEHOUSE_KEY: randomBytes(32).toString('base64') }
  const { child, ended, log } = startProcess(env)
  const sessions =
    "select from pg_stat_activity where application_name = 'gatehouse migrate' and datname = current_database()"
  const waiting = `${sessions} and query like '%advisory%'`
  await poll('it waits', async () => (await holder.query(waiting)).rowCount === 1)
  child.kill('SIGTERM')
  assert.equal(await ended, 0, log())
  await poll('its session has ended', async () => (await holder.query(sessions)).rowCount === 0)
})

test('a feed that is being downloaded: what a killed process left of it is removed by the next start', async (t) => {
  const feed = createServer((_request, response) => void response.writeHead(200).write('the beginning'))
  t.after(() => {
    feed.closeAllConnections()
    feed.close()
  })
  await once(feed.listen(0, '127.0.0.1'), 'listening')
  const folder = dataFolder(t)
  const { port } = feed.address() as AddressInfo
  const env = {
    GATEHOUSE_DATA: folder,
    GATEHOUSE_FEED: `http://127.0.0.1:${port}/all.zip`,
    GATEHOUSE_EGRESS_ALLOW: '127.0.0.1',
  }
  const downloads = () => filesIn(join(folder, 'feeds')).filter((name) => name.endsWith('.download'))
  const first = await startServer(env)
  await poll('it downloads', () => downloads().length === 1)
  const left = downloads()[0]!
  first.child.kill('SIGKILL')
  await first.ended
  const { child, ended } = await startServer(env, 'none')
  assert.ok(!downloads().includes(left))
  child.kill('SIGTERM')
  await ended
})

test('a benchmark that is killed leaves no server running', {
  skip: deepOnly('no user runs a benchmark'),
}, async (t) => {
  const folder = dataFolder(t)
  const program = `import { startServer } from '${join(root, 'bench/server.ts')}'
    const { pid } = await startServer(process.argv[1])
    console.log(pid)`
  const benchmark = startProcess({}, [process.execPath, '--input-type=module', '--eval', program, folder])
  await poll('its server runs', () => /^\d+$/m.test(benchmark.output()))
  benchmark.child.kill('SIGKILL')
  await poll('the server has ended', () => !existsSync(`/proc/${benchmark.output().trim()}`))
})

function filesIn(folder: string): string[] {
  return existsSync(folder) ? readdirSync(folder) : []
}
