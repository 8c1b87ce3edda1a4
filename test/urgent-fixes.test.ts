import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { testFeed } from '../src/capabilities/firewall/advisories/test-feed.ts'
import { packageLock, upload } from '../src/capabilities/scans/test-upload.ts'
import { advisoryFolder, semver } from '../src/capabilities/vulnerabilities/feeds/test-advisories.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../src/sandbox/registries/npm-registry.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'

const clock = { at: new Date('2026-11-15T12:00:00Z'), now: () => clock.at }
const [old, young] = ['2026-01-01T00:00:00.000Z', '2026-11-15T06:00:00.000Z']
const high = [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:N' }]
const low = [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N' }]
const malware = testFeed()
const advisories = advisoryFolder()
let npm: NpmRegistrySandbox
let gatehouse: TestGatehouse
const path = '/api/firewall/v1/deployments/1'

before(async () => {
  npm = await startNpmRegistry()
  for (const name of ['used', 'unused', 'mild', 'odd']) {
    npm.publish({ name, version: '1.0.0', publishedAt: old })
    const scripts = name === 'odd' ? { scripts: { postinstall: 'node x.js' } } : {}
    npm.publish({ name, version: '1.0.1', publishedAt: young, manifest: scripts })
    npm.publish({ name, version: '1.0.2', publishedAt: young })
  }
  malware.add({ id: 'MAL-1', name: 'evil' })
  for (const name of ['used', 'unused', 'mild', 'odd']) {
    const severity = name === 'mild' ? low : high
    advisories.put({ id: `GHSA-${name}`, severity, affected: [{ name, ranges: [semver('0', '1.0.1')] }] })
  }
  gatehouse = await openGatehouse({ clock, env: { GATEHOUSE_NPM_UPSTREAM: npm.url } })
  await gatehouse.firewall.feeds.sync(malware.place)
  await gatehouse.vulnerabilities.feeds.sync(advisories.place)
  const lock = packageLock({ used: '1.0.0', mild: '1.0.0', odd: '1.0.0' })
  assert.equal((await upload(gatehouse, { repository: 'shop/web' }, { 'package-lock.json': lock })).status, 200)
})
beforeEach(() => {
  clock.at = new Date(clock.at.getTime() + 120_000)
})
after(async () => {
  await gatehouse.close()
  await npm.close()
  malware.remove()
  advisories.remove()
})

async function use(rules: object[], minimumAgeHours = 0): Promise<void> {
  const sent = rules.map((rule) => ({ ecosystems: ['npm'], names: [], mode: 'enforce', note: '', ...rule }))
  const put = await gatehouse.call('PUT', `${path}/rules`, { body: { mode: 'enforce', rules: sent } })
  assert.equal(put.status, 200, JSON.stringify(put.body))
  const settings = {
    ecosystem: 'npm',
    undetermined: 'block',
    minimumAgeHours,
    ageExceptions: [],
    maximumDataAgeHours: 0,
  }
  assert.equal((await gatehouse.call('PUT', `${path}/settings`, { body: settings })).status, 200)
  await gatehouse.firewall.refresh()
}

async function fetchPackage(name: string, version: string): Promise<number> {
  const headers = { authorization: `Bearer ${gatehouse.owner.token}` }
  const answer = await fetch(`${gatehouse.url}/firewall/1/npm/${name}/-/${name}-${version}.tgz`, { headers })
  await answer.arrayBuffer()
  return answer.status
}

async function verdict(name: string, version: string) {
  const query = new URLSearchParams({ ecosystem: 'npm', name, version })
  return (await gatehouse.call('GET', `${path}/verdict?${query}`)).body
}

const gates: [what: string, rules: object[], minimumAgeHours: number][] = [
  ['a rule about age', [{ condition: 'younger_than', hours: 48, effect: 'hold' }], 0],
  ['the minimum age of the settings', [], 48],
]
for (const [what, rules, minimumAgeHours] of gates) {
  test(`${what} gives way to the fix of a grave vulnerability that a repository has, and to nothing else`, async () => {
    await use(rules, minimumAgeHours)
    assert.equal(await fetchPackage('used', '1.0.1'), 200)
    assert.equal((await verdict('used', '1.0.1')).decision, 'allow')
    const shut: [name: string, version: string, why: string][] = [
      ['used', '1.0.2', 'another version than the fix'],
      ['unused', '1.0.1', 'no repository has it'],
      ['mild', '1.0.1', 'the vulnerability is not grave'],
      ['odd', '1.0.1', 'the release gains an install script'],
    ]
    for (const [name, version, why] of shut) {
      assert.equal(await fetchPackage(name, version), 403, why)
      assert.equal((await verdict(name, version)).refuse, true, why)
    }
  })
}

test('a rule refuses versions that advisories name, and resolvers are shown those that are left', async () => {
  await use([{ condition: 'vulnerability', severity: 'high', fixAvailable: true, effect: 'refuse' }])
  assert.equal(await fetchPackage('used', '1.0.0'), 403)
  assert.match((await verdict('used', '1.0.0')).reason, /GHSA-used \(critical\).*1\.0\.1 fixes it|GHSA-used \(high\)/)
  assert.equal(await fetchPackage('used', '1.0.1'), 200)
  assert.equal(await fetchPackage('mild', '1.0.0'), 200)
  const headers = { authorization: `Bearer ${gatehouse.owner.token}` }
  const packument = (await (await fetch(`${gatehouse.url}/firewall/1/npm/used`, { headers })).json()) as {
    versions: object
  }
  assert.deepEqual(Object.keys(packument.versions), ['1.0.1', '1.0.2'])
})
