import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { readBytes } from '../../../formats/sarif/test-log.ts'
import { packageLock, upload } from '../../scans/test-upload.ts'
import { advisoryFolder, semver } from '../../vulnerabilities/feeds/test-advisories.ts'
import { findingsPath, searchAll, sendLog } from '../test-findings.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())
const results = Array.from({ length: 1_203 }, (_, at) => ({
  code: `=cmd(${at})`,
  path: `src/übung #${at % 9}.js`,
  suppressed: at % 100 === 0,
}))
await sendLog(gatehouse, 'export/a', results)

const exported = async (format: string, repository = 'export/a') => {
  const body = { format, filter: { repositories: [repository] } }
  const headers = { authorization: `Bearer ${gatehouse.owner.token}`, 'content-type': 'application/json' }
  const url = `${gatehouse.url}${findingsPath()}/export`
  const response = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) })
  assert.equal(response.status, 200)
  return { response, text: await response.text() }
}

test('JSON has every finding as a search answers it', async () => {
  const { response, text } = await exported('json')
  assert.match(response.headers.get('content-disposition') ?? '', /findings\.json/)
  const found = await searchAll(gatehouse, { sort: { direction: 'asc' } })
  assert.equal(found.length, results.length)
  const byId = (a: { id: string }, b: { id: string }) => Number(a.id) - Number(b.id)
  assert.deepEqual(JSON.parse(text).findings, found.sort(byId))
})

test('CSV has a line for each, and no formula', async () => {
  const { response, text } = await exported('csv')
  assert.match(response.headers.get('content-type') ?? '', /^text\/csv/)
  const lines = text.trimEnd().split('\r\n')
  assert.equal(lines.length, results.length + 1)
  assert.ok(lines[0]!.startsWith('id,repository,ref,'))
  for (const line of lines.slice(1)) assert.doesNotMatch(line, /(^|,)"?[=@]/)
})

test('CSV has what a list of what to fix needs, at the end of each line', async () => {
  const feed = advisoryFolder()
  feed.put({
    id: 'GHSA-aaaa-bbbb-cccc',
    summary: 'Prototype pollution in left',
    affected: [{ name: 'left', ranges: [semver('0', '1.2.0')] }],
    database_specific: { severity: 'HIGH' },
  })
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
  await upload(gatehouse, { repository: 'export/fix' }, { 'package-lock.json': packageLock({ left: '1.1.0' }) })
  const deadlines = { critical: null, high: 7, medium: 7, low: 7, info: 7 }
  await gatehouse.call('PUT', '/api/findings/1/deadlines', { body: deadlines })
  const [found] = await searchAll(gatehouse, { filter: { repositories: ['export/fix'] } })
  const decision = {
    filter: { findingIds: [found!.id] },
    triageState: 'TRIAGE_STATE_REVIEWING',
    note: 'Ask first',
  }
  assert.equal((await gatehouse.call('POST', `${findingsPath()}/triage`, { body: decision })).status, 200)
  const { text } = await exported('csv', 'export/fix')
  const [head, line] = text.trimEnd().split('\r\n')
  const added = ['ecosystem', 'package', 'version', 'fixedVersion', 'dueAt', 'assignee', 'deciderName', 'note', 'link']
  assert.deepEqual(head!.split(',').slice(-added.length - 1), ['fixedAt', ...added])
  const cells = line!.split(',').slice(-added.length)
  const [ecosystem, name, version, fixed, due, assignee, decider, note, link] = cells
  assert.deepEqual(
    [ecosystem, name, version, fixed, assignee, note],
    ['npm', 'left', '1.1.0', '1.2.0', '', 'Ask first'],
  )
  assert.ok(Date.parse(due!) > Date.now() && decider !== '')
  assert.match(link!, new RegExp(`^http.*/d/[^/]+/findings/${found!.id}$`))
})

test('SARIF is read by our own reader as the same findings', async () => {
  const { text } = await exported('sarif')
  const { findings, problems } = readBytes(Buffer.from(text))
  assert.deepEqual(problems, [])
  assert.equal(findings.length, results.length)
  assert.equal(findings.filter((one) => one.suppressed).length, results.filter((one) => one.suppressed).length)
  assert.deepEqual(new Set(findings.map((one) => one.locations[0]?.path)), new Set(results.map((one) => one.path)))
})
