import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { putOffSeconds } from '../../../../test/put-off.ts'
import { openTrackerGatehouse } from '../../../../test/servers/tracker-gatehouse.ts'
import { until } from '../../../jobs/test-queue.ts'
import type { SandboxRequest } from '../../../sandbox/local-server.ts'

let own: Awaited<ReturnType<typeof openTrackerGatehouse>>
before(async () => {
  own = await openTrackerGatehouse()
})
beforeEach(async () => {
  own.tracker.control.trouble = undefined
  own.tracker.control.lostAnswer = undefined
  await own.configured()
})
after(() => own.close())

const [open, done] = ['10001', '10003']
const isFiring = ({ method, path }: SandboxRequest) => method === 'POST' && path[5] === 'transitions'
const firings = () => own.tracker.seen.filter(isFiring).length

async function ticketFor(...issueIds: string[]) {
  const answer = await own.tickets('POST', '', { body: { issueIds } })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return own.ready(answer.body.ticket.id)
}
const now = async (id: number) => (await own.tickets('GET', `/${id}`)).body.ticket

test('a ticket is told once everything it is about is fixed', async () => {
  const [a, b] = [await own.issue(), await own.issue()]
  const { id, key } = await ticketFor(a, b)
  await own.triage(a, 'TRIAGE_STATE_FIXED')
  await own.poll()
  assert.equal(own.tracker.find(key)!.statusId, open)
  await own.triage(b, 'TRIAGE_STATE_FIXED')
  await own.poll()
  assert.equal(own.tracker.find(key)!.statusId, done)
  const ticket = await now(id)
  assert.deepEqual([ticket.transition, ticket.isClosed, ticket.statusName], ['TICKET_TRANSITION_FIRED', true, 'Done'])
  assert.notEqual(ticket.closedAt, null)
})

test('a tracker that says for how long it wants to be left alone is told of it no sooner', async () => {
  const issueId = await own.issue()
  const { key } = await ticketFor(issueId)
  const before = firings()
  const answer = { status: 429, headers: { 'retry-after': '3600' }, body: {} }
  own.tracker.control.trouble = (request) => (isFiring(request) ? answer : undefined)
  const seconds = await putOffSeconds(own.gatehouse.connection, 'ticketing.transition', async () => {
    await own.triage(issueId, 'TRIAGE_STATE_FIXED')
    await until(() => firings() > before)
    own.tracker.control.trouble = undefined
  })
  assert.ok(seconds > 3_000, String(seconds))
  assert.equal(own.tracker.find(key)!.statusId, done)
})

test('who opens the ticket again is not overruled, until something it is about was open again', async () => {
  const issueId = await own.issue()
  const { id, key } = await ticketFor(issueId)
  await own.triage(issueId, 'TRIAGE_STATE_FIXED')
  await own.poll()
  own.tracker.move(key, open)
  await own.poll()
  assert.equal(own.tracker.find(key)!.statusId, open)
  assert.deepEqual([(await now(id)).isClosed, (await now(id)).closedAt], [false, null])
  await own.triage(issueId, 'TRIAGE_STATE_REOPENED')
  await own.poll()
  await own.triage(issueId, 'TRIAGE_STATE_FIXED')
  await own.poll()
  assert.equal(own.tracker.find(key)!.statusId, done)
})

test('a ticket that people close, move or rename is seen', async () => {
  const { id, key } = await ticketFor(await own.issue())
  own.tracker.move(key, '10002')
  await own.poll()
  assert.deepEqual([(await now(id)).statusName, (await now(id)).isClosed], ['In Progress', false])
  own.pass(3 * 60_000)
  own.tracker.move(key, done)
  await own.poll()
  assert.deepEqual([(await now(id)).statusName, (await now(id)).isClosed], ['Done', true])
})

test('only what changed lately is asked for', async () => {
  const { key } = await ticketFor(await own.issue())
  await own.poll()
  own.pass(60 * 60_000)
  await own.poll()
  own.pass(60_000)
  const { length } = own.tracker.seen
  await own.poll()
  const query = own.tracker.seen.slice(length).find(({ path }) => path.at(-1) === 'jql')!
  assert.match(JSON.parse(query.body).jql, /^labels = "gatehouse" AND updated >= "-(1[0-9])m"/)
  assert.ok(own.tracker.find(key))
})

test('many changed tickets come page by page', async () => {
  const keys = Array.from({ length: 120 }, (_, at) => own.tracker.write(`Bulk ${at}`))
  const linked = []
  for (const key of [keys[0]!, keys[70]!, keys[119]!]) {
    const body = { key, issueIds: [await own.issue()] }
    linked.push((await own.tickets('POST', '/link', { body })).body.ticket)
  }
  for (const key of keys) own.tracker.find(key)!.labels = ['gatehouse']
  for (const key of keys) own.tracker.move(key, done)
  await own.poll()
  for (const { id } of linked) assert.equal((await now(id)).isClosed, true)
})

test('the answer to a transition is lost: it is not fired twice', async () => {
  const issueId = await own.issue()
  const { id } = await ticketFor(issueId)
  await own.triage(issueId, 'TRIAGE_STATE_FIXED')
  const before = firings()
  let lost = 0
  own.tracker.control.lostAnswer = (request) =>
    isFiring(request) && lost++ === 0 ? { status: 502, body: '' } : undefined
  await own.poll()
  assert.equal((await now(id)).transition, 'TICKET_TRANSITION_FIRED')
  assert.deepEqual([lost, firings() - before], [1, 1])
})

test('a transition that the ticket does not offer fails, and says so', async () => {
  await own.configured({
    fixedTransitionState: { trackerTransitionId: '41', serviceAggregateState: 'AGGREGATE_STATE_FIXED' },
  })
  const issueId = await own.issue()
  const { id } = await ticketFor(issueId)
  await own.triage(issueId, 'TRIAGE_STATE_FIXED')
  await own.poll()
  const ticket = await now(id)
  assert.equal(ticket.transition, 'TICKET_TRANSITION_FAILED')
  assert.match(ticket.transitionDetail, /'41' is not offered for a ticket that is 'To Do'/)
})

test('what was fixed while we were locked out is told after connecting again', async () => {
  const issueId = await own.issue()
  const { id, key } = await ticketFor(issueId)
  await own.triage(issueId, 'TRIAGE_STATE_FIXED')
  own.tracker.control.trouble = (request) => (isFiring(request) ? { status: 401, body: {} } : undefined)
  await own.poll()
  assert.equal((await now(id)).transition, 'TICKET_TRANSITION_DUE')
  assert.equal((await own.instances('GET')).body.instances[0].isAuthRevoked, true)
  own.tracker.control.trouble = undefined
  await own.configured()
  await own.ticketWhen(id, ({ transition }) => transition === 'TICKET_TRANSITION_FIRED')
  assert.equal(own.tracker.find(key)!.statusId, done)
})

test('a tracker that takes the same credentials again is told what it missed, and gets its tickets', async () => {
  const instanceId = await own.configured()
  const [fixed, reported] = [await own.issue(), await own.issue()]
  const { id, key } = await ticketFor(fixed)
  own.tracker.control.trouble = () => ({ status: 401, body: {} })
  await own.triage(fixed, 'TRIAGE_STATE_FIXED')
  await own.poll()
  const waiting = await own.made(reported)
  await own.settled()
  assert.equal((await now(id)).transition, 'TICKET_TRANSITION_DUE')
  assert.equal((await now(waiting.id)).state, 'TICKET_STATE_CREATING')
  own.tracker.control.trouble = undefined
  assert.equal((await own.instances('POST', `/${instanceId}/validate`)).body.ok, true)
  await own.settled()
  assert.equal((await now(id)).transition, 'TICKET_TRANSITION_FIRED')
  assert.equal((await now(waiting.id)).state, 'TICKET_STATE_READY')
  assert.equal(own.tracker.find(key)!.statusId, done)
})
