import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { sendLog } from '../../findings/test-findings.ts'
import { openMemories } from '../test-memories.ts'

let gatehouse: TestGatehouse
let memories: ReturnType<typeof openMemories>
before(async () => {
  gatehouse = await openGatehouse()
  memories = openMemories(gatehouse)
})
after(() => gatehouse.close())

const at = (path: string, more: object = {}) => ({ path, code: `run(${path})`, ...more })

test('a live memory ignores the findings in its scope and names itself; deleting it gives back exactly those', async () => {
  const repository = await memories.addRepository('effect/whole')
  await sendLog(gatehouse, 'effect/whole', [
    at('src/a.js'),
    at('src/test/b.js'),
    at('src/test/deep/c.js'),
    at('src/testing.js'),
    at('src/test/other.js', { rule: 'other' }),
  ])
  const before = await memories.states(repository)
  const pathPrefixes = ['./src/test/', 'src//./test', 'src\\test']
  const memory = await memories.create({ repositoryId: repository, ruleId: 'rule', pathPrefixes })
  assert.deepEqual(memory.pathPrefixes, ['src/test'])
  assert.deepEqual(await memories.states(repository), {
    ...before,
    'src/test/b.js': `5 by ${memory.id}`,
    'src/test/deep/c.js': `5 by ${memory.id}`,
  })
  const ids = await memories.findingIds(repository)
  const path = `/api/findings/${gatehouse.owner.deploymentId}/findings/${ids['src/test/b.js']}`
  const shown = await gatehouse.call('GET', path)
  assert.deepEqual([shown.body.data.decidedBy, shown.body.data.deciderId], ['DECIDER_MEMORY', memory.id])
  const gone = await memories.remove(memory.id)
  assert.equal(gone.stage, 'AI_MEMORY_STAGE_DELETED')
  assert.deepEqual(await memories.states(repository), before)
  const { history } = (await gatehouse.call('GET', `${path}/history`)).body
  assert.deepEqual(
    history.map((line: { toState: string; decidedBy: string; deciderId: string }) => [
      line.toState,
      line.decidedBy,
      line.deciderId,
    ]),
    [
      ['TRIAGE_STATE_OPEN', 'DECIDER_OBSERVATION', ''],
      ['TRIAGE_STATE_PROVISIONALLY_IGNORED', 'DECIDER_MEMORY', memory.id],
      ['TRIAGE_STATE_OPEN', 'DECIDER_OBSERVATION', ''],
    ],
  )
  const again = await memories.remove(memory.id)
  assert.equal(again.stage, 'AI_MEMORY_STAGE_DELETED')
})

test('findings that are raised later in its scope are ignored at once, also by a repository that is new', async () => {
  const { id } = await memories.create({ ruleId: 'later', pathPrefixes: ['lib'] })
  await sendLog(gatehouse, 'effect/later', [at('lib/a.js', { rule: 'later' }), at('src/a.js', { rule: 'later' })])
  const repository = await memories.addRepository('effect/later-still')
  await sendLog(gatehouse, 'effect/later-still', [at('lib/a.js', { rule: 'later' }), at('lib/b.js')])
  assert.deepEqual(await memories.states(repository), { 'lib/a.js': `5 by ${id}`, 'lib/b.js': '1' })
  await sendLog(gatehouse, 'effect/later-still', [at('lib/b.js')])
  assert.deepEqual(await memories.states(repository), { 'lib/a.js': '7', 'lib/b.js': '1' })
  await sendLog(gatehouse, 'effect/later-still', [at('lib/a.js', { rule: 'later' }), at('lib/b.js')])
  assert.deepEqual(await memories.states(repository), { 'lib/a.js': `5 by ${id}`, 'lib/b.js': '1' })
  await memories.remove(id)
  assert.deepEqual(await memories.states(repository), { 'lib/a.js': '2', 'lib/b.js': '1' }, 'it had come back')
})

test('what a person has decided is never changed by a memory', async () => {
  const repository = await memories.addRepository('effect/people')
  const paths = ['a.js', 'b.js', 'c.js', 'd.js']
  await sendLog(gatehouse, 'effect/people', [...paths.map((path) => at(path)), at('e.js')])
  const ids = await memories.findingIds(repository)
  await memories.triage(ids['a.js']!, { triageState: 'TRIAGE_STATE_OPEN' })
  await memories.triage(ids['b.js']!, { triageState: 'TRIAGE_STATE_REVIEWING' })
  await memories.triage(ids['c.js']!, { triageState: 'TRIAGE_STATE_IGNORED' })
  await memories.triage(ids['d.js']!, { triageState: 'TRIAGE_STATE_PROVISIONALLY_IGNORED' })
  const memory = await memories.create({ repositoryId: repository, ruleId: 'rule' })
  const held = { 'a.js': '1', 'b.js': '3', 'c.js': '6', 'd.js': '5', 'e.js': `5 by ${memory.id}` }
  assert.deepEqual(await memories.states(repository), held)
  assert.deepEqual(memory.preanalysisCounts, {
    newlyTruePositive: '0',
    newlyFalsePositive: '1',
    remainsTruePositive: '2',
    remainsFalsePositive: '2',
  })
  await sendLog(
    gatehouse,
    'effect/people',
    [...paths, 'e.js'].map((path) => at(path, { level: 'note' })),
  )
  assert.deepEqual(await memories.states(repository), held, 'also when a scan has news about them')
  await memories.triage(ids['e.js']!, { triageState: 'TRIAGE_STATE_FIXING' })
  await memories.remove(memory.id)
  assert.deepEqual(await memories.states(repository), { ...held, 'e.js': '4' })
})

test('what a person has opened stays open to them when it is fixed and comes back', async () => {
  const repository = await memories.addRepository('effect/opened')
  const log = [at('a.js', { rule: 'opened' }), at('b.js', { rule: 'opened' })]
  const { id } = await memories.create({ repositoryId: repository, ruleId: 'opened' })
  await sendLog(gatehouse, 'effect/opened', log)
  const ids = await memories.findingIds(repository)
  await memories.triage(ids['a.js']!, { triageState: 'TRIAGE_STATE_OPEN' })
  assert.deepEqual(await memories.states(repository), { 'a.js': '1', 'b.js': `5 by ${id}` })
  await sendLog(gatehouse, 'effect/opened', [at('c.js')])
  const suppressed = [at('a.js', { rule: 'opened', suppressed: true }), at('b.js', { rule: 'opened' })]
  for (const back of [log, [at('c.js')], suppressed]) await sendLog(gatehouse, 'effect/opened', back)
  assert.deepEqual(await memories.states(repository), { 'a.js': '2', 'b.js': `5 by ${id}`, 'c.js': '7' })
  const [opened] = await memories.standing(repository)
  assert.deepEqual([opened!.decidedBy, opened!.deciderId], [4, 1])
  await memories.triage(ids['a.js']!, { triageState: 'TRIAGE_STATE_FIXED' })
  await sendLog(gatehouse, 'effect/opened', [])
  await sendLog(gatehouse, 'effect/opened', log)
  assert.deepEqual(await memories.states(repository), { 'a.js': `5 by ${id}`, 'b.js': `5 by ${id}`, 'c.js': '7' })
})

test('what a rule of the lifecycle had ignored goes back to that rule', async () => {
  const repository = await memories.addRepository('effect/rules')
  await sendLog(gatehouse, 'effect/rules', [at('a.js', { suppressed: true }), at('b.js')])
  const before = await memories.standing(repository)
  assert.deepEqual(
    before.map((one) => [one.state, one.decidedBy]),
    [
      [5, 1],
      [1, 0],
    ],
  )
  const memory = await memories.create({ repositoryId: repository, ruleId: 'rule' })
  assert.deepEqual(memory.preanalysisCounts.newlyFalsePositive, '1')
  assert.deepEqual(memory.preanalysisCounts.remainsFalsePositive, '1')
  await sendLog(gatehouse, 'effect/rules', [at('a.js'), at('b.js', { suppressed: true })])
  assert.deepEqual(await memories.states(repository), { 'a.js': `5 by ${memory.id}`, 'b.js': `5 by ${memory.id}` })
  await memories.remove(memory.id)
  assert.deepEqual(
    (await memories.standing(repository)).map((one) => [one.state, one.decidedBy]),
    [
      [1, 0],
      [5, 1],
    ],
    'the signs of now count, not those of then',
  )
})

test('a change of scope gives back what is left out and takes what comes in', async () => {
  const repository = await memories.addRepository('effect/scope')
  await sendLog(gatehouse, 'effect/scope', [at('a/1.js'), at('b/2.js'), at('b/3.js', { rule: 'other' })])
  const { id } = await memories.create({ repositoryId: repository, pathPrefixes: ['a'] })
  const moved = await memories.update(id, { pathPrefixes: ['b'] })
  assert.deepEqual(await memories.states(repository), { 'a/1.js': '1', 'b/2.js': `5 by ${id}`, 'b/3.js': `5 by ${id}` })
  assert.deepEqual(moved.preanalysisCounts, {
    newlyTruePositive: '1',
    newlyFalsePositive: '2',
    remainsTruePositive: '0',
    remainsFalsePositive: '0',
  })
  const narrower = await memories.update(id, { ruleId: 'other' })
  assert.deepEqual(await memories.states(repository), { 'a/1.js': '1', 'b/2.js': '1', 'b/3.js': `5 by ${id}` })
  assert.deepEqual(
    [narrower.preanalysisCounts.newlyTruePositive, narrower.preanalysisCounts.remainsFalsePositive],
    ['1', '1'],
  )
  await memories.update(id, { context: ['AI_MEMORY_CONTEXT_REVIEW'] })
  assert.deepEqual(await memories.states(repository), { 'a/1.js': '1', 'b/2.js': '1', 'b/3.js': '1' })
})

test('a tag that a repository gains or loses brings its memories along', async () => {
  const repository = await memories.addRepository('effect/tagged', ['legacy'])
  await sendLog(gatehouse, 'effect/tagged', [at('a.js', { rule: 'tagged' })])
  const { id } = await memories.create({ projectTagId: await memories.tagId('legacy'), ruleId: 'tagged' })
  assert.deepEqual(await memories.states(repository), { 'a.js': `5 by ${id}` })
  await memories.tag(repository, ['other'])
  assert.deepEqual(await memories.states(repository), { 'a.js': '1' })
  await memories.tag(repository, ['other', 'legacy'])
  assert.deepEqual(await memories.states(repository), { 'a.js': `5 by ${id}` })
})

test('of two memories the one that went live first holds, and the other takes over from it', async () => {
  const repository = await memories.addRepository('effect/two')
  await sendLog(gatehouse, 'effect/two', [at('a.js', { rule: 'twice' })])
  const waiting = await memories.create({ ruleId: 'twice', stage: 'AI_MEMORY_STAGE_SUGGESTED' })
  const first = await memories.create({ ruleId: 'twice' })
  const second = await memories.promote(waiting.id)
  assert.deepEqual(await memories.states(repository), { 'a.js': `5 by ${first.id}` })
  assert.equal(second.preanalysisCounts.newlyFalsePositive, '0')
  assert.equal(second.preanalysisCounts.remainsFalsePositive, '1')
  await memories.remove(first.id)
  assert.deepEqual(await memories.states(repository), { 'a.js': `5 by ${second.id}` })
  await memories.remove(second.id)
  assert.deepEqual(await memories.states(repository), { 'a.js': '1' })
})

test('a class of vulnerabilities is a CWE, however it is written', async () => {
  const repository = await memories.addRepository('effect/class')
  await sendLog(gatehouse, 'effect/class', [at('a.js', { properties: { cwe: 'CWE-79' } }), at('b.js')])
  const { id, vulnerabilityClass } = await memories.create({ repositoryId: repository, vulnerabilityClass: 'cwe-079' })
  assert.equal(vulnerabilityClass, 'CWE-79')
  const cwes = await gatehouse.db
    .as(gatehouse.owner)
    .query<{ path: string; cwes: string[] }>(sql`select path, cwes from finding
      where deployment_id = ${gatehouse.owner.deploymentId} and repository_id = ${repository} and cwes <> '{}'`)
  assert.deepEqual(cwes, [{ path: 'a.js', cwes: ['CWE-79'] }])
  assert.deepEqual(await memories.states(repository), { 'a.js': `5 by ${id}`, 'b.js': '1' })
})

test('a memory that is for others than triage, or only suggested, changes nothing', async () => {
  const repository = await memories.addRepository('effect/advice')
  await sendLog(gatehouse, 'effect/advice', [at('a.js')])
  await memories.create({ repositoryId: repository, context: ['AI_MEMORY_CONTEXT_REMEDIATION'] })
  await memories.create({ repositoryId: repository, ruleId: 'rule', stage: 'AI_MEMORY_STAGE_SUGGESTED' })
  await sendLog(gatehouse, 'effect/advice', [at('a.js'), at('b.js')])
  assert.deepEqual(await memories.states(repository), { 'a.js': '1', 'b.js': '1' })
})

test('after all this the counters are what a recount says', () => memories.requireRightCounters())
