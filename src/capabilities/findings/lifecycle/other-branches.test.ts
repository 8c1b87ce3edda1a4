import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { sentNames } from '../../../formats/sarif/identity/content.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { upload } from '../../scans/test-upload.ts'
import { recount } from '../counters/recount.ts'
import { findingsPath, searchAll } from '../test-findings.ts'
import { createFindingTriage } from './triage.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

const path = findingsPath()

/** Equal matches, told apart by their code alone; without it nothing is known of the code. */
type Result = { line: number; code?: string; around?: string; rule?: string }
type Where = { ref?: string; pullRequest?: number; tool?: string }

async function send(repository: string, results: Result[], { ref = 'main', pullRequest, tool = 'Tester' }: Where = {}) {
  const change = pullRequest ? { kind: 'SCAN_KIND_PULL_REQUEST', pullRequest, baseRef: 'main' } : {}
  const run = { tool: { driver: { name: tool } }, results: results.map(toResult) }
  const log = JSON.stringify({ version: '2.1.0', runs: [run] })
  const answer = await upload(gatehouse, { repository, ref, ...change }, { 'a.sarif': log })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

function toResult({ line, code, around = 'x', rule = 'no-eval' }: Result) {
  return {
    ruleId: rule,
    message: { text: 'eval can be harmful.' },
    locations: [{ physicalLocation: { artifactLocation: { uri: 'src/a.js' }, region: { startLine: line } } }],
    ...(code && { partialFingerprints: { [sentNames.code]: code, [sentNames.around]: around } }),
  }
}

async function findingsOf(repository: string) {
  const found = await searchAll(gatehouse, { filter: { repositories: [repository] } })
  return found as (Awaited<ReturnType<typeof searchAll>>[number] & { startLine: number })[]
}

/** `ref line STATE`, in this order. */
async function standing(repository: string): Promise<string[]> {
  const found = await findingsOf(repository)
  return found.map((one) => `${one.ref} ${one.startLine} ${one.triageState.replace('TRIAGE_STATE_', '')}`).sort()
}

async function idAt(repository: string, ref: string, line: number): Promise<string> {
  return (await findingsOf(repository)).find((one) => one.ref === ref && one.startLine === line)!.id
}

async function decide(repository: string, ref: string, line: number, state: string, more: object = {}) {
  const body = { triageState: `TRIAGE_STATE_${state}`, ...more }
  const answer = await gatehouse.call('POST', `${path}/${await idAt(repository, ref, line)}`, { body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

type Former = { triageState: string; triageReason: string; findingIds: string[] }

async function decideMany(body: object) {
  const answer = await gatehouse.call('POST', `${path}/triage`, { body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body as { changedFindingIds: string[]; sameOnOtherBranches: Former[] }
}

async function historyAt(repository: string, ref: string, line: number) {
  const answer = await gatehouse.call('GET', `${path}/${await idAt(repository, ref, line)}/history`)
  return answer.body.history as { note: string; toState: string; decidedBy: string; deciderId: string }[]
}

const harmless = { line: 3, code: 'harmless' }

test('what a person ignores is ignored on the other branches at once, and open again there when it is opened', async () => {
  const repository = 'along/one'
  for (const ref of ['main', 'dev']) await send(repository, [harmless], { ref })
  const reason = { triageReason: 'TRIAGE_REASON_ACCEPTABLE_RISK', note: 'A test file.' }
  await decide(repository, 'main', 3, 'IGNORED', reason)
  assert.deepEqual(await standing(repository), ['dev 3 IGNORED', 'main 3 IGNORED'])
  const open = { triageStates: ['TRIAGE_STATE_OPEN'], repositories: [repository], once: true }
  assert.deepEqual(await searchAll(gatehouse, { filter: open }), [])
  const [twin] = (await findingsOf(repository)).filter((one) => one.ref === 'dev')
  assert.deepEqual([twin!.triageReason, twin!.deciderId], ['TRIAGE_REASON_ACCEPTABLE_RISK', '1'])
  const [last, ...rest] = await historyAt(repository, 'dev', 3)
  assert.equal(last!.note, 'Decided on the branch main, which has the same finding. A test file.')
  assert.deepEqual([last!.toState, last!.decidedBy, rest.length], ['TRIAGE_STATE_IGNORED', 'DECIDER_PERSON', 1])
  await decide(repository, 'dev', 3, 'OPEN')
  assert.deepEqual(await standing(repository), ['dev 3 OPEN', 'main 3 OPEN'])
  assert.equal((await searchAll(gatehouse, { filter: open })).length, 1)
  await decide(repository, 'main', 3, 'REVIEWING')
  assert.deepEqual(await standing(repository), ['dev 3 REVIEWING', 'main 3 REVIEWING'])
})

test('a finding of another branch that a person decided otherwise about stays as it is', async () => {
  const repository = 'along/otherwise'
  await send(repository, [harmless])
  await decide(repository, 'main', 3, 'REVIEWING')
  await send(repository, [harmless], { ref: 'dev' })
  await decide(repository, 'dev', 3, 'FIXING')
  assert.deepEqual(await standing(repository), ['dev 3 FIXING', 'main 3 REVIEWING'])
  await decide(repository, 'dev', 3, 'IGNORED')
  assert.deepEqual(await standing(repository), ['dev 3 IGNORED', 'main 3 REVIEWING'])
  await decide(repository, 'dev', 3, 'OPEN')
  assert.deepEqual(await standing(repository), ['dev 3 OPEN', 'main 3 REVIEWING'])

  const reasons = 'along/reasons'
  for (const ref of ['main', 'dev']) await send(reasons, [harmless], { ref })
  const only = { thisBranchOnly: true }
  await decide(reasons, 'main', 3, 'IGNORED', { triageReason: 'TRIAGE_REASON_FALSE_POSITIVE', ...only })
  assert.deepEqual(await standing(reasons), ['dev 3 OPEN', 'main 3 IGNORED'], 'about one branch alone')
  await decide(reasons, 'dev', 3, 'IGNORED', { triageReason: 'TRIAGE_REASON_NO_TIME' })
  await decide(reasons, 'dev', 3, 'OPEN')
  assert.deepEqual(await standing(reasons), ['dev 3 OPEN', 'main 3 IGNORED'])
})

test('one that nobody decided about goes along with what is ignored, and is left alone by what is opened again', async () => {
  const repository = 'along/later'
  await send(repository, [harmless])
  await decide(repository, 'main', 3, 'REVIEWING')
  await send(repository, [harmless], { ref: 'dev' })
  await decide(repository, 'main', 3, 'OPEN')
  assert.equal((await historyAt(repository, 'dev', 3)).length, 1)
  await decide(repository, 'main', 3, 'IGNORED')
  assert.deepEqual(await standing(repository), ['dev 3 IGNORED', 'main 3 IGNORED'])
})

test('that it is fixed is said of one branch', async () => {
  for (const ref of ['main', 'dev']) await send('along/fixed', [harmless], { ref })
  await decide('along/fixed', 'main', 3, 'FIXED')
  assert.deepEqual(await standing('along/fixed'), ['dev 3 OPEN', 'main 3 FIXED'])
})

test('equal ones go along if they are as many on both branches and all of them are decided alike', async () => {
  const second = { ...harmless, line: 7 }
  await send('along/fewer', [harmless])
  await send('along/fewer', [harmless, second], { ref: 'dev' })
  await decide('along/fewer', 'main', 3, 'IGNORED')
  assert.deepEqual(await standing('along/fewer'), ['dev 3 OPEN', 'dev 7 OPEN', 'main 3 IGNORED'])

  await send('along/more', [harmless, second])
  await send('along/more', [harmless], { ref: 'dev' })
  for (const line of [3, 7]) await decide('along/more', 'main', line, 'IGNORED')
  assert.deepEqual(await standing('along/more'), ['dev 3 OPEN', 'main 3 IGNORED', 'main 7 IGNORED'])

  for (const ref of ['main', 'dev']) await send('along/both', [harmless, second], { ref })
  await decide('along/both', 'main', 3, 'IGNORED')
  assert.deepEqual(await standing('along/both'), ['dev 3 OPEN', 'dev 7 OPEN', 'main 3 IGNORED', 'main 7 OPEN'])
  await decide('along/both', 'main', 7, 'IGNORED')
  assert.deepEqual(await standing('along/both'), ['dev 3 IGNORED', 'dev 7 IGNORED', 'main 3 IGNORED', 'main 7 IGNORED'])
  await decide('along/both', 'dev', 3, 'OPEN')
  assert.deepEqual(await standing('along/both'), ['dev 3 OPEN', 'dev 7 IGNORED', 'main 3 IGNORED', 'main 7 IGNORED'])
  await decide('along/both', 'dev', 7, 'OPEN')
  assert.deepEqual(await standing('along/both'), ['dev 3 OPEN', 'dev 7 OPEN', 'main 3 OPEN', 'main 7 OPEN'])

  for (const ref of ['main', 'dev']) await send('along/one-of-two', [harmless, second], { ref })
  await decide('along/one-of-two', 'dev', 7, 'FIXING', { thisBranchOnly: true })
  for (const line of [3, 7]) await decide('along/one-of-two', 'main', line, 'IGNORED')
  const left = (await standing('along/one-of-two')).filter((one) => one.startsWith('dev'))
  assert.deepEqual(left, ['dev 3 OPEN', 'dev 7 FIXING'], 'nobody can say which of them is being fixed')
})

test('other code at the same place, and the same code in other surroundings, stays as it is', async () => {
  await send('along/code', [harmless])
  await send('along/code', [{ line: 3, code: 'remote' }], { ref: 'dev' })
  await send('along/code', [{ ...harmless, around: 'y' }], { ref: 'old' })
  await decide('along/code', 'main', 3, 'IGNORED')
  assert.deepEqual(await standing('along/code'), ['dev 3 OPEN', 'main 3 IGNORED', 'old 3 OPEN'])
})

test('where the code is not known, findings go along as a whole group, and never with code that is known', async () => {
  for (const ref of ['main', 'dev']) await send('along/unknown', [{ line: 3 }], { ref })
  await send('along/unknown', [{ line: 3 }, { line: 9 }], { ref: 'more' })
  await send('along/unknown', [{ line: 3, code: 'remote' }], { ref: 'coded' })
  await decide('along/unknown', 'main', 3, 'IGNORED')
  const after = ['coded 3 OPEN', 'dev 3 IGNORED', 'main 3 IGNORED', 'more 3 OPEN', 'more 9 OPEN']
  assert.deepEqual(await standing('along/unknown'), after)
  await decide('along/unknown', 'main', 3, 'OPEN')
  assert.ok((await standing('along/unknown')).every((one) => one.endsWith('OPEN')))
})

test('pull requests, other repositories, other tools and branches that are over are left alone', async () => {
  const repository = 'along/apart'
  await send(repository, [])
  for (const ref of ['dev', 'gone']) await send(repository, [harmless], { ref })
  await send(repository, [harmless], { ref: 'change', pullRequest: 7 })
  await send(repository, [harmless], { ref: 'dev', tool: 'Other' })
  for (const ref of ['main', 'dev']) await send('along/neighbour', [harmless], { ref })
  await decide(repository, 'gone', 3, 'IGNORED')
  const idsOf = async () => (await findingsOf(repository)).filter((one) => one.triageState.endsWith('IGNORED')).length
  assert.equal(await idsOf(), 2)
  const ended = { repository, ref: 'gone' }
  const scans = `/api/scans/v1/deployments/${gatehouse.owner.deploymentId}`
  assert.equal((await gatehouse.call('POST', `${scans}/ended-branches`, { body: ended })).status, 200)
  const ignored = (await findingsOf(repository)).find((one) => one.ref === 'dev' && one.triageState.endsWith('IGNORED'))
  const reopened = { triageState: 'TRIAGE_STATE_OPEN', findingIds: [ignored!.id] }
  assert.deepEqual((await decideMany(reopened)).sameOnOtherBranches, [])
  const all = ['change 3 OPEN', 'dev 3 OPEN', 'dev 3 OPEN', 'gone 3 IGNORED']
  assert.deepEqual(await standing(repository), all)
  await decide(repository, 'change', 3, 'IGNORED')
  assert.deepEqual(await standing(repository), ['change 3 IGNORED', ...all.slice(1)])
  assert.deepEqual(await standing('along/neighbour'), ['dev 3 OPEN', 'main 3 OPEN'])
})

test('many at once: the answer and the audit log tell what went along', async () => {
  const repository = 'along/many'
  const results = Array.from({ length: 30 }, (_, n) => ({ line: n + 1, code: `call-${n}`, rule: `rule-${n % 3}` }))
  for (const ref of ['main', 'dev', 'old']) await send(repository, results, { ref })
  const found = await findingsOf(repository)
  const idsOn = (...refs: string[]) =>
    found
      .filter((one) => refs.includes(one.ref))
      .map((one) => one.id)
      .sort((a, b) => Number(a) - Number(b))
  const decision = { triageState: 'TRIAGE_STATE_IGNORED', triageReason: 'TRIAGE_REASON_NO_TIME' }
  const asRaised = { triageState: 'TRIAGE_STATE_OPEN', triageReason: 'TRIAGE_REASON_UNSPECIFIED' }
  const once = { repositories: [repository], once: true }
  const byFilter = await decideMany({ ...decision, filter: once })
  assert.deepEqual(byFilter.changedFindingIds, idsOn('main'))
  assert.deepEqual(byFilter.sameOnOtherBranches, [{ ...asRaised, findingIds: idsOn('dev', 'old') }])
  const [event] = await gatehouse.db.as(gatehouse.owner).query<{ detail: object }>(sql`select detail from audit_event
    where deployment_id = ${gatehouse.owner.deploymentId} and action = 'finding.triage-many' order by seq desc limit 1`)
  assert.deepEqual(event!.detail, { ...decision, filter: once, changed: 30, onOtherBranches: 60 })

  const undone = await decideMany({ triageState: 'TRIAGE_STATE_OPEN', findingIds: idsOn('dev') })
  assert.deepEqual(undone.sameOnOtherBranches, [{ ...decision, findingIds: idsOn('main', 'old') }])
  const everywhere = await decideMany({ ...decision, findingIds: idsOn('main', 'dev') })
  assert.deepEqual(everywhere.sameOnOtherBranches, [{ ...asRaised, findingIds: idsOn('old') }])
  assert.ok((await standing(repository)).every((one) => one.endsWith('IGNORED')))
})

test('the answer says how each of those on other branches stood before, so that they can be put back', async () => {
  const repository = 'along/former'
  const { deploymentId } = gatehouse.owner
  for (const ref of ['main', 'dev', 'old']) await send(repository, [harmless], { ref })
  await send(repository, [])
  const onOld = Number(await idAt(repository, 'old', 3))
  const { decree } = createFindingTriage(gatehouse.db)
  const noTime = { triageState: 'TRIAGE_STATE_IGNORED', triageReason: 'TRIAGE_REASON_NO_TIME' }
  await gatehouse.db.transaction(systemActor(deploymentId, 'test'), (tx) =>
    decree(tx, { by: 'automation', deciderId: 1, findingIds: [onOld], note: '', ...noTime }),
  )
  const before = ['dev 3 OPEN', 'main 3 FIXED', 'old 3 IGNORED']
  assert.deepEqual(await standing(repository), before)
  const main = { triageState: 'TRIAGE_STATE_FIXED', findingIds: [await idAt(repository, 'main', 3)] }
  const falsePositive = { triageState: 'TRIAGE_STATE_IGNORED', triageReason: 'TRIAGE_REASON_FALSE_POSITIVE' }
  const { sameOnOtherBranches: along } = await decideMany({ ...falsePositive, findingIds: main.findingIds })
  assert.deepEqual(along, [
    {
      triageState: 'TRIAGE_STATE_OPEN',
      triageReason: 'TRIAGE_REASON_UNSPECIFIED',
      findingIds: [await idAt(repository, 'dev', 3)],
    },
    { ...noTime, findingIds: [String(onOld)] },
  ])
  for (const former of [main, ...along]) await decideMany({ ...former, thisBranchOnly: true })
  assert.deepEqual(await standing(repository), before)
})

test('two who decide about the same on two branches at once both get an answer, and the last word counts', async () => {
  const repository = 'along/at-once'
  const results = Array.from({ length: 20 }, (_, n) => ({ line: n + 1, code: `call-${n}` }))
  for (const ref of ['main', 'dev']) await send(repository, results, { ref })
  const found = await findingsOf(repository)
  const states = ['IGNORED', 'REVIEWING', 'OPEN']
  await Promise.all(
    Array.from({ length: 12 }, (_, round) => {
      const some = found.filter((one) => one.ref === (round % 2 ? 'main' : 'dev')).map((one) => one.id)
      const findingIds = round % 4 < 2 ? some : some.toReversed()
      return decideMany({ triageState: `TRIAGE_STATE_${states[round % 3]}`, findingIds })
    }),
  )
  const left = new Set((await standing(repository)).map((one) => one.split(' ').at(-1)))
  assert.equal(left.size, 1, [...left].join())
})

test('the counters are right after all of this', async () => {
  assert.deepEqual(await recount(gatehouse.db.as(gatehouse.owner)), [])
})
