import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../test/gatehouse.ts'
import { miscounts } from './public.ts'
import { issuesOf, ok } from './test-issues.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())
const issues = issuesOf(gatehouse)

const triage = (body: object) => issues.call('POST', '/issues/triage', body)
const statesOf = (ids: string[]) => Promise.all(ids.map(async (id) => (await issues.get(id)).triageState))

test('many issues at once, by id; what a person decided in just this way is left alone', async () => {
  const ids = await issues.report(['a', 'b', 'c', 'd'].map((externalKey) => ({ externalKey })))
  await issues.triage(ids[1]!, 'TRIAGE_STATE_IGNORED', 'TRIAGE_REASON_NO_TIME')
  await issues.triage(ids[2]!, 'TRIAGE_STATE_IGNORED', 'TRIAGE_REASON_FALSE_POSITIVE')
  const request = {
    issueIds: ids.toReversed(),
    triageState: 'TRIAGE_STATE_IGNORED',
    triageReason: 'TRIAGE_REASON_NO_TIME',
  }
  const answer = await ok(triage(request))
  assert.deepEqual(answer, { changedIssueIds: [ids[0], ids[2], ids[3]], unchangedIssueIds: [ids[1]] })
  for (const id of ids) {
    const issue = await issues.get(id)
    assert.deepEqual([issue.triageState, issue.triageReason], ['TRIAGE_STATE_IGNORED', 'TRIAGE_REASON_NO_TIME'])
  }
  const lengths = await Promise.all(ids.map(async (id) => (await issues.activity(id)).length))
  assert.deepEqual(lengths, [1, 1, 2, 1])
  assert.deepEqual((await ok(triage(request))).changedIssueIds, [])
})

test('what an automation decided becomes the decision of the person who says the same', async () => {
  const externalKey = 'automatic'
  const [id] = await issues.report([{ externalKey }])
  await issues.report([{ externalKey, detectionState: 'DETECTION_STATE_NOT_DETECTED' }])
  const answer = await ok(triage({ issueIds: [id], triageState: 'TRIAGE_STATE_FIXED' }))
  assert.deepEqual(answer.changedIssueIds, [id])
  const deciders = (await issues.activity(id!)).map((change) => change.decidedBy)
  assert.deepEqual(deciders, ['DECIDER_AUTOMATION', 'DECIDER_PERSON'])
})

test('many issues at once, by filter', async () => {
  const reports = Array.from({ length: 20 }, (_, index) => ({
    externalKey: `filtered-${index}`,
    severity: index % 2 ? 'SEVERITY_HIGH' : 'SEVERITY_LOW',
  }))
  const ids = await issues.report(reports)
  const filter = { title: 'filtered', severities: ['SEVERITY_HIGH'], triageStates: ['TRIAGE_STATE_OPEN'] }
  const { changedIssueIds } = await ok(triage({ filter, triageState: 'TRIAGE_STATE_FIXING' }))
  const high = ids.filter((_, index) => index % 2)
  assert.deepEqual(changedIssueIds.toSorted(), high.toSorted())
  assert.deepEqual(new Set(await statesOf(high)), new Set(['TRIAGE_STATE_FIXING']))
  assert.deepEqual((await ok(triage({ filter, triageState: 'TRIAGE_STATE_FIXING' }))).changedIssueIds, [])
})

test('unknown ids are named and nothing changes', async () => {
  const [id] = await issues.report([{ externalKey: 'untouched' }])
  const answer = await triage({ issueIds: [id, '987654', '987655'], triageState: 'TRIAGE_STATE_FIXED' })
  assert.deepEqual([answer.status, answer.body.detail], [422, 'No issues 987654, 987655.'])
  assert.deepEqual(
    answer.body.errors.map((error: { pointer: string }) => error.pointer),
    ['/issueIds/1', '/issueIds/2'],
  )
  assert.deepEqual(await statesOf([id!]), ['TRIAGE_STATE_OPEN'])
})

test('it takes ids or a filter, one of them', async () => {
  const cases: object[] = [{}, { issueIds: ['1'], filter: {} }, { issueIds: [] }]
  for (const which of cases) {
    assert.equal((await triage({ ...which, triageState: 'TRIAGE_STATE_FIXED' })).status, 400, JSON.stringify(which))
  }
  const many = Array.from({ length: 501 }, (_, index) => String(index + 1))
  assert.equal((await triage({ issueIds: many, triageState: 'TRIAGE_STATE_FIXED' })).status, 400)
})

test('one entry in the audit log, and the counters right', async () => {
  const { deploymentId } = gatehouse.owner
  const ids = await issues.report([{ externalKey: 'audited-1' }, { externalKey: 'audited-2' }])
  await ok(triage({ issueIds: ids, triageState: 'TRIAGE_STATE_PROVISIONALLY_IGNORED' }))
  const { events } = await ok(gatehouse.call('GET', `/api/audit/v1/deployments/${deploymentId}/events?pageSize=1`))
  assert.equal(events[0].action, 'issue.triage-many')
  assert.deepEqual(events[0].detail.issueIds, ids)
  assert.deepEqual(await miscounts(gatehouse.db.as(gatehouse.owner), 10), [])
})
