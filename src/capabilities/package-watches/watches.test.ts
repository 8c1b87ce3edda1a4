import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { testFeed } from '../firewall/advisories/test-feed.ts'
import { packageLock, upload } from '../scans/test-upload.ts'
import { advisoryFolder, semver } from '../vulnerabilities/feeds/test-advisories.ts'
import { mostWatches, type WatchWithNews } from './contract.ts'

let gatehouse: TestGatehouse
const feed = advisoryFolder()
const base = '/api/sca/deployments/1/watched-packages'
const none = {
  repositoryCount: 0,
  repositories: [],
  versionCount: 0,
  versions: [],
  vulnerabilityCount: 0,
  vulnerabilities: [],
  firewall: null,
}

before(async () => {
  gatehouse = await openGatehouse()
  // Otherwise everybody sees whatever comes in.
  const { teams } = (await gatehouse.call('GET', '/api/permissions/v2/deployments/1/teams')).body
  await gatehouse.call('PATCH', `/api/permissions/v2/deployments/1/teams/${teams[0].id}/defaults`, {
    body: { isProjectDefault: false },
  })
})
after(async () => {
  await gatehouse.close()
  feed.remove()
})

async function use(repository: string, packages: Record<string, string>): Promise<void> {
  await upload(gatehouse, { repository }, { 'package-lock.json': packageLock(packages) })
}

async function watch(name: string, as = gatehouse.owner.token) {
  return gatehouse.call('PUT', `${base}/npm/${encodeURIComponent(name)}`, { as })
}

async function watched(as = gatehouse.owner.token): Promise<WatchWithNews[]> {
  const { status, body } = await gatehouse.call('GET', base, { as })
  assert.equal(status, 200)
  return body.watches
}

async function newsOf(name: string, as = gatehouse.owner.token) {
  return (await watched(as)).find((each) => each.name === name)!.news
}

async function attention(as = gatehouse.owner.token): Promise<number> {
  const { body } = await gatehouse.call('GET', '/api/deployments/v1/deployments/1/attention', { as })
  return body.items.find((item: { kind: string }) => item.kind === 'watchedPackages').count
}

test('what is known when somebody begins to watch is not news', async () => {
  await use('shop/web', { pad: '1.0.0' })
  const { status, body } = await watch('pad')
  assert.equal(status, 200, JSON.stringify(body))
  const [one] = await watched()
  assert.deepEqual([one!.ecosystem, one!.name, one!.repositoryCount, one!.hasNews], ['npm', 'pad', 1, false])
  assert.deepEqual(one!.news, none)
  assert.equal(await attention(), 0)
})

test('a repository that begins to use it, in another version, is news until it is marked as seen', async () => {
  await use('shop/api', { pad: '2.0.0' })
  const news = await newsOf('pad')
  assert.deepEqual(
    [news.repositories.map(({ name }) => name), news.repositoryCount, news.versions, news.versionCount],
    [['shop/api'], 1, ['2.0.0'], 1],
  )
  assert.equal(await attention(), 1)
  await watch('pad')
  assert.deepEqual(await newsOf('pad'), none)
  assert.equal(await attention(), 0)
})

test('what goes away is not news, and what comes again is', async () => {
  await use('shop/api', {})
  assert.deepEqual(await newsOf('pad'), none)
  await watch('pad')
  await use('shop/api', { pad: '2.0.0' })
  assert.equal((await newsOf('pad')).repositoryCount, 1)
  await watch('pad')
})

test('a vulnerability of a version in use is news once', async () => {
  feed.put({ id: 'GHSA-1', aliases: ['CVE-2026-7'], affected: [{ name: 'pad', ranges: [semver('0', '1.5.0')] }] })
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
  const news = await newsOf('pad')
  assert.deepEqual([news.vulnerabilities, news.vulnerabilityCount], [['CVE-2026-7'], 1])
  await watch('pad')
  assert.deepEqual(await newsOf('pad'), none)
})

test('each package has the vulnerabilities of its own versions, the gravest first', async () => {
  await use('shop/both', { left: '1.0.0', right: '1.0.0', 'right-again': '1.0.0' })
  await watch('left')
  await watch('right')
  const about = (name: string) => [{ name, ranges: [semver('0', '1.5.0')] }]
  const scored = (score: string) => ({ severity: [{ type: 'CVSS_V3', score }] })
  feed.put({ id: 'CVE-2026-20', ...scored('CVSS:3.1/AV:N/AC:H/PR:L/UI:R/S:U/C:L/I:N/A:N'), affected: about('left') })
  feed.put({ id: 'CVE-2026-21', ...scored('CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H'), affected: about('left') })
  feed.put({ id: 'CVE-2026-22', affected: about('right') })
  feed.put({ id: 'CVE-2026-23', affected: [{ name: 'right', ranges: [semver('1.1.0', '1.5.0')] }] })
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
  assert.deepEqual((await newsOf('left')).vulnerabilities, ['CVE-2026-21', 'CVE-2026-20'])
  assert.deepEqual((await newsOf('right')).vulnerabilities, ['CVE-2026-22'])
  for (const name of ['left', 'right']) await gatehouse.call('DELETE', `${base}/npm/${name}`)
})

test('that the firewall keeps it out is news, for whoever may read the firewall alone', async () => {
  const narrow = await gatehouse.makeToken(gatehouse.owner.jwt, 1, { scopes: ['dependencies:read'] })
  const { body } = await gatehouse.call('POST', '/api/firewall/v1/deployments/1/overrides', {
    body: { ecosystem: 'npm', name: 'pad', effect: 'deny', reason: 'no more of it' },
  })
  await gatehouse.firewall.refresh()
  assert.equal((await newsOf('pad')).firewall, 'kept_out')
  assert.equal((await newsOf('pad', narrow)).firewall, null)
  await watch('pad')
  assert.equal((await newsOf('pad')).firewall, null)
  assert.equal((await newsOf('pad', narrow)).firewall, null)
  await gatehouse.call('DELETE', `/api/firewall/v1/deployments/1/overrides/${body.override.id}`)
  await gatehouse.firewall.refresh()
  assert.equal((await newsOf('pad')).firewall, 'let_in')
  assert.equal((await newsOf('pad', narrow)).firewall, null)
  await watch('pad')
})

test('a rule about what the database knows of it is news at once, and not when a client has asked for it', async () => {
  const severity = [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }]
  const malware = testFeed()
  malware.add({ id: 'MAL-2026-1', name: 'elsewhere' })
  await gatehouse.firewall.feeds.sync(malware.place)
  malware.remove()
  feed.put({ id: 'CVE-2026-30', severity, affected: [{ name: 'pad', ranges: [semver('0', '9.0.0')] }] })
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
  await watch('pad')
  const rule = { ecosystems: ['npm'], names: ['*'], effect: 'refuse', mode: 'enforce', note: '' }
  const put = (rules: object[]) =>
    gatehouse.call('PUT', '/api/firewall/v1/deployments/1/rules', { body: { mode: 'enforce', rules } })
  const { status, body } = await put([{ ...rule, condition: 'vulnerability', severity: 'high' }])
  assert.equal(status, 200, JSON.stringify(body))
  await gatehouse.firewall.refresh()
  assert.equal((await newsOf('pad')).firewall, 'kept_out')
  await put([])
  await gatehouse.firewall.refresh()
  await watch('pad')
})

test('a package that no repository has can be watched, by the spelling rules of its ecosystem', async () => {
  const python = (method: string, name: string) => gatehouse.call(method, `${base}/pypi/${name}`)
  assert.equal((await python('PUT', 'Some_Package')).status, 200)
  assert.equal((await python('PUT', 'some-package')).status, 200)
  assert.deepEqual(
    (await watched()).map(({ name }) => name),
    ['pad', 'Some_Package'],
  )
  const asked = async (query: string) => (await gatehouse.call('GET', `${base}?${query}`)).body.watches.length
  assert.deepEqual(
    [await asked('name=SOME.package'), await asked('ecosystem=npm&name=some-package'), await asked('ecosystem=pypi')],
    [1, 0, 1],
  )
  assert.equal((await python('DELETE', 'SOME.package')).status, 200)
  assert.equal((await python('DELETE', 'SOME.package')).status, 404)
})

test("watches are their person's own, and tell of repositories that they see alone", async () => {
  const reader = await gatehouse.addPerson('readonly')
  await watch('pad', reader.token)
  await watch('later', reader.token)
  await use('shop/secret', { later: '1.0.0' })
  assert.deepEqual(
    (await watched(reader.token)).map(({ name, repositoryCount }) => [name, repositoryCount]),
    [
      ['later', 0],
      ['pad', 0],
    ],
  )
  assert.equal(await attention(reader.token), 0)
  assert.deepEqual(
    (await watched()).map(({ name }) => name),
    ['pad'],
  )
  assert.equal((await gatehouse.call('DELETE', `${base}/npm/later`)).status, 404)
})

test('one person watches so many packages and no more, also when all are asked for at once', async () => {
  const { token } = await gatehouse.addPerson('member')
  for (let n = 2; n < mostWatches; n++) assert.equal((await watch(`p${n}`, token)).status, 200)
  const answers = await Promise.all(Array.from({ length: 6 }, (_, n) => watch(`q${n}`, token)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 200, 409, 409, 409, 409])
  assert.equal((await watched(token)).length, mostWatches)
  assert.equal((await watch('p5', token)).status, 200)
})
