import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { runCommand } from '../../../test/clients/command-line.ts'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { testFeed } from '../../capabilities/firewall/advisories/test-feed.ts'
import { advisoryFolder, semver } from '../../capabilities/vulnerabilities/feeds/test-advisories.ts'
import { readPackage } from '../firewall/firewall-check.ts'

const feed = testFeed()
let gatehouse: TestGatehouse
let env: Record<string, string>

before(async () => {
  gatehouse = await openGatehouse()
  const { user, password, host, port, database } = gatehouse.connection
  env = {
    DATABASE_URL: `postgres://${user}:${password}@/${database}?host=${encodeURIComponent(host!)}&port=${port}`,
    GATEHOUSE_KEY: gatehouse.masterKey.toString('base64'),
    GATEHOUSE_DATA: feed.path,
    GATEHOUSE_FEED: 'none',
    GATEHOUSE_URL: gatehouse.url,
    GATEHOUSE_TOKEN: gatehouse.owner.token,
  }
})
after(async () => {
  await gatehouse.close()
  feed.remove()
})

async function runGatehouse(...args: string[]) {
  const ran = await runCommand([...args, '--json'], { env })
  return { code: ran.code, said: JSON.parse(ran.stdout || '{}'), stderr: ran.stderr }
}

test('feeds are taken over, listed and removed from the command line, and the verdict follows', async () => {
  const place = `${feed.path}/osv`
  feed.add({ id: 'MAL-1', name: 'evil' }, { id: 'MAL-2', name: '@scope/half', versions: ['1.0.0'] })
  const unknown = await runGatehouse('firewall', 'check', 'evil@1.0.0')
  assert.deepEqual([unknown.code, unknown.said.decision], [1, 'undetermined'])
  const synced = await runGatehouse('feed', 'sync', place)
  assert.equal(synced.code, 0, synced.stderr)
  assert.partialDeepStrictEqual(synced.said.feeds, [{ place, outcome: 'activated', records: 2 }])
  assert.partialDeepStrictEqual((await runGatehouse('feed', 'list')).said.feeds, [
    { place, recordCount: 2, problem: '' },
  ])

  await gatehouse.firewall.refresh()
  const blocked = await runGatehouse('firewall', 'check', 'evil@1.0.0')
  assert.equal(blocked.code, 1)
  assert.partialDeepStrictEqual(blocked.said, { decision: 'block', refuse: true, advisoryIds: ['MAL-1'] })
  // Its registry cannot be asked here, so nobody would get it, though nothing speaks against it.
  const allowed = await runGatehouse('firewall', 'check', 'pkg:npm/%40scope/half@1.0.1')
  assert.deepEqual([allowed.code, allowed.said.refuse], [3, false])

  feed.remove()
  feed.add({ id: 'MAL-1', name: 'evil' })
  const shrunken = await runGatehouse('feed', 'sync', place)
  assert.deepEqual([shrunken.code, shrunken.said.feeds[0].outcome], [1, 'refused'])
  assert.equal((await runGatehouse('feed', 'sync', place, '--force')).code, 0)
  const other = `${feed.path}/other`
  assert.equal((await runGatehouse('feed', 'sync', other)).code, 1)
  assert.equal((await runGatehouse('feed', 'remove', place, `${feed.path}/unheard-of`)).code, 2)
  const removed = await runGatehouse('feed', 'remove', place, other)
  assert.deepEqual([removed.code, removed.said], [0, { removed: [place, other] }])
  assert.equal((await runGatehouse('feed', 'remove', place)).code, 2)
  assert.equal((await runGatehouse('feed', 'sync')).code, 2)
})

test('feeds of vulnerabilities are taken over by the same command, and apart from the others', async () => {
  const advisories = advisoryFolder()
  advisories.put({ id: 'GHSA-1', affected: [{ name: 'a', ranges: [semver('0')] }] })
  env.GATEHOUSE_VULNERABILITY_FEED = advisories.path
  const all = await runGatehouse('feed', 'sync')
  assert.equal(all.code, 0, all.stderr)
  assert.partialDeepStrictEqual(all.said.feeds, [
    { kind: 'vulnerabilities', place: advisories.path, outcome: 'activated' },
  ])
  const named = await runGatehouse('feed', 'sync', '--vulnerabilities', advisories.path)
  assert.deepEqual(named.said.feeds, [{ kind: 'vulnerabilities', place: advisories.path, outcome: 'current' }])
  const list = await runGatehouse('feed', 'list')
  assert.partialDeepStrictEqual(list.said.feeds, [{ kind: 'vulnerabilities', place: advisories.path, recordCount: 1 }])
  assert.equal((await runGatehouse('feed', 'remove', advisories.path)).code, 2)
  assert.equal((await runGatehouse('feed', 'remove', advisories.path, '--vulnerabilities')).code, 0)
  delete env.GATEHOUSE_VULNERABILITY_FEED
  advisories.remove()
})

test('a package is named with its version, as its own tools or as a package URL do it', () => {
  const read: [string, string, string][] = [
    ['chalk@5.6.1', 'chalk', '5.6.1'],
    ['@scope/name@1.0.0', '@scope/name', '1.0.0'],
    ['pkg:npm/%40scope/name@1.0.0', '@scope/name', '1.0.0'],
  ]
  for (const [text, name, version] of read)
    assert.deepEqual(readPackage(text, 'npm'), { ecosystem: 'npm', name, version })
  assert.deepEqual(readPackage('pkg:maven/g/a@1', 'npm'), { ecosystem: 'maven', name: 'g:a', version: '1' })
  for (const text of ['chalk', '@scope/name', 'chalk@', '@1.0', 'pkg:npm/chalk', 'pkg:what/ever@1']) {
    assert.throws(() => readPackage(text, 'npm'), /does not have the form package@version/)
  }
})
