import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { testFeed } from '../src/capabilities/firewall/advisories/test-feed.ts'
import { type MavenRegistrySandbox, startMavenRegistry } from '../src/sandbox/registries/maven-registry.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../src/sandbox/registries/npm-registry.ts'
import { type PypiRegistrySandbox, startPypiRegistry } from '../src/sandbox/registries/pypi-registry.ts'
import { runCommand } from './clients/command-line.ts'
import { openGatehouse, type Tester, type TestGatehouse } from './gatehouse.ts'

const clock = { at: new Date('2026-11-15T12:00:00Z'), now: () => clock.at }
const [longAgo, old, young] = ['2025-06-01T00:00:00.000Z', '2026-01-01T00:00:00.000Z', '2026-11-15T06:00:00.000Z']
const feed = testFeed()
let npm: NpmRegistrySandbox
let pypi: PypiRegistrySandbox
let maven: MavenRegistrySandbox
let gatehouse: TestGatehouse
let member: Tester
let path: string

before(async () => {
  ;[npm, pypi, maven] = await Promise.all([startNpmRegistry(), startPypiRegistry(), startMavenRegistry()])
  const postinstall = { scripts: { postinstall: 'node setup.js' }, hasInstallScript: true }
  npm.publish({ name: 'good', version: '1.0.0', publishedAt: old })
  npm.publish({ name: 'good', version: '1.0.1', publishedAt: young })
  npm.publish({ name: 'hijacked', version: '1.0.0', publishedAt: old })
  npm.publish({ name: 'hijacked', version: '1.0.1', publishedAt: young, manifest: postinstall })
  npm.publish({ name: 'plain-helper', version: '4.2.0', publishedAt: '2026-11-14T12:00:00.000Z' })
  npm.publish({ name: 'settled', version: '2.0.0', publishedAt: longAgo })
  npm.publish({ name: 'grows', version: '1.0.0', publishedAt: old })
  npm.publish({ name: 'grows', version: '1.0.1', publishedAt: young, dependencies: { 'plain-helper': '^4.2.0' } })
  npm.publish({ name: 'grows', version: '1.0.2', publishedAt: young, dependencies: { settled: '^2.0.0' } })
  npm.publish({ name: 'grows', version: '1.0.3', publishedAt: young, dependencies: { 'never-published': '^1.0.0' } })
  pypi.publish({ name: 'snake', version: '1.0', publishedAt: old, isAttested: true })
  pypi.publish({ name: 'snake', version: '1.1', publishedAt: young })
  maven.publish({ group: 'com.acme', artifact: 'lib', version: '1.0', publishedAt: old })
  maven.publish({ group: 'com.acme', artifact: 'lib', version: '1.1', publishedAt: young })
  feed.add({ id: 'MAL-1', name: 'evil' })
  npm.publish({ name: 'evil', version: '1.0.0' })
  const env = {
    GATEHOUSE_NPM_UPSTREAM: npm.url,
    GATEHOUSE_PYPI_UPSTREAM: pypi.indexUrl,
    GATEHOUSE_MAVEN_UPSTREAM: maven.url,
  }
  gatehouse = await openGatehouse({ clock, env })
  path = `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}`
  member = await gatehouse.addPerson('member')
  await gatehouse.firewall.feeds.sync(feed.place)
  await gatehouse.firewall.refresh()
})

beforeEach(() => {
  clock.at = new Date(clock.at.getTime() + 60_000)
})

after(async () => {
  await gatehouse.close()
  for (const registry of [npm, pypi, maven]) await registry.close()
  feed.remove()
})

type Sent = Record<string, unknown>
const rule = (fields: Sent): Sent => ({
  ecosystems: ['npm'],
  names: [],
  condition: 'always',
  effect: 'refuse',
  mode: 'enforce',
  note: '',
  ...fields,
})
const signals = rule({
  condition: 'release_signal',
  signals: ['new_install_script', 'trust_lost', 'young_dependency'],
  effect: 'hold',
  holdHours: 48,
})

async function use(rules: Sent[], mode = 'enforce') {
  const answer = await gatehouse.call('PUT', `${path}/rules`, { body: { mode, rules } })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  await gatehouse.firewall.refresh()
  return answer.body
}

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type AdapterAnswer = Omit<Response, 'json'> & { json(): Promise<any> }

function fetchPackage(artifact: string, as = gatehouse.owner.token) {
  const headers = { authorization: `Bearer ${as}`, 'user-agent': 'npm/11.0.0' }
  return fetch(`${gatehouse.url}/firewall/1/${artifact}`, { headers }) as Promise<AdapterAnswer>
}

const tarball = (name: string, version: string) => fetchPackage(`npm/${name}/-/${name}-${version}.tgz`)
const statusOf = async (answer: Promise<AdapterAnswer>) => {
  const got = await answer
  await got.arrayBuffer()
  return got.status
}

async function ask(ecosystem: string, name: string, version: string) {
  const answer = await gatehouse.call('GET', `${path}/verdict?${new URLSearchParams({ ecosystem, name, version })}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

async function events(filter: object = {}) {
  const answer = await gatehouse.call('POST', `${path}/events/search`, { body: { filter } })
  return answer.body.events
}

test('a release that gains an install script is held: by the adapter, in the metadata, by the check and on record', async () => {
  await use([signals])
  const answer = await tarball('hijacked', '1.0.1')
  assert.equal(answer.status, 403)
  const verdict = await ask('npm', 'hijacked', '1.0.1')
  assert.deepEqual([verdict.rule, verdict.refuse, verdict.ruleId > 0], ['rule_hold', true, true])
  assert.match(verdict.reason, /gains an install script \(postinstall\).*until 2026-11-17T06:00/)
  assert.ok((await answer.json()).error.includes(verdict.reason.replace(/\.$/, '')))
  const packument = await (await fetchPackage('npm/hijacked')).json()
  assert.deepEqual([Object.keys(packument.versions), packument['dist-tags'].latest], [['1.0.0'], '1.0.0'])
  const { code, stdout } = await runCommand(['firewall', 'check', 'hijacked@1.0.1', '--url', gatehouse.url], {
    env: { GATEHOUSE_TOKEN: gatehouse.owner.token },
  })
  assert.equal(code, 1)
  assert.ok(stdout.includes(verdict.reason), stdout)
  const [event] = await events()
  assert.partialDeepStrictEqual(event, { name: 'hijacked', rule: 'rule_hold', reason: verdict.reason, watched: false })
  assert.equal(await statusOf(tarball('hijacked', '1.0.0')), 200)
  assert.equal(await statusOf(tarball('good', '1.0.1')), 200, 'an ordinary release comes in, however new')
})

test('what is held comes in by itself when its time is over', async () => {
  await use([signals])
  const before = clock.at
  clock.at = new Date('2026-11-17T06:00:00.000Z')
  assert.equal(await statusOf(tarball('hijacked', '1.0.1')), 200)
  clock.at = before
  assert.equal(await statusOf(tarball('hijacked', '1.0.1')), 403)
})

test('a release that gains a dependency which is itself new, or which nobody has, is held', async () => {
  await use([signals])
  const packument = await (await fetchPackage('npm/grows')).json()
  assert.deepEqual(Object.keys(packument.versions), ['1.0.0', '1.0.2'])
  assert.match((await ask('npm', 'grows', '1.0.1')).reason, /gains the dependency plain-helper, which is only 0 days/)
  assert.match((await ask('npm', 'grows', '1.0.3')).reason, /never-published, which no registry has/)
  assert.equal(await statusOf(tarball('grows', '1.0.1')), 403)
  assert.equal(await statusOf(tarball('grows', '1.0.2')), 200)
})

test('a release of PyPI without the attestations of those before it is held', async () => {
  await use([{ ...signals, ecosystems: ['pypi'], signals: ['trust_lost'] }])
  assert.equal(await statusOf(fetchPackage('pypi/simple/snake/snake-1.1-py3-none-any.whl')), 403)
  assert.equal(await statusOf(fetchPackage('pypi/simple/snake/snake-1.0-py3-none-any.whl')), 200)
  assert.match((await ask('pypi', 'snake', '1.1')).reason, /without provenance, which 1\.0 had/)
  const page = await (await fetchPackage('pypi/simple/snake/')).text()
  assert.match(page, /data-yanked="Gatehouse refuses snake@1\.1/)
})

test('a rule asks the full metadata also where the short one has the times, as that of Verdaccio has', async () => {
  npm.publish({ name: 'viral', version: '1.0.0', publishedAt: old, manifest: { license: 'GPL-3.0-only' } })
  npm.publish({ name: 'permissive', version: '1.0.0', publishedAt: old, manifest: { license: 'MIT' } })
  npm.control.meddle = (_asked, honest) => {
    if (!honest.headers?.['content-type']?.startsWith('application/vnd.npm.install')) return honest
    const { versions, ...rest } = JSON.parse(String(honest.body))
    const { license: _, ...short } = versions['1.0.0']
    return { ...honest, body: JSON.stringify({ ...rest, versions: { '1.0.0': short }, time: { '1.0.0': old } }) }
  }
  const licences = { condition: 'licence', licences: ['GPL-3.0-only'] }
  await use([rule({ names: ['viral', 'permissive'], ...licences, licencesAre: 'listed' })])
  const short = { authorization: `Bearer ${gatehouse.owner.token}`, accept: 'application/vnd.npm.install-v1+json' }
  assert.equal((await fetch(`${gatehouse.url}/firewall/1/npm/viral`, { headers: short })).status, 403)
  assert.equal(await statusOf(tarball('viral', '1.0.0')), 403)
  await use([rule({ names: ['viral', 'permissive'], ...licences, licences: ['MIT'], licencesAre: 'not_listed' })])
  assert.equal((await fetch(`${gatehouse.url}/firewall/1/npm/permissive`, { headers: short })).status, 200)
  assert.equal(await statusOf(tarball('permissive', '1.0.0')), 200)
  npm.control.meddle = undefined
})

test('the age rule holds in every ecosystem', async () => {
  await use([rule({ ecosystems: ['npm', 'pypi', 'maven'], condition: 'younger_than', hours: 24, effect: 'hold' })])
  assert.equal(await statusOf(tarball('good', '1.0.1')), 403)
  assert.equal(await statusOf(fetchPackage('pypi/simple/snake/snake-1.1-py3-none-any.whl')), 403)
  assert.equal(await statusOf(fetchPackage('maven/com/acme/lib/1.1/lib-1.1.jar')), 403)
  assert.equal(await statusOf(fetchPackage('maven/com/acme/lib/1.0/lib-1.0.jar')), 200)
})

test('an allow-list with default-deny asks nobody for what is not on it', async () => {
  await use([rule({ names: ['good'], effect: 'allow' }), rule({ note: 'Ask the platform team.' })])
  const seen = npm.seen.length
  const answer = await fetchPackage('npm/never-seen')
  assert.equal(answer.status, 403)
  assert.match((await answer.json()).error, /keeps it out.*Ask the platform team/)
  assert.equal(npm.seen.length, seen)
  assert.equal(await statusOf(tarball('good', '1.0.1')), 200)
})

test('an exception lets a version in whose package a rule refuses by its name, in the metadata too', async () => {
  npm.publish({ name: 'wanted', version: '1.0.0', publishedAt: old })
  npm.publish({ name: 'wanted', version: '1.1.0', publishedAt: old })
  pypi.publish({ name: 'wanted', version: '1.0', publishedAt: old })
  pypi.publish({ name: 'wanted', version: '1.1', publishedAt: old })
  await use([rule({ ecosystems: ['npm', 'pypi'] })])
  for (const [ecosystem, version] of [
    ['npm', '1.0.0'],
    ['pypi', '1.0'],
  ]) {
    const wish = { ecosystem, name: 'wanted', version, reason: 'needed' }
    const { body } = await gatehouse.call('POST', `${path}/exceptions`, { body: wish })
    const expiresAt = new Date(clock.at.getTime() + 86_400_000).toISOString()
    const decision = { decision: 'approve', reason: 'looked at it', expiresAt }
    const made = await gatehouse.call('POST', `${path}/exceptions/${body.exception.id}/decision`, { body: decision })
    assert.equal(made.status, 200, JSON.stringify(made.body))
  }
  await gatehouse.firewall.refresh()
  const packument = await (await fetchPackage('npm/wanted')).json()
  assert.deepEqual([Object.keys(packument.versions), packument['dist-tags'].latest], [['1.0.0'], '1.0.0'])
  assert.equal(await statusOf(tarball('wanted', '1.0.0')), 200)
  assert.equal(await statusOf(tarball('wanted', '1.1.0')), 403)
  const page = await fetchPackage('pypi/simple/wanted/')
  assert.equal(page.status, 200)
  assert.match(await page.text(), /wanted-1\.1-py3[^>]*data-yanked/)
  assert.equal(await statusOf(fetchPackage('npm/good')), 403, 'nobody asked for this one')
})

test('no rule lets known malware in', async () => {
  await use([rule({ names: ['evil', 'evi*'], effect: 'allow' })])
  assert.equal(await statusOf(tarball('evil', '1.0.0')), 403)
  assert.equal((await ask('npm', 'evil', '1.0.0')).rule, 'malicious')
  await use([], 'monitor')
  assert.equal(await statusOf(tarball('evil', '1.0.0')), 403, 'also where the firewall only watches')
})

test('a rule that only watches refuses nothing, and what it would have refused is on record', async () => {
  await use([{ ...signals, mode: 'monitor' }])
  const since = clock.now().toISOString()
  assert.equal(await statusOf(tarball('hijacked', '1.0.1')), 200)
  const packument = await (await fetchPackage('npm/hijacked')).json()
  assert.ok(packument.versions['1.0.1'])
  const verdict = await ask('npm', 'hijacked', '1.0.1')
  assert.deepEqual([verdict.decision, verdict.refuse, verdict.watched.rule], ['allow', false, 'rule_hold'])
  await gatehouse.recorder.flush()
  const found = await events({ since, watched: true })
  assert.equal(found.length, 1)
  assert.partialDeepStrictEqual(found[0], {
    name: 'hijacked',
    version: '1.0.1',
    rule: 'rule_hold',
    reason: verdict.watched.reason,
    client: 'npm/11.0.0',
    watched: true,
  })
  assert.deepEqual(await events({ since, watched: false }), [])
  const body = { filters: { timePeriod: { since, until: new Date(clock.at.getTime() + 1).toISOString() } } }
  const report = await gatehouse.call('POST', '/api/reporting/1/reports/malware-firewall/scan-activity', { body })
  const total = (field: string) => report.body.buckets.reduce((sum: number, each: Sent) => sum + Number(each[field]), 0)
  assert.equal(total('blockingScans'), 0)
})

test('while the firewall only watches, everything but malware and what people denied comes in, and is on record', async () => {
  await use([rule({ names: ['good'] })], 'monitor')
  const since = clock.now().toISOString()
  assert.equal(await statusOf(tarball('good', '1.0.0')), 200)
  await gatehouse.recorder.flush()
  assert.partialDeepStrictEqual(await events({ since }), [{ name: 'good', rule: 'rule_refuse', watched: true }])
  const deny = { ecosystem: 'npm', name: 'good', version: '1.0.0', effect: 'deny', reason: 'no' }
  const { body } = await gatehouse.call('POST', `${path}/overrides`, { body: deny })
  await gatehouse.firewall.refresh()
  assert.equal(await statusOf(tarball('good', '1.0.0')), 403)
  await gatehouse.call('DELETE', `${path}/overrides/${body.override.id}`)
})

test('builds with lockfiles go on where a rule leaves alone what is in use', async () => {
  npm.publish({ name: 'locked', version: '1.0.0', publishedAt: old })
  npm.publish({ name: 'locked', version: '1.1.0', publishedAt: old })
  await use([])
  assert.equal(await statusOf(tarball('locked', '1.0.0')), 200)
  await gatehouse.recorder.flush()
  await use([rule({ names: ['locked'], spareInUse: true })])
  assert.equal(await statusOf(tarball('locked', '1.0.0')), 200)
  assert.equal(await statusOf(tarball('locked', '1.1.0')), 403)
  assert.deepEqual(Object.keys((await (await fetchPackage('npm/locked')).json()).versions), ['1.0.0'])
  assert.equal((await ask('npm', 'locked', '1.0.0')).refuse, false)
  await use([rule({ names: ['locked'] })])
  assert.equal(await statusOf(tarball('locked', '1.0.0')), 403)
})

test('rules that warn say so in the verdict and let it in', async () => {
  await use([rule({ names: ['good'], effect: 'warn', note: 'We move to better.' })])
  const verdict = await ask('npm', 'good', '1.0.0')
  assert.deepEqual([verdict.refuse, verdict.warnings.length], [false, 1])
  assert.match(verdict.warnings[0], /We move to better/)
  const { stdout } = await runCommand(['firewall', 'check', 'good@1.0.0', '--url', gatehouse.url], {
    env: { GATEHOUSE_TOKEN: gatehouse.owner.token },
  })
  assert.match(stdout, /We move to better/)
})

test('a trial says what other rules would have refused, whose clients asked for it, and saves nothing', async () => {
  await use([])
  for (const version of ['1.0.0', '1.0.1']) assert.equal(await statusOf(tarball('hijacked', version)), 200)
  await fetchPackage('npm/hijacked/-/hijacked-1.0.1.tgz', member.token).then((answer) => answer.arrayBuffer())
  await gatehouse.recorder.flush()
  // Long after: it is tried as old as it was when it was asked for.
  clock.at = new Date(clock.at.getTime() + 5 * 86_400_000)
  const attempt = (rules: Sent[], as = gatehouse.owner.token) =>
    gatehouse.call('POST', `${path}/rules/trial`, { as, body: { rules } })
  const { status, body } = await attempt([{ ...signals, mode: 'monitor', names: ['hijacked'] }])
  assert.equal(status, 200, JSON.stringify(body))
  assert.equal(body.refusedAfter - body.refusedBefore, 1)
  assert.equal(body.changes.length, 1)
  assert.partialDeepStrictEqual(body.changes[0], { name: 'hijacked', version: '1.0.1', refused: true, clients: 2 })
  assert.equal(body.changes[0].people.length, 2)
  assert.match(body.changes[0].reason, /install script/)
  assert.match(body.sentences[0], /^Hold back hijacked of npm until/)
  assert.deepEqual((await attempt([{ ...signals, names: ['hijacked'] }], member.token)).body.changes[0].people, [])
  assert.deepEqual((await gatehouse.call('GET', `${path}/rules`)).body.rules, [])
  assert.equal((await attempt([rule({ ecosystems: ['maven'], condition: 'install_script' })])).status, 422)
})

test('overrides can be tried like rules, one or a list, and so can taking them back', async () => {
  await use([])
  for (const name of ['good', 'settled']) await statusOf(tarball(name, name === 'good' ? '1.0.0' : '2.0.0'))
  await gatehouse.recorder.flush()
  const attempt = (body: object) => gatehouse.call('POST', `${path}/overrides/trial`, { body })
  const deny = { ecosystem: 'npm', name: 'goo*', effect: 'deny', reason: 'not ours' }
  const { status, body } = await attempt({ create: [deny, { ...deny, name: 'settled', version: '<1.0.0' }] })
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(body.sentences, ['Refuse goo* of npm, every version.', 'Refuse settled of npm, <1.0.0.'])
  const changed = body.changes.map((each: { name: string; refused: boolean }) => [each.name, each.refused])
  assert.deepEqual([...new Set(changed.map(String))], ['good,true'])
  assert.match(body.changes[0].reason, /not ours/)
  assert.equal((await gatehouse.call('GET', `${path}/overrides`)).body.overrides.length, 0, 'nothing is saved')
  const made = await gatehouse.call('POST', `${path}/overrides`, { body: deny })
  await gatehouse.firewall.refresh()
  const back = await attempt({ deleteIds: [made.body.override.id] })
  assert.deepEqual(back.body.sentences, ['No longer: Refuse goo* of npm, every version.'])
  assert.ok(
    back.body.changes.every((each: { name: string; refused: boolean }) => each.name === 'good' && !each.refused),
  )
  assert.ok(back.body.changes.length > 0)
  assert.equal((await attempt({ create: [{ ...deny, version: '>=x' }] })).status, 422)
  await gatehouse.call('DELETE', `${path}/overrides/${made.body.override.id}`)
  await gatehouse.firewall.refresh()
})
