import assert from 'node:assert/strict'
import { randomInt } from 'node:crypto'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { often } from '../../../test/depth.ts'
import { signingKey } from '../../../test/servers/automation-gatehouse.ts'
import type { ActionOrder, Subject } from '../../domain/trigger-event.ts'
import { openQueue, until } from '../../jobs/test-queue.ts'
import { type Job, Permanent } from '../../kernel/jobs/job.ts'
import { createOutbound } from '../../outbound/client/client.ts'
import { type ActionPayload, actionKind, draftsFor } from './actions/drafts.ts'
import { createWebhookDelivery } from './actions/webhook.ts'

const events = often(300, 1_000)

/** Remembers the ids of what it took, and takes nothing twice. In bad weather it is away, slow, fails, or loses its answer on the way. */
async function startReceiver(t: TestContext) {
  const taken = new Set<string>()
  const weather = { bad: true }
  let requests = 0
  const server = createServer(async (request, response) => {
    for await (const _ of request);
    requests++
    const id = String(request.headers['webhook-id'])
    const luck = weather.bad ? randomInt(6) : 5
    if (luck === 0) return void request.socket.destroy()
    if (luck === 1) return void response.writeHead(500).end()
    if (luck === 2) {
      taken.add(id)
      return void request.socket.destroy()
    }
    if (luck === 3) await new Promise((resolve) => setTimeout(resolve, randomInt(50)))
    taken.add(id)
    response.writeHead(200).end()
  })
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const down = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  await listen(0)
  const { port } = server.address() as AddressInfo
  t.after(() => down())
  return { url: `http://127.0.0.1:${port}/`, taken, weather, down, up: () => listen(port), requests: () => requests }
}

const subject = { kind: 'finding', id: '1', title: 'Something' } as Subject

/** As many webhook jobs as asked for, in the lanes that automations put them into. */
function jobsFor(url: string, count: number) {
  const { origin } = new URL(url)
  const action = { id: 1, type: 'ACTION_TYPE_WEBHOOK', config: { origin } } as const
  return Array.from({ length: count }, () => {
    const [draft] = draftsFor({ id: 1 } as never, action, [subject])
    return { kind: actionKind, lane: draft!.lane, payload: draft!.payload }
  })
}

function delivery(t: TestContext, url: string) {
  // The breaker pauses for half a minute outside of tests.
  const outbound = createOutbound({ allow: '127.0.0.1', circuitPauseMs: 50 })
  t.after(() => outbound.close())
  const deliver = createWebhookDelivery(outbound)
  const secret = JSON.stringify({ url, signingKey })
  const run = ({ key, payload, signal, deploymentId }: Job) => {
    const { subjects, total } = payload as ActionPayload
    const order = { key, subjects, total, signal, deploymentId, occasion: { source: 'TRIGGER_SOURCE_SCAN' } }
    return deliver(order as ActionOrder, { secret, at: '2026-01-01T00:00:00.000Z' })
  }
  return { kind: actionKind, run }
}

test(`${events} events and a receiver that is down, slow, fails and loses answers: each is delivered once or a dead letter`, async (t) => {
  const receiver = await startReceiver(t)
  const queue = await openQueue(t)
  await queue.put(await queue.tenant(), jobsFor(receiver.url, events))
  const keys = (await queue.rows()).map(({ key }) => String(key))
  queue.work([delivery(t, receiver.url)], {
    maxAttempts: 5,
    backoff: { firstSeconds: 0.02, factor: 2, mostSeconds: 1 },
  })
  await until(() => receiver.taken.size > events / 3)
  await receiver.down()
  await until(async () => (await queue.rows()).filter(({ error }) => error !== '').length > 0)
  await receiver.up()
  await until(async () => (await queue.rows()).every(({ dead_at }) => dead_at !== null))
  const dead = new Set((await queue.rows()).map(({ key }) => String(key)))
  const lost = keys.filter((key) => !receiver.taken.has(key) && !dead.has(key))
  assert.deepEqual(lost, [])
  assert.ok(receiver.requests() > events, 'nothing was tried twice')
  t.diagnostic(`${receiver.requests()} requests, ${receiver.taken.size} taken, ${dead.size} dead letters`)

  receiver.weather.bad = false
  await queue.admin.query('update outbox set dead_at = null, attempt = 0, run_at = now()')
  await until(async () => (await queue.rows()).length === 0)
  // Had a try gone out under another id, there would be more of them than events.
  assert.deepEqual([...receiver.taken].toSorted(), keys.toSorted())
})

test("all of one tenant's events arrive while another's receiver takes connections and never answers", async (t) => {
  const receiver = await startReceiver(t)
  receiver.weather.bad = false
  const silent = createServer(() => {})
  await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    silent.closeAllConnections()
    silent.close()
  })
  const queue = await openQueue(t)
  const [stuck, well] = [await queue.tenant(), await queue.tenant()]
  const silentUrl = `http://127.0.0.1:${(silent.address() as AddressInfo).port}/`
  await queue.put(stuck, jobsFor(silentUrl, 500))
  const [toSilent, toReceiver] = [delivery(t, silentUrl), delivery(t, receiver.url)]
  const given = new AbortController()
  const run = (job: Job) => {
    if (job.deploymentId === well) return toReceiver.run(job)
    // Ends with the test, and not before.
    const signal = AbortSignal.any([job.signal, given.signal])
    return toSilent.run({ ...job, signal }).catch(() => Promise.reject(new Permanent('given up')))
  }
  const worker = queue.work([{ kind: actionKind, run }])
  await until(() => worker.running() === 4)
  await queue.put(well, jobsFor(receiver.url, 500))
  await until(() => receiver.taken.size === 500)
  const left = (await queue.rows()).filter((row) => Number(row.deployment_id) === stuck)
  assert.equal(left.length, 500)
  given.abort()
})
