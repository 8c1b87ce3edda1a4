import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { testFeed } from '../src/capabilities/firewall/advisories/test-feed.ts'
import { seenArchives } from '../src/capabilities/firewall/rules/archive-store.ts'
import { systemActor } from '../src/kernel/access/actor.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../src/sandbox/registries/npm-registry.ts'
import { type PypiRegistrySandbox, startPypiRegistry } from '../src/sandbox/registries/pypi-registry.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'

const clock = { at: new Date('2026-11-15T12:00:00Z'), now: () => clock.at }
const [old, young] = ['2026-01-01T00:00:00.000Z', '2026-11-15T06:00:00.000Z']
const feed = testFeed()
let npm: NpmRegistrySandbox
let pypi: PypiRegistrySandbox
let gatehouse: TestGatehouse
let path: string

before(async () => {
  ;[npm, pypi] = await Promise.all([startNpmRegistry(), startPypiRegistry()])
  feed.add({ id: 'MAL-1', name: 'evil' })
  const gyp = { 'package/binding.gyp': '{}' }
  npm.publish({ name: 'quiet', version: '1.0.0', publishedAt: old })
  npm.publish({ name: 'quiet', version: '1.0.1', publishedAt: young, files: gyp })
  npm.publish({ name: 'native', version: '1.0.0', publishedAt: old, files: gyp })
  npm.publish({ name: 'native', version: '1.0.1', publishedAt: young, files: gyp })
  npm.publish({ name: 'harmless', version: '1.0.0', publishedAt: old })
  npm.publish({ name: 'harmless', version: '1.0.1', publishedAt: young })
  npm.publish({ name: 'broken', version: '1.0.0', publishedAt: old })
  npm.publish({ name: 'broken', version: '1.0.1', publishedAt: young, files: { 'package/package.json': '{' } })
  pypi.publish({ name: 'lite', version: '1.0', publishedAt: old })
  pypi.publish({ name: 'lite', version: '1.1', publishedAt: young, files: { 'lite_init.pth': 'import os' } })
  pypi.publish({ name: 'pure', version: '1.0', publishedAt: old })
  pypi.publish({ name: 'pure', version: '1.1', publishedAt: young, files: { 'pure/_x.so': 'ELF' } })
  pypi.publish({ name: 'fast', version: '1.0', publishedAt: old, files: { 'fast/_x.so': 'ELF' } })
  pypi.publish({ name: 'fast', version: '1.1', publishedAt: young, files: { 'fast/_y.so': 'ELF' } })
  const env = { GATEHOUSE_NPM_UPSTREAM: npm.url, GATEHOUSE_PYPI_UPSTREAM: pypi.indexUrl }
  gatehouse = await openGatehouse({ clock, env })
  path = `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}`
  await gatehouse.firewall.feeds.sync(feed.place)
  await gatehouse.firewall.refresh()
})

after(async () => {
  await gatehouse.close()
  for (const registry of [npm, pypi]) await registry.close()
  feed.remove()
})

const rule = { names: [], mode: 'enforce', note: '' }
const held = { ...rule, condition: 'release_signal', effect: 'hold', holdHours: 48 }
const gaining = { ...held, ecosystems: ['npm', 'pypi'], signals: ['new_install_script', 'new_executable'] }

async function use(...rules: object[]) {
  clock.at = new Date(clock.at.getTime() + 61_000)
  const answer = await gatehouse.call('PUT', `${path}/rules`, { body: { mode: 'enforce', rules } })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  await gatehouse.firewall.refresh()
}

function fetchPackage(artifact: string, method = 'GET') {
  const headers = { authorization: `Bearer ${gatehouse.owner.token}` }
  return fetch(`${gatehouse.url}/firewall/1/${artifact}`, { headers, method })
}

async function fetched(artifact: string): Promise<{ status: number; said: string }> {
  const answer = await fetchPackage(artifact)
  return { status: answer.status, said: answer.status === 200 ? '' : await answer.text() }
}

const tarball = (name: string, version: string) => fetched(`npm/${name}/-/${name.replace(/^.*\//, '')}-${version}.tgz`)
const wheel = (name: string, version: string) => fetched(`pypi/simple/${name}/${name}-${version}-py3-none-any.whl`)
const versionsOf = async (name: string) => {
  const answer = await fetchPackage(`npm/${name}`)
  assert.equal(answer.status, 200)
  return Object.keys(((await answer.json()) as { versions: object }).versions)
}

test('a tarball that gains binding.gyp is refused before a byte of it is served, though no metadata says so', async () => {
  await use(gaining)
  assert.deepEqual(await versionsOf('quiet'), ['1.0.0', '1.0.1'], 'nobody can know before it is fetched')
  const { status, said } = await tarball('quiet', '1.0.1')
  assert.equal(status, 403)
  assert.match(said, /gains an install script \(binding\.gyp\), which 1\.0\.0 did not have/)
  assert.equal((await fetchPackage('npm/quiet/-/quiet-1.0.1.tgz', 'HEAD')).status, 403)
  assert.equal((await tarball('quiet', '1.0.0')).status, 200)
  assert.equal((await tarball('harmless', '1.0.1')).status, 200)
  assert.equal((await tarball('native', '1.0.1')).status, 200, 'those before it had one too')
})

test('what was seen is remembered: the version is out of the metadata from then on, also for a new process', async () => {
  await use(gaining)
  assert.deepEqual(await versionsOf('quiet'), ['1.0.0'])
  const known = await seenArchives(gatehouse.db.as(systemActor(1, 'test')), 'npm', 'quiet')
  assert.deepEqual(
    [...known.values()].flat().map(({ seen }) => seen.installScript),
    ['binding.gyp'],
  )
})

/** As if an older reader had looked into what is known of a package. */
async function sawOnly(name: string, seen: object): Promise<void> {
  await gatehouse.db.transaction(systemActor(1, 'test'), (tx) =>
    tx.query(sql`update firewall_archive set reader = 1, seen = ${JSON.stringify(seen)}::jsonb
      where deployment_id = 1 and name = ${name}`),
  )
  clock.at = new Date(clock.at.getTime() + 61_000)
}

test('what an older reader saw is looked for again, and remembered anew', async () => {
  await use(gaining)
  for (const name of ['quiet', 'harmless']) await tarball(name, '1.0.1')
  await sawOnly('quiet', { signals: [] })
  await sawOnly('harmless', { signals: [{ signal: 'new_install_script', because: 'It seems to' }] })
  assert.equal((await tarball('quiet', '1.0.1')).status, 403, 'which saw less')
  assert.equal((await tarball('harmless', '1.0.1')).status, 200, 'which saw more')
  clock.at = new Date(clock.at.getTime() + 61_000)
  assert.deepEqual(await versionsOf('quiet'), ['1.0.0'])
  assert.deepEqual(await versionsOf('harmless'), ['1.0.0', '1.0.1'])
})

test('what an older reader saw in one file of a version is held against the others, until it is looked for again', async () => {
  const build = (tag: string, files: Record<string, string>) =>
    pypi.publish({ name: 'several', version: '1.1', publishedAt: young, files, tag })
  pypi.publish({ name: 'several', version: '1.0', publishedAt: old })
  build('cp312-cp312-linux_x86_64', {})
  build('cp313-cp313-linux_x86_64', { 'several/x.py': '' })
  const [one, other] = ['cp312-cp312', 'cp313-cp313'].map(
    (tag) => `pypi/simple/several/several-1.1-${tag}-linux_x86_64.whl`,
  )
  await use(gaining)
  assert.equal((await fetched(one!)).status, 200)
  await sawOnly('several', { signals: [{ signal: 'new_executable', because: 'It gains something' }] })
  assert.match((await fetched(other!)).said, /It gains something/)
  assert.equal((await fetched(one!)).status, 200)
  assert.equal((await fetched(other!)).status, 200)
  await sawOnly('several', { signals: [], isUnreadable: true })
  assert.equal((await fetched(other!)).status, 200, 'what it could not read says nothing of the others')
})

test('the verdict that is asked for beforehand is that of the adapter', async () => {
  await use(gaining)
  npm.publish({ name: 'unasked', version: '1.0.0', publishedAt: old })
  npm.publish({ name: 'unasked', version: '1.0.1', publishedAt: young, files: { 'package/binding.gyp': '{}' } })
  for (const [ecosystem, name, version] of [
    ['npm', 'unasked', '1.0.1'],
    ['pypi', 'lite', '1.1'],
  ] as const) {
    const asked = await gatehouse.call('GET', `${path}/verdict?${new URLSearchParams({ ecosystem, name, version })}`)
    assert.partialDeepStrictEqual(asked.body, { refuse: true, rule: 'rule_hold' })
  }
})

test('a wheel that gains a .pth file or executable files is refused', async () => {
  await use(gaining)
  const pth = await wheel('lite', '1.1')
  assert.equal(pth.status, 403)
  assert.match(pth.said, /gains an install script \(lite_init\.pth\), which 1\.0 did not have/)
  const so = await wheel('pure', '1.1')
  assert.equal(so.status, 403)
  assert.match(so.said, /gains executable files \(pure\/_x\.so\), which 1\.0 did not have/)
  assert.equal((await wheel('fast', '1.1')).status, 200, 'those before it had some too')
  assert.match(await (await fetchPackage('pypi/simple/pure/')).text(), /data-yanked="Gatehouse refuses pure@1\.1/)
})

test('a rule about install scripts knows those that only the archive has', async () => {
  await use({ ...rule, ecosystems: ['npm', 'pypi'], condition: 'install_script', effect: 'refuse' })
  assert.match((await tarball('native', '1.0.0')).said, /runs code when it is installed \(binding\.gyp\)/)
  assert.match((await wheel('lite', '1.1')).said, /runs code when it is installed \(lite_init\.pth\)/)
  assert.equal((await tarball('harmless', '1.0.0')).status, 200)
})

test('a source archive runs code when it is installed, though there is a wheel for some other machine', async () => {
  pypi.publish({ name: 'mixed', version: '1.0', publishedAt: old, tag: 'cp36-cp36m-win32' })
  pypi.publish({ name: 'mixed', version: '1.0', publishedAt: old, isSource: true })
  await use({ ...rule, ecosystems: ['pypi'], condition: 'install_script', effect: 'refuse' })
  const { status, said } = await fetched('pypi/simple/mixed/mixed-1.0.tar.gz')
  assert.equal(status, 403)
  assert.match(said, /runs code when it is installed \(the build of its source archive\)/)
  assert.equal((await fetched('pypi/simple/mixed/mixed-1.0-cp36-cp36m-win32.whl')).status, 200)
  const page = await (await fetchPackage('pypi/simple/mixed/')).text()
  assert.equal(page.match(/data-yanked="Gatehouse/g)?.length, 1, 'the source archive alone')
})

test('an archive that cannot be read is undetermined where a rule asks for it, and nowhere else', async () => {
  await use(gaining)
  const { status, said } = await tarball('broken', '1.0.1')
  assert.equal(status, 403)
  assert.match(said, /what is in its archive, and that cannot be read/)
  await use({ ...gaining, signals: ['trust_lost'] })
  assert.equal((await tarball('broken', '1.0.1')).status, 200)
})

test('a burst of a scope holds its releases', async () => {
  for (let i = 0; i < 6; i++) {
    const name = `@acme/p${i}`
    npm.publish({ name, version: '1.0.0', publishedAt: new Date(Date.parse(old) + i * 86_400_000).toISOString() })
    npm.publish({ name, version: '1.0.1', publishedAt: new Date(Date.parse(young) + i).toISOString() })
  }
  await use()
  for (let i = 0; i < 6; i++) assert.equal((await tarball(`@acme/p${i}`, '1.0.0')).status, 200)
  await gatehouse.recorder.flush()
  await use({ ...held, ecosystems: ['npm'], signals: ['scope_burst'] })
  const { status, said } = await tarball('@acme/p3', '1.0.1')
  assert.equal(status, 403)
  assert.match(said, /6 versions of 6 packages of @acme came out within an hour/)
  assert.deepEqual(await versionsOf('@acme%2fp0'), ['1.0.0'])
})
