import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { automationsOf } from '../../../../test/servers/automation-gatehouse.ts'
import { recount } from '../../findings/public.ts'
import { packageLock, upload } from '../../scans/test-upload.ts'
import { advisoryFolder, semver } from '../feeds/test-advisories.ts'
import { findingsOf, settled } from '../test-vulnerabilities.ts'

const gatehouse = await openGatehouse()
const { feeds } = gatehouse.vulnerabilities
const automations = automationsOf(gatehouse)
const feed = advisoryFolder()
after(async () => {
  await gatehouse.close()
  feed.remove()
})

const about = (name: string) => ({ id: `GHSA-${name}`, affected: [{ name, ranges: [semver('0', '2.0.0')] }] })
feed.put(about('unrelated'))
await feeds.sync(feed.place)

async function announce(...names: string[]): Promise<void> {
  feed.put(...names.map(about))
  await feeds.sync(feed.place)
}

async function send(scan: object, packages: Record<string, string>) {
  const answer = await upload(gatehouse, scan, { 'package-lock.json': packageLock(packages) })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const { scan: recorded, repeated, openAdvisoryFindings: open, blocked } = answer.body
  return { id: recorded.id, repeated, open, blocked }
}

const pullRequest = (repository: string, commit: string) => ({
  ...{ repository, commit, kind: 'SCAN_KIND_PULL_REQUEST', ref: 'change', baseRef: 'main', pullRequest: 7 },
})

test('a pull request that is sent again is compared with the advisories of today, and may be blocked by them', async () => {
  const { id } = await automations.create({ name: 'Nothing open', actions: [{ type: 'ACTION_TYPE_BLOCK' }] })
  await send({ repository: 'again/pr' }, { base: '1.0.0' })
  const change = pullRequest('again/pr', '1111111')
  const first = await send(change, { base: '1.0.0', late: '1.0.0' })
  assert.deepEqual(first, { id: first.id, repeated: false, open: 0, blocked: false })
  await announce('late', 'base')
  const again = await send(change, { base: '1.0.0', late: '1.0.0' })
  assert.deepEqual(again, { id: first.id, repeated: true, open: 1, blocked: true })
  const found = await findingsOf(gatehouse, 'again/pr', { pullRequest: 7 })
  assert.deepEqual(
    found.map((one) => [one.ruleId, one.scanId, one.triageState]),
    [['GHSA-late', first.id, 'TRIAGE_STATE_OPEN']],
  )
  feed.drop('GHSA-late')
  feed.drop('GHSA-base')
  feed.put()
  assert.partialDeepStrictEqual(await feeds.sync(feed.place, { force: true }), { outcome: 'activated' })
  const cleared = await send(change, { base: '1.0.0', late: '1.0.0' })
  assert.deepEqual([cleared.open, cleared.blocked], [0, false])
  await automations.call('DELETE', `/${id}`)
  assert.deepEqual(await recount(gatehouse.db.as(gatehouse.owner)), [])
})

test('an old commit that is sent again late is not compared with them', async () => {
  await send({ repository: 'again/old' }, {})
  await send(pullRequest('again/old', '1111111'), { former: '1.0.0' })
  await send(pullRequest('again/old', '2222222'), { present: '1.0.0' })
  await announce('former', 'present')
  assert.deepEqual((await send(pullRequest('again/old', '1111111'), { former: '1.0.0' })).open, 0)
  assert.deepEqual((await send(pullRequest('again/old', '2222222'), { present: '1.0.0' })).open, 1)
})

test('a branch that is sent again tells what new advisories say, whether or not they were followed up already', async () => {
  const scan = { repository: 'again/branch', commit: '1111111' }
  const first = await send(scan, { surprise: '1.0.0' })
  await announce('surprise')
  const again = await send(scan, { surprise: '1.0.0' })
  assert.deepEqual(again, { id: first.id, repeated: true, open: 1, blocked: false })
  await settled(gatehouse)
  assert.deepEqual(await send(scan, { surprise: '1.0.0' }), again)
  const receipt = await gatehouse.call('GET', `/api/scans/v1/deployments/1/scans/${first.id}/receipt`)
  assert.equal(receipt.body.openAdvisoryFindings, 1)
  assert.equal((await findingsOf(gatehouse, 'again/branch')).length, 1)
})

test('what new advisories raise reaches automations once, and blocks no scan, because there is none', async () => {
  const onlySca = { mode: 'MODE_ANY', type: 'CONDITION_TYPE_RULE', values: ['GHSA-fired'] }
  const { id } = await automations.create({
    name: 'Look at it',
    filters: { mode: 'MODE_ALL', conditions: [onlySca] },
    actions: [
      { type: 'ACTION_TYPE_TRIAGE', config: { triageState: 'TRIAGE_STATE_REVIEWING' } },
      { type: 'ACTION_TYPE_BLOCK' },
    ],
  })
  await send({ repository: 'again/fired' }, { fired: '1.0.0' })
  await announce('fired')
  await settled(gatehouse)
  feed.put({ ...about('fired'), summary: 'Said in other words' })
  await feeds.sync(feed.place)
  await settled(gatehouse)
  const [finding] = await findingsOf(gatehouse, 'again/fired')
  assert.deepEqual([finding.title, finding.triageState], ['Said in other words', 'TRIAGE_STATE_REVIEWING'])
  const runs = await automations.settled(id)
  assert.deepEqual(
    runs.map(({ actionType, subjects }: Record<string, unknown>) => [actionType, subjects]),
    [['ACTION_TYPE_TRIAGE', [`finding:${finding.id}`]]],
  )
})
