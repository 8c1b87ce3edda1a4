import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import sql from 'sql-template-tag'
import { putOffSeconds } from '../../../../test/put-off.ts'
import { openChatGatehouse } from '../../../../test/servers/chat-gatehouse.ts'
import { until } from '../../../jobs/test-queue.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { enqueue } from '../../../kernel/jobs/outbox.ts'
import { type LogResult, sarifLog } from '../../findings/test-log.ts'
import { upload } from '../../scans/test-upload.ts'
import { escaped } from './message-text.ts'
import { tellChannels } from './messages.ts'

let own: Awaited<ReturnType<typeof openChatGatehouse>>
let commits = 0
before(async () => {
  own = await openChatGatehouse({
    worker: { pollSeconds: 0.05, maxAttempts: 50, backoff: { firstSeconds: 0.02, factor: 1, mostSeconds: 7_200 } },
  })
  for (const id of ['C1', 'C2', 'C3', 'C4']) {
    own.chat.channels.push({ id, name: `channel-${id}`, is_private: false, is_member: false, is_archived: id === 'C4' })
  }
})
beforeEach(async () => {
  own.chat.control.trouble = undefined
  own.chat.control.lostAnswer = undefined
  await own.install()
  for (const { id } of (await own.call('GET', '/subscriptions')).body.subscriptions) {
    await own.call('DELETE', `/subscriptions/${id}`)
  }
})
after(() => own.close())

async function subscribe(body: object) {
  const answer = await own.call('POST', '/subscriptions', { body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.subscription
}

async function scan(repository: string, results: LogResult[], more: object = {}) {
  const commit = String(++commits).padStart(7, '0')
  const answer = await upload(own.gatehouse, { repository, commit, ...more }, { 'log.sarif': sarifLog({ results }) })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

const db = () => own.gatehouse.db.as(own.gatehouse.owner)

/** Until nothing waits to be sent any more. */
async function sent(): Promise<void> {
  await until(async () => {
    const [row] = await db().query<{ left: number }>(sql`select count(*) as left from outbox where dead_at is null`)
    return row!.left === 0
  })
}

/** What was posted by `work`. */
async function posted(work: () => Promise<unknown>): Promise<{ channel: string; text: string }[]> {
  const { length } = own.chat.messages
  await work()
  await sent()
  return own.chat.messages.slice(length).map(({ channel, text }) => ({ channel, text }))
}

const severe = (code: string, score: string): LogResult => ({ code, properties: { 'security-severity': score } })

test('a channel subscribes, changes its mind, and is left alone', async () => {
  const made = await subscribe({ channel: 'C1', events: ['CHAT_EVENT_NEW_FINDINGS'] })
  assert.deepEqual(made, {
    id: made.id,
    channel: 'C1',
    channelName: 'channel-C1',
    events: ['CHAT_EVENT_NEW_FINDINGS'],
    severities: [],
    products: [],
    repositoryIds: [],
    createdAt: made.createdAt,
  })
  const twice = await own.call('POST', '/subscriptions', {
    body: { channel: 'C1', events: ['CHAT_EVENT_SCAN_BLOCKED'] },
  })
  assert.equal(twice.status, 409)
  const body = { severities: ['SEVERITY_CRITICAL'] }
  const changed = await own.call('PATCH', `/subscriptions/${made.id}`, { body })
  assert.deepEqual(changed.body.subscription, { ...made, ...body })
  const old = await own.call('PATCH', `/subscriptions/${made.id}`, { body, headers: { 'if-match': '"1"' } })
  assert.equal(old.status, 412)
  assert.equal((await own.call('DELETE', `/subscriptions/${made.id}`)).status, 200)
  assert.deepEqual((await own.call('GET', '/subscriptions')).body, { subscriptions: [] })
})

test('a channel that is not there, or archived, or a repository that is not, is refused', async () => {
  const events = ['CHAT_EVENT_NEW_FINDINGS']
  for (const channel of ['C9', 'C4']) {
    const answer = await own.call('POST', '/subscriptions', { body: { channel, events } })
    assert.deepEqual([answer.status, answer.body.code], [422, 'unprocessable'], channel)
  }
  const body = { channel: 'C1', events, repositoryIds: ['987654'] }
  const answer = await own.call('POST', '/subscriptions', { body })
  assert.deepEqual([answer.status, answer.body.errors[0].pointer], [422, '/repositoryIds/0'])
})

test('new findings of a default branch are told once, to whoever wants them', async () => {
  await scan('chat/one', [])
  const listed = await own.gatehouse.call('GET', '/api/repositories/v1/deployments/1/repositories')
  const { id } = listed.body.repositories.find(({ name }: { name: string }) => name === 'chat/one')
  await subscribe({ channel: 'C1', events: ['CHAT_EVENT_NEW_FINDINGS'] })
  await subscribe({ channel: 'C2', events: ['CHAT_EVENT_NEW_FINDINGS'], severities: ['SEVERITY_CRITICAL'] })
  await subscribe({ channel: 'C3', events: ['CHAT_EVENT_NEW_FINDINGS'], repositoryIds: [String(id)] })
  const results = [severe('a', '9.5'), severe('b', '5')]
  const first = await posted(() => scan('chat/one', results))
  assert.deepEqual(first.map(({ channel }) => channel).sort(), ['C1', 'C2', 'C3'])
  const [whole, critical] = ['C1', 'C2'].map((channel) => first.find((message) => message.channel === channel)!.text)
  assert.match(whole!, /^\*2 new findings in chat\/one, main\*\n• critical: .*\n• medium: /)
  assert.match(critical!, /^\*1 new finding in chat\/one, main\*\n• critical: /)
  assert.deepEqual(await posted(() => scan('chat/one', results)), [])
  const elsewhere = await posted(() => scan('chat/two', results))
  assert.deepEqual(elsewhere.map(({ channel }) => channel).sort(), ['C1', 'C2'])
  assert.deepEqual(await posted(() => scan('chat/one', [severe('c', '9.5')], { ref: 'feature' })), [])
  assert.deepEqual(
    await posted(() =>
      scan('chat/one', [severe('d', '9.5')], {
        kind: 'SCAN_KIND_PULL_REQUEST',
        ref: 'topic',
        baseRef: 'main',
        pullRequest: 4,
      }),
    ),
    [],
  )
})

test('issues that were triaged are told', async () => {
  await subscribe({ channel: 'C1', events: ['CHAT_EVENT_ISSUE_TRIAGED'] })
  const report = { externalKey: 'chat-1', title: 'Open door', severity: 'SEVERITY_HIGH' }
  const made = await own.gatehouse.call('POST', '/api/issues/1/issues', { body: { issues: [report] } })
  const { issueId } = made.body.results[0]
  const messages = await posted(() =>
    own.gatehouse.call('POST', `/api/issues/1/issue/${issueId}`, { body: { triageState: 'TRIAGE_STATE_IGNORED' } }),
  )
  assert.deepEqual(messages, [{ channel: 'C1', text: '*1 issue triaged*\n• Open door: ignored' }])
})

test('what an automation says, and that it blocked a scan, reaches the channels', async () => {
  await subscribe({ channel: 'C2', events: ['CHAT_EVENT_SCAN_BLOCKED'] })
  const automation = {
    name: 'No <eval>',
    triggerSource: 'TRIGGER_SOURCE_SCAN',
    filters: { mode: 'MODE_ALL', conditions: [] },
    actions: [{ type: 'ACTION_TYPE_BLOCK' }, { type: 'ACTION_TYPE_CHAT', config: { channel: 'C3' } }],
  }
  const path = '/api/notifications/deployments/1/automations'
  const made = await own.gatehouse.call('POST', path, { body: automation })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  const messages = await posted(() => scan('chat/blocked', [{ code: 'a' }]))
  await own.gatehouse.call('DELETE', `${path}/${made.body.automation.id}`)
  const texts = Object.fromEntries(messages.map(({ channel, text }) => [channel, text]))
  assert.equal(texts.C2, '*A scan of chat/blocked, main was blocked* by No &lt;eval&gt;')
  assert.match(texts.C3!, /^\*No &lt;eval&gt;\*: 1 match in chat\/blocked, main\n• /)
  assert.equal(messages.length, 2)
})

const subject = {
  kind: 'dependency' as const,
  id: '1',
  title: 'Malicious package evil 1.0.0 was given to clients',
  path: '',
  severity: 'SEVERITY_CRITICAL',
  confidence: '',
  product: '',
  reachability: '',
  ruleId: '',
  category: '',
  cwes: [],
  malicious: true,
  triageState: '',
  isNew: true,
}

test('a malicious package that was in use is told', async () => {
  await subscribe({ channel: 'C1', events: ['CHAT_EVENT_SUPPLY_CHAIN_INCIDENT'], severities: ['SEVERITY_CRITICAL'] })
  const event = {
    source: 'TRIGGER_SOURCE_SUPPLY_CHAIN_INCIDENT' as const,
    repository: { id: 1, name: 'gatehouse/package-clients', tags: [] },
    ref: 'clients',
    scanId: 0,
    pullRequest: 0,
    subjects: async () => [subject, { ...subject, title: 'Told before', isNew: false }],
  }
  const messages = await posted(() =>
    own.gatehouse.db.transaction(systemActor(own.gatehouse.owner.deploymentId, 'test'), (tx) =>
      tellChannels(tx, event, { blockedBy: [] }),
    ),
  )
  const text = `*1 malicious package in gatehouse/package-clients, clients*\n• ${subject.title}`
  assert.deepEqual(messages, [{ channel: 'C1', text }])
})

function enqueueMessage(channel: string, text: string, key: string): Promise<void> {
  return own.gatehouse.db.transaction(systemActor(own.gatehouse.owner.deploymentId, 'test'), (tx) =>
    enqueue(tx, { kind: 'chat.message', payload: { channel, text }, key, lane: 'chat' }).then(() => {}),
  )
}

test('the answer of the chat service is lost: the message is there once', async () => {
  let lost = 0
  own.chat.control.lostAnswer = (method) =>
    method === 'chat.postMessage' && lost++ < 2 ? { status: 502, body: '' } : undefined
  const messages = await posted(() => enqueueMessage('C1', 'only once', 'key-1'))
  assert.deepEqual([lost, messages], [3, [{ channel: 'C1', text: 'only once' }]])
})

test('a chat service that is busy gets the message later, and no sooner than it says', async () => {
  for (const status of [429, 503]) {
    const answer = { status, headers: { 'retry-after': '3600' }, body: {} }
    let busy = 0
    own.chat.control.trouble = (method) => (method === 'chat.postMessage' && busy++ < 1 ? answer : undefined)
    let seconds = 0
    const messages = await posted(async () => {
      const order = () => enqueueMessage('C1', 'patience', `key-2-${status}`)
      seconds = await putOffSeconds(own.gatehouse.connection, 'chat.message', order)
    })
    assert.deepEqual([busy, messages.length], [2, 1])
    assert.ok(seconds > 3_000, `${status}: ${seconds}`)
  }
})

async function deadLetter(key: string): Promise<string> {
  const [row] = await db().query<{ error: string }>(
    sql`select error from outbox where key = ${key} and dead_at is not null`,
  )
  return row!.error
}

test('a message that cannot be sent any more ends as a dead letter that says why', async () => {
  assert.deepEqual(await posted(() => enqueueMessage('C9', 'nowhere', 'key-3')), [])
  assert.match(await deadLetter('key-3'), /channel_not_found\. \(channel C9\)/)
  own.chat.removeApp()
  await posted(() => enqueueMessage('C1', 'locked out', 'key-4'))
  assert.match(await deadLetter('key-4'), /took the app's access back/)
  assert.equal((await own.installation()).body.archived, true)
  const { length } = own.chat.seen
  await posted(() => enqueueMessage('C1', 'still locked out', 'key-5'))
  assert.match(await deadLetter('key-5'), /uninstalled or lost its access/)
  assert.equal(own.chat.seen.length, length)
})

const hostile: [string, string][] = [
  ['<!channel> look', '&lt;!channel&gt; look'],
  ['<https://evil.example|safe>', '&lt;https://evil.example|safe&gt;'],
  ['a & b', 'a &amp; b'],
  ['line\nbreak\u0007', 'line break'],
  ['*bold* `code`', "'bold' 'code'"],
  ['\ud800', '\ufffd'],
]
for (const [given, shown] of hostile) {
  test(`${JSON.stringify(given)} is words only`, () => assert.equal(escaped(given), shown))
}
