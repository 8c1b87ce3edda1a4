import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { upload } from '../../scans/test-upload.ts'
import { recount } from '../counters/recount.ts'
import { findingsPath, searchAll } from '../test-findings.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(async () => {
  const miscounted = await recount(gatehouse.db.as(gatehouse.owner))
  await gatehouse.close()
  assert.deepEqual(miscounted, [])
})

/** A log of a tool whose rules say what they were called before. */
function logOf(...rules: { id: string; was?: string[]; line?: number }[]): string {
  const region = (startLine: number) => ({ startLine, snippet: { text: 'USER root' } })
  const results = rules.map(({ id, line = 1 }) => ({
    ruleId: id,
    message: { text: 'Not safe.' },
    locations: [{ physicalLocation: { artifactLocation: { uri: 'Dockerfile' }, region: region(line) } }],
  }))
  const declared = rules.map(({ id, was }) => ({ id, ...(was && { deprecatedIds: was }) }))
  const tool = { driver: { name: 'Tester', rules: declared } }
  return JSON.stringify({ version: '2.1.0', runs: [{ tool, results }] })
}

async function send(repository: string, log: string, scan: object = {}) {
  const { status, body } = await upload(gatehouse, { repository, ...scan }, { 'log.sarif': log })
  assert.equal(status, 200, JSON.stringify(body))
  const { raised, reopened, fixed, inherited } = body.files[0].findings
  return { raised, reopened, fixed, inherited }
}

async function shown(repository: string): Promise<string[]> {
  const found = await searchAll(gatehouse, { filter: { repositories: [repository] } })
  return found.map(({ id, ref, ruleId, triageState }) => `${id} ${ref} ${ruleId} ${triageState}`).sort()
}

async function ignore(repository: string, ref = 'main'): Promise<string> {
  const found = await searchAll(gatehouse, { filter: { repositories: [repository] } })
  const { id } = found.find((one) => one.ref === ref)!
  const body = { triageState: 'TRIAGE_STATE_IGNORED', triageReason: 'TRIAGE_REASON_FALSE_POSITIVE' }
  assert.equal((await gatehouse.call('POST', `${findingsPath()}/${id}`, { body })).status, 200)
  return id
}

const nothing = { raised: 0, reopened: 0, fixed: 0, inherited: 0 }

test('a decision stays with its finding when a release of the tool calls the rule otherwise', async () => {
  const repository = 'names/renamed'
  await send(repository, logOf({ id: 'DS002' }))
  const id = await ignore(repository)
  assert.deepEqual(await send(repository, logOf({ id: 'DS-0002', was: ['DS002'] })), nothing)
  assert.deepEqual(await shown(repository), [`${id} main DS-0002 TRIAGE_STATE_IGNORED`])
  const second = logOf({ id: 'DS-0002', was: ['DS002'] }, { id: 'DS-0003', was: ['DS003'], line: 2 })
  assert.deepEqual(await send(repository, second), { ...nothing, raised: 1 })
})

test('it counts for a branch and a pull request that the new release looks at first', async () => {
  const repository = 'names/elsewhere'
  await send(repository, logOf({ id: 'DS002' }))
  const id = await ignore(repository)
  const now = logOf({ id: 'DS-0002', was: ['DS002'] })
  const change = { kind: 'SCAN_KIND_PULL_REQUEST', pullRequest: 3, baseRef: 'main', ref: 'change' }
  assert.deepEqual(await send(repository, now, change), { ...nothing, inherited: 1 })
  await send(repository, now, { ref: 'other' })
  const found = await shown(repository)
  assert.equal(found[0], `${id} main DS002 TRIAGE_STATE_IGNORED`)
  assert.match(found[1]!, /other DS-0002 TRIAGE_STATE_IGNORED$/)
})

test('what the tool still tells of is another finding, and so is what two rules come of', async () => {
  const repository = 'names/both'
  await send(repository, logOf({ id: 'old' }))
  const id = await ignore(repository)
  assert.deepEqual(await send(repository, logOf({ id: 'old' }, { id: 'new', was: ['old'] })), { ...nothing, raised: 1 })
  const split = logOf({ id: 'one', was: ['old'] }, { id: 'two', was: ['old'] })
  assert.deepEqual(await send(repository, split), { ...nothing, raised: 2, fixed: 1 })
  const states = (await shown(repository)).map((one) => one.split(' ').slice(2).join(' '))
  assert.ok((await shown(repository)).includes(`${id} main old TRIAGE_STATE_IGNORED`))
  assert.deepEqual(states.filter((one) => /^(one|two)/.test(one)).sort(), [
    'one TRIAGE_STATE_OPEN',
    'two TRIAGE_STATE_OPEN',
  ])
})
