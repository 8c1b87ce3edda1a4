import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import { recount } from './counters/recount.ts'
import { type FoundFinding, findingsPath, searchAll, sendLog } from './test-findings.ts'
import { log, pullRequestsOf } from './test-pull-request.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(async () => {
  const miscounted = await recount(gatehouse.db.as(gatehouse.owner))
  await gatehouse.close()
  assert.deepEqual(miscounted, [])
})

const path = findingsPath()
const only = (repository: string) => ({ filter: { repositories: [repository] } })

async function findingsOf(repository: string): Promise<FoundFinding[]> {
  const found = await searchAll(gatehouse, only(repository))
  return found.sort((a, b) => Number(a.id) - Number(b.id))
}

async function historyOf(id: string) {
  const answer = await gatehouse.call('GET', `${path}/${id}/history`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.history
}

test('a finding has everything that the log says about it', async () => {
  const properties = { 'security-severity': '9.5', tags: ['external/cwe/cwe-079'] }
  await sendLog(gatehouse, 'show/a', [{ rule: 'xss', path: 'src/page.js', code: 'print(name)', line: 7, properties }])
  const [found] = await findingsOf('show/a')
  const got = await gatehouse.call('GET', `${path}/${found!.id}`)
  assert.deepEqual(got.body.data, found)
  const { id, repositoryId, scanId, raisedAt, stateChangedAt, fingerprint, ...rest } = got.body.data
  assert.deepEqual(rest, {
    deploymentId: '1',
    repository: 'show/a',
    ref: 'main',
    pullRequest: 0,
    source: 'sarif:tester',
    ruleId: 'xss',
    ruleName: '',
    title: 'print(name) is not safe',
    message: 'print(name) is not safe',
    product: 'PRODUCT_TYPE_SAST',
    category: 'security',
    severity: 'SEVERITY_CRITICAL',
    confidence: 'CONFIDENCE_UNSPECIFIED',
    reachability: 'REACHABILITY_UNSPECIFIED',
    validity: 'VALIDITY_UNSPECIFIED',
    verdict: 'VERDICT_UNSPECIFIED',
    malicious: false,
    silenced: false,
    triageState: 'TRIAGE_STATE_OPEN',
    triageReason: 'TRIAGE_REASON_UNSPECIFIED',
    decidedBy: 'DECIDER_OBSERVATION',
    deciderId: '',
    deciderName: '',
    cause: 'CAUSE_UNSPECIFIED',
    assignee: null,
    commit: '',
    links: { file: '', commit: '', pullRequest: '' },
    path: 'src/page.js',
    startLine: 7,
    locations: [
      { path: 'src/page.js', startLine: 7, startColumn: 0, endLine: 7, endColumn: 0, snippet: 'print(name)' },
    ],
    logicalLocations: [],
    codeFlow: null,
    cwes: ['CWE-79'],
    owasp: [],
    vulnerabilityIds: [],
    dependency: null,
    secretHint: '',
    suppressions: [],
    dueAt: null,
    fixedAt: null,
  })
  assert.equal(raisedAt, stateChangedAt)
})

test('one finding alone has its data flow, the lines around it and what the tool says about its rule', async () => {
  const place = (line: number, text: string, said = '') => ({
    physicalLocation: {
      artifactLocation: { uri: 'src/page.js' },
      region: { startLine: line, snippet: { text } },
      contextRegion: { startLine: 6, snippet: { text: 'a\nb\nc' } },
    },
    ...(said && { message: { text: said } }),
  })
  const log = (help: string) =>
    JSON.stringify({
      version: '2.1.0',
      runs: [
        {
          tool: {
            driver: {
              name: 'Flow',
              rules: [
                {
                  id: 'xss',
                  fullDescription: { text: 'Input is shown.' },
                  help: { text: 'plain', markdown: help },
                  helpUri: 'https://rules.example/xss',
                },
              ],
            },
          },
          results: [
            {
              ruleId: 'xss',
              ruleIndex: 0,
              message: { text: 'Shown as it is' },
              locations: [place(7, 'show(name)')],
              codeFlows: [
                {
                  threadFlows: [
                    { locations: [{ location: place(3, 'read()', 'enters') }, { location: place(7, 'show(name)') }] },
                  ],
                },
              ],
            },
          ],
        },
      ],
    })
  const send = (help: string) =>
    gatehouse.call('POST', '/api/scans/v1/deployments/1/scans/raw?repository=show/flow&ref=main&path=log.sarif', {
      body: log(help),
      headers: { 'content-type': 'application/octet-stream' },
    })
  assert.equal((await send('**Escape** it.')).status, 200)
  const [found] = await findingsOf('show/flow')
  const { body } = await gatehouse.call('GET', `${path}/${found!.id}`)
  const where = { path: 'src/page.js', startColumn: 0, endColumn: 0 }
  assert.deepEqual(body.detail, {
    flow: [
      { ...where, startLine: 3, endLine: 3, snippet: 'read()', message: 'enters' },
      { ...where, startLine: 7, endLine: 7, snippet: 'show(name)', message: '' },
    ],
    surroundings: { startLine: 6, text: 'a\nb\nc' },
    rule: { description: 'Input is shown.', help: '**Escape** it.', helpUri: 'https://rules.example/xss' },
    fixedVersion: '',
    transitivity: '',
    missing: null,
  })
  assert.equal((await send('Escape it well.')).status, 200)
  assert.equal((await gatehouse.call('GET', `${path}/${found!.id}`)).body.detail.rule.help, 'Escape it well.')
  assert.deepEqual(
    Object.keys(found!).filter((name) => name in body.detail),
    [],
  )
})

test('what is ignored and no longer found says which scan missed it, until it is back', async () => {
  await sendLog(gatehouse, 'triage/gone', [{ code: 'a' }, { code: 'b' }])
  const [a, b] = await findingsOf('triage/gone')
  const body = { triageState: 'TRIAGE_STATE_IGNORED' }
  assert.equal((await gatehouse.call('POST', `${path}/${a!.id}`, { body })).status, 200)
  const look = async (id: string) => (await gatehouse.call('GET', `${path}/${id}`)).body
  assert.equal((await look(a!.id)).detail.missing, null)
  for (let round = 0; round < 2; round++) {
    const { scan } = (await sendLog(gatehouse, 'triage/gone', [])).body
    const { data, detail } = await look(a!.id)
    assert.equal(data.triageState, 'TRIAGE_STATE_IGNORED')
    assert.deepEqual(detail.missing, { scanId: Number(scan.id), observedAt: detail.missing.observedAt })
  }
  // Of what is fixed, its state says so.
  assert.equal((await look(b!.id)).detail.missing, null)
  await sendLog(gatehouse, 'triage/gone', [{ code: 'a' }])
  assert.equal((await look(a!.id)).detail.missing, null)
})

test('a scan of the past that is sent after a decision changes nothing before it', async () => {
  const { send } = pullRequestsOf(gatehouse)
  const standing = async (standingAt: string) =>
    (await gatehouse.call('POST', `${path}/counts`, { body: { filter: { repositories: ['past/a'], standingAt } } }))
      .body.total
  await send('past/a', log([{ code: 'a()' }]), { performedAt: '2025-01-10T00:00:00Z' })
  const [found] = await findingsOf('past/a')
  const body = { triageState: 'TRIAGE_STATE_FIXED' }
  assert.equal((await gatehouse.call('POST', `${path}/${found!.id}`, { body })).status, 200)
  await send('past/a', log([{ code: 'a()' }, { code: 'b()' }]), { performedAt: '2025-02-10T00:00:00Z' })

  const [back, fixed, raised] = await historyOf(found!.id)
  assert.deepEqual([back.toState, fixed.toState], ['TRIAGE_STATE_REOPENED', 'TRIAGE_STATE_FIXED'])
  assert.deepEqual([back.at, raised.at], [fixed.at, '2025-01-10T00:00:00.000Z'])
  assert.equal(await standing('2025-02-01T00:00:00Z'), 1)
  assert.equal(await standing('2025-03-01T00:00:00Z'), 2)
  assert.equal(await standing(new Date(Date.now() + 1_000).toISOString()), 2)
})

test('what was decided under a clock that was ahead puts off nothing that comes after it', async () => {
  await sendLog(gatehouse, 'past/ahead', [{ code: 'a' }])
  const [found] = await findingsOf('past/ahead')
  await gatehouse.db.transaction(systemActor(gatehouse.owner.deploymentId, 'test'), (tx) =>
    tx.query(sql`update finding set state_at = now() + interval '1 year'
      where deployment_id = ${tx.deploymentId} and id = ${found!.id}`),
  )
  await sendLog(gatehouse, 'past/ahead', [])
  const [fixed] = await historyOf(found!.id)
  assert.equal(fixed.toState, 'TRIAGE_STATE_FIXED')
  assert.ok(Date.parse(fixed.at) < Date.now() + 60_000, fixed.at)
})

test('triage: a decision with its reason and note, in the history, which scans leave alone', async () => {
  await sendLog(gatehouse, 'triage/a', [{ code: 'a' }, { code: 'b' }])
  const [a, b] = await findingsOf('triage/a')
  const body = {
    triageState: 'TRIAGE_STATE_IGNORED',
    triageReason: 'TRIAGE_REASON_ACCEPTABLE_RISK',
    note: 'Only inside.',
  }
  const answer = await gatehouse.call('POST', `${path}/${a!.id}`, { body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const { triageState, triageReason, decidedBy, deciderId } = answer.body.data
  assert.deepEqual(
    [triageState, triageReason, decidedBy, deciderId],
    ['TRIAGE_STATE_IGNORED', 'TRIAGE_REASON_ACCEPTABLE_RISK', 'DECIDER_PERSON', '1'],
  )
  await sendLog(gatehouse, 'triage/a', [])
  await sendLog(gatehouse, 'triage/a', [{ code: 'a' }, { code: 'b' }])
  const after = await findingsOf('triage/a')
  assert.deepEqual(
    after.map((one) => one.triageState),
    ['TRIAGE_STATE_IGNORED', 'TRIAGE_STATE_REOPENED'],
  )
  const lines = (await historyOf(a!.id)).map((one: { seq: number; toState: string; note: string }) => [
    one.seq,
    one.toState,
    one.note,
  ])
  assert.deepEqual(lines, [
    [1, 'TRIAGE_STATE_IGNORED', 'Only inside.'],
    [0, 'TRIAGE_STATE_OPEN', ''],
  ])
  const other = (await historyOf(b!.id)).map((one: { seq: number; toState: string; decidedBy: string }) => [
    one.seq,
    one.toState,
    one.decidedBy,
  ])
  assert.deepEqual(other, [
    [2, 'TRIAGE_STATE_REOPENED', 'DECIDER_OBSERVATION'],
    [1, 'TRIAGE_STATE_FIXED', 'DECIDER_OBSERVATION'],
    [0, 'TRIAGE_STATE_OPEN', 'DECIDER_OBSERVATION'],
  ])
})

test('what a person ignored is ignored on other branches as well, saying who', async () => {
  await sendLog(gatehouse, 'triage/branches', [{ code: 'a' }])
  const [a] = await findingsOf('triage/branches')
  const body = { triageState: 'TRIAGE_STATE_IGNORED', triageReason: 'TRIAGE_REASON_FALSE_POSITIVE' }
  await gatehouse.call('POST', `${path}/${a!.id}`, { body })
  await sendLog(gatehouse, 'triage/branches', [{ code: 'a' }, { code: 'b' }], { ref: 'release' })
  const found = (await findingsOf('triage/branches')).filter((one) => one.ref === 'release')
  assert.deepEqual(
    found.map((one) => [one.message.slice(0, 1), one.triageState, one.triageReason, one.deciderId]),
    [
      ['a', 'TRIAGE_STATE_IGNORED', 'TRIAGE_REASON_FALSE_POSITIVE', '1'],
      ['b', 'TRIAGE_STATE_OPEN', 'TRIAGE_REASON_UNSPECIFIED', ''],
    ],
  )
  assert.equal((await historyOf(found[0]!.id)).length, 2)
})

test('a rule of the lifecycle says which one it is, and gives way to a person', async () => {
  await sendLog(gatehouse, 'triage/rules', [{ code: 'a', suppressed: true }])
  const [a] = await findingsOf('triage/rules')
  assert.deepEqual([a!.triageState, a!.cause], ['TRIAGE_STATE_PROVISIONALLY_IGNORED', 'CAUSE_SUPPRESSED'])
  await gatehouse.call('POST', `${path}/${a!.id}`, { body: { triageState: 'TRIAGE_STATE_REVIEWING' } })
  await sendLog(gatehouse, 'triage/rules', [{ code: 'a', suppressed: true, line: 9 }])
  assert.equal((await findingsOf('triage/rules'))[0]!.triageState, 'TRIAGE_STATE_REVIEWING')
})

test('a change may be bound to the version that was seen', async () => {
  await sendLog(gatehouse, 'triage/version', [{ code: 'a' }])
  const [a] = await findingsOf('triage/version')
  const body = { triageState: 'TRIAGE_STATE_FIXING' }
  const stale = await gatehouse.call('POST', `${path}/${a!.id}`, { body, headers: { 'if-match': '"99"' } })
  assert.equal(stale.status, 412)
  const right = await gatehouse.call('POST', `${path}/${a!.id}`, { body, headers: { 'if-match': '"1"' } })
  assert.deepEqual([right.status, right.headers.get('etag')], [200, '"2"'])
})

test('many at once: by ids or by a filter, all or none', async () => {
  await sendLog(gatehouse, 'triage/many', [{ code: 'a' }, { code: 'b', rule: 'other' }, { code: 'c' }])
  const ids = (await findingsOf('triage/many')).map((one) => one.id)
  const decision = { triageState: 'TRIAGE_STATE_IGNORED', note: 'All of them' }
  const send = (body: object) => gatehouse.call('POST', `${path}/triage`, { body: { ...decision, ...body } })
  const unknown = await send({ findingIds: [ids[0], '999999'] })
  assert.deepEqual([unknown.status, unknown.body.errors[0].pointer], [422, '/findingIds/1'])
  assert.equal((await send({})).status, 400)
  const some = await send({ findingIds: [ids[0]] })
  const none = { sameOnOtherBranches: [] }
  assert.deepEqual(some.body, { changedFindingIds: [ids[0]], unchangedFindingIds: [], ...none })
  const matched = await send({ filter: { repositories: ['triage/many'], ruleIds: ['rule'] } })
  assert.deepEqual(matched.body, { changedFindingIds: [ids[2]], unchangedFindingIds: [ids[0]], ...none })
})

test('counts add up, by state, severity and kind', async () => {
  await sendLog(gatehouse, 'count/a', [{ code: 'a' }, { code: 'b', level: 'note' }, { code: 'c', suppressed: true }])
  const answer = await gatehouse.call('POST', `${path}/counts`, { body: only('count/a') })
  const filled = (counts: Record<string, number>) => Object.entries(counts).filter(([, count]) => count > 0)
  assert.equal(answer.body.total, 3)
  assert.deepEqual(filled(answer.body.byTriageState), [
    ['TRIAGE_STATE_OPEN', 2],
    ['TRIAGE_STATE_PROVISIONALLY_IGNORED', 1],
  ])
  assert.deepEqual(filled(answer.body.byProduct), [['PRODUCT_TYPE_SAST', 3]])
  assert.equal(
    filled(answer.body.bySeverity).reduce((sum, [, count]) => sum + count, 0),
    3,
  )
})
