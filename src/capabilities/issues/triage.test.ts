import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../test/gatehouse.ts'
import { triageReasons, triageStates } from '../../domain/triage.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import * as codes from './codes.ts'
import { decide } from './decide.ts'
import * as store from './store.ts'
import { issuesOf, ok } from './test-issues.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())
const issues = issuesOf(gatehouse)
const { deploymentId } = gatehouse.owner
const timestamp = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/

test('an issue is shown with every field, and a triage changes only what it is about', async () => {
  const repositories = `/api/repositories/v1/deployments/${deploymentId}/repositories`
  const project = (await gatehouse.call('POST', repositories, { body: { name: 'shown' } })).body.repository
  const lists = {
    actions: ['actions/checkout@v4'],
    workflowIds: ['release'],
    identities: ['deploy-bot'],
    triggerSources: ['issue_comment'],
    projectIds: [String(project.id)],
    refIds: ['refs/heads/main'],
    filePaths: ['.github/workflows/release.yml'],
    dependencyPaths: ['a > b'],
    directDependencies: ['a'],
    domains: ['example.com'],
    cwes: ['CWE-94'],
    owasps: ['LLM01'],
  }
  const texts = { title: 'Prompt injection', description: 'The comment reaches the model.', reasoning: 'No filter.' }
  const observedAt = '2026-01-02T03:04:05.678+02:00'
  const [id] = await issues.report([
    { externalKey: 'whole', severity: 'SEVERITY_INFO', observedAt, ...texts, ...lists },
  ])
  const expected = {
    id,
    deploymentId: String(deploymentId),
    ...texts,
    ...lists,
    createdAt: '2026-01-02T01:04:05.678Z',
    lastDetectedAt: '2026-01-02T01:04:05.678Z',
    detectionState: 'DETECTION_STATE_DETECTED',
    severity: 'SEVERITY_INFO',
    triageState: 'TRIAGE_STATE_OPEN',
    triageReason: 'TRIAGE_REASON_UNSPECIFIED',
    triagedAt: null,
  }
  assert.deepEqual(await issues.get(id!), expected)
  const before = Date.now()
  const triaged = await ok(
    issues.call('POST', `/issue/${id}`, {
      deploymentId: String(deploymentId),
      issueId: id,
      triageState: 'TRIAGE_STATE_IGNORED',
      triageReason: 'TRIAGE_REASON_ACCEPTABLE_RISK',
    }),
  )
  assert.match(triaged.data.triagedAt, timestamp)
  assert.ok(Date.parse(triaged.data.triagedAt) >= before - 1)
  assert.deepEqual(triaged.data, {
    ...expected,
    triageState: 'TRIAGE_STATE_IGNORED',
    triageReason: 'TRIAGE_REASON_ACCEPTABLE_RISK',
    triagedAt: triaged.data.triagedAt,
  })
  assert.deepEqual(await issues.get(id!), triaged.data)
})

test('every state after every state, with every reason or none', async () => {
  const steps = triageStates.flatMap((from) =>
    triageStates.flatMap((to) => [undefined, ...triageReasons.slice(1)].map((reason) => ({ from, to, reason }))),
  )
  assert.equal(steps.length, 49 * 4)
  const ids = await issues.report(steps.map((_, index) => ({ externalKey: `step-${index}` })))
  await Promise.all(
    steps.map(async ({ from, to, reason }, index) => {
      const id = ids[index]!
      await issues.triage(id, from, 'TRIAGE_REASON_NO_TIME')
      const issue = await issues.triage(id, to, reason)
      const now = reason ?? 'TRIAGE_REASON_UNSPECIFIED'
      assert.deepEqual([issue.triageState, issue.triageReason], [to, now])
      const changes = (await issues.activity(id)).map((change) => [
        change.seq,
        change.fromState,
        change.fromReason,
        change.toState,
        change.toReason,
      ])
      assert.deepEqual(changes, [
        [1, 'TRIAGE_STATE_OPEN', 'TRIAGE_REASON_UNSPECIFIED', from, 'TRIAGE_REASON_NO_TIME'],
        [2, from, 'TRIAGE_REASON_NO_TIME', to, now],
      ])
    }),
  )
})

test('a decision does not wait for one about another issue that is not through yet', async () => {
  const ids = await issues.report([{ externalKey: 'slow' }, { externalKey: 'quick' }])
  const [slow, quick] = ids as [string, string]
  const fixing = codes.state.code('TRIAGE_STATE_FIXING')
  const countOf = async () => (await issues.counts()).byTriageState.TRIAGE_STATE_FIXING
  const before = await countOf()
  await gatehouse.db.transaction(systemActor(deploymentId, 'test'), async (tx) => {
    const locked = await store.lock(tx, tx.actor, [Number(slow)])
    await decide(tx, locked, { state: fixing, reason: 0 }, 'automation')
    assert.equal((await issues.triage(quick, 'TRIAGE_STATE_FIXING')).triageState, 'TRIAGE_STATE_FIXING')
    assert.equal(await countOf(), before + 1)
  })
  assert.equal(await countOf(), before + 2)
})

test('a reason sent as unspecified is not a reason', async () => {
  const [id] = await issues.report([{ externalKey: 'unspecified' }])
  await issues.triage(id!, 'TRIAGE_STATE_IGNORED', 'TRIAGE_REASON_NO_TIME')
  const issue = await issues.triage(id!, 'TRIAGE_STATE_IGNORED', 'TRIAGE_REASON_UNSPECIFIED')
  assert.equal(issue.triageReason, 'TRIAGE_REASON_UNSPECIFIED')
})

test('activity says who and when, newest first, page by page; the audit log has it too', async () => {
  const [id] = await issues.report([{ externalKey: 'followed' }])
  const person = await gatehouse.addPerson('member')
  const states = ['TRIAGE_STATE_REVIEWING', 'TRIAGE_STATE_FIXING', 'TRIAGE_STATE_FIXED']
  for (const [index, triageState] of states.entries()) {
    const as = [gatehouse.owner.jwt, person.token, person.jwt][index]!
    await ok(issues.call('POST', `/issue/${id}`, { triageState }, { as }))
  }
  const first = await ok(issues.call('GET', `/issue/${id}/activity?pageSize=2`))
  assert.deepEqual(
    first.activity.map((one: { seq: number; toState: string }) => [one.seq, one.toState]),
    [
      [3, 'TRIAGE_STATE_FIXED'],
      [2, 'TRIAGE_STATE_FIXING'],
    ],
  )
  assert.deepEqual([first.hasMore, first.cursor], [true, '2'])
  assert.deepEqual(
    first.activity.map((one: { personId: number; decidedBy: string }) => [one.personId, one.decidedBy]),
    [
      [person.id, 'DECIDER_PERSON'],
      [person.id, 'DECIDER_PERSON'],
    ],
  )
  assert.equal(first.activity[0].tokenId, 0)
  assert.ok(first.activity[1].tokenId > 0)
  for (const one of first.activity) assert.match(one.at, timestamp)
  const last = await ok(issues.call('GET', `/issue/${id}/activity?pageSize=2&cursor=2`))
  assert.deepEqual([last.activity.length, last.activity[0].seq, last.hasMore], [1, 1, false])
  assert.equal((await issues.get(id!)).triagedAt, first.activity[0].at)

  const { events } = await ok(gatehouse.call('GET', `/api/audit/v1/deployments/${deploymentId}/events?pageSize=1`))
  assert.deepEqual(
    [events[0].action, events[0].target, events[0].personId, events[0].detail.triageState],
    ['issue.triage', `issue:${id}`, person.id, 'TRIAGE_STATE_FIXED'],
  )
})

test('ids in the body must be those in the path, and nothing changes where they are not', async () => {
  const [id] = await issues.report([{ externalKey: 'named-twice' }])
  for (const wrong of [{ issueId: '987654' }, { deploymentId: '987654' }]) {
    const answer = await issues.call('POST', `/issue/${id}`, { triageState: 'TRIAGE_STATE_FIXED', ...wrong })
    assert.deepEqual([answer.status, answer.body.code], [400, 'id_mismatch'])
  }
  assert.equal((await issues.get(id!)).triageState, 'TRIAGE_STATE_OPEN')
})

test('what does not fit the contract is refused, all of it named', async () => {
  const [id] = await issues.report([{ externalKey: 'refusing' }])
  const cases: [object, string[]][] = [
    [{}, ['/triageState']],
    [{ triageState: 'TRIAGE_STATE_UNSPECIFIED' }, ['/triageState']],
    [{ triageState: 'IGNORED', triageReason: 'BECAUSE' }, ['/triageState', '/triageReason']],
    [{ triageState: 'TRIAGE_STATE_OPEN', triagedAt: '2026-01-01T00:00:00Z' }, ['/triagedAt']],
  ]
  for (const [body, pointers] of cases) {
    const answer = await issues.call('POST', `/issue/${id}`, body)
    assert.equal(answer.status, 400, JSON.stringify(body))
    assert.deepEqual(
      answer.body.errors.map((error: { pointer: string }) => error.pointer),
      pointers,
    )
  }
  assert.deepEqual(await issues.activity(id!), [])
})

test('If-Match holds a triage to the version that was seen', async () => {
  const [id] = await issues.report([{ externalKey: 'versioned' }])
  const etag = (await issues.call('GET', `/issue/${id}`)).headers.get('etag')!
  const triage = (ifMatch: string, triageState: string) =>
    issues.call('POST', `/issue/${id}`, { triageState }, { headers: { 'if-match': ifMatch } })
  const first = await triage(etag, 'TRIAGE_STATE_REVIEWING')
  assert.equal(first.status, 200)
  assert.notEqual(first.headers.get('etag'), etag)
  assert.equal((await triage(etag, 'TRIAGE_STATE_IGNORED')).status, 412)
  assert.equal((await triage(first.headers.get('etag')!, 'TRIAGE_STATE_FIXED')).status, 200)
  assert.equal((await issues.activity(id!)).length, 2)
})

test('an Idempotency-Key triages once', async () => {
  const [id] = await issues.report([{ externalKey: 'once' }])
  const send = (triageState: string) =>
    issues.call('POST', `/issue/${id}`, { triageState }, { headers: { 'idempotency-key': 'triage-once' } })
  const answers = await Promise.all(Array.from({ length: 10 }, () => send('TRIAGE_STATE_FIXING')))
  for (const answer of answers) assert.deepEqual(answer.body, answers[0]!.body)
  assert.equal((await issues.activity(id!)).length, 1)
  assert.equal((await send('TRIAGE_STATE_FIXED')).body.code, 'idempotency_mismatch')
})
