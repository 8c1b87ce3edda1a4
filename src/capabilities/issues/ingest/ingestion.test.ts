import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { miscounts } from '../public.ts'
import { issuesOf, ok, type Report } from '../test-issues.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())
const issues = issuesOf(gatehouse)
const { deploymentId } = gatehouse.owner

async function outcomes(reports: Report[]): Promise<string[]> {
  const { results } = await ok(issues.send(reports))
  assert.deepEqual(
    results.map((result: { externalKey: string }) => result.externalKey),
    reports.map((report) => report.externalKey),
  )
  return results.map((result: { outcome: string }) => result.outcome.replace('OUTCOME_', ''))
}

async function pointers(reports: Report[]): Promise<[number, string, string[]]> {
  const { status, body } = await issues.send(reports)
  return [status, body.code, (body.errors ?? []).map((error: { pointer: string }) => error.pointer)]
}

async function addRepository(name: string): Promise<string> {
  const path = `/api/repositories/v1/deployments/${deploymentId}/repositories`
  return String((await ok(gatehouse.call('POST', path, { body: { name } }))).repository.id)
}

test('a key is one issue: the same again updates its content and never what was decided', async () => {
  const at = (day: number) => `2026-02-0${day}T00:00:00.000Z`
  assert.deepEqual(await outcomes([{ externalKey: 'one', observedAt: at(1), cwes: ['CWE-1'] }]), ['CREATED'])
  const [id] = await issues.report([{ externalKey: 'one', observedAt: at(1), cwes: ['CWE-1'] }])
  await issues.triage(id!, 'TRIAGE_STATE_REVIEWING', 'TRIAGE_REASON_NO_TIME')
  const before = await issues.get(id!)

  assert.deepEqual(await outcomes([{ externalKey: 'one', observedAt: at(1), cwes: ['CWE-1'] }]), ['UNCHANGED'])
  assert.deepEqual(await issues.get(id!), before)

  const news = { title: 'Another title', severity: 'SEVERITY_CRITICAL', description: 'More', cwes: ['CWE-2', 'CWE-3'] }
  assert.deepEqual(await outcomes([{ externalKey: 'one', observedAt: at(3), ...news }]), ['UPDATED'])
  assert.deepEqual(await issues.get(id!), { ...before, ...news, lastDetectedAt: at(3) })

  assert.deepEqual(await outcomes([{ externalKey: 'one', observedAt: at(2), title: 'Late' }]), ['UNCHANGED'])
  assert.deepEqual(await issues.get(id!), { ...before, ...news, lastDetectedAt: at(3) })
  assert.equal((await issues.activity(id!)).length, 1)
})

test('what is seen again after it was fixed is reopened, what is gone is fixed, and people outrank both', async () => {
  const seen = { detectionState: 'DETECTION_STATE_DETECTED' }
  const gone = { detectionState: 'DETECTION_STATE_NOT_DETECTED' }
  // Steps: a report, or a decision; and the state, the detection and who decided after each.
  const stories: Record<string, [object | string, string, string][]> = {
    nobody: [
      [seen, 'OPEN', ''],
      [gone, 'FIXED', 'AUTOMATION'],
      [gone, 'FIXED', 'AUTOMATION'],
      [seen, 'REOPENED', 'AUTOMATION'],
      [seen, 'REOPENED', 'AUTOMATION'],
      [gone, 'FIXED', 'AUTOMATION'],
    ],
    fixer: [
      ['FIXED', 'FIXED', 'PERSON'],
      [gone, 'FIXED', 'PERSON'],
      [seen, 'REOPENED', 'AUTOMATION'],
    ],
    ignorer: [
      ['IGNORED', 'IGNORED', 'PERSON'],
      [seen, 'IGNORED', 'PERSON'],
      [gone, 'IGNORED', 'PERSON'],
      [seen, 'IGNORED', 'PERSON'],
    ],
    reviewer: [
      ['REVIEWING', 'REVIEWING', 'PERSON'],
      [gone, 'REVIEWING', 'PERSON'],
      ['OPEN', 'OPEN', 'PERSON'],
      [gone, 'OPEN', 'PERSON'],
    ],
  }
  for (const [externalKey, steps] of Object.entries(stories)) {
    const [id] = await issues.report([{ externalKey }])
    for (const [index, [step, state, decider]] of steps.entries()) {
      if (typeof step === 'string') await issues.triage(id!, `TRIAGE_STATE_${step}`, 'TRIAGE_REASON_FALSE_POSITIVE')
      else await issues.report([{ externalKey, ...step }])
      const issue = await issues.get(id!)
      const at = `${externalKey}, step ${index}`
      assert.equal(issue.triageState, `TRIAGE_STATE_${state}`, at)
      if (step === seen || step === gone) assert.equal(issue.detectionState, (step as typeof seen).detectionState, at)
      const last = (await issues.activity(id!)).at(-1)
      assert.equal(last?.decidedBy ?? 'DECIDER_', `DECIDER_${decider}`, at)
      if (decider === 'AUTOMATION') assert.equal(issue.triageReason, 'TRIAGE_REASON_UNSPECIFIED', at)
    }
  }
})

test('a report from before a person called it fixed does not reopen it', async () => {
  const [id] = await issues.report([{ externalKey: 'stale', observedAt: '2026-03-01T00:00:00Z' }])
  await issues.triage(id!, 'TRIAGE_STATE_FIXED')
  await issues.report([{ externalKey: 'stale', observedAt: '2026-03-02T00:00:00Z' }])
  const issue = await issues.get(id!)
  assert.deepEqual([issue.triageState, issue.lastDetectedAt], ['TRIAGE_STATE_FIXED', '2026-03-02T00:00:00.000Z'])
})

test('a history can be sent after the event', async () => {
  const externalKey = 'past'
  const gone = { detectionState: 'DETECTION_STATE_NOT_DETECTED' }
  const [id] = await issues.report([{ externalKey, observedAt: '2026-01-01T00:00:00Z' }])
  await issues.report([{ externalKey, observedAt: '2026-01-02T00:00:00Z', ...gone }])
  await issues.report([{ externalKey, observedAt: '2026-01-03T00:00:00Z' }])
  const issue = await issues.get(id!)
  assert.deepEqual(
    [issue.createdAt, issue.lastDetectedAt, issue.triageState],
    ['2026-01-01T00:00:00.000Z', '2026-01-03T00:00:00.000Z', 'TRIAGE_STATE_REOPENED'],
  )
})

test('a batch is taken whole or not at all, and every fault is pointed to', async () => {
  const known = await addRepository('known')
  const good = { externalKey: 'good' }
  // biome-ignore format: a table
  const cases: [Report[], number, string, string[]][] = [
    [[good, { externalKey: 'a', projectIds: [known, '987654'] }, { externalKey: 'b', projectIds: ['987655'] }], 422, 'unknown_repository', ['/issues/1/projectIds/1', '/issues/2/projectIds/0']],
    [[good, { externalKey: 'a' }, { externalKey: 'good' }], 400, 'validation_failed', ['/issues/2/externalKey']],
    [[good, { externalKey: 'a', detectionState: 'DETECTION_STATE_NOT_DETECTED' }], 422, 'unprocessable', ['/issues/1/externalKey']],
    [[good, { externalKey: 'a', observedAt: '2999-01-01T00:00:00Z' }, { externalKey: 'b', observedAt: '1969-12-31T23:59:59Z' }], 422, 'unprocessable', ['/issues/1/observedAt', '/issues/2/observedAt']],
    [[good, { externalKey: 'a', severity: 'HIGH' }, { externalKey: '' }], 400, 'validation_failed', ['/issues/1/severity', '/issues/2/externalKey']],
    [[good, { externalKey: 'a', title: 'x'.repeat(501), cwes: [''] }], 400, 'validation_failed', ['/issues/1/title', '/issues/1/cwes/0']],
    [[], 400, 'validation_failed', ['/issues']],
    [Array.from({ length: 501 }, (_, index) => ({ externalKey: `many-${index}` })), 400, 'validation_failed', ['/issues']],
  ]
  for (const [reports, ...expected] of cases) assert.deepEqual(await pointers(reports), expected)
  const answer = await issues.send([{ externalKey: 'a', projectIds: ['987655', '987654'] }])
  assert.equal(answer.body.detail, 'No repositories 987655, 987654.')
  assert.deepEqual(await outcomes([good]), ['CREATED'])
})

test('repositories are named once each, whatever the order, and may change', async () => {
  const [a, b, c] = [await addRepository('set-a'), await addRepository('set-b'), await addRepository('set-c')]
  const [id] = await issues.report([{ externalKey: 'set', projectIds: [b!, a!, b!, `0${a}`] }])
  assert.deepEqual((await issues.get(id!)).projectIds, [a, b])
  await issues.report([{ externalKey: 'set', projectIds: [c!, a!] }])
  assert.deepEqual((await issues.get(id!)).projectIds, [a, c])
  await issues.report([{ externalKey: 'set', severity: 'SEVERITY_LOW' }])
  assert.deepEqual((await issues.get(id!)).projectIds, [])
  assert.deepEqual(await miscounts(gatehouse.db.as(gatehouse.owner), 10), [])
})

test('500 issues at once, then the same 500 with as many new ones in turn', async () => {
  const batch = (count: number, step: number) =>
    Array.from({ length: count }, (_, index) => ({ externalKey: `bulk-${index * step}`, title: 'Bulk' }))
  assert.deepEqual(new Set(await outcomes(batch(500, 2))), new Set(['CREATED']))
  const again = await outcomes(batch(500, 1))
  assert.deepEqual(
    again.map((outcome, index) => outcome === (index % 2 ? 'CREATED' : 'UPDATED')),
    again.map(() => true),
  )
  assert.equal((await issues.search({ filter: { title: 'Bulk' }, pageSize: 100 })).length, 750)
})

test('an Idempotency-Key reports once', async () => {
  const send = () =>
    issues.call(
      'POST',
      '/issues',
      { issues: [{ externalKey: 'k', title: 'K', severity: 'SEVERITY_LOW' }] },
      {
        headers: { 'idempotency-key': 'report-once' },
      },
    )
  const answers = await Promise.all([send(), send(), send()])
  for (const answer of answers) assert.equal(answer.body.results[0].outcome, 'OUTCOME_CREATED')
})
