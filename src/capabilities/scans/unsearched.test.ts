import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { recount } from '../findings/public.ts'
import { searchAll } from '../findings/test-findings.ts'
import { type LogResult, sarifLog } from '../findings/test-log.ts'
import { upload } from './test-upload.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(async () => {
  const miscounted = await recount(gatehouse.db.as(gatehouse.owner))
  await gatehouse.close()
  assert.deepEqual(miscounted, [])
})

const repository = 'unsearched/files'

/** Sends a log of a run that ends well and tells of these errors, as Bandit and Semgrep write it. Answers with its receipt. */
async function send(results: LogResult[], ...errors: object[]) {
  const log = JSON.parse(sarifLog({ results }))
  log.runs[0].invocations = [{ executionSuccessful: true, toolConfigurationNotifications: errors }]
  const { status, body } = await upload(gatehouse, { repository }, { 'log.sarif': JSON.stringify(log) })
  assert.equal(status, 200, JSON.stringify(body))
  return body.files[0]
}

async function openPaths(): Promise<string[]> {
  const found = await searchAll(gatehouse, { filter: { repositories: [repository] } })
  return found.filter(({ triageState }) => triageState === 'TRIAGE_STATE_OPEN').map(({ path }) => path)
}

test('what was found in a file that the tool could not search is not fixed; the rest is', async () => {
  await send(['a.py', 'b.py'].map((path) => ({ path })))
  const locations = [{ physicalLocation: { artifactLocation: { uri: 'b.py' } } }]
  const inFile = await send([], { level: 'error', message: { text: 'syntax error' }, locations })
  assert.deepEqual([inFile.findings.fixed, inFile.findings.complete], [1, true])
  assert.equal(inFile.problems[0].code, 'not-searched')
  assert.deepEqual(await openPaths(), ['b.py'])
  const general = await send([], { level: 'error', message: { text: 'File not found: src' } })
  assert.deepEqual([general.findings.fixed, general.findings.complete], [0, false])
  assert.match(general.problems[0].detail, /File not found: src/)
  assert.deepEqual(await openPaths(), ['b.py'])
  assert.equal((await send([])).findings.fixed, 1)
})
