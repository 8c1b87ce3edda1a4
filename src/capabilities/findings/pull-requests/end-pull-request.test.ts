import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { findingsPath, searchAll } from '../test-findings.ts'
import { log, pullRequestsOf } from '../test-pull-request.ts'
import { createForgetting } from './end-pull-request.ts'

let gatehouse: TestGatehouse
let pullRequests: ReturnType<typeof pullRequestsOf>
before(async () => {
  gatehouse = await openGatehouse()
  pullRequests = pullRequestsOf(gatehouse)
  await pullRequests.setMode('comment')
})
after(() => gatehouse.close())

const added = ['one', 'two'].map((rule) => ({ rule, code: `${rule}()` }))

/** A pull request with two findings, and main with none of them. */
async function introduce(repository: string, change: object = {}): Promise<void> {
  await pullRequests.send(repository, log([]), { commit: 'aaaaaaa' })
  const receipt = await pullRequests.send(repository, log(added), { pullRequest: 1, commit: 'bbbbbbb', ...change })
  assert.equal(receipt.tally.raised, 2)
}

async function lastNote(repository: string): Promise<string> {
  const [one] = await searchAll(gatehouse, { filter: { repositories: [repository], pullRequests: 'only' } })
  return (await gatehouse.call('GET', `${findingsPath()}/${one!.id}/history`)).body.history[0].note
}

test('what stands open in a pull request that is closed leaves the open counts; what was decided stays', async () => {
  await introduce('end/closed')
  const [ignored] = await searchAll(gatehouse, { filter: { repositories: ['end/closed'], ruleIds: ['two'] } })
  await gatehouse.call('POST', `${findingsPath()}/${ignored!.id}`, { body: { triageState: 'TRIAGE_STATE_IGNORED' } })
  assert.equal((await pullRequests.listed('end/closed', 1)).over, false)
  assert.deepEqual((await pullRequests.end('end/closed', 1)).body, { endedFindings: 1, known: true })
  assert.equal((await pullRequests.listed('end/closed', 1)).over, true)
  assert.deepEqual(await pullRequests.standing('end/closed', 1), ['one ENDED', 'two IGNORED'])
  assert.deepEqual((await pullRequests.end('end/closed', 1)).body, { endedFindings: 0, known: true })
  const unknown = { endedFindings: 0, known: false }
  assert.deepEqual((await pullRequests.end('end/closed', 77)).body, unknown, 'one that was never scanned')
  await pullRequests.send('end/closed', log(added), { pullRequest: 1, commit: 'ccccccc' })
  assert.deepEqual(await pullRequests.standing('end/closed', 1), ['one REOPENED', 'two IGNORED'], 'it was opened again')
})

test('the same upload opens a pull request again that ended since, and one of an older commit does not', async () => {
  await introduce('end/again')
  const latest = { pullRequest: 1, commit: 'ccccccc' }
  await pullRequests.send('end/again', log(added), latest)
  await pullRequests.end('end/again', 1)
  assert.equal((await pullRequests.send('end/again', log(added), { ...latest, commit: 'bbbbbbb' })).repeated, true)
  assert.deepEqual(await pullRequests.standing('end/again', 1), ['one ENDED', 'two ENDED'])
  assert.equal((await pullRequests.send('end/again', log(added), latest)).repeated, false)
  assert.deepEqual(await pullRequests.standing('end/again', 1), ['one REOPENED', 'two REOPENED'])
  assert.equal((await pullRequests.send('end/again', log(added), latest)).repeated, true)
})

test('the history says how it ended', async () => {
  await introduce('end/merged')
  assert.deepEqual((await pullRequests.end('end/merged', 1, { merged: true })).body, { endedFindings: 2, known: true })
  assert.equal(await lastNote('end/merged'), 'The pull request was merged.')
})

test('only who sees a repository ends its pull requests', async () => {
  await introduce('end/hidden')
  const teams = '/api/permissions/v2/deployments/1/teams'
  const everyone = (await gatehouse.call('GET', teams)).body.teams[0].id
  const { id: repositoryId } = (
    await gatehouse.call('GET', '/api/repositories/v1/deployments/1/repositories?pageSize=100')
  ).body.repositories.find((one: { name: string }) => one.name === 'end/hidden')
  const team = { repositories: [{ repositoryId, action: 'UPDATE_ACTION_REMOVE' }] }
  assert.equal((await gatehouse.call('PATCH', `${teams}/${everyone}`, { body: { team } })).status, 200)
  const { token } = await gatehouse.addPerson('member')
  const essence = ({ status, body }: Awaited<ReturnType<typeof pullRequests.end>>) => [
    status,
    body.code,
    body.endedFindings,
  ]
  assert.deepEqual(essence(await pullRequests.end('end/hidden', 1, {}, token)), [422, 'unknown_repository', undefined])
  assert.deepEqual(essence(await pullRequests.end('end/nowhere', 1, {}, token)), [422, 'unknown_repository', undefined])
  assert.deepEqual(await pullRequests.standing('end/hidden', 1), ['one OPEN', 'two OPEN'])
})

test('a full scan of the base at its commit, or at one that merges it, ends a pull request', async () => {
  for (const [repository, scan] of [
    ['end/fast-forward', { commit: 'bbbbbbb' }],
    ['end/merge-commit', { commit: 'ccccccc', parents: ['aaaaaaa', 'bbbbbbb'] }],
    ['end/named', { commit: 'ccccccc', mergedPullRequests: [1, 9] }],
  ] as const) {
    await introduce(repository)
    await pullRequests.send(repository, log(added), { ref: 'other', ...scan })
    await pullRequests.send(repository, log([]), { commit: 'ddddddd', parents: ['eeeeeee'] })
    assert.deepEqual(await pullRequests.standing(repository, 1), ['one OPEN', 'two OPEN'], 'another branch or commit')
    await pullRequests.send(repository, log(added), scan)
    assert.deepEqual(await pullRequests.standing(repository, 1), ['one ENDED', 'two ENDED'], repository)
    assert.equal(await lastNote(repository), 'The pull request was merged into main.')
  }
})

test('the same full scan ends what it names only when it is repeated', async () => {
  for (const [repository, merge] of [
    ['end/parents-later', { parents: ['aaaaaaa', 'bbbbbbb'] }],
    ['end/named-later', { mergedPullRequests: [1] }],
  ] as const) {
    await introduce(repository)
    const first = await pullRequests.send(repository, log(added), { commit: 'ccccccc' })
    await pullRequests.send(repository, log([]), { commit: 'ddddddd' })
    const again = await pullRequests.send(repository, log(added), { commit: 'ccccccc', ...merge })
    assert.deepEqual(again, { ...first, repeated: true })
    assert.deepEqual(await pullRequests.standing(repository, 1), ['one ENDED', 'two ENDED'], repository)
    assert.equal(await lastNote(repository), 'The pull request was merged into main.')
  }
})

test('a pull request is refused what belongs to a full scan', async () => {
  await assert.rejects(introduce('end/wrong', { parents: ['aaaaaaa'] }), /is only for a full scan/)
})

test('a pull request that is not scanned for 30 days is over', async () => {
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString()
  for (const [repository, days] of [
    ['end/forgotten', 31],
    ['end/remembered', 29],
  ] as const) {
    await pullRequests.send(repository, log([]), { performedAt: daysAgo(60) })
    await pullRequests.send(repository, log(added), { pullRequest: 1, performedAt: daysAgo(days) })
  }
  await pullRequests.send('end/elsewhere', log([], { tool: 'Other' }), { performedAt: daysAgo(60) })
  await pullRequests.send('end/elsewhere', log([]), { performedAt: daysAgo(59) })
  await pullRequests.send('end/elsewhere', log(added), { pullRequest: 1, performedAt: daysAgo(40) })
  await pullRequests.send('end/elsewhere', log([], { tool: 'Other' }), { pullRequest: 1, performedAt: daysAgo(2) })
  await createForgetting(gatehouse.db).run()
  assert.deepEqual(await pullRequests.standing('end/forgotten', 1), ['one ENDED', 'two ENDED'])
  assert.equal(await lastNote('end/forgotten'), 'The pull request was not scanned for 30 days.')
  assert.deepEqual(await pullRequests.standing('end/remembered', 1), ['one OPEN', 'two OPEN'])
  assert.deepEqual(await pullRequests.standing('end/elsewhere', 1), ['one OPEN', 'two OPEN'], 'another tool scanned it')
})

test('a pull request is not over because its only scan failed, or told nothing', async () => {
  const silent = { 'end/failed': log([], { failed: true }), 'end/no-run': '{"version":"2.1.0","runs":[]}' }
  const listed = async (over: boolean): Promise<string[]> => {
    const { pullRequests: rows } = (
      await gatehouse.call('GET', `/api/scans/v1/deployments/1/pull-requests?over=${over}&pageSize=100`)
    ).body
    return rows.map((one: { repository: string }) => one.repository).filter((name: string) => name in silent)
  }
  const scanAll = async (commit: string) => {
    for (const [repository, document] of Object.entries(silent)) {
      await pullRequests.send(repository, document, { pullRequest: 1, commit })
    }
  }
  await scanAll('1111111')
  assert.deepEqual([(await listed(false)).length, await listed(true)], [2, []])
  for (const repository of Object.keys(silent)) await pullRequests.end(repository, 1)
  assert.deepEqual([await listed(false), (await listed(true)).length], [[], 2])
  await scanAll('2222222')
  assert.deepEqual([(await listed(false)).length, await listed(true)], [2, []])
})
