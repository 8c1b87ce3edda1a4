import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { recount } from '../counters/recount.ts'
import { findingsPath, searchAll } from '../test-findings.ts'
import { log, pullRequestsOf } from '../test-pull-request.ts'
import { createBranchForgetting } from './end-branch.ts'

let gatehouse: TestGatehouse
let doors: ReturnType<typeof pullRequestsOf>
before(async () => {
  gatehouse = await openGatehouse()
  doors = pullRequestsOf(gatehouse)
})
after(async () => {
  assert.deepEqual(await recount(gatehouse.db.as(systemActor(gatehouse.owner.deploymentId, 'test'))), [])
  await gatehouse.close()
})

const results = (...rules: string[]) => log(rules.map((rule) => ({ rule, code: `${rule}()` })))
const scans = '/api/scans/v1/deployments/1'

const end = (repository: string, ref: string, as = gatehouse.owner.token) =>
  gatehouse.call('POST', `${scans}/ended-branches`, { as, body: { repository, ref } })

/** `rule STATE` of what stands on a branch. */
async function on(repository: string, ref: string): Promise<string[]> {
  const found = await searchAll(gatehouse, { filter: { repositories: [repository], refs: [ref] } })
  return found.map((one) => `${one.ruleId} ${one.triageState.slice('TRIAGE_STATE_'.length)}`).sort()
}

async function funnel(repository: string): Promise<number> {
  const body = { filters: { projects: [repository] } }
  return (await gatehouse.call('POST', '/api/reporting/1/reports/funnel', { body })).body.allFindings
}

async function branchesOf(repository: string) {
  const found = await gatehouse.call('POST', '/api/repositories/v1/deployments/1/repositories/search', {
    body: { filter: { text: repository } },
  })
  const [{ id, open }] = found.body.repositories
  const listed = await gatehouse.call('GET', `${scans}/branches?repositoryId=${id}`)
  assert.equal(listed.status, 200, JSON.stringify(listed.body))
  type Row = { ref: string; isDefault: boolean; over: boolean; openFindings: number }
  const rows = (listed.body.branches as Row[]).map((row) => [row.ref, row.isDefault, row.over, row.openFindings])
  return { open, rows }
}

test('what stands on a branch that is deleted leaves every count; what was decided stays, and holds elsewhere', async () => {
  await doors.send('end/deleted', results('one'))
  await doors.send('end/deleted', results('one', 'two', 'three'), { ref: 'feature' })
  const [ignored] = await searchAll(gatehouse, { filter: { repositories: ['end/deleted'], ruleIds: ['three'] } })
  await gatehouse.call('POST', `${findingsPath()}/${ignored!.id}`, { body: { triageState: 'TRIAGE_STATE_IGNORED' } })
  const before = await branchesOf('end/deleted')
  assert.deepEqual(before, {
    open: 2,
    rows: [
      ['feature', false, false, 2],
      ['main', true, false, 1],
    ],
  })

  assert.deepEqual((await end('end/deleted', 'refs/heads/feature')).body, { endedFindings: 2 })
  assert.deepEqual(await on('end/deleted', 'feature'), ['one ENDED', 'three IGNORED', 'two ENDED'])
  assert.deepEqual(await on('end/deleted', 'main'), ['one OPEN'])
  const after = await branchesOf('end/deleted')
  assert.deepEqual(after, {
    open: 1,
    rows: [
      ['feature', false, true, 0],
      ['main', true, false, 1],
    ],
  })
  assert.deepEqual((await end('end/deleted', 'feature')).body, { endedFindings: 0 })
  assert.deepEqual((await end('end/deleted', 'never')).body, { endedFindings: 0 }, 'one that was never scanned')

  await doors.send('end/deleted', results('one', 'three'))
  assert.deepEqual(await on('end/deleted', 'main'), ['one OPEN', 'three IGNORED'], 'the decision holds')
})

test('what a person ignores for the time being stays decided', async () => {
  await doors.send('end/provisional', log([]))
  await doors.send('end/provisional', results('one', 'two'), { ref: 'feature' })
  const [one] = await searchAll(gatehouse, { filter: { repositories: ['end/provisional'], ruleIds: ['one'] } })
  const body = { triageState: 'TRIAGE_STATE_PROVISIONALLY_IGNORED' }
  assert.equal((await gatehouse.call('POST', `${findingsPath()}/${one!.id}`, { body })).status, 200)
  assert.deepEqual((await end('end/provisional', 'feature')).body, { endedFindings: 1 })
  assert.deepEqual(await on('end/provisional', 'feature'), ['one PROVISIONALLY_IGNORED', 'two ENDED'])
})

test('what is fixed on the default branch is fixed once the branch that still had it is over', async () => {
  await doors.send('end/fixed', results('one'))
  await doors.send('end/fixed', results('one'), { ref: 'feature' })
  await doors.send('end/fixed', log([]))
  assert.equal(await funnel('end/fixed'), 1)
  await end('end/fixed', 'feature')
  assert.equal(await funnel('end/fixed'), 0)
})

test('another scan, also of the same files, opens it again', async () => {
  await doors.send('end/again', results(), { commit: 'aaaaaaa' })
  const scan = { ref: 'feature', commit: 'bbbbbbb' }
  await doors.send('end/again', results('one'), scan)
  await end('end/again', 'feature')
  const again = await doors.send('end/again', results('one'), scan)
  assert.equal(again.repeated, false)
  assert.deepEqual(await on('end/again', 'feature'), ['one REOPENED'])
  assert.equal((await doors.send('end/again', results('one'), scan)).repeated, true)
})

test('the default branch cannot end, and nobody ends branches of what they do not see', async () => {
  await doors.send('end/default', results('one'))
  for (const ref of ['main', 'refs/heads/main']) {
    const refused = await end('end/default', ref)
    assert.deepEqual([refused.status, refused.body.errors?.[0].pointer], [400, '/ref'])
  }
  const member = await gatehouse.addPerson('readonly')
  assert.equal((await end('end/default', 'feature', member.token)).status, 403)
  assert.equal((await end('end/unknown', 'feature')).body.code, 'unknown_repository')
  assert.deepEqual(await on('end/default', 'main'), ['one OPEN'])
})

test('a branch that is not scanned for so many days is over; default branches and tags are not', async () => {
  const performedAt = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  await doors.send('end/forgotten', results('one'), { performedAt: performedAt(200) })
  for (const [ref, days] of [
    ['old', 91],
    ['young', 89],
    ['refs/tags/v1', 150],
  ] as const)
    await doors.send('end/forgotten', results('one'), { ref, performedAt: performedAt(days) })
  await createBranchForgetting(gatehouse.db, 90).run()
  assert.deepEqual(await on('end/forgotten', 'old'), ['one ENDED'])
  for (const ref of ['main', 'young', 'refs/tags/v1']) assert.deepEqual(await on('end/forgotten', ref), ['one OPEN'])
  const [one] = await searchAll(gatehouse, { filter: { repositories: ['end/forgotten'], refs: ['old'] } })
  const { history } = (await gatehouse.call('GET', `${findingsPath()}/${one!.id}/history`)).body
  assert.equal(history[0].note, 'The branch was not scanned for 90 days.')
})

/** The scans of a branch, and what its sources told, were so many days ago. */
async function age(ref: string, days: number): Promise<void> {
  const at = new Date(Date.now() - days * 86_400_000)
  await gatehouse.db.transaction(systemActor(gatehouse.owner.deploymentId, 'test'), async (tx) => {
    const place = sql`deployment_id = ${tx.deploymentId} and pull_request = 0 and ref = ${ref}`
    await tx.query(sql`update scan set created_at = ${at} where ${place}`)
    await tx.query(sql`update finding_stream set observed_at = ${at} where ${place}`)
  })
}

test('a branch that is scanned again and again without a change is not over', async () => {
  await doors.send('end/same', results(), { commit: 'aaaaaaa' })
  const scan = { ref: 'same', commit: 'bbbbbbb' }
  await doors.send('end/same', results('one'), scan)
  await age('same', 2)
  assert.equal((await doors.send('end/same', results('one'), scan)).repeated, true)
  await age('same', 91)
  assert.equal((await doors.send('end/same', results('one'), scan)).repeated, false)
  await createBranchForgetting(gatehouse.db, 90).run()
  assert.deepEqual(await on('end/same', 'same'), ['one OPEN'])
})

test('a branch is not over as long as somebody scans it, even if the tool fails', async () => {
  await doors.send('end/failing', results())
  await doors.send('end/failing', results('one'), { ref: 'failing' })
  await age('failing', 91)
  await doors.send('end/failing', log([], { failed: true }), { ref: 'failing' })
  await createBranchForgetting(gatehouse.db, 90).run()
  assert.deepEqual(await on('end/failing', 'failing'), ['one OPEN'])
  await age('failing', 91)
  await createBranchForgetting(gatehouse.db, 90).run()
  assert.deepEqual(await on('end/failing', 'failing'), ['one ENDED'])
})
