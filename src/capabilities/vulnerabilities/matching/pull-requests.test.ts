import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { recount } from '../../findings/public.ts'
import { packageLock, upload } from '../../scans/test-upload.ts'
import { advisoryFolder, semver } from '../feeds/test-advisories.ts'
import { findingsOf, settled } from '../test-vulnerabilities.ts'

const gatehouse = await openGatehouse()
const { feeds } = gatehouse.vulnerabilities
const { deploymentId } = gatehouse.owner
after(() => gatehouse.close())

const lock = (packages: Record<string, string>) => ({ 'package-lock.json': packageLock(packages) })
const open = ['TRIAGE_STATE_OPEN', 'TRIAGE_STATE_REOPENED']

async function inPullRequest(repository: string, pullRequest: number): Promise<string[]> {
  const found = await findingsOf(gatehouse, repository, { pullRequest })
  return found.map((one) => `${one.ruleId} ${open.includes(one.triageState) ? 'open' : 'fixed'}`).sort()
}

async function isListedAsOver(repository: string): Promise<boolean> {
  const path = `/api/scans/v1/deployments/${deploymentId}/pull-requests`
  const listed = async (over: boolean) => {
    const { pullRequests } = (await gatehouse.call('GET', `${path}?over=${over}`)).body
    return pullRequests.some((one: { repository: string }) => one.repository === repository)
  }
  const over = await listed(true)
  assert.equal(await listed(false), !over)
  return over
}

test('a pull request that brings in nothing is not over until it is ended, and opens again with its next scan', async () => {
  const repository = 'pr/clean'
  await upload(gatehouse, { repository }, lock({ clean: '1.0.0' }))
  const change = { repository, kind: 'SCAN_KIND_PULL_REQUEST', ref: 'fix', baseRef: 'main', pullRequest: 4 }
  const isOver = () => isListedAsOver(repository)
  await upload(gatehouse, { ...change, commit: '1111111' }, lock({ clean: '2.0.0' }))
  assert.equal(await isOver(), false)
  const ended = { repository, pullRequest: 4 }
  await gatehouse.call('POST', `/api/scans/v1/deployments/${deploymentId}/ended-pull-requests`, { body: ended })
  assert.equal(await isOver(), true)
  await upload(gatehouse, { ...change, commit: '2222222' }, lock({ clean: '3.0.0' }))
  assert.equal(await isOver(), false)
  await upload(gatehouse, { repository, commit: '3333333', mergedPullRequests: [4] }, lock({ clean: '3.0.0' }))
  assert.equal(await isOver(), true)
})

test('what people decided last in any pull request counts in the next one', async () => {
  const feed = advisoryFolder()
  feed.put({ id: 'GHSA-again', affected: [{ name: 'again', ranges: [semver('0', '2.0.0')] }] })
  await feeds.sync(feed.place)
  feed.remove()
  const repository = 'pr/decided'
  await upload(gatehouse, { repository }, lock({ clean: '1.0.0' }))
  const bring = async (pullRequest: number) => {
    const change = { repository, kind: 'SCAN_KIND_PULL_REQUEST', ref: `fix-${pullRequest}`, baseRef: 'main' }
    await upload(gatehouse, { ...change, pullRequest }, lock({ clean: '1.0.0', again: '1.0.0' }))
    const [finding] = await findingsOf(gatehouse, repository, { pullRequest })
    return finding
  }
  const decide = (id: string, triageState: string) =>
    gatehouse.call('POST', `/api/findings/${deploymentId}/findings/${id}`, { body: { triageState } })
  await decide((await bring(1)).id, 'TRIAGE_STATE_IGNORED')
  const second = await bring(2)
  assert.equal(second.triageState, 'TRIAGE_STATE_IGNORED')
  await decide(second.id, 'TRIAGE_STATE_OPEN')
  assert.equal((await bring(3)).triageState, 'TRIAGE_STATE_OPEN')
})

test('a pull request without any file has no dependencies, and is not over', async () => {
  const feed = advisoryFolder()
  feed.put({ id: 'GHSA-emptied', affected: [{ name: 'emptied', ranges: [semver('0', '2.0.0')] }] })
  await feeds.sync(feed.place)
  feed.remove()
  const change = { kind: 'SCAN_KIND_PULL_REQUEST', ref: 'fix', baseRef: 'main', pullRequest: 5, allowEmpty: true }
  const first = { ...change, repository: 'pr/empty' }
  await upload(gatehouse, { repository: first.repository }, lock({ clean: '1.0.0' }))
  assert.equal((await upload(gatehouse, first, {})).status, 200)
  assert.equal(await isListedAsOver(first.repository), false)

  const later = { ...change, repository: 'pr/emptied' }
  await upload(gatehouse, { repository: later.repository }, lock({ clean: '1.0.0' }))
  await upload(gatehouse, { ...later, commit: '1111111' }, lock({ emptied: '1.0.0' }))
  assert.deepEqual(await inPullRequest(later.repository, 5), ['GHSA-emptied open'])
  const log = { version: '2.1.0', runs: [{ tool: { driver: { name: 'Tester' } }, results: [] }] }
  await upload(gatehouse, { ...later, commit: '1111112' }, { 'a.sarif': JSON.stringify(log) })
  assert.deepEqual(await inPullRequest(later.repository, 5), ['GHSA-emptied open'])
  const emptied = await upload(gatehouse, { ...later, commit: '1111113' }, {})
  assert.equal(emptied.body.openAdvisoryFindings, 0)
  assert.deepEqual(await inPullRequest(later.repository, 5), ['GHSA-emptied fixed'])
})

test('a pull request raises what it would bring in and nothing else, and automations may block it', async () => {
  const feed = advisoryFolder()
  feed.put(
    { id: 'GHSA-old', affected: [{ name: 'old', ranges: [semver('0', '2.0.0')] }] },
    {
      id: 'GHSA-new',
      affected: [{ name: 'new', ranges: [semver('0', '2.0.0')] }],
      severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
    },
  )
  await feeds.sync(feed.place)
  const automation = await gatehouse.call('POST', `/api/notifications/deployments/${deploymentId}/automations`, {
    body: {
      name: 'No critical dependencies',
      triggerSource: 'TRIGGER_SOURCE_SCAN',
      filters: {
        mode: 'MODE_ALL',
        conditions: [{ mode: 'MODE_ANY', type: 'CONDITION_TYPE_SEVERITY', values: ['SEVERITY_CRITICAL'] }],
      },
      actions: [{ type: 'ACTION_TYPE_BLOCK' }],
    },
  })
  assert.equal(automation.status, 200, JSON.stringify(automation.body))
  const repository = 'pr/one'
  await upload(gatehouse, { repository }, lock({ old: '1.0.0', fine: '1.0.0' }))
  const change = (commit: string) => ({
    repository,
    kind: 'SCAN_KIND_PULL_REQUEST',
    ref: 'fix',
    baseRef: 'main',
    pullRequest: 4,
    commit,
  })
  const harmless = await upload(gatehouse, change('1111111'), lock({ old: '1.0.1', fine: '2.0.0' }))
  assert.deepEqual([harmless.status, harmless.body.blocked], [200, false])
  assert.deepEqual(await inPullRequest(repository, 4), [])
  const bringing = await upload(gatehouse, change('2222222'), lock({ old: '1.0.0', fine: '1.0.0', new: '1.0.0' }))
  assert.equal(bringing.body.blocked, true)
  assert.deepEqual(await inPullRequest(repository, 4), ['GHSA-new open'])
  const [raised] = await findingsOf(gatehouse, repository, { pullRequest: 4 })
  assert.match(
    raised.message,
    /^new 1\.0\.0 is affected by GHSA-new.* Upgrade to 2\.0\.0\. It is a direct dependency\.$/,
  )
  // A file that cannot be read may still have it.
  const broken = await upload(gatehouse, change('3333333'), {
    'package-lock.json': '{"lockfileVersion": 3, "packages": {',
    ...{ 'b/package-lock.json': packageLock({ fine: '1.0.0' }) },
  })
  assert.equal(broken.status, 200, JSON.stringify(broken.body))
  assert.deepEqual(await inPullRequest(repository, 4), ['GHSA-new open'])
  // So may one of which not even the format can be told.
  const unknown = { 'package-lock.json': 'no lockfile', 'b/package-lock.json': packageLock({ fine: '1.0.0' }) }
  const unrecognised = { 'yarn.lock': '\0\0', 'b/package-lock.json': packageLock({ fine: '1.0.0' }) }
  for (const [at, files] of [unknown, unrecognised].entries()) {
    const answer = await upload(gatehouse, change(`333333${at + 4}`), files)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    assert.deepEqual(await inPullRequest(repository, 4), ['GHSA-new open'], Object.keys(files)[0])
  }
  assert.deepEqual(await inPullRequest(repository, 4), ['GHSA-new open'])
  const mended = await upload(gatehouse, change('4444444'), lock({ old: '1.0.0', fine: '1.0.0', new: '2.0.0' }))
  assert.equal(mended.body.blocked, false)
  assert.deepEqual(await inPullRequest(repository, 4), ['GHSA-new fixed'])
  // The same file as on the branch brings nothing in.
  const same = await upload(gatehouse, change('5555555'), lock({ old: '1.0.0', fine: '1.0.0' }))
  assert.equal(same.body.blocked, false)
  assert.deepEqual(await inPullRequest(repository, 4), ['GHSA-new fixed'])
  assert.deepEqual(
    (await findingsOf(gatehouse, repository, { pullRequests: 'none' })).map((one) => one.ruleId),
    ['GHSA-old'],
  )
  assert.deepEqual(await recount(gatehouse.db.as(gatehouse.owner)), [])
  await feeds.remove(feed.place)
  feed.remove()
})

test('what a person decided on the branch holds in pull requests, and no advisory undoes it', async () => {
  const feed = advisoryFolder()
  const advisory = { id: 'GHSA-kept', affected: [{ name: 'kept', ranges: [semver('0')] }] }
  feed.put(advisory)
  await feeds.sync(feed.place)
  await upload(gatehouse, { repository: 'pr/kept' }, lock({ kept: '1.0.0' }))
  const [finding] = await findingsOf(gatehouse, 'pr/kept')
  const triage = { triageState: 'TRIAGE_STATE_IGNORED', triageReason: 'TRIAGE_REASON_ACCEPTABLE_RISK' }
  await gatehouse.call('POST', `/api/findings/${deploymentId}/findings/${finding.id}`, { body: triage })
  // The same thing gets another name, another summary and a CVE: it stays the same finding, as it was decided.
  feed.put(
    { ...advisory, aliases: ['CVE-2026-7'], summary: 'Now better known' },
    { id: 'PYSEC-9', published: '2026-05-01T00:00:00Z', aliases: ['CVE-2026-7'], affected: advisory.affected },
  )
  await feeds.sync(feed.place)
  await settled(gatehouse)
  const [after, ...others] = await findingsOf(gatehouse, 'pr/kept')
  assert.deepEqual(others, [])
  assert.partialDeepStrictEqual(after, { id: finding.id, ruleId: 'CVE-2026-7', title: 'Now better known', ...triage })
  await feeds.remove(feed.place)
  feed.remove()
})
