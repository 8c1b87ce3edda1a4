import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { triageReasons, triageStates } from '../../../domain/triage.ts'
import { miscounts } from '../public.ts'
import { issuesOf, ok } from '../test-issues.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())
const issues = issuesOf(gatehouse)

const noMiscounts = async () => assert.deepEqual(await miscounts(gatehouse.db.as(gatehouse.owner), 10), [])

test('50 triages of one issue at once: each is in the activity once, in an order that explains the state', async () => {
  const [id] = await issues.report([{ externalKey: 'contested' }])
  const other = await gatehouse.anotherProcess()
  try {
    const requests = Array.from({ length: 50 }, (_, index) => ({
      triageState: triageStates[index % 7]!,
      triageReason: triageReasons[index % 4]!,
    }))
    const answers = await Promise.all(
      requests.map((body, index) =>
        (index % 2 ? other.call : gatehouse.call)('POST', `${issues.base}/issue/${id}`, { body }),
      ),
    )
    for (const [index, { status, body }] of answers.entries()) {
      assert.equal(status, 200, JSON.stringify(body))
      assert.deepEqual([body.data.triageState, body.data.triageReason], Object.values(requests[index]!))
    }
    const activity = await issues.activity(id!)
    assert.deepEqual(
      activity.map((change) => change.seq),
      requests.map((_, index) => index + 1),
    )
    const pair = (a: string, b: string) => `${a} ${b}`
    assert.deepEqual(
      activity.map((change) => pair(change.toState, change.toReason)).sort(),
      requests.map((request) => pair(request.triageState, request.triageReason)).sort(),
    )
    let [state, reason, at] = ['TRIAGE_STATE_OPEN', 'TRIAGE_REASON_UNSPECIFIED', '']
    for (const change of activity) {
      assert.deepEqual([change.fromState, change.fromReason], [state, reason], `change ${change.seq}`)
      assert.ok(change.at >= at, `change ${change.seq} is not before the one before it`)
      ;[state, reason, at] = [change.toState, change.toReason, change.at]
    }
    const last = await issues.get(id!)
    assert.deepEqual([last.triageState, last.triageReason, last.triagedAt], [state, reason, at])
  } finally {
    await other.close()
  }
  await noMiscounts()
})

test('of 50 triages with one If-Match exactly one wins', async () => {
  const [id] = await issues.report([{ externalKey: 'guarded' }])
  const headers = { 'if-match': (await issues.call('GET', `/issue/${id}`)).headers.get('etag')! }
  const answers = await Promise.all(
    Array.from({ length: 50 }, () =>
      issues.call('POST', `/issue/${id}`, { triageState: 'TRIAGE_STATE_FIXING' }, { headers }),
    ),
  )
  assert.deepEqual(answers.filter((answer) => answer.status === 200).length, 1)
  assert.deepEqual(answers.filter((answer) => answer.status === 412).length, 49)
  assert.equal((await issues.activity(id!)).length, 1)
})

test('20 batches with the same and with overlapping keys at once make each issue once', async () => {
  const keys = Array.from({ length: 60 }, (_, index) => `shared-${index}`)
  const batches = Array.from({ length: 20 }, (_, batch) => {
    const some = batch % 2 ? keys.slice(batch, batch + 40) : keys.toReversed()
    return some.map((externalKey) => ({
      externalKey,
      title: 'Shared',
      severity: batch % 3 ? 'SEVERITY_LOW' : 'SEVERITY_HIGH',
    }))
  })
  const answers = await Promise.all(batches.map((batch) => ok(issues.send(batch))))
  const idOf = new Map<string, Set<string>>()
  let created = 0
  for (const result of answers.flatMap((answer) => answer.results)) {
    if (result.outcome === 'OUTCOME_CREATED') created++
    idOf.set(result.externalKey, (idOf.get(result.externalKey) ?? new Set()).add(result.issueId))
  }
  assert.equal(created, keys.length)
  assert.deepEqual(
    [...idOf.values()].filter((ids) => ids.size !== 1),
    [],
  )
  assert.equal((await issues.search({ filter: { title: 'shared' } })).length, keys.length)
  await noMiscounts()
})

test('reports, triages and bulk triages of the same issues at once leave the counters right', async () => {
  const keys = Array.from({ length: 30 }, (_, index) => `busy-${index}`)
  const ids = await issues.report(keys.map((externalKey) => ({ externalKey })))
  const work = Array.from({ length: 90 }, (_, index) => {
    const triageState = triageStates[index % 7]!
    if (index % 3 === 0) {
      const detectionState = index % 2 ? 'DETECTION_STATE_DETECTED' : 'DETECTION_STATE_NOT_DETECTED'
      return ok(issues.send(keys.slice(index % 20).map((externalKey) => ({ externalKey, detectionState }))))
    }
    if (index % 3 === 1) return issues.triage(ids[index % ids.length]!, triageState)
    return ok(
      issues.call('POST', '/issues/triage', { issueIds: ids.slice(0, (index % 29) + 1).toReversed(), triageState }),
    )
  })
  await Promise.all(work)
  await noMiscounts()
  for (const id of ids) {
    const activity = await issues.activity(id)
    for (const [index, change] of activity.entries()) {
      assert.equal(change.seq, index + 1)
      if (index > 0) assert.equal(change.fromState, activity[index - 1].toState)
    }
    assert.equal((await issues.get(id)).triageState, activity.at(-1)?.toState ?? 'TRIAGE_STATE_OPEN')
  }
})
