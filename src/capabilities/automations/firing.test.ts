import assert from 'node:assert/strict'
import { createHmac } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import pg from 'pg'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { putOffSeconds } from '../../../test/put-off.ts'
import { automationsOf, everything, signingKey } from '../../../test/servers/automation-gatehouse.ts'
import { poll } from '../../../test/servers/real-process.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import { type LocalServer, type SandboxAnswer, startLocalServer } from '../../sandbox/local-server.ts'
import { type SmtpSink, startSmtpSink } from '../../sandbox/smtp-sink.ts'
import { createMailLimit } from './actions/mail-limit.ts'

let gatehouse: TestGatehouse
let receiver: LocalServer
let sink: SmtpSink
let own: ReturnType<typeof automationsOf>
let answer: () => SandboxAnswer = () => ({})
before(async () => {
  receiver = await startLocalServer(() => answer())
  sink = await startSmtpSink()
  gatehouse = await openGatehouse({
    env: {
      GATEHOUSE_EGRESS_ALLOW: '127.0.0.1',
      GATEHOUSE_SMTP_URL: `smtp://127.0.0.1:${sink.port}?tls=off`,
      GATEHOUSE_SMTP_FROM: 'gatehouse@example.com',
      GATEHOUSE_MAIL_DOMAINS: 'Example.com',
    },
    worker: { pollSeconds: 0.05, maxAttempts: 3, backoff: { firstSeconds: 0.01, factor: 1, mostSeconds: 7_200 } },
  })
  own = automationsOf(gatehouse)
})
beforeEach(async () => {
  answer = () => ({})
  receiver.seen.length = 0
  const { automations } = await own.call('GET', '')
  for (const { id } of automations) await own.call('DELETE', `/${id}`)
})
after(async () => {
  await gatehouse.close()
  await receiver.close()
  await sink.close()
})

const webhook = () => ({ type: 'ACTION_TYPE_WEBHOOK', config: { url: `${receiver.url}/hook`, secret: signingKey } })
const severe = { mode: 'MODE_ANY', type: 'CONDITION_TYPE_SEVERITY', values: ['SEVERITY_HIGH', 'SEVERITY_CRITICAL'] }
const inTests = { mode: 'MODE_ANY', type: 'CONDITION_TYPE_PATH', values: ['test'] }

test('a scan is blocked, and it says by which automation, as long as what it objects to stands open', async () => {
  const block = {
    name: 'No severe ones',
    filters: { mode: 'MODE_ALL', conditions: [severe] },
    actions: [{ type: 'ACTION_TYPE_BLOCK' }],
  }
  const { id } = await own.create(block)
  const first = await own.scan('auto/block', [{ code: 'a' }], { commit: '1111111' })
  assert.deepEqual([first.blocked, first.blockedBy], [true, [{ id, name: 'No severe ones' }]])
  const again = await own.scan('auto/block', [{ code: 'a' }], { commit: '2222222' })
  assert.equal(again.blocked, true)
  const fixed = await own.scan('auto/block', [{ code: 'b', level: 'note' }], { commit: '3333333' })
  assert.deepEqual([fixed.blocked, fixed.blockedBy], [false, []])
  const runs = await own.settled(id)
  assert.deepEqual(
    runs.map((run: Record<string, string>) => [run.actionType, run.status, run.scanId, run.repositoryName]),
    [first, again].map(({ scan }) => ['ACTION_TYPE_BLOCK', 'RUN_STATUS_DONE', String(scan.id), 'auto/block']),
  )
})

test('a webhook is told what is new, signed, once', async () => {
  const { id } = await own.create({ name: 'Tell', actions: [webhook()] })
  const receipt = await own.scan('auto/hook', [{ code: 'a', rule: 'r1', path: 'src/x.js' }, { code: 'b' }], {
    commit: '1111111',
  })
  await own.scan('auto/hook', [{ code: 'a', rule: 'r1', path: 'src/x.js' }, { code: 'b' }], { commit: '2222222' })
  const runs = await own.settled(id)
  assert.deepEqual(
    runs.map(({ status, subjectCount, attempts }: Record<string, unknown>) => [status, subjectCount, attempts]),
    [['RUN_STATUS_DONE', 2, 1]],
  )
  assert.equal(receiver.seen.length, 1)
  const [{ headers, body, path }] = receiver.seen as [LocalServer['seen'][number]]
  const { 'webhook-id': messageId, 'webhook-timestamp': timestamp, 'webhook-signature': signature } = headers
  const expected = createHmac('sha256', Buffer.alloc(32, 7))
    .update(`${messageId}.${timestamp}.${body}`)
    .digest('base64')
  assert.deepEqual([path, signature], [['hook'], `v1,${expected}`])
  const { type, data } = JSON.parse(body)
  assert.deepEqual(
    [type, data.automation, data.triggerSource, data.repository.name, data.scanId, data.total],
    ['automation.fired', { id, name: 'Tell' }, 'TRIGGER_SOURCE_SCAN', 'auto/hook', receipt.scan.id, 2],
  )
  const [first] = data.subjects
  assert.deepEqual(
    [first.ruleId, first.path, first.kind, first.triageState],
    ['r1', 'src/x.js', 'finding', 'TRIAGE_STATE_OPEN'],
  )
})

test('what one automation ignores, another neither blocks nor reports; what a person decided stays', async () => {
  const ignore = {
    type: 'ACTION_TYPE_TRIAGE',
    config: { triageState: 'TRIAGE_STATE_IGNORED', triageReason: 'TRIAGE_REASON_ACCEPTABLE_RISK' },
  }
  const block = await own.create({ actions: [{ type: 'ACTION_TYPE_BLOCK' }, webhook()] })
  const triage = await own.create({ filters: { mode: 'MODE_ALL', conditions: [inTests] }, actions: [ignore] })
  const first = await own.scan('auto/triage', [{ code: 'a', path: 'test/a.js' }], { commit: '1111111' })
  assert.equal(first.blocked, false)
  const search = { body: { filter: { repositoryIds: [String(first.scan.repositoryId)] } } }
  const base = `/api/findings/${gatehouse.owner.deploymentId}/findings`
  const found = await gatehouse.call('POST', `${base}/search`, search)
  assert.equal(found.status, 200, JSON.stringify(found.body))
  const [finding] = found.body.findings
  assert.deepEqual(
    [finding.triageState, finding.triageReason],
    ['TRIAGE_STATE_IGNORED', 'TRIAGE_REASON_ACCEPTABLE_RISK'],
  )
  const [run] = await own.settled(triage.id)
  assert.deepEqual([run.status, run.subjects], ['RUN_STATUS_DONE', [`finding:${finding.id}`]])
  assert.deepEqual(await own.settled(block.id), [])
  const decided = await gatehouse.call('POST', `${base}/${finding.id}`, {
    body: { triageState: 'TRIAGE_STATE_REVIEWING' },
  })
  assert.equal(decided.status, 200, JSON.stringify(decided.body))
  const again = await own.scan('auto/triage', [{ code: 'a', path: 'test/a.js' }], { commit: '2222222' })
  assert.equal(again.blocked, true)
  const after = await gatehouse.call('GET', `${base}/${finding.id}`)
  assert.equal(after.body.data.triageState, 'TRIAGE_STATE_REVIEWING')
})

test('a mail goes to each addressee on their own', async () => {
  const config = { to: ['one@example.com', 'two@example.com'] }
  const { id } = await own.create({ name: 'Grüße', actions: [{ type: 'ACTION_TYPE_EMAIL', config }] })
  await own.scan('auto/mail', [{ code: 'a' }, { code: 'b' }])
  const runs = await own.settled(id)
  assert.deepEqual(
    runs.map(({ status }: { status: string }) => status),
    ['RUN_STATUS_DONE', 'RUN_STATUS_DONE'],
  )
  assert.deepEqual(sink.mails.map(({ from, to }) => [from, to]).toSorted(), [
    ['gatehouse@example.com', 'one@example.com'],
    ['gatehouse@example.com', 'two@example.com'],
  ])
})

async function reportIssue(key: string): Promise<string> {
  const body = { issues: [{ externalKey: key, title: `Issue ${key}`, severity: 'SEVERITY_HIGH' }] }
  const made = await gatehouse.call('POST', `/api/issues/${gatehouse.owner.deploymentId}/issues`, { body })
  return made.body.results[0].issueId
}

test('a decision about an issue is told, one by one and in bulk; automations do not decide after a person', async () => {
  const triaged = { mode: 'MODE_ANY', type: 'CONDITION_TYPE_TRIAGE_STATE', values: ['TRIAGE_STATE_FIXING'] }
  const over = { type: 'ACTION_TYPE_TRIAGE', config: { triageState: 'TRIAGE_STATE_IGNORED' } }
  const { id } = await own.create({
    triggerSource: 'TRIGGER_SOURCE_ISSUE_TRIAGED',
    filters: { mode: 'MODE_ALL', conditions: [triaged] },
    actions: [over, webhook()],
  })
  const [a, b, c] = [await reportIssue('fire-a'), await reportIssue('fire-b'), await reportIssue('fire-c')]
  const base = `/api/issues/${gatehouse.owner.deploymentId}`
  const fixing = { triageState: 'TRIAGE_STATE_FIXING' }
  const one = await gatehouse.call('POST', `${base}/issue/${a}`, { body: fixing })
  assert.equal(one.body.data.triageState, 'TRIAGE_STATE_FIXING')
  await gatehouse.call('POST', `${base}/issue/${b}`, { body: { triageState: 'TRIAGE_STATE_REVIEWING' } })
  await gatehouse.call('POST', `${base}/issues/triage`, { body: { issueIds: [a, b, c], ...fixing } })
  const runs = await own.settled(id)
  assert.deepEqual(
    runs.map(({ actionType, subjects }: Record<string, unknown>) => [actionType, subjects]),
    [
      ['ACTION_TYPE_WEBHOOK', [`issue:${a}`]],
      ['ACTION_TYPE_WEBHOOK', [`issue:${b}`, `issue:${c}`]],
    ],
  )
})

test('by hand: on what is pointed at, as far as the conditions hold; automations never override a person', async () => {
  const high = { mode: 'MODE_ALL', conditions: [severe] }
  const actions = [{ type: 'ACTION_TYPE_TRIAGE', config: { triageState: 'TRIAGE_STATE_FIXING' } }, webhook()]
  const { id } = await own.create({ triggerSource: 'TRIGGER_SOURCE_MANUAL', filters: high, actions })
  const [free, decided] = [await reportIssue('hand-a'), await reportIssue('hand-b')]
  const base = `/api/issues/${gatehouse.owner.deploymentId}/issue`
  await gatehouse.call('POST', `${base}/${decided}`, { body: { triageState: 'TRIAGE_STATE_IGNORED' } })
  const member = await gatehouse.addPerson('member')
  const path = `${own.path}/${id}/fire`
  const unknown = await gatehouse.call('POST', path, { as: member.token, body: { issueIds: [free, '999999'] } })
  assert.deepEqual([unknown.status, unknown.body.errors[0].pointer], [422, '/issueIds/1'])
  const fired = await gatehouse.call('POST', path, { as: member.token, body: { issueIds: [free, decided] } })
  assert.deepEqual(fired.body, { subjects: [`issue:${free}`, `issue:${decided}`] })
  const states = []
  for (const issue of [free, decided])
    states.push((await gatehouse.call('GET', `${base}/${issue}`)).body.data.triageState)
  assert.deepEqual(states, ['TRIAGE_STATE_FIXING', 'TRIAGE_STATE_IGNORED'])
  const activity = await gatehouse.call('GET', `${base}/${free}/activity`)
  assert.equal(activity.body.activity[0].decidedBy, 'DECIDER_AUTOMATION')
  await own.settled(id)
  assert.equal(JSON.parse(receiver.seen[0]!.body).data.subjects.length, 2)
})

test('a dry run shows what would have fired on the last scans, and does nothing', async () => {
  const { scan } = await own.scan('auto/dry', [{ code: 'a', path: 'src/a.js' }], { commit: '1111111' })
  await own.scan('auto/dry', [], { commit: '2222222', allowEmpty: true })
  const conditions = [{ mode: 'MODE_ANY', type: 'CONDITION_TYPE_REPOSITORY_ID', values: [String(scan.repositoryId)] }]
  const { id, actions } = await own.create({
    active: false,
    filters: { mode: 'MODE_ALL', conditions },
    actions: [{ type: 'ACTION_TYPE_BLOCK' }, webhook()],
  })
  const trial = await own.call('POST', `/${id}/dry-run`, { scans: 10 })
  assert.equal(trial.scans.length, 1)
  const [only] = trial.scans
  const { scanId, blocked, ref, repositoryName } = only
  assert.deepEqual([scanId, blocked, ref, repositoryName], [String(scan.id), true, scan.ref, 'auto/dry'])
  assert.deepEqual(
    only.actions.map(({ actionId, subjectCount }: Record<string, unknown>) => [actionId, subjectCount]),
    actions.map((action: { id: string }) => [action.id, 1]),
  )
  assert.deepEqual([await own.settled(id), receiver.seen], [[], []])
})

test('conditions are tried on the last scans before anything is saved, and a wrong value is pointed to', async () => {
  const { scan } = await own.scan('auto/draft', [{ code: 'a', path: 'src/a.js' }], { commit: '3333333' })
  const before = (await own.call('GET', '')).automations.length
  const of = (type: string, value: string) => ({
    filters: { mode: 'MODE_ALL', conditions: [{ mode: 'MODE_ANY', type, values: [value] }] },
    actionTypes: ['ACTION_TYPE_EMAIL', 'ACTION_TYPE_BLOCK'],
  })
  const body = of('CONDITION_TYPE_REPOSITORY_ID', String(scan.repositoryId))
  const trial = await own.call('POST', '/dry-run', { ...body, scans: 10 })
  const [only] = trial.scans
  assert.deepEqual([trial.scans.length, only.scanId, only.blocked], [1, String(scan.id), true])
  const acts = only.actions.map((each: Record<string, unknown>) => [each.actionId, each.type, each.subjectCount])
  assert.deepEqual(acts, [
    ['1', 'ACTION_TYPE_EMAIL', 1],
    ['2', 'ACTION_TYPE_BLOCK', 1],
  ])
  assert.equal((await own.call('GET', '')).automations.length, before, 'nothing is stored')
  const wrong = await gatehouse.call('POST', `${own.path}/dry-run`, { body: of('CONDITION_TYPE_SEVERITY', 'HIGH') })
  assert.deepEqual([wrong.status, wrong.body.errors[0].pointer], [400, '/filters/conditions/0/values/0'])
})

test('what cannot be delivered becomes a dead letter, is listed, replayed with the same id, and audited', async () => {
  answer = () => ({ status: 500, body: 'canary of the receiver' })
  const { id } = await own.create({ actions: [webhook()] })
  await own.scan('auto/dead', [{ code: 'a' }])
  const [dead] = await own.settled(id)
  assert.deepEqual([dead.status, dead.attempts, dead.error], ['RUN_STATUS_DEAD', 3, `${receiver.url} answered 500.`])
  const jobs = `/api/jobs/v1/deployments/${gatehouse.owner.deploymentId}/dead-letters`
  const listed = await gatehouse.call('GET', `${jobs}?kind=automation.action`)
  assert.deepEqual(
    listed.body.deadLetters.map((letter: Record<string, unknown>) => [letter.id, letter.attempts]),
    [[dead.deadLetterId, 3]],
  )
  answer = () => ({})
  assert.equal((await gatehouse.call('POST', `${jobs}/${dead.deadLetterId}/replay`)).status, 200)
  const [done] = await own.settled(id)
  assert.equal(done.status, 'RUN_STATUS_DONE')
  assert.equal(new Set(receiver.seen.map(({ headers }) => headers['webhook-id'])).size, 1)
  assert.equal((await gatehouse.call('POST', `${jobs}/${dead.deadLetterId}/replay`)).status, 404)
  const audit = await gatehouse.call(
    'GET',
    `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/events?pageSize=100`,
  )
  assert.ok(audit.body.events.some(({ action }: { action: string }) => action === 'dead-letter.replay'))
})

test('dead letters are replayed together or thrown away', async () => {
  answer = () => ({ status: 410 })
  const { id } = await own.create({ actions: [webhook(), webhook(), webhook()] })
  await own.scan('auto/gone', [{ code: 'a' }])
  const dead = await own.settled(id)
  assert.deepEqual(
    dead.map(({ status, attempts }: Record<string, unknown>) => [status, attempts]),
    [
      ['RUN_STATUS_DEAD', 1],
      ['RUN_STATUS_DEAD', 1],
      ['RUN_STATUS_DEAD', 1],
    ],
  )
  const jobs = `/api/jobs/v1/deployments/${gatehouse.owner.deploymentId}/dead-letters`
  assert.equal((await gatehouse.call('DELETE', `${jobs}/${dead[0].deadLetterId}`)).status, 200)
  answer = () => ({})
  const replayed = await gatehouse.call('POST', `${jobs}/replay`, { body: { kind: 'automation.action' } })
  assert.deepEqual(replayed.body, { replayed: 2 })
  const after = await own.settled(id)
  assert.deepEqual(
    after.map(({ status }: { status: string }) => status),
    ['RUN_STATUS_DEAD', 'RUN_STATUS_DONE', 'RUN_STATUS_DONE'],
  )
})

test('a receiver that says for how long it wants to be left alone is left alone for so long', async () => {
  const inTwoHours = () => new Date(Date.now() + 7_200_000).toUTCString()
  for (const [status, wait] of [
    [429, '3600'],
    [503, inTwoHours()],
  ] as const) {
    let busy = 0
    answer = () => (busy++ < 1 ? { status, headers: { 'retry-after': wait } } : {})
    const { id } = await own.create({ actions: [webhook()] })
    const order = () => own.scan(`auto/busy-${status}`, [{ code: 'a' }])
    const seconds = await putOffSeconds(gatehouse.connection, 'automation.action', order)
    assert.ok(seconds > 3_000, `${status}: ${seconds}`)
    const [run] = await own.settled(id)
    assert.deepEqual([run.status, run.attempts, busy], ['RUN_STATUS_DONE', 2, 2])
    await own.call('DELETE', `/${id}`)
  }
})

test('what a deleted automation had not done is not done', async () => {
  answer = () => ({ status: 503, headers: { 'retry-after': '1' } })
  const { id } = await own.create({ actions: [webhook()] })
  await own.scan('auto/deleted', [{ code: 'a' }])
  await own.call('DELETE', `/${id}`)
  const sent = receiver.seen.length
  const waiting = () =>
    gatehouse.db
      .as(gatehouse.owner)
      .query(sql`select 1 from outbox where kind = 'automation.action' and dead_at is null`)
  await poll('nothing waits', async () => (await waiting()).length === 0)
  assert.ok(receiver.seen.length <= sent + 1)
})

test('many findings come in parts, and each once', async () => {
  const { id } = await own.create({ filters: everything, actions: [webhook()] })
  await own.scan(
    'auto/many',
    Array.from({ length: 250 }, (_, n) => ({ code: `code ${n}` })),
  )
  await own.settled(id)
  const parts = receiver.seen.map(({ body }) => JSON.parse(body).data)
  assert.deepEqual(
    parts.map(({ subjects, total }) => [subjects.length, total]).toSorted(),
    [
      [100, 250],
      [100, 250],
      [50, 250],
    ].toSorted(),
  )
  assert.equal(new Set(parts.flatMap(({ subjects }) => subjects.map((one: { id: string }) => one.id))).size, 250)
})

test('a webhook follows no redirect, not even within its origin', async () => {
  for (const status of [302, 307]) {
    receiver.seen.length = 0
    answer = () => ({ status, headers: { location: `${receiver.url}/elsewhere` } })
    const { id } = await own.create({ actions: [webhook()] })
    await own.scan(`auto/redirected-${status}`, [{ code: 'a' }])
    const [run] = await own.settled(id)
    assert.deepEqual([run.status, run.error.includes('redirects')], ['RUN_STATUS_DEAD', true], run.error)
    assert.deepEqual(new Set(receiver.seen.map(({ path }) => path.join('/'))), new Set(['hook']))
    await own.call('DELETE', `/${id}`)
  }
})

test('mail goes to members and to domains that the operator allows, and to nobody else', async () => {
  const mail = (...to: string[]) => ({ name: 'Mail', actions: [{ type: 'ACTION_TYPE_EMAIL', config: { to } }] })
  const usual = { triggerSource: 'TRIGGER_SOURCE_SCAN', filters: everything }
  const strangers = ['stranger@elsewhere.org', 'x@sub.example.com', 'x@notexample.com']
  for (const stranger of strangers) {
    const body = { ...usual, ...mail('one@example.com', stranger) }
    const answer = await gatehouse.call('POST', own.path, { body })
    assert.deepEqual([answer.status, answer.body.errors?.[0]?.pointer], [422, '/actions/0/config/to/1'], stranger)
  }
  const { id } = await own.create(mail('OWNER@localhost', 'x@EXAMPLE.com'))
  const changed = await gatehouse.call('PATCH', `${own.path}/${id}`, { body: { actions: mail(strangers[0]!).actions } })
  assert.equal(changed.status, 422)
  // Somebody who was allowed when it was set up.
  const admin = gatehouse.db.as(gatehouse.owner)
  const [stored] = await admin.query<{ config: object }>(
    sql`select config from automation_action where automation_id = ${id}`,
  )
  assert.deepEqual(stored?.config, { to: ['OWNER@localhost', 'x@EXAMPLE.com'] })
  await gatehouse.db.transaction(systemActor(gatehouse.owner.deploymentId, 'test'), (tx) =>
    tx.query(sql`update automation_action set config = ${JSON.stringify({ to: strangers })}::jsonb
      where deployment_id = ${tx.deploymentId} and automation_id = ${id}`),
  )
  const sent = sink.mails.length
  await own.scan('auto/strangers', [{ code: 'a' }])
  const runs = await own.settled(id)
  assert.deepEqual(
    runs.map(({ status, attempts }: Record<string, unknown>) => [status, attempts]),
    strangers.map(() => ['RUN_STATUS_DEAD', 1]),
  )
  assert.equal(sink.mails.length, sent)
})

test('a deployment sends so many mails an hour; the rest waits for the next one', async (t) => {
  const admin = new pg.Client(gatehouse.connection)
  await admin.connect()
  t.after(() => admin.end())
  // This hour and the next, whenever the test runs.
  await admin.query(
    `insert into mail_hour select $1, date_trunc('hour', now()) + n * interval '1 hour', 500
    from generate_series(0, 1) n on conflict (deployment_id, hour) do update set mails = 500`,
    [gatehouse.owner.deploymentId],
  )
  const config = { to: ['late@example.com'] }
  const { id } = await own.create({ name: 'Late', actions: [{ type: 'ACTION_TYPE_EMAIL', config }] })
  const sent = sink.mails.length
  await own.scan('auto/many-mails', [{ code: 'a' }])
  const putOff = async (): Promise<{ error: string; attempt: number } | undefined> => {
    const where = `kind = 'automation.action' and error <> '' and dead_at is null`
    return (await admin.query(`select error, attempt from outbox where ${where}`)).rows[0]
  }
  await poll('it is put off', async () => (await putOff()) !== undefined || sink.mails.length > sent)
  const waiting = await putOff()
  assert.match(waiting?.error ?? 'it was sent', /has sent its 500 mails of this hour/)
  assert.equal(waiting?.attempt, 0)
  const other = await gatehouse.addDeployment()
  await createMailLimit(gatehouse.db, 500)(other.id)
  await admin.query('delete from mail_hour')
  await admin.query(`update outbox set run_at = now() where kind = 'automation.action' and dead_at is null`)
  const [run] = await own.settled(id)
  assert.deepEqual([run.status, sink.mails.length], ['RUN_STATUS_DONE', sent + 1])
})
