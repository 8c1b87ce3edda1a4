import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import sql from 'sql-template-tag'
import { openTrackerGatehouse } from '../../../../test/servers/tracker-gatehouse.ts'
import type { SandboxAnswer } from '../../../sandbox/local-server.ts'
import { startTrackerService } from '../../../sandbox/tracker/tracker-service.ts'
import { createKeyRotation } from '../../../vault/rotation/key-rotation.ts'

let own: Awaited<ReturnType<typeof openTrackerGatehouse>>
let elsewhere: Awaited<ReturnType<typeof startTrackerService>>
before(async () => {
  own = await openTrackerGatehouse()
  elsewhere = await startTrackerService()
})
beforeEach(() => {
  own.tracker.control.trouble = undefined
  own.tracker.control.hidesWorkflows = false
})
after(async () => {
  await own.close()
  await elsewhere.close()
})

const only = async () => (await own.instances('GET')).body.instances[0]

test('a tracker is connected, then configured, and shown as the interface says', async () => {
  assert.deepEqual((await own.instances('GET')).body, { instances: [] })
  const apiToken = own.tracker.addAccount(own.account)
  const body = { url: `${own.tracker.url}/`, email: own.account, apiToken }
  const connected = await own.instances('POST', '', { body })
  const { id } = connected.body.instance
  const bare = {
    id,
    isConfigured: false,
    isAuthRevoked: false,
    instanceType: 'INSTANCE_TYPE_JIRA',
    subdomain: new URL(own.tracker.url).host,
    projectId: '',
    issueTypeId: '',
    fields: {},
    automationStates: { sast: false, sca: false, secrets: false, scaMaliciousDeps: false, aiSast: false },
    subtaskIssueTypeId: '',
    fixedTransitionState: null,
  }
  assert.deepEqual(connected.body, {
    instance: bare,
    connection: { url: own.tracker.url, email: own.account },
    check: { ok: true, problems: [] },
  })
  const settings = {
    projectId: '10100',
    issueTypeId: '10201',
    fields: { customfield_10042: 'Platform', priority: { id: '2' } },
    automationStates: { sast: true },
    subtaskIssueTypeId: '10202',
    fixedTransitionState: { trackerTransitionId: '31', serviceAggregateState: 'AGGREGATE_STATE_FIXED' },
  }
  const configured = await own.instances('PATCH', `/${id}`, { body: settings })
  assert.equal(configured.status, 200, JSON.stringify(configured.body))
  const whole = {
    ...bare,
    ...settings,
    isConfigured: true,
    automationStates: { ...bare.automationStates, sast: true },
  }
  assert.deepEqual((await own.instances('GET')).body, { instances: [whole] })
  const part = await own.instances('PATCH', `/${id}`, { body: { automationStates: { sca: true } } })
  assert.deepEqual(part.body.instance.automationStates, { ...whole.automationStates, sca: true })
  assert.equal((await own.instances('POST', '', { body })).status, 409)
})

test('what can be chosen is asked from the tracker', async () => {
  const id = await own.configured()
  const all = await own.instances('GET', `/${id}/choices?projectId=10100&issueTypeId=10201`)
  assert.deepEqual(
    all.body.projects.map(({ key }: { key: string }) => key),
    ['SEC', 'OPS'],
  )
  assert.ok(all.body.issueTypes.some(({ isSubtask }: { isSubtask: boolean }) => isSubtask))
  const required = all.body.fields.filter(({ isRequired }: { isRequired: boolean }) => isRequired)
  assert.ok(required.some((field: { id: string }) => field.id === 'customfield_10042'))
  assert.deepEqual(all.body.transitions.at(-2), { id: '31', name: 'Resolve' })
})

const wrong: [string, object, string, RegExp][] = [
  ['a project', { projectId: '99' }, '/projectId', /no project '99'/],
  ['an issue type', { issueTypeId: '10203' }, '/issueTypeId', /no issue type '10203'/],
  ['an issue type for subtasks only', { issueTypeId: '10202' }, '/issueTypeId', /only for subtasks/],
  ['a subtask type', { subtaskIssueTypeId: '10200' }, '/subtaskIssueTypeId', /not for subtasks/],
  ['a field', { fields: { customfield_1: 'x' } }, '/fields/customfield_1', /no field 'customfield_1'/],
  ['a field of ours', { fields: { summary: 'x' } }, '/fields/summary', /filled in/],
  ['no field that it wants', { issueTypeId: '10201' }, '/fields/customfield_10042', /wants 'Team'/],
  [
    'a transition',
    { fixedTransitionState: { trackerTransitionId: '99', serviceAggregateState: 'AGGREGATE_STATE_FIXED' } },
    '/fixedTransitionState/trackerTransitionId',
    /no transition '99'/,
  ],
]
for (const [name, change, pointer, detail] of wrong) {
  test(`${name} that the tracker does not have is refused by name, and nothing changes`, async () => {
    const id = await own.configured()
    const before = await only()
    const answer = await own.instances('PATCH', `/${id}`, { body: change })
    assert.deepEqual([answer.status, answer.body.code], [422, 'unprocessable'])
    assert.equal(answer.body.errors[0].pointer, pointer)
    assert.match(answer.body.detail, detail)
    assert.deepEqual(await only(), before)
  })
}

test('an account that may not see workflows: transitions are looked up at tickets, or cannot be checked', async () => {
  const id = await own.configured({ fixedTransitionState: null })
  own.tracker.control.hidesWorkflows = true
  const choose = (trackerTransitionId: string) => {
    const fixedTransitionState = { trackerTransitionId, serviceAggregateState: 'AGGREGATE_STATE_FIXED' }
    return own.instances('PATCH', `/${id}`, { body: { fixedTransitionState } })
  }
  const unknown = await choose('31')
  assert.equal(unknown.status, 422)
  assert.match(unknown.body.detail, /cannot be checked/)
  own.tracker.write('A ticket that somebody wrote')
  assert.equal((await choose('31')).status, 200)
  assert.equal((await choose('99')).status, 422)
})

test('validating says what has gone at the tracker since', async () => {
  const id = await own.configured()
  assert.deepEqual((await own.instances('POST', `/${id}/validate`)).body, { ok: true, problems: [] })
  own.tracker.control.trouble = ({ path }) => (path[3] === 'project' ? { status: 404, body: {} } : undefined)
  const { body } = await own.instances('POST', `/${id}/validate`)
  assert.deepEqual([body.ok, body.problems[0].pointer], [false, '/projectId'])
})

test('credentials that are taken back show as revoked, until there are new ones', async () => {
  const id = await own.configured()
  own.tracker.revoke(own.account)
  const answer = await own.instances('GET', `/${id}/choices`)
  assert.deepEqual([answer.status, answer.body.code], [409, 'conflict'])
  assert.equal((await only()).isAuthRevoked, true)
  const apiToken = own.tracker.addAccount(own.account)
  const again = await own.instances('PATCH', `/${id}/connection`, { body: { apiToken } })
  assert.deepEqual([again.body.instance.isAuthRevoked, again.body.check.ok], [false, true])
  assert.equal((await only()).isAuthRevoked, false)
})

test('wrong credentials are kept, and shown as refused', async () => {
  const id = await own.configured()
  const answer = await own.instances('PATCH', `/${id}/connection`, { body: { apiToken: 'wrong' } })
  assert.deepEqual([answer.status, answer.body.check.ok, answer.body.instance.isAuthRevoked], [200, false, true])
  assert.match(answer.body.check.problems[0].detail, /refuses the credentials/)
})

const replies: Record<string, [SandboxAnswer, number, string]> = {
  'an error of its own': [{ status: 500, body: 'oops' }, 503, 'unavailable'],
  'too many requests': [{ status: 429, headers: { 'retry-after': '17' }, body: {} }, 429, 'too_many_requests'],
  'a page for people': [{ body: '<html>' }, 503, 'unavailable'],
  'a refusal': [{ status: 403, body: {} }, 422, 'unprocessable'],
}
for (const [name, [reply, status, code]] of Object.entries(replies)) {
  test(`the tracker answers with ${name}: ${status}, and nothing is revoked`, async () => {
    const id = await own.configured()
    own.tracker.control.trouble = () => reply
    const answer = await own.instances('GET', `/${id}/choices`)
    assert.deepEqual([answer.status, answer.body.code], [status, code])
    if (status === 429) assert.equal(answer.headers.get('retry-after'), '17')
    own.tracker.control.trouble = undefined
    assert.equal((await only()).isAuthRevoked, false)
  })
}

test('another site or account needs the token again, or nothing changes and nothing is sent there', async () => {
  const id = await own.configured()
  for (const change of [{ url: elsewhere.url }, { email: 'other@example.com' }]) {
    const answer = await own.instances('PATCH', `/${id}/connection`, { body: change })
    assert.deepEqual([answer.status, answer.body.code], [422, 'unprocessable'])
    assert.equal(answer.body.errors[0].pointer, `/${Object.keys(change)[0]}`)
  }
  const now = await own.instances('GET', `/${id}`)
  assert.deepEqual(now.body.connection, { url: own.tracker.url, email: own.account })
  assert.equal(elsewhere.seen.length, 0)
})

test('a redirect of the tracker gets no credentials', async () => {
  const id = await own.configured()
  own.tracker.control.trouble = () => ({ status: 307, headers: { location: `${elsewhere.url}/rest/api/3/myself` } })
  const { body } = await own.instances('POST', `/${id}/validate`)
  assert.match(body.problems[0].detail, /redirects instead of answering/)
  assert.equal(elsewhere.seen.length, 0)
})

test('addresses that cannot be used are refused', async () => {
  for (const url of [
    'http://example.com',
    'https://u:p@example.com',
    'https://example.com/jira',
    'ftp://example.com',
  ]) {
    const body = { url, email: own.account, apiToken: 'secret' }
    const answer = await own.instances('POST', '', { body })
    assert.deepEqual([answer.status, answer.body.errors[0].pointer], [400, '/url'], url)
  }
})

test('a repeated change is answered as the first, though it names the version before', async () => {
  const id = await own.configured()
  const etag = (await own.instances('GET', `/${id}`)).headers.get('etag')!
  const sent = {
    body: { automationStates: { secrets: true } },
    headers: { 'if-match': etag, 'idempotency-key': 'set' },
  }
  const first = await own.instances('PATCH', `/${id}`, sent)
  assert.equal(first.status, 200)
  const again = await own.instances('PATCH', `/${id}`, sent)
  assert.deepEqual([again.status, again.body], [200, first.body])
  const stale = await own.instances('PATCH', `/${id}`, { ...sent, headers: { 'if-match': etag } })
  assert.equal(stale.status, 412)
})

test('disconnecting forgets the token; the same site comes back as it was', async () => {
  const id = await own.configured()
  const before = await only()
  assert.equal((await own.instances('DELETE', `/${id}`, { headers: { 'if-match': '"0"' } })).status, 412)
  assert.equal((await own.instances('DELETE', `/${id}`)).status, 200)
  assert.deepEqual((await own.instances('GET')).body, { instances: [] })
  assert.equal((await own.instances('GET', `/${id}`)).status, 404)
  const [row] = await own.gatehouse.db.as(own.gatehouse.owner).query(sql`select api_token from ticketing_instance`)
  assert.deepEqual(row, { api_token: null })
  const apiToken = own.tracker.addAccount(own.account)
  const body = { url: own.tracker.url, email: own.account, apiToken }
  const again = await own.instances('POST', '', { body })
  assert.deepEqual(again.body.instance, before)
})

test('a rotation of keys takes the token along', async () => {
  const id = await own.configured()
  const rotation = await createKeyRotation(own.gatehouse, 'a test').rotateDeployment(own.gatehouse.owner.deploymentId)
  assert.equal(rotation.moved, 1)
  assert.equal((await own.instances('GET', `/${id}/choices`)).status, 200)
})

test('no answer, log line or audit event holds the token, right or wrong', async () => {
  const id = await own.configured()
  const canary = 'canary-token'
  const basic = Buffer.from(`${own.account}:${canary}`).toString('base64')
  own.tracker.control.trouble = () => ({ status: 400, body: { errorMessages: [canary], errors: { [basic]: canary } } })
  const answers = [
    await own.instances('PATCH', `/${id}/connection`, { body: { apiToken: canary } }),
    await own.instances('PATCH', `/${id}/connection`, { body: { apiToken: { canary } } }),
    await own.instances('POST', '', { body: { url: own.tracker.url, email: own.account, apiToken: `${canary}\n` } }),
    await own.instances('POST', `/${id}/validate`),
    await own.instances('GET', `/${id}/choices`),
    await own.instances('GET'),
  ]
  const audit = await own.gatehouse.call(
    'GET',
    `/api/audit/v1/deployments/${own.gatehouse.owner.deploymentId}/events?pageSize=100`,
  )
  assert.ok(audit.body.events.length > 5 && own.lines.length > 5)
  const everything = JSON.stringify([answers.map(({ body }) => body), audit.body, own.lines])
  assert.ok(!everything.includes('canary') && !everything.includes(basic))
})
