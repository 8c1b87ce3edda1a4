import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { testFeed } from '../../capabilities/firewall/advisories/test-feed.ts'

const clock = { at: new Date('2026-11-15T12:00:00Z'), now: () => clock.at }
const feed = testFeed()
let gatehouse: TestGatehouse
let base: string

before(async () => {
  gatehouse = await openGatehouse({ clock, env: { GATEHOUSE_SAFE_CHAIN_DEPLOYMENTS: '1' } })
  assert.equal(gatehouse.owner.deploymentId, 1)
  base = `${gatehouse.url}/firewall/1/safe-chain`
  const range = [{ type: 'SEMVER', events: [{ introduced: '1.0.0' }, { fixed: '2.0.0' }] }]
  feed.add(
    { id: 'MAL-1', name: 'evil' },
    { id: 'MAL-2', name: 'half', versions: ['1.0.0', '1.0.1'] },
    { id: 'MAL-3', name: 'between', ranges: range },
    { id: 'MAL-4', name: 'back', withdrawn: '2026-02-02T00:00:00Z' },
    { id: 'MAL-5', name: 'Slimy_Snake', ecosystem: 'PyPI', versions: ['3.0'] },
  )
  await gatehouse.firewall.feeds.sync(feed.place)
  await gatehouse.firewall.refresh()
})
after(async () => {
  await gatehouse.close()
  feed.remove()
})

type Entry = { package_name: string; version: string; reason: string }

async function list(path = 'malware_predictions.json'): Promise<string[]> {
  const answer = await fetch(`${base}/${path}`)
  assert.equal(answer.status, 200)
  const entries = (await answer.json()) as Entry[]
  for (const { reason } of entries) assert.equal(reason, 'MALWARE')
  return entries.map(({ package_name: name, version }) => `${name}@${version}`).sort()
}

async function override(body: object): Promise<void> {
  const path = '/api/firewall/v1/deployments/1/overrides'
  const made = await gatehouse.call('POST', path, { body: { ecosystem: 'npm', reason: 'because', ...body } })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  await gatehouse.firewall.refresh()
}

test('the lists have what advisories name, whole or version by version, without a token', async () => {
  assert.deepEqual(await list(), ['evil@*', 'half@1.0.0', 'half@1.0.1'])
  assert.deepEqual(await list('malware_pypi.json'), ['slimy-snake@3.0'])
  assert.deepEqual(await list('releases/npm.json'), [])
  assert.deepEqual(await list('releases/pypi.json'), [])
})

test('a list is fetched again only when it is another', async () => {
  const head = await fetch(`${base}/malware_predictions.json`, { method: 'HEAD' })
  const etag = head.headers.get('etag')!
  assert.match(etag, /^"[\w-]+"$/)
  const again = await fetch(`${base}/malware_predictions.json`, { headers: { 'if-none-match': etag } })
  assert.equal(again.status, 304)
  await override({ name: 'half', version: '1.0.1', effect: 'allow', expiresAt: '2026-11-16T12:00:00Z' })
  const changed = await fetch(`${base}/malware_predictions.json`, { method: 'HEAD' })
  assert.notEqual(changed.headers.get('etag'), etag)
  assert.deepEqual(await list(), ['evil@*', 'half@1.0.0'])
  // The exception ends, and with it the difference.
  clock.at = new Date('2026-11-16T12:00:01Z')
  const ended = await fetch(`${base}/malware_predictions.json`, { method: 'HEAD' })
  assert.equal(ended.headers.get('etag'), etag)
})

test('what people of the deployment decided is in it', async () => {
  await override({ name: 'evil', effect: 'allow' })
  await override({ name: 'denied', effect: 'deny' })
  await override({ name: 'once', version: '2.0.0', effect: 'deny' })
  await override({ name: 'range', version: '<2.0.0', effect: 'deny' })
  await override({ name: 'start-*', effect: 'deny' })
  assert.deepEqual(await list(), ['denied@*', 'half@1.0.0', 'half@1.0.1', 'once@2.0.0'])
})

test('packed or not, it is the same list', async () => {
  const plain = await fetch(`${base}/malware_predictions.json`, { headers: { 'accept-encoding': 'identity' } })
  assert.equal(plain.headers.get('content-encoding'), null)
  const packed = await fetch(`${base}/malware_predictions.json`, { headers: { 'accept-encoding': 'gzip' } })
  assert.equal(packed.headers.get('content-encoding'), 'gzip')
  assert.equal(await plain.text(), await packed.text())
})

test('a deployment that the operator has not named has no list', async () => {
  const other = await gatehouse.addDeployment()
  for (const id of [other.id, 987_654, '01', 'x']) {
    const answer = await fetch(`${gatehouse.url}/firewall/${id}/safe-chain/malware_predictions.json`)
    assert.equal(answer.status, 404, String(id))
  }
})
