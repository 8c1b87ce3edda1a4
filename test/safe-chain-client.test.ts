import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { existsSync, rmSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { testFeed } from '../src/capabilities/firewall/advisories/test-feed.ts'
import { clientFromNpm, makeProject, type Ran, runClient } from './clients/package-clients.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'

/** Aikido's safe-chain, unmodified, with our list. It looks only into TLS, so it installs from the registry of this machine. */
let gatehouse: TestGatehouse
const feed = testFeed()

before(async () => {
  gatehouse = await openGatehouse({ env: { GATEHOUSE_SAFE_CHAIN_DEPLOYMENTS: '1' } })
  feed.add({ id: 'MAL-1', name: 'isarray', versions: ['1.0.0'] })
  await gatehouse.firewall.feeds.sync(feed.place)
  await gatehouse.firewall.refresh()
})
after(async () => {
  await gatehouse.close()
  feed.remove()
})

async function install(t: TestContext, wanted: string): Promise<(Ran & { isThere: boolean }) | undefined> {
  const found = await clientFromNpm('@aikidosec/safe-chain', '1.5.20', 'package.json')
  const registry = execFileSync('npm', ['config', 'get', 'registry']).toString().trim()
  if (!found || !registry.startsWith('https:')) {
    t.skip('safe-chain cannot be installed: the npm registry is out of reach')
    return undefined
  }
  const program = join(dirname(dirname(dirname(found))), '.bin', 'aikido-npm')
  const folder = makeProject({ 'package.json': '{"name":"p","version":"1.0.0"}' })
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const env = {
    npm_config_registry: registry,
    npm_config_audit: 'false',
    SAFE_CHAIN_NPM_CUSTOM_REGISTRIES: registry.replace(/^https:\/\/|\/$/g, ''),
    SAFE_CHAIN_MALWARE_LIST_BASE_URL: `${gatehouse.url}/firewall/1/safe-chain`,
    SAFE_CHAIN_MINIMUM_PACKAGE_AGE_HOURS: '0',
  }
  const ran = await runClient(program, ['install', wanted], { folder, env })
  return { ...ran, isThere: existsSync(join(folder, 'node_modules', 'isarray', 'package.json')) }
}

test('safe-chain blocks what our list names', async (t) => {
  const ran = await install(t, 'isarray@1.0.0')
  if (!ran) return
  assert.notEqual(ran.code, 0, ran.output)
  assert.match(ran.output, /malicious|malware/i)
  assert.equal(ran.isThere, false)
})

test('safe-chain lets through what it does not name', async (t) => {
  const ran = await install(t, 'isarray@2.0.5')
  if (!ran) return
  assert.deepEqual([ran.code, ran.isThere], [0, true], ran.output)
})
