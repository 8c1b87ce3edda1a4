import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openTrackerGatehouse } from '../../../../test/servers/tracker-gatehouse.ts'
import { type LogResult, sarifLog } from '../../findings/test-log.ts'
import { upload } from '../../scans/test-upload.ts'

let own: Awaited<ReturnType<typeof openTrackerGatehouse>>
let commits = 0
before(async () => {
  own = await openTrackerGatehouse()
})
beforeEach(() => own.configured())
after(() => own.close())

const only = { sast: false, sca: false, secrets: false, scaMaliciousDeps: false, aiSast: false }

async function scan(repository: string, results: LogResult[], more: object = {}): Promise<void> {
  const commit = String(++commits).padStart(7, '0')
  const answer = await upload(own.gatehouse, { repository, commit, ...more }, { 'log.sarif': sarifLog({ results }) })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

async function findingsOf(repository: string): Promise<string[]> {
  const path = `/api/findings/${own.gatehouse.owner.deploymentId}/findings/search`
  const { body } = await own.gatehouse.call('POST', path, { body: { filter: { repositories: [repository] } } })
  return body.findings.map(({ id }: { id: string }) => id)
}

const writtenFor = (repository: string) =>
  own.tracker.issues.filter(({ fields }) => String(fields.summary).endsWith(repository))
const ticketsOf = async (repository: string) =>
  (await own.tickets('GET', '')).body.tickets.filter(({ summary }: { summary: string }) => summary.endsWith(repository))

test('new findings of a default branch get tickets by themselves where that is switched on, each one', async () => {
  await scan('auto/off', [{ code: 'a' }])
  await own.settled()
  assert.equal(writtenFor('auto/off').length, 0)
  await own.configured({ automationStates: { ...only, sast: true } })
  await scan('auto/on', [{ code: 'a' }, { code: 'b' }])
  await own.settled()
  assert.equal(writtenFor('auto/on').length, 2)
  await scan('auto/on', [{ code: 'a' }, { code: 'b' }])
  await scan('auto/on', [{ code: 'c' }], { ref: 'feature' })
  await scan('auto/on', [{ code: 'd' }], { kind: 'SCAN_KIND_PULL_REQUEST', ref: 'x', baseRef: 'main', pullRequest: 2 })
  await own.settled()
  assert.equal(writtenFor('auto/on').length, 2)
  assert.match(JSON.stringify(writtenFor('auto/on')[0]!.fields.description), /src\/a\.js:1.*Finding: \d+/)
})

test('issues get tickets by themselves when they are first reported, not when they are triaged', async () => {
  const before = await own.issue({ title: 'Known before' })
  await own.configured({ automationStates: { ...only, aiSast: true } })
  await own.triage(before, 'TRIAGE_STATE_REVIEWING')
  const issueId = await own.issue({ title: 'First seen' })
  await own.settled()
  assert.equal((await own.tickets('GET', `?issueId=${before}`)).body.tickets.length, 0)
  const [ticket] = (await own.tickets('GET', `?issueId=${issueId}`)).body.tickets
  assert.deepEqual([ticket.state, ticket.summary], ['TICKET_STATE_READY', '[High] First seen'])
})

test('a scan that no longer shows the finding closes its ticket', async () => {
  await own.configured({ automationStates: { ...only, sast: true } })
  await scan('fixed/by-scan', [{ code: 'a' }])
  await own.settled()
  assert.equal(writtenFor('fixed/by-scan')[0]!.statusId, '10001')
  await scan('fixed/by-scan', [])
  await own.settled()
  assert.equal(writtenFor('fixed/by-scan')[0]!.statusId, '10003')
  const [ticket] = await ticketsOf('fixed/by-scan')
  assert.deepEqual([ticket.isClosed, ticket.transition], [true, 'TICKET_TRANSITION_FIRED'])
})

test('an automation makes a ticket for what it acts on, and none where there is one', async () => {
  const automation = {
    name: 'Tickets',
    triggerSource: 'TRIGGER_SOURCE_SCAN',
    filters: { mode: 'MODE_ALL', conditions: [] },
    actions: [{ type: 'ACTION_TYPE_TICKET', config: {} }],
  }
  const made = await own.gatehouse.call('POST', `${own.base}/automations`, { body: automation })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  await own.configured({ automationStates: { ...only, sast: true } })
  await scan('auto/mation', [{ code: 'a' }])
  await own.settled()
  assert.equal(writtenFor('auto/mation').length, 1)
  await own.configured()
  await scan('auto/mation', [{ code: 'a' }, { code: 'b' }])
  await own.settled()
  assert.equal(writtenFor('auto/mation').length, 2)
  await own.gatehouse.call('DELETE', `${own.base}/automations/${made.body.automation.id}`)
})

test('who does not see a repository sees no ticket of its findings, and links none', async () => {
  const teams = `/api/permissions/v2/deployments/${own.gatehouse.owner.deploymentId}/teams`
  await scan('seen/place', [{ code: 'a' }])
  const everyone = (await own.gatehouse.call('GET', teams)).body.teams[0].id
  await own.gatehouse.call('PATCH', `${teams}/${everyone}/defaults`, { body: { isProjectDefault: false } })
  await scan('hidden/place', [{ code: 'a' }, { code: 'b' }])
  const [seen, [hidden, other]] = [await findingsOf('seen/place'), await findingsOf('hidden/place')]
  const made = async (findingIds: string[]) => {
    const answer = await own.tickets('POST', '', { body: { findingIds } })
    return own.ready(answer.body.ticket.id)
  }
  const secret = await made([hidden!])
  const mixed = await made([...seen, other!])
  const as = (await own.gatehouse.addPerson('member')).token
  const listed = (await own.tickets('GET', '', { as })).body.tickets.map(({ id }: { id: number }) => id)
  assert.deepEqual([listed.includes(secret.id), listed.includes(mixed.id)], [false, true])
  assert.deepEqual((await own.tickets('GET', `/${mixed.id}`, { as })).body.ticket.findingIds, seen)
  assert.deepEqual((await own.tickets('GET', `?findingId=${other}`, { as })).body.tickets, [])
  assert.equal((await own.tickets('GET', `/${secret.id}`, { as })).status, 404)
  const unlink = (id: number, findingIds: string[]) =>
    own.tickets('POST', `/${id}/unlink`, { as, body: { findingIds } })
  assert.equal((await unlink(secret.id, [hidden!])).status, 404)
  assert.equal((await unlink(mixed.id, [other!])).status, 422)
  assert.equal((await unlink(mixed.id, seen)).status, 200)
  assert.deepEqual((await own.tickets('GET', `/${mixed.id}`)).body.ticket.findingIds, [other])
  const body = { findingIds: [hidden!], key: own.tracker.write('Somewhere') }
  assert.equal((await own.tickets('POST', '/link', { as, body })).status, 422)
  assert.equal((await own.tickets('POST', '', { as, body: { findingIds: [hidden!] } })).status, 422)
})
