import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { testFeed } from '../src/capabilities/firewall/advisories/test-feed.ts'
import { startNpmRegistry } from '../src/sandbox/registries/npm-registry.ts'
import { throwAwayDatabase } from './cluster.ts'
import { createFirewallLoad } from './firewall-load.ts'
import { databaseUrl, dataFolder, poll, startServer } from './servers/real-process.ts'

type Connection = Parameters<typeof databaseUrl>[0]

const fetches = 400

test('two processes on one data folder: what a killed one had let through, the other counts, once', async (t) => {
  const registry = await startNpmRegistry()
  const feed = testFeed()
  feed.add({ id: 'MAL-2026-1', name: 'malicious', versions: ['1.0.0'] })
  const { connection, drop } = await throwAwayDatabase()
  t.after(async () => {
    await registry.close()
    feed.remove()
    await drop()
  })
  registry.publish({ name: 'left', version: '1.0.0' })
  const env = {
    GATEHOUSE_DATA: dataFolder(t),
    DATABASE_URL: databaseUrl(connection as Connection),
    GATEHOUSE_KEY: randomBytes(32).toString('base64'),
    GATEHOUSE_FEED: feed.path,
    GATEHOUSE_NPM_UPSTREAM: registry.url,
  }
  const first = await startServer(env)
  const { token = '', deploymentId = 0 } = first.welcome
  const second = await startServer(env, token)
  const wanted = { name: 'left', version: '1.0.0', isMalicious: false }
  const load = createFirewallLoad(registry, [wanted], token)
  for (const { url, call } of [first, second]) {
    const path = `/api/firewall/v1/deployments/${deploymentId}/verdict?ecosystem=npm&name=malicious&version=1.0.0`
    await poll('there are verdicts', async () => (await call('GET', path)).body.decision === 'block')
    await load.fetchOne(`${url}/firewall/${deploymentId}/npm`, wanted)
  }

  // Killed while it answers: some is counted by then, some lies in its journal, some was cut off.
  const clients = Array.from({ length: 8 }, async () => {
    while (await load.fetchOne(`${first.url}/firewall/${deploymentId}/npm`, wanted));
  })
  await poll('enough was fetched', () => load.answered() > fetches)
  first.child.kill('SIGKILL')
  await Promise.all(clients)
  assert.deepEqual(load.wrong, [])

  const journal = join(env.GATEHOUSE_DATA, 'firewall-journal')
  const { seen, cut } = load.total(() => true)
  async function counted(): Promise<number> {
    const timePeriod = { since: '2026-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z' }
    const path = `/api/reporting/${deploymentId}/reports/malware-firewall/scan-activity`
    const { buckets } = (await second.call('POST', path, { body: { filters: { timePeriod } } })).body
    return buckets.reduce((sum: number, each: { nonBlockingScans: number }) => sum + each.nonBlockingScans, 0)
  }
  await poll('the other has counted it', async () => (await counted()) >= seen)
  await poll('its files are gone', () => !readdirSync(journal).some((name) => name.endsWith('.events')))
  const total = await counted()
  assert.ok(total <= seen + cut, `${total} counted, ${seen} seen, ${cut} cut off`)
})
