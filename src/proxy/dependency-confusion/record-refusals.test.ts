import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'

let gatehouse: TestGatehouse
const api = '/api/firewall/v1/deployments/1'

before(async () => {
  gatehouse = await openGatehouse()
  const body = { contact: 'Ask in #platform.', fourEyes: false }
  assert.equal((await gatehouse.call('PUT', `${api}/exception-settings`, { body })).status, 200)
  const claim = { ecosystem: 'npm', pattern: 'company-*', reason: 'no registry here has them' }
  assert.equal((await gatehouse.call('POST', `${api}/package-claims`, { body: claim })).status, 200)
  await gatehouse.firewall.refresh()
})

after(() => gatehouse.close())

test('that a private name is asked of nobody is on record before the client is told, with whom to ask', async () => {
  const headers = { 'user-agent': 'npm/11.6.0' }
  const refused = await gatehouse.call('GET', '/firewall/1/npm/company-log', { headers })
  assert.equal(refused.status, 403)
  assert.match(refused.body.error, /is claimed \(company-\*\).*nobody is asked\..* Ask in #platform\.$/)
  const found = await gatehouse.call('POST', `${api}/events/search`, { body: { filter: { rules: ['private_name'] } } })
  assert.equal(found.status, 200, JSON.stringify(found.body))
  const [event] = found.body.events
  assert.deepEqual([event.name, event.version, event.client], ['company-log', '*', 'npm/11.6.0'])
})

test('who asks beforehand gets the same verdict, and no exception is asked for', async () => {
  const wanted = { ecosystem: 'npm', name: 'company-log', version: '1.0.0' }
  const { body: verdict } = await gatehouse.call('GET', `${api}/verdict?${new URLSearchParams(wanted)}`)
  assert.deepEqual([verdict.decision, verdict.refuse, verdict.rule], ['block', true, 'private_name'])
  assert.match(verdict.reason, /is claimed \(company-\*\)/)
  const asked = await gatehouse.call('POST', `${api}/exceptions`, { body: { ...wanted, reason: 'wanted' } })
  assert.equal(asked.status, 422)
  assert.match(asked.body.detail, /No exception changes whom a name is asked of/)
})
