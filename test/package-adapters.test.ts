import assert from 'node:assert/strict'
import { test } from 'node:test'
import { testFeed } from '../src/capabilities/firewall/advisories/test-feed.ts'
import { startNpmRegistry } from '../src/sandbox/registries/npm-registry.ts'
import { openGatehouse } from './gatehouse.ts'

test('the adapters of the whole product: no advisories, no package; then what they name is refused and reported', async (t) => {
  const registry = await startNpmRegistry()
  for (const version of ['1.0.0', '1.1.0']) registry.publish({ name: 'left', version })
  const gatehouse = await openGatehouse({ env: { GATEHOUSE_NPM_UPSTREAM: registry.url } })
  const feed = testFeed()
  t.after(async () => {
    await gatehouse.close()
    await registry.close()
    feed.remove()
  })
  const get = (version: string) =>
    fetch(`${gatehouse.url}/firewall/1/npm/left/-/left-${version}.tgz`, {
      headers: { authorization: `Bearer ${gatehouse.owner.token}` },
    })
  assert.equal((await get('1.0.0')).status, 403)

  feed.add({ id: 'MAL-2026-1', name: 'left', versions: ['1.1.0'] })
  await gatehouse.firewall.feeds.sync(feed.place)
  await gatehouse.firewall.refresh()
  assert.equal((await get('1.0.0')).status, 200)
  const refused = await get('1.1.0')
  assert.equal(refused.status, 403)
  assert.match(refused.statusText, /left@1\.1\.0.*MAL-2026-1/)

  await gatehouse.recorder.flush()
  const path = '/api/reporting/1/reports/malware-firewall/blocked-mal-deps/by-dep-version-and-ecosystem'
  const report = await gatehouse.call('POST', path, { body: { filters: {} } })
  const blocked = { dependency: 'left', version: '1.1.0', ecosystem: 'npm', totalBlocked: 1 }
  assert.deepEqual(report.body.rows, [blocked])
})
