import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { automationsOf } from '../../../../test/servers/automation-gatehouse.ts'
import { recount } from '../counters/recount.ts'
import { findingsPath, searchAll } from '../test-findings.ts'
import { log, pullRequestsOf, type Result } from '../test-pull-request.ts'

let gatehouse: TestGatehouse
let pullRequests: ReturnType<typeof pullRequestsOf>
before(async () => {
  gatehouse = await openGatehouse()
  pullRequests = pullRequestsOf(gatehouse)
  await pullRequests.setMode('block')
})
after(async () => {
  const miscounted = await recount(gatehouse.db.as({ deploymentId: gatehouse.owner.deploymentId }))
  await gatehouse.close()
  assert.deepEqual(miscounted, [])
})

const past: Result[] = Array.from({ length: 67 }, (_, at) => ({
  rule: `rule-${at % 9}`,
  code: `old(${at})`,
  line: at + 1,
}))
const moved = past.map((one) => ({ ...one, line: one.line! + 40 }))

test('a pull request that changes nothing has no findings and is not blocked, whatever the rules say', async () => {
  await pullRequests.send('pr/readme', log(past))
  const receipt = await pullRequests.send('pr/readme', log(moved), { pullRequest: 1 })
  assert.deepEqual(
    [receipt.tally.total, receipt.tally.raised, receipt.tally.inherited, receipt.tally.undetermined],
    [67, 0, 67, 0],
  )
  assert.deepEqual([receipt.blocked, receipt.blockedByRules, receipt.notCompared], [false, [], []])
  assert.deepEqual(await pullRequests.standing('pr/readme', 1), [])
})

test('a pull request has what it introduces, and is blocked by that alone', async () => {
  await pullRequests.send('pr/two', log(past))
  const added = [
    { rule: 'rule-0', code: 'fresh(1)' },
    { rule: 'added', code: 'fresh(2)' },
  ]
  const receipt = await pullRequests.send('pr/two', log([...added, ...moved]), { pullRequest: 2 })
  assert.deepEqual([receipt.tally.raised, receipt.tally.inherited], [2, 67])
  assert.deepEqual(receipt.blockedByRules, ['added', 'rule-0'])
  assert.deepEqual(await pullRequests.standing('pr/two', 2), ['added OPEN', 'rule-0 OPEN'])
  const mended = await pullRequests.send('pr/two', log(moved), { pullRequest: 2 })
  assert.deepEqual([mended.tally.fixed, mended.blocked], [2, false])
})

test('the same holds for secrets', async () => {
  const old = { rule: 'leaked-key', code: 'key = "aaaaaaaaaaaaaaaaaaaa"', secret: true }
  const fresh = { rule: 'leaked-key', code: 'key = "bbbbbbbbbbbbbbbbbbbb"', secret: true, line: 9 }
  await pullRequests.send('pr/secrets', log([old]))
  const before = await pullRequests.send('pr/secrets', log([{ ...old, line: 7 }]), { pullRequest: 1 })
  assert.deepEqual([before.tally.raised, before.tally.inherited, before.blocked], [0, 1, false])
  const receipt = await pullRequests.send('pr/secrets', log([old, fresh]), { pullRequest: 1 })
  assert.deepEqual([receipt.tally.raised, receipt.blockedByRules], [1, ['leaked-key']])
})

test('equal findings without code are compared with the base by their number', async () => {
  await pullRequests.send('pr/number', log([{ line: 3 }, { line: 9 }]))
  const same = await pullRequests.send('pr/number', log([{ line: 30 }, { line: 90 }]), { pullRequest: 1 })
  assert.deepEqual([same.tally.raised, same.tally.inherited], [0, 2])
  const more = [{ line: 1 }, { line: 30 }, { line: 90 }]
  const third = await pullRequests.send('pr/number', log(more), { pullRequest: 1 })
  assert.deepEqual([third.tally.raised, third.tally.inherited], [1, 2])
  const again = await pullRequests.send('pr/number', log(more.map(({ line }) => ({ line: line + 5 }))), {
    pullRequest: 1,
  })
  assert.deepEqual([again.tally.raised, again.tally.inherited], [0, 2])
  assert.deepEqual(await pullRequests.standing('pr/number', 1), ['no-eval OPEN'], 'still the same one')
})

test('a log says by its baseline state what is new', async () => {
  await pullRequests.send('pr/baseline', log([{ code: 'old(1)' }]))
  const said = (baselineState: string, code: string) => ({ rule: baselineState, code, baselineState })
  const results = [
    said('new', 'a(1)'),
    said('unchanged', 'a(2)'),
    said('updated', 'a(3)'),
    said('absent', 'a(4)'),
    { code: 'old(1)', baselineState: 'new' },
  ]
  const receipt = await pullRequests.send('pr/baseline', log(results), { pullRequest: 1 })
  assert.deepEqual(
    [receipt.tally.raised, receipt.tally.inherited],
    [2, 2],
    'what the base has is not new, whatever it says',
  )
  assert.deepEqual(await pullRequests.standing('pr/baseline', 1), ['new OPEN', 'updated OPEN'])
  // Some tools compare with their own last run of the pull request.
  await pullRequests.send('pr/baseline', log(results.map((one) => ({ ...one, baselineState: 'unchanged' }))), {
    pullRequest: 1,
  })
  assert.deepEqual(await pullRequests.standing('pr/baseline', 1), ['new OPEN', 'updated OPEN'])
})

test('without a scan of the base nothing is called new but what the log calls so, and the receipt says it', async () => {
  const results = [
    { rule: 'one', code: 'a(1)' },
    { rule: 'two', code: 'a(2)', baselineState: 'new' },
  ]
  const receipt = await pullRequests.send('pr/unknown', log(results), { pullRequest: 1 })
  assert.deepEqual([receipt.tally.raised, receipt.tally.undetermined], [1, 1])
  assert.deepEqual(receipt.notCompared, ['sarif:tester'])
  assert.deepEqual((await pullRequests.listed('pr/unknown', 1)).notCompared, ['sarif:tester'])
  assert.deepEqual(await pullRequests.standing('pr/unknown', 1), ['two OPEN'])
  await pullRequests.send('pr/unknown', log([results[0]!], { failed: true }))
  const failed = await pullRequests.send('pr/unknown', log(results), { pullRequest: 1 })
  assert.deepEqual(failed.notCompared, ['sarif:tester'], 'nobody knows what else a scan that failed would have found')
  await pullRequests.send('pr/unknown', log([]))
  const known = await pullRequests.send('pr/unknown', log(results), { pullRequest: 1 })
  assert.deepEqual([known.repeated, known.tally.raised, known.notCompared], [false, 1, []])
  assert.deepEqual((await pullRequests.listed('pr/unknown', 1)).notCompared, [])
  assert.deepEqual(await pullRequests.standing('pr/unknown', 1), ['one OPEN', 'two OPEN'])
})

test('what cannot be compared is raised where the operator wants it so', async (t) => {
  const loud = await openGatehouse({ env: { GATEHOUSE_PULL_REQUESTS_WITHOUT_BASE: 'raise' } })
  t.after(() => loud.close())
  const receipt = await pullRequestsOf(loud).send('pr/loud', log([{ code: 'a(1)' }]), { pullRequest: 1 })
  assert.deepEqual([receipt.tally.raised, receipt.tally.undetermined], [1, 0])
  assert.deepEqual(receipt.notCompared, ['sarif:tester'])
})

test('what the base has by now is no longer a matter of the pull request', async () => {
  await pullRequests.send('pr/late', log([]))
  const results = [
    { rule: 'both', code: 'a(1)' },
    { rule: 'mine', code: 'a(2)' },
  ]
  await pullRequests.send('pr/late', log(results), { pullRequest: 1 })
  await pullRequests.send('pr/late', log([results[0]!]))
  const receipt = await pullRequests.send('pr/late', log(results), { pullRequest: 1 })
  assert.deepEqual([receipt.tally.fixed, receipt.tally.inherited, receipt.blockedByRules], [0, 1, ['mine']])
  assert.deepEqual(await pullRequests.standing('pr/late', 1), ['both ENDED', 'mine OPEN'])
  const [ended] = await searchAll(gatehouse, {
    filter: { repositories: ['pr/late'], triageStates: ['TRIAGE_STATE_ENDED'] },
  })
  const { history } = (await gatehouse.call('GET', `${findingsPath()}/${ended!.id}/history`)).body
  assert.equal(history[0].note, 'The base of the pull request has it by now.')
  await pullRequests.send('pr/late', log([]))
  await pullRequests.send('pr/late', log(results), { pullRequest: 1 })
  assert.deepEqual(
    await pullRequests.standing('pr/late', 1),
    ['both REOPENED', 'mine OPEN'],
    'and it is again when it left',
  )
})

test('the same upload is compared again once its base was scanned', async () => {
  const results = log([{ code: 'a(1)' }])
  await pullRequests.send('pr/again', results)
  assert.equal((await pullRequests.send('pr/again', results, { pullRequest: 1 })).tally.inherited, 1)
  assert.equal((await pullRequests.send('pr/again', results, { pullRequest: 1 })).repeated, true)
  await pullRequests.send('pr/again', log([]))
  const receipt = await pullRequests.send('pr/again', results, { pullRequest: 1 })
  assert.deepEqual([receipt.repeated, receipt.tally.raised], [false, 1])
})

test('the same upload is judged again once policies or automations may block it, if it is of the latest commit', async () => {
  const older = { pullRequest: 1, commit: 'aaaaaaa' }
  const latest = { pullRequest: 1, commit: 'bbbbbbb' }
  const send = async (change: Record<string, unknown>) => {
    const { repeated, blocked } = await pullRequests.send('pr/judged', log([{ code: 'a(1)' }]), change)
    return { repeated, blocked }
  }
  await pullRequests.setMode('comment')
  await pullRequests.send('pr/judged', log([]))
  for (const change of [older, latest]) assert.deepEqual(await send(change), { repeated: false, blocked: false })
  await pullRequests.setMode('block')
  assert.deepEqual(await send(older), { repeated: true, blocked: false })
  assert.deepEqual(await send(latest), { repeated: false, blocked: true })
  await pullRequests.setMode('comment')
  assert.deepEqual(await send(latest), { repeated: false, blocked: false })
  assert.deepEqual(await send(latest), { repeated: true, blocked: false })
  const automations = automationsOf(gatehouse)
  const { id } = await automations.create({ actions: [{ type: 'ACTION_TYPE_BLOCK' }] })
  assert.deepEqual(await send(older), { repeated: true, blocked: false })
  assert.deepEqual(await send(latest), { repeated: false, blocked: true })
  await automations.call('DELETE', `/${id}`)
  await pullRequests.setMode('block')
})

test('nobody decides that a finding ended', async () => {
  await pullRequests.send('pr/decide', log([{ code: 'a(1)' }]))
  const [one] = await searchAll(gatehouse, { filter: { repositories: ['pr/decide'] } })
  const body = { triageState: 'TRIAGE_STATE_ENDED' }
  assert.equal((await gatehouse.call('POST', `${findingsPath()}/${one!.id}`, { body })).status, 400)
})
