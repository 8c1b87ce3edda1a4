import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { testFeed } from '../src/capabilities/firewall/advisories/test-feed.ts'
import { type ProxiedEcosystemId, proxiedEcosystemIds } from '../src/ecosystems/ecosystem.ts'
import { type CargoRegistrySandbox, startCargoRegistry } from '../src/sandbox/registries/cargo-registry.ts'
import { type GoProxySandbox, startGoProxy } from '../src/sandbox/registries/go-proxy.ts'
import { type MavenRegistrySandbox, startMavenRegistry } from '../src/sandbox/registries/maven-registry.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../src/sandbox/registries/npm-registry.ts'
import { type PypiRegistrySandbox, startPypiRegistry } from '../src/sandbox/registries/pypi-registry.ts'
import { runCommand } from './clients/command-line.ts'
import { openGatehouse, type Tester, type TestGatehouse } from './gatehouse.ts'
import { toldBy } from './servers/proxy-gatehouse.ts'

const clock = { at: new Date('2026-11-15T12:00:00Z'), now: () => clock.at }
const [old, young] = ['2026-01-01T00:00:00.000Z', '2026-11-15T06:00:00.000Z']
const feed = testFeed()
let npm: NpmRegistrySandbox
let pypi: PypiRegistrySandbox
let maven: MavenRegistrySandbox
let cargo: CargoRegistrySandbox
let go: GoProxySandbox
let gatehouse: TestGatehouse
let member: Tester
let path: string

before(async () => {
  ;[npm, pypi, maven] = await Promise.all([startNpmRegistry(), startPypiRegistry(), startMavenRegistry()])
  ;[cargo, go] = await Promise.all([startCargoRegistry(), startGoProxy()])
  for (const [version, publishedAt] of [
    ['1.0.0', old],
    ['1.1.0', young],
    ['6.6.6', old],
  ] as const) {
    npm.publish({ name: 'left', version, publishedAt })
    pypi.publish({ name: 'left', version, publishedAt })
    maven.publish({ group: 'com.acme', artifact: 'left', version, publishedAt })
    cargo.publish({ name: 'left', version, publishedAt })
    go.publish({ module: 'acme.example/left', version: `v${version}`, publishedAt })
  }
  npm.publish({ name: 'evil', version: '1.0.0' })
  feed.add(
    { id: 'MAL-1', name: 'evil' },
    { id: 'MAL-2', name: 'evil', ecosystem: 'PyPI' },
    { id: 'MAL-3', name: 'com.evil:lib', ecosystem: 'Maven' },
    { id: 'MAL-4', name: 'left', versions: ['6.6.6'] },
    { id: 'MAL-5', name: 'left', ecosystem: 'PyPI', versions: ['6.6.6'] },
    { id: 'MAL-6', name: 'com.acme:left', ecosystem: 'Maven', versions: ['6.6.6'] },
    { id: 'MAL-7', name: 'removed', versions: ['1.0.0'] },
    { id: 'MAL-8', name: 'evil', ecosystem: 'crates.io' },
    { id: 'MAL-9', name: 'evil.example/lib', ecosystem: 'Go' },
    { id: 'MAL-10', name: 'left', ecosystem: 'crates.io', versions: ['6.6.6'] },
    { id: 'MAL-11', name: 'acme.example/left', ecosystem: 'Go', versions: ['6.6.6'] },
  )
  const env = {
    GATEHOUSE_NPM_UPSTREAM: npm.url,
    GATEHOUSE_PYPI_UPSTREAM: pypi.indexUrl,
    GATEHOUSE_MAVEN_UPSTREAM: maven.url,
    GATEHOUSE_CARGO_UPSTREAM: cargo.url,
    GATEHOUSE_GO_UPSTREAM: go.url,
  }
  gatehouse = await openGatehouse({ clock, env })
  path = `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}`
  member = await gatehouse.addPerson('member')
  await gatehouse.firewall.feeds.sync(feed.place)
  for (const ecosystem of proxiedEcosystemIds) {
    const body = { ecosystem, undetermined: 'block', minimumAgeHours: 24, ageExceptions: [], maximumDataAgeHours: 0 }
    assert.equal((await gatehouse.call('PUT', `${path}/settings`, { body })).status, 200)
  }
  await gatehouse.firewall.refresh()
})

beforeEach(() => {
  clock.at = new Date(clock.at.getTime() + 60_000)
})

after(async () => {
  await gatehouse.close()
  for (const registry of [npm, pypi, maven, cargo, go]) await registry.close()
  feed.remove()
})

// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
type AdapterAnswer = Omit<Response, 'json'> & { json(): Promise<any> }

function fetchPackage(artifact: string, { as = gatehouse.owner.token, agent = 'npm/11.0.0' } = {}) {
  const headers = { authorization: `Bearer ${as}`, 'user-agent': agent }
  return fetch(`${gatehouse.url}/firewall/1/${artifact}`, { headers }) as Promise<AdapterAnswer>
}

async function ask(ecosystem: string, name: string, version: string) {
  const answer = await gatehouse.call('GET', `${path}/verdict?${new URLSearchParams({ ecosystem, name, version })}`)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

async function events(filter: object = {}, more: object = {}) {
  const { as, ...body } = { as: gatehouse.owner.token, ...more }
  const answer = await gatehouse.call('POST', `${path}/events/search`, { as, body: { filter, ...body } })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

const left = {
  npm: (version: string) => `npm/left/-/left-${version}.tgz`,
  pypi: (version: string) => `pypi/simple/left/left-${version}-py3-none-any.whl`,
  maven: (version: string) => `maven/com/acme/left/${version}/left-${version}.jar`,
  cargo: (version: string) => `cargo/api/v1/crates/left/${version}/download`,
  gomod: (version: string) => `go/acme.example/left/@v/${version}.zip`,
}
const names: Partial<Record<ProxiedEcosystemId, string>> = { maven: 'com.acme:left', gomod: 'acme.example/left' }

for (const ecosystem of proxiedEcosystemIds) {
  const name = names[ecosystem] ?? 'left'
  for (const [plain, status, rule, reason] of [
    ['1.0.0', 200, 'none', /./],
    ['1.1.0', 403, 'too_young', /younger than 24 hours.*until 2026-11-16T06:00/],
    ['6.6.6', 403, 'malicious', /malicious: MAL-/],
    ['9.9.9', 404, 'unknown_age', /registry does not have .*left@v?9\.9\.9/],
  ] as const) {
    const version = ecosystem === 'gomod' ? `v${plain}` : plain
    test(`${ecosystem} ${version}: the adapter, the check, the record and the reports say the same`, async () => {
      const before = (await events()).events[0]?.id ?? 0
      const answer = await fetchPackage(left[ecosystem](version))
      const text = await toldBy(answer)
      assert.equal(answer.status, status)
      const verdict = await ask(ecosystem, name, version)
      assert.deepEqual([verdict.refuse, verdict.rule], [status !== 200, rule])
      assert.match(verdict.reason, reason)
      const { code, stdout } = await runCommand(
        ['firewall', 'check', '--ecosystem', ecosystem, `${name}@${version}`, '--url', gatehouse.url],
        { env: { GATEHOUSE_TOKEN: gatehouse.owner.token } },
      )
      assert.equal(code, status === 200 ? 0 : 1)
      assert.ok(stdout.includes(verdict.reason), stdout)
      const [event] = (await events()).events
      assert.equal((event?.id ?? 0) > before, status === 403)
      if (status !== 403) return
      assert.ok(text.includes(verdict.reason.replace(/\.$/, '')), text)
      assert.partialDeepStrictEqual(event, {
        ecosystem,
        name,
        version,
        rule,
        reason: verdict.reason,
        client: 'npm/11.0.0',
      })
    })
  }
}

test('the notice in npm’s terminal gives the reason of the adapter', async () => {
  npm.publish({ name: 'fresh', version: '1.0.0', publishedAt: old })
  npm.publish({ name: 'fresh', version: '1.1.0', publishedAt: young })
  const answer = await fetchPackage('npm/fresh')
  assert.equal(answer.status, 200)
  const notice = answer.headers.get('npm-notice')!
  assert.ok(notice.includes((await ask('npm', 'fresh', '1.1.0')).reason.replace(/\.$/, '')), notice)
  const exact = await fetchPackage('npm/fresh/1.1.0')
  assert.equal(exact.status, 403)
  assert.match((await exact.json()).error, /younger than 24 hours.*until 2026-11-16T06:00/)
})

test('no check of another ecosystem, and none with a time given, asks a registry', async () => {
  const before = npm.seen.length
  assert.equal((await ask('gem', 'left', '1.0.0')).decision, 'allow')
  const given = new URLSearchParams({ ecosystem: 'npm', name: 'unseen', version: '1.0.0', publishedAt: old })
  assert.equal((await gatehouse.call('GET', `${path}/verdict?${given}`)).body.decision, 'allow')
  for (const name of ['../../etc', 'a b', '@x', 'a/b/c']) assert.equal((await ask('npm', name, '1.0.0')).refuse, true)
  assert.equal(npm.seen.length, before)
})

const wholly: [ecosystem: ProxiedEcosystemId, name: string, paths: string[]][] = [
  [
    'npm',
    'evil',
    ['npm/evil', 'npm/evil/1.0.0', 'npm/evil/latest', 'npm/-/package/evil/dist-tags', 'npm/evil/-/evil-1.0.0.tgz'],
  ],
  ['pypi', 'evil', ['pypi/simple/evil/', 'pypi/simple/evil/evil-1.0-py3-none-any.whl']],
  ['maven', 'com.evil:lib', ['maven/com/evil/lib/maven-metadata.xml', 'maven/com/evil/lib/1.0/lib-1.0.pom']],
  ['cargo', 'evil', ['cargo/ev/il/evil', 'cargo/api/v1/crates/evil/1.0.0/download']],
  [
    'gomod',
    'evil.example/lib',
    ['@v/list', '@latest', '@v/v1.0.0.info', '@v/main.info', '@v/v1.0.0.mod', '@v/v1.0.0.zip'].map(
      (file) => `go/evil.example/lib/${file}`,
    ),
  ],
]

for (const [ecosystem, name, paths] of wholly) {
  test(`${ecosystem}: known malware is refused by its name, nobody is asked, and each refusal is counted`, async () => {
    const seen = () => [npm, pypi, maven, cargo, go].reduce((sum, each) => sum + each.seen.length, 0)
    const since = clock.now().toISOString()
    clock.at = new Date(clock.at.getTime() + 1)
    const before = seen()
    for (const one of paths) {
      const answer = await fetchPackage(one)
      assert.equal(answer.status, 403, one)
      assert.match(await toldBy(answer), /Gatehouse refuses .*Known to be malicious: MAL-[12389]\./, one)
    }
    assert.equal(seen(), before)
    const found = (await events({ package: name, ecosystems: [ecosystem], since })).events
    assert.deepEqual(new Set(found.map((each: { rule: string }) => each.rule)), new Set(['malicious']))
    const total = (all: { count?: number; totalBlocked?: number; blockingScans?: number }[]) =>
      all.reduce((sum, each) => sum + (each.count ?? each.totalBlocked ?? each.blockingScans ?? 0), 0)
    assert.equal(total(found), paths.length)
    const report = async (of: string) => {
      const until = new Date(clock.at.getTime() + 1).toISOString()
      const body = { filters: { timePeriod: { since, until } } }
      return (await gatehouse.call('POST', `/api/reporting/1/reports/malware-firewall/${of}`, { body })).body
    }
    assert.equal(total((await report('blocked-mal-deps/by-dep-version-and-ecosystem')).rows), paths.length)
    assert.equal(total((await report('scan-activity')).buckets), paths.length)
  })
}

test('malware that its registry has taken away is refused, not just missing', async () => {
  for (const one of ['npm/removed', 'npm/removed/1.0.0', 'npm/removed/-/removed-1.0.0.tgz']) {
    const answer = await fetchPackage(one)
    assert.equal(answer.status, 403, one)
    assert.match(((await answer.json()) as { error: string }).error, /MAL-7/)
  }
  assert.equal((await fetchPackage('npm/removed/-/removed-2.0.0.tgz')).status, 404)
  assert.equal((await fetchPackage('npm/never-there')).status, 404)
})

test('an allow for one version opens the name again', async () => {
  const body = { ecosystem: 'npm', name: 'evil', version: '1.0.0', effect: 'allow', reason: 'ours' }
  const { body: made } = await gatehouse.call('POST', `${path}/overrides`, { body })
  await gatehouse.firewall.refresh()
  assert.equal((await fetchPackage('npm/evil/-/evil-1.0.0.tgz')).status, 200)
  assert.deepEqual(Object.keys(((await (await fetchPackage('npm/evil')).json()) as { versions: object }).versions), [
    '1.0.0',
  ])
  await gatehouse.call('DELETE', `${path}/overrides/${made.override.id}`)
  await gatehouse.firewall.refresh()
  assert.equal((await fetchPackage('npm/evil')).status, 403)
})

test('who was refused what is for owners and admins, and for oneself', async () => {
  const since = clock.now().toISOString()
  clock.at = new Date(clock.at.getTime() + 1)
  await fetchPackage('npm/evil', { as: member.token, agent: 'pnpm/11' })
  await fetchPackage('npm/evil')
  const all = (await events({ since })).events
  assert.equal(all.length, 2)
  const theirs = all.find((event: { personId: number }) => event.personId === member.id)
  assert.partialDeepStrictEqual(theirs, { name: 'evil', version: '*', tokenName: 'test', address: '127.0.0.1' })
  assert.ok(theirs.personName)
  const seen = await events({ since }, { as: member.token })
  assert.deepEqual(
    seen.events.map((event: { id: number }) => event.id),
    [theirs.id],
  )
  const owner = all.find((event: { personId: number }) => event.personId !== member.id).personId
  assert.deepEqual((await events({ personIds: [owner] }, { as: member.token })).events, [])
  assert.deepEqual((await events({ personIds: [owner, member.id], since }, { as: member.token })).events, [])
  const other = await gatehouse.addDeployment()
  const elsewhere = `/api/firewall/v1/deployments/${other.id}/events/search`
  assert.deepEqual((await gatehouse.call('POST', elsewhere, { as: other.as, body: {} })).body.events, [])
})

test('the record is searched by package, version, rule, advisory, person, token and time', async () => {
  const everything = (await events({}, { pageSize: 100 })).events
  const count = async (filter: object) => (await events(filter, { pageSize: 100 })).events.length
  const expected = (matches: (event: Record<string, string>) => boolean) => everything.filter(matches).length
  const cases: [object, (event: Record<string, string>) => boolean][] = [
    [{ package: 'left' }, (event) => event.name === 'left'],
    [{ ecosystems: ['cargo', 'gomod'] }, (event) => /^(cargo|gomod)$/.test(event.ecosystem!)],
    [{ package: 'com.acme:*' }, (event) => event.name!.startsWith('com.acme:')],
    [{ package: 'Evil', ecosystems: ['pypi'] }, (event) => event.name === 'evil' && event.ecosystem === 'pypi'],
    [{ ecosystems: ['npm', 'maven'] }, (event) => /^(npm|maven)$/.test(event.ecosystem!)],
    [{ version: '*' }, (event) => event.version === '*'],
    [{ rules: ['too_young'] }, (event) => event.rule === 'too_young'],
    [{ rules: ['held'] }, () => false],
    [{ advisoryId: 'MAL-4' }, (event) => event.advisoryId === 'MAL-4'],
    [{ personIds: [member.id] }, (event) => Number(event.personId) === member.id],
    [{ since: clock.now().toISOString() }, () => false],
    [{ until: clock.now().toISOString() }, () => true],
  ]
  for (const [filter, matches] of cases) assert.equal(await count(filter), expected(matches), JSON.stringify(filter))
  const token = everything[0].tokenId
  assert.equal(
    await count({ tokenIds: [token] }),
    everything.filter((event: { tokenId: number }) => event.tokenId === token).length,
  )
})

test('the record comes page by page, newest first, and whole as lines of JSON', async () => {
  const everything = (await events({}, { pageSize: 100 })).events
  assert.ok(everything.length > 12)
  const paged: unknown[] = []
  let cursor = ''
  do {
    const page = await events({}, { pageSize: 5, cursor })
    assert.ok(page.events.length <= 5)
    paged.push(...page.events)
    cursor = page.cursor
    assert.equal(page.hasMore, cursor !== '')
  } while (cursor)
  assert.deepEqual(paged, everything)
  const at = everything.map((event: { at: string }) => event.at)
  assert.deepEqual(at, [...at].sort().reverse())
  const headers = { authorization: `Bearer ${gatehouse.owner.token}`, 'content-type': 'application/json' }
  const answer = await fetch(`${gatehouse.url}${path}/events/export`, { method: 'POST', headers, body: '{}' })
  assert.equal(answer.headers.get('content-type'), 'application/x-ndjson')
  const lines = (await answer.text()).trimEnd().split('\n')
  assert.deepEqual(
    lines.map((line) => JSON.parse(line)),
    everything,
  )
})

test('a cursor of another filter, and a period that ends before it begins, are refused', async () => {
  const { cursor } = await events({}, { pageSize: 1 })
  const body = { filter: { rules: ['malicious'] }, cursor }
  const wrong = await gatehouse.call('POST', `${path}/events/search`, { body })
  assert.deepEqual([wrong.status, wrong.body.errors[0].pointer], [400, '/cursor'])
  const filter = { since: '2026-02-01T00:00:00Z', until: '2026-01-01T00:00:00Z' }
  const reversed = await gatehouse.call('POST', `${path}/events/search`, { body: { filter } })
  assert.deepEqual([reversed.status, reversed.body.errors[0].pointer], [422, '/filter/until'])
})

test('a check says of what is let through whether there is such a version, with an exit code of its own', async () => {
  const body = { ecosystem: 'npm', undetermined: 'block', ageExceptions: [], maximumDataAgeHours: 0 }
  const hold = async (minimumAgeHours: number) => {
    const { status } = await gatehouse.call('PUT', `${path}/settings`, { body: { ...body, minimumAgeHours } })
    assert.equal(status, 200)
    await gatehouse.firewall.refresh()
  }
  const check = async (what: string) => {
    const env = { GATEHOUSE_TOKEN: gatehouse.owner.token }
    const { code, stdout } = await runCommand(['firewall', 'check', what, '--url', gatehouse.url], { env })
    return [code, stdout] as const
  }
  await hold(0)
  assert.equal((await ask('npm', 'nowhere', '1.0.0')).availability, undefined, 'nobody asked for it')
  const there = await gatehouse.call('GET', `${path}/verdict?ecosystem=npm&name=left&version=1.0.0&availability=ask`)
  assert.deepEqual(there.body.availability, { state: 'available', detail: '' })
  assert.equal((await check('left@1.0.0'))[0], 0)
  for (const lacking of ['nowhere@1.0.0', 'left@9.9.9']) {
    const [code, said] = await check(lacking)
    assert.equal(code, 3, said)
    assert.match(said, new RegExp(`is allowed.* does not get it: Its registry does not have ${lacking}`))
  }
  assert.equal((await check('evil@1.0.0'))[0], 1)
  await hold(24)
})

test('npm whoami names the person whose token it is', async () => {
  const own = await (await fetchPackage('npm/-/whoami', { as: member.token })).json()
  assert.deepEqual(own, { username: member.email })
})

test('refusals are a metric, by what decided them', async () => {
  const headers = { authorization: `Bearer ${gatehouse.owner.token}` }
  const text = await (await fetch(`${gatehouse.url}/metrics`, { headers })).text()
  assert.match(text, /gatehouse_firewall_refusals\{rule="malicious"\} \d\d/)
  assert.match(text, /gatehouse_firewall_refusals\{rule="too_young"\} [1-9]/)
})
