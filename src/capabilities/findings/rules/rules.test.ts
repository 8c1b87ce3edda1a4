import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { upload } from '../../scans/test-upload.ts'
import { sarifLog } from '../test-log.ts'

const id = 'js/audit.eval & more'
let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
  const { teams } = (await gatehouse.call('GET', '/api/permissions/v2/deployments/1/teams')).body
  await gatehouse.call('PATCH', `/api/permissions/v2/deployments/1/teams/${teams[0].id}/defaults`, {
    body: { isProjectDefault: false },
  })
  const log = JSON.parse(sarifLog({ tool: 'Semgrep', results: [{ rule: id, path: 'a.js', code: 'a' }] }))
  log.runs[0].tool.driver.rules = [
    { id, fullDescription: { text: 'Runs what it is given.' }, helpUri: 'https://tool.example/eval' },
  ]
  await upload(gatehouse, { repository: 'shop/web' }, { 'log.sarif': JSON.stringify(log) })
  const other = sarifLog({ tool: 'Other', results: [{ rule: id, path: 'b.js', code: 'b' }] })
  await upload(gatehouse, { repository: 'shop/web' }, { 'log.sarif': other })
})
after(() => gatehouse.close())

const path = (rule: string) => `/api/findings/1/rules/${encodeURIComponent(rule)}`

test('a rule is told as each of its sources tells it', async () => {
  const { status, body } = await gatehouse.call('GET', path(id))
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.ruleId, id)
  assert.deepEqual(
    body.sources.map(({ source, description, helpUri }: Record<string, string>) => [source, description, helpUri]),
    [
      ['sarif:other', '', ''],
      ['sarif:semgrep', 'Runs what it is given.', 'https://tool.example/eval'],
    ],
  )
})

test('a rule that nothing was found by looks like one that the caller sees no finding of', async () => {
  assert.equal((await gatehouse.call('GET', path('never-seen'))).status, 404)
  const outsider = await gatehouse.addPerson('member')
  const hidden = await gatehouse.call('GET', path(id), { as: outsider.token })
  assert.equal(hidden.status, 404, JSON.stringify(hidden.body))
})
