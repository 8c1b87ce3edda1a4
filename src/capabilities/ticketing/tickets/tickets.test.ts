import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import sql from 'sql-template-tag'
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
  own.tracker.control.slowIndex = false
  await own.configured()
})
after(() => own.close())

const isCreation = ({ method, path }: SandboxRequest) => method === 'POST' && path.join('/') === 'rest/api/3/issue'
const attempts = () => own.tracker.seen.filter(isCreation).length
const writtenFor = (title: string) => own.tracker.issues.filter(({ fields }) => String(fields.summary).includes(title))

/** Until the outside has been asked once more. */
const asked = (before: number) => until(() => attempts() > before)

/** Until what waits has been tried so often from now on. */
async function triedAgain(times: number): Promise<void> {
  const tries = async () => {
    const query = sql`select coalesce(sum(attempt), 0)::int as tries from outbox where kind = 'ticketing.create'`
    return (await own.gatehouse.db.as(own.gatehouse.owner).query<{ tries: number }>(query))[0]!.tries
  }
  const start = await tries()
  await until(async () => (await tries()) >= start + times)
}

test('a ticket is made for an issue, says what it is about, and is found by it', async () => {
  const issueId = await own.issue({ title: 'Open door', description: 'Anyone can come in.\n\nEven you.' })
  const begun = await own.made(issueId)
  assert.deepEqual([begun.state, begun.key, begun.url], ['TICKET_STATE_CREATING', '', ''])
  const ticket = await own.ready(begun.id)
  const written = own.tracker.find(ticket.key)!
  assert.equal(written.fields.summary, '[High] Open door')
  assert.match(JSON.stringify(written.fields.description), /Anyone can come in\..*Even you\..*Issue: /s)
  assert.ok(written.labels.includes('gatehouse'))
  assert.deepEqual([ticket.url, ticket.issueIds], [`${own.tracker.url}/browse/${ticket.key}`, [issueId]])
  const found = await own.tickets('GET', `?issueId=${issueId}`)
  assert.deepEqual(found.body.tickets, [ticket])
})

test('one ticket for several issues, and a subtask below it', async () => {
  const [a, b, c] = [await own.issue(), await own.issue(), await own.issue()]
  const answer = await own.tickets('POST', '', { body: { issueIds: [a, b] } })
  const parent = await own.ready(answer.body.ticket.id)
  assert.deepEqual(parent.issueIds, [a, b])
  assert.match(parent.summary, /and 1 more$/)
  const child = await own.ready((await own.made(c, { parentKey: parent.key })).id)
  const { fields, typeId } = own.tracker.find(child.key)!
  assert.deepEqual([fields.parent, typeId], [{ key: parent.key }, '10202'])
})

test('nothing has two tickets, also of requests that come together', async () => {
  const [a, b] = [await own.issue({ title: 'Wanted by many' }), await own.issue()]
  const body = { issueIds: [a] }
  const answers = await Promise.all(Array.from({ length: 8 }, () => own.tickets('POST', '', { body })))
  const ids = new Set(answers.filter(({ status }) => status === 200).map(({ body: { ticket } }) => ticket.id))
  assert.equal(ids.size, 1)
  await own.ready([...ids][0])
  assert.equal(writtenFor('Wanted by many').length, 1)
  for (const issueIds of [[a], [a, b]]) {
    const again = await own.tickets('POST', '', { body: { issueIds } })
    assert.deepEqual([again.status, again.body.code], [409, 'conflict'])
    assert.match(again.body.detail, new RegExp(`issue ${a} has ticket`))
  }
})

test('the answer of the tracker is lost: the ticket is searched for and not made again', async () => {
  const issueId = await own.issue({ title: 'Lost answer' })
  own.tracker.control.lostAnswer = (request) => (isCreation(request) ? { status: 502, body: 'gone' } : undefined)
  const before = attempts()
  const { id } = await own.made(issueId)
  await asked(before)
  own.tracker.control.lostAnswer = undefined
  const waiting = await own.ticketWhen(id, ({ state, ...ticket }) => (ticket as { detail?: string }).detail !== '')
  assert.equal(waiting.state, 'TICKET_STATE_CREATING')
  own.pass(60_000)
  const ticket = await own.ready(id)
  assert.equal(writtenFor('Lost answer').length, 1)
  assert.equal(writtenFor('Lost answer')[0]!.key, ticket.key)
  assert.equal(attempts(), before + 1)
})

test('the process dies between the answer of the tracker and its own commit: one ticket', async () => {
  const issueId = await own.issue({ title: 'Died halfway' })
  own.tracker.control.slowIndex = true
  const before = attempts()
  // The database refuses what comes after the answer, as if the process were no more.
  await own.breakReadiness()
  const { id } = await own.made(issueId)
  await asked(before)
  await own.mendReadiness()
  assert.equal(writtenFor('Died halfway').length, 1)
  // The search does not show it yet: who searched right away would make a second one.
  own.pass(5_000)
  await triedAgain(3)
  const still = (await own.tickets('GET', `/${id}`)).body.ticket
  assert.equal(still.state, 'TICKET_STATE_CREATING')
  own.tracker.index()
  own.pass(60_000)
  await own.ready(id)
  assert.equal(attempts(), before + 1)
  assert.equal(writtenFor('Died halfway').length, 1)
})

test('a tracker that refuses: the ticket failed and says because of what, and can be tried again', async () => {
  const issueId = await own.issue({ title: 'Refused first' })
  own.tracker.control.trouble = (request) =>
    isCreation(request) ? { status: 400, body: { errors: { labels: 'no', hunter2: 'hunter2' } } } : undefined
  const { id } = await own.made(issueId)
  const failed = await own.ticketWhen(id, ({ state }) => state === 'TICKET_STATE_FAILED')
  assert.match(failed.detail, /answered 400 because of 'labels'\.$/)
  own.tracker.control.trouble = undefined
  assert.equal((await own.made(issueId)).id, id)
  await own.ready(id)
  assert.equal(writtenFor('Refused first').length, 1)
})

test('a tracker that is busy, or away for a while, gets the ticket later', async () => {
  for (const status of [429, 503]) {
    const title = `Later ${status}`
    const issueId = await own.issue({ title })
    const before = attempts()
    own.tracker.control.trouble = (request) => (isCreation(request) ? { status, body: {} } : undefined)
    const { id } = await own.made(issueId)
    await asked(before)
    own.tracker.control.trouble = undefined
    own.pass(60_000)
    await own.ready(id)
    assert.equal(writtenFor(title).length, 1)
  }
})

test('a tracker that says for how long it wants to be left alone is left alone for so long', async () => {
  for (const status of [429, 503]) {
    const title = `Put off ${status}`
    const issueId = await own.issue({ title })
    const before = attempts()
    const answer = { status, headers: { 'retry-after': '3600' }, body: {} }
    own.tracker.control.trouble = (request) => (isCreation(request) ? answer : undefined)
    const seconds = await putOffSeconds(own.gatehouse.connection, 'ticketing.create', async () => {
      await own.made(issueId)
      await asked(before)
      own.tracker.control.trouble = undefined
      own.pass(60_000)
    })
    assert.ok(seconds > 3_000, `${status}: ${seconds}`)
    assert.equal(writtenFor(title).length, 1)
  }
})

test('credentials that are taken back: shown, nothing more is sent, and the ticket is made with new ones', async () => {
  const issueId = await own.issue({ title: 'Locked out' })
  own.tracker.revoke(own.account)
  const { id } = await own.made(issueId)
  const waiting = await own.ticketWhen(id, (ticket) => (ticket as unknown as { detail: string }).detail !== '')
  assert.match(waiting.detail, /refuses the credentials/)
  await until(async () => (await own.instances('GET')).body.instances[0].isAuthRevoked)
  const before = own.tracker.seen.length
  const other = await own.made(await own.issue())
  await own.ticketWhen(other.id, (ticket) => (ticket as unknown as { detail: string }).detail !== '')
  assert.equal(own.tracker.seen.length, before)
  await own.configured()
  await own.ready(id)
  await own.ready(other.id)
  assert.equal(writtenFor('Locked out').length, 1)
})

test('an existing ticket is linked, watched from then on, and unlinked', async () => {
  const [a, b] = [await own.issue(), await own.issue()]
  const key = own.tracker.write('Known for long')
  const linked = await own.tickets('POST', '/link', { body: { key, issueIds: [a] } })
  assert.equal(linked.status, 200, JSON.stringify(linked.body))
  const { ticket } = linked.body
  assert.deepEqual([ticket.key, ticket.summary, ticket.statusName], [key, 'Known for long', 'To Do'])
  assert.ok(own.tracker.find(key)!.labels.includes('gatehouse'))
  const second = await own.tickets('POST', '/link', { body: { key, issueIds: [b] } })
  assert.deepEqual([second.body.ticket.id, second.body.ticket.issueIds], [ticket.id, [a, b]])
  const taken = await own.tickets('POST', '/link', { body: { key: own.tracker.write('Another'), issueIds: [b] } })
  assert.equal(taken.status, 409)
  const stranger = await own.tickets('POST', `/${ticket.id}/unlink`, { body: { issueIds: [await own.issue()] } })
  assert.equal(stranger.status, 422)
  const one = await own.tickets('POST', `/${ticket.id}/unlink`, { body: { issueIds: [a] } })
  assert.deepEqual(one.body.ticket.issueIds, [b])
  await own.tickets('POST', `/${ticket.id}/unlink`, { body: { issueIds: [b] } })
  assert.equal((await own.tickets('GET', `/${ticket.id}`)).status, 404)
})

test('a repeated link is answered as the first, and a key of another request reaches no tracker', async () => {
  const headers = { 'idempotency-key': 'link' }
  const body = { key: own.tracker.write('Sent twice'), issueIds: [await own.issue()] }
  const first = await own.tickets('POST', '/link', { body, headers })
  const again = await own.tickets('POST', '/link', { body, headers })
  assert.deepEqual([again.status, again.body], [200, first.body])
  const other = own.tracker.write('Of another request')
  const refused = await own.tickets('POST', '/link', { body: { key: other, issueIds: [await own.issue()] }, headers })
  assert.deepEqual([refused.status, refused.body.code], [422, 'idempotency_mismatch'])
  assert.deepEqual(own.tracker.find(other)!.labels, [])
})

test('a ticket that is not there cannot be linked', async () => {
  const answer = await own.tickets('POST', '/link', { body: { key: 'SEC-9999', issueIds: [await own.issue()] } })
  assert.deepEqual([answer.status, answer.body.code], [422, 'unprocessable'])
})

test('what does not exist, or nothing at all, gets no ticket', async () => {
  const unknown = await own.tickets('POST', '', { body: { issueIds: ['987654'], findingIds: ['987655'] } })
  assert.equal(unknown.status, 422)
  assert.deepEqual(
    unknown.body.errors.map(({ pointer }: { pointer: string }) => pointer),
    ['/findingIds/0', '/issueIds/0'],
  )
  assert.equal((await own.tickets('POST', '', { body: {} })).status, 400)
})
