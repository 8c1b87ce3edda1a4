import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import { openGatehouse, type Tester, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { sendLog } from '../../findings/test-findings.ts'
import type { Memory } from '../memory.ts'
import { openMemories } from '../test-memories.ts'

let gatehouse: TestGatehouse
let memories: ReturnType<typeof openMemories>
let ann: Tester
let bob: Tester
before(async () => {
  gatehouse = await openGatehouse()
  memories = openMemories(gatehouse)
  ann = await gatehouse.addPerson('member')
  bob = await gatehouse.addPerson('member')
})
after(() => gatehouse.close())

const at = (path: string) => ({ path, code: `run(${path})` })
const falsePositive = { triageState: 'TRIAGE_STATE_IGNORED', triageReason: 'TRIAGE_REASON_FALSE_POSITIVE' }

/** A repository with findings in a folder of tests and one elsewhere. */
async function repositoryWith(name: string): Promise<{ id: string; findings: Record<string, number> }> {
  const id = await memories.addRepository(name)
  await sendLog(gatehouse, name, [at('test/a.js'), at('test/b.js'), at('test/c.js'), at('src/d.js')])
  return { id, findings: await memories.findingIds(id) }
}

async function waitFor(repositoryId: string): Promise<Memory> {
  for (;;) {
    const { body } = await memories.ask('GET', '?stage=AI_MEMORY_STAGE_SUGGESTED')
    const found = body.memories.find((memory: Memory) => memory.repositoryId === repositoryId)
    if (found) return found
    await delay(10)
  }
}

test('people who ignore the same for the same reason make a suggestion, by themselves', async () => {
  const { id, findings } = await repositoryWith('suggest/whole')
  await memories.triage(findings['test/a.js']!, { ...falsePositive, note: 'Only a test.' }, ann.token)
  assert.deepEqual(await memories.suggest({ repositoryIds: [id] }), [], 'one person alone')
  await memories.triage(findings['test/b.js']!, { ...falsePositive, note: 'Test code' }, bob.token)
  const memory = await waitFor(id)
  assert.deepEqual(
    [memory.stage, memory.ruleId, memory.pathPrefixes, memory.createdBy, memory.context],
    ['AI_MEMORY_STAGE_SUGGESTED', 'rule', ['test'], '', ['AI_MEMORY_CONTEXT_TRIAGE']],
  )
  assert.deepEqual(
    memory.suggestionSources.sources.map(({ note, createdBy, sampleIssueId }) => [note, createdBy, sampleIssueId]),
    [
      ['Test code', bob.email, String(findings['test/b.js'])],
      ['Only a test.', ann.email, String(findings['test/a.js'])],
    ],
  )
  assert.deepEqual(memory.preanalysisCounts, {
    newlyTruePositive: '0',
    newlyFalsePositive: '1',
    remainsTruePositive: '0',
    remainsFalsePositive: '2',
  })
  assert.deepEqual(await memories.states(id), { 'src/d.js': '1', 'test/a.js': '6', 'test/b.js': '6', 'test/c.js': '1' })
  assert.deepEqual(await memories.suggest({ repositoryIds: [id] }), [memory], 'asked again, it is the same one')
  const live = await memories.promote(memory.id, { preanalysisCounts: memory.preanalysisCounts })
  assert.equal((await memories.states(id))['test/c.js'], `5 by ${live.id}`)
  assert.deepEqual(await memories.suggest({ repositoryIds: [id] }), [], 'it waits no longer')
})

test('what was deleted is not suggested again; what is new is', async () => {
  const { id, findings } = await repositoryWith('suggest/again')
  await memories.triage(findings['test/a.js']!, falsePositive, ann.token)
  await memories.triage(findings['test/b.js']!, falsePositive, bob.token)
  const [first] = await memories.suggest({ repositoryIds: [id] })
  await memories.remove(first!.id)
  assert.deepEqual(await memories.suggest({ repositoryIds: [id] }), [])
  const risk = { triageState: 'TRIAGE_STATE_PROVISIONALLY_IGNORED', triageReason: 'TRIAGE_REASON_ACCEPTABLE_RISK' }
  await memories.triage(findings['test/a.js']!, risk, ann.token)
  await memories.triage(findings['test/b.js']!, risk, bob.token)
  const [second] = await memories.suggest({ repositoryIds: [id] })
  assert.match(second!.content, /acceptable risk/)
})

test('what a live memory covers already is not suggested', async () => {
  const { id, findings } = await repositoryWith('suggest/covered')
  const own = await memories.create({ repositoryId: id, pathPrefixes: ['test'] })
  await memories.triage(findings['test/a.js']!, falsePositive, ann.token)
  await memories.triage(findings['test/b.js']!, falsePositive, bob.token)
  assert.deepEqual(await memories.suggest({ repositoryIds: [id] }), [])
  await memories.remove(own.id)
  assert.equal((await memories.suggest({ repositoryIds: [id] })).length, 1)
})

test('asked for by many at once, each suggestion is made once', async () => {
  const { id, findings } = await repositoryWith('suggest/crowd')
  await memories.triage(findings['test/a.js']!, falsePositive, ann.token)
  await memories.triage(findings['test/b.js']!, falsePositive, bob.token)
  const answers = await Promise.all(Array.from({ length: 8 }, () => memories.suggest({ repositoryIds: [id] })))
  const ids = new Set(answers.flatMap((found) => found.map((memory) => memory.id)))
  assert.equal(ids.size, 1)
})

test('whose words they were is told to those who see the repository, or everything', async () => {
  const { id, findings } = await repositoryWith('suggest/words')
  await memories.triage(findings['test/a.js']!, falsePositive, ann.token)
  await memories.triage(findings['test/b.js']!, falsePositive, bob.token)
  const [memory] = await memories.suggest({ repositoryIds: [id] })
  await memories.update(memory!.id, { repositoryId: '' })
  const shown = async (as?: string) =>
    (await memories.ask('GET', `/${memory!.id}`, undefined, as)).body.memory.suggestionSources.sources.length
  assert.deepEqual([await shown(), await shown(ann.token)], [2, 0])
})
