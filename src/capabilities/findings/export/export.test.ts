import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { readBytes } from '../../../formats/sarif/sample-log.ts'
import { findingsPath, searchAll, sendLog } from '../test-findings.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())
const results = Array.from({ length: 1_203 }, (_, at) => ({
  code: `=cmd(${at})`,
  path: `src/übung #${at % 9}.js`,
  suppressed: at % 100 === 0,
}))
await sendLog(gatehouse, 'export/a', results)

const exported = async (format: string) => {
  const body = { format, filter: { repositories: ['export/a'] } }
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

test('SARIF is read by our own reader as the same findings', async () => {
  const { text } = await exported('sarif')
  const { findings, problems } = readBytes(Buffer.from(text))
  assert.deepEqual(problems, [])
  assert.equal(findings.length, results.length)
  assert.equal(findings.filter((one) => one.suppressed).length, results.filter((one) => one.suppressed).length)
  assert.deepEqual(new Set(findings.map((one) => one.locations[0]?.path)), new Set(results.map((one) => one.path)))
})
