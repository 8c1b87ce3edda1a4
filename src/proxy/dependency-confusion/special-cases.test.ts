import assert from 'node:assert/strict'
import { after, afterEach, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { openTwo, placesOf } from '../../../test/outside/two-registries.ts'
import { openProxyGatehouse, type ProxyGatehouse } from '../../../test/servers/proxy-gatehouse.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import { createCredentialRule } from '../../outbound/ssrf-guard/plain-http.ts'
import { startMavenRegistry } from '../../sandbox/registries/maven-registry.ts'

let gatehouse: TestGatehouse
let npm: Awaited<ReturnType<typeof openTwo>>
let maven: Awaited<ReturnType<typeof openTwo>>
let proxy: ProxyGatehouse

const configs = '/api/agent/deployments/1/packagemanagerauthconfigs'

before(async () => {
  gatehouse = await openGatehouse()
  npm = await openTwo('npm')
  maven = await openTwo('maven')
  const upstreams = { npm: npm.open.url, maven: maven.open.url }
  proxy = await openProxyGatehouse({ upstreams, egressAllow: '127.0.0.1' }, gatehouse)
})

after(async () => {
  await proxy.close()
  await npm.close()
  await maven.close()
  await gatehouse.close()
})

/** Without entries, and without names that are remembered. */
afterEach(async () => {
  await gatehouse.db.transaction(systemActor(1, 'test'), async (tx) => {
    for (const table of [sql`package_manager_config`, sql`package_claim`, sql`owned_package`, sql`package_owner`]) {
      await tx.query(sql`delete from ${table}`)
    }
  })
  Object.assign(npm.control, { manner: 'turns away', state: 'well' })
  npm.own.server.control.takeOver = undefined
  proxy.expire()
})

async function enter(packageManagerConfigForInsert: object): Promise<number> {
  const made = await gatehouse.call('POST', configs, { body: { packageManagerConfigForInsert } })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  proxy.expire()
  return made.body.packageManagerConfig.id
}

const statusOf = async (path: string) => (await proxy.get(path)).status

test('a registry that answers us as it answers strangers is not believed, until it shows us what it hides from them', async () => {
  await enter(npm.entry)
  await enter(npm.openEntry)
  npm.control.manner = 'hides'
  npm.own.publish('first', '1.0.0')
  npm.open.publish('public-one', '1.0.0')
  const doubted = await proxy.get('npm/public-one')
  assert.equal(doubted.status, 502)
  assert.match((await doubted.json()).error, /no public-one.*as it would answer a stranger.*nobody else is asked/)
  assert.ok(!npm.wasTold('public-one'))
  assert.equal(await statusOf('npm/first'), 200)
  proxy.expire()
  assert.equal(await statusOf('npm/public-one'), 200)
})

test('a registry that shows its packages to everybody proves nothing by showing them to us', async () => {
  await enter(npm.entry)
  await enter(npm.openEntry)
  const { meddle } = npm.own.server.control
  npm.own.server.control.meddle = (_request, honest) => honest
  npm.own.publish('shown', '1.0.0')
  npm.open.publish('public-two', '1.0.0')
  assert.equal(await statusOf('npm/shown'), 200)
  proxy.expire()
  const doubted = await proxy.get('npm/public-two')
  npm.own.server.control.meddle = meddle
  assert.equal(doubted.status, 502)
  assert.match((await doubted.json()).error, /set requiresAuth to false/)
  assert.ok(!npm.wasTold('public-two'))
})

for (const [stranger, isBelieved] of [
  ['anonymous', true],
  ['reader', false],
] as const) {
  test(`a registry that calls us reader and strangers ${stranger}: ${isBelieved ? '' : 'not '}believed`, async () => {
    await enter(npm.entry)
    await enter(npm.openEntry)
    const name = `called-${stranger}`
    npm.open.publish(name, '1.0.0')
    const { meddle } = npm.own.server.control
    npm.own.server.control.meddle = ({ path, headers }) => {
      if (path !== '/-/whoami') return { status: 404 }
      return { body: JSON.stringify({ username: headers.authorization ? 'reader' : stranger }) }
    }
    const status = await statusOf(`npm/${name}`)
    npm.own.server.control.meddle = meddle
    assert.equal(status, isBelieved ? 200 : 502)
    assert.equal(npm.wasTold(name), isBelieved)
  })
}

test('an entry that asks for credentials and has none is not believed; one that asks for none is', async () => {
  const { url } = npm.own
  const { meddle } = npm.own.server.control
  npm.own.server.control.meddle = () => ({ status: 404 })
  const id = await enter({ config: { name: 'Own', url, ecosystem: 'npm', requiresAuth: true } })
  await enter(npm.openEntry)
  npm.open.publish('public-three', '1.0.0')
  assert.equal(await statusOf('npm/public-three'), 502)
  assert.ok(!npm.wasTold('public-three'))
  const body = { packageManagerConfigForInsert: { config: { requiresAuth: false } } }
  await gatehouse.call('PATCH', `${configs}/${id}`, { body })
  proxy.expire()
  assert.equal(await statusOf('npm/public-three'), 200)
  npm.own.server.control.meddle = meddle
})

test('an audit is passed on without names that are claimed or belong to another registry', async () => {
  npm.own.publish('remembered', '1.0.0')
  const id = await enter(npm.entry)
  assert.equal(await statusOf('npm/remembered'), 200)
  await gatehouse.call('DELETE', `${configs}/${id}`)
  const claim = { ecosystem: 'npm', pattern: 'claimed-*', reason: 'ours' }
  assert.equal(
    (await gatehouse.call('POST', '/api/firewall/v1/deployments/1/package-claims', { body: claim })).status,
    200,
  )
  proxy.expire()
  const before = npm.open.server.seen.length
  const sent = {
    requires: { remembered: '1', plain: '1' },
    dependencies: { 'Claimed-x': { requires: { Remembered: '1' } } },
  }
  const path = 'npm/-/npm/v1/security/audits/quick'
  const headers = { 'content-type': 'application/json' }
  assert.equal((await proxy.get(path, { method: 'POST', headers, body: JSON.stringify(sent) })).status, 200)
  const seen = npm.open.server.seen.slice(before).map(({ body }) => JSON.parse(body.toString()))
  assert.deepEqual(seen, [{ requires: { plain: '1' }, dependencies: {} }])
})

test('releases and snapshots of one place belong together; a public repository of releases is not one of them', async (t) => {
  const place = await startMavenRegistry()
  t.after(() => place.close())
  const entry = (name: string, url: string, repositoryType: string) =>
    enter({ config: { name, url, ecosystem: 'maven', additionalConfig: { maven: { repositoryType } } } })
  await entry('Snapshots', `${place.url}/snapshots`, 'MAVEN_REPOSITORY_TYPE_SNAPSHOT')
  await entry('Releases', `${place.url}/releases`, 'MAVEN_REPOSITORY_TYPE_RELEASE')
  await entry('Open', maven.open.url, 'MAVEN_REPOSITORY_TYPE_RELEASE')
  const metadata = '<metadata><versioning><versions><version>1.0-SNAPSHOT</version></versions></versioning></metadata>'
  place.put('snapshots/com/pair/lib/maven-metadata.xml', metadata)
  place.put('snapshots/com/pair/lib/1.0-SNAPSHOT/lib-1.0-20260101.120000-1.jar', 'snapshot')
  place.put('releases/com/pair/lib/0.9/lib-0.9.jar', 'release')
  maven.open.publish('com.pair:lib', '9.9.9')
  const { artifact } = placesOf('maven', 'com.pair:lib', '0.9')
  assert.equal(await statusOf('maven/com/pair/lib/1.0-SNAPSHOT/lib-1.0-20260101.120000-1.jar'), 200)
  assert.equal(await (await proxy.get(artifact)).text(), 'release')
  assert.equal(await statusOf(placesOf('maven', 'com.pair:lib', '9.9.9').artifact), 404)
  assert.ok(!maven.wasTold('com.pair:lib'))
})

test('the metadata of a claimed group is not asked for elsewhere either', async () => {
  const claim = { ecosystem: 'maven', pattern: 'com.secret.*', reason: 'ours' }
  assert.equal(
    (await gatehouse.call('POST', '/api/firewall/v1/deployments/1/package-claims', { body: claim })).status,
    200,
  )
  proxy.expire()
  for (const path of ['com/secret', 'com/secret/plugins', 'com/secret/plugins/1.0-SNAPSHOT']) {
    assert.equal(await statusOf(`maven/${path}/maven-metadata.xml`), 403)
  }
  assert.ok(!maven.open.server.seen.some(({ path }) => path.includes('secret')))
})

test('stored credentials are not sent where they would travel in the open, and nothing is served from before', async (t) => {
  await enter(npm.entry)
  npm.own.publish('sealed', '1.0.0')
  assert.equal(await statusOf('npm/sealed'), 200)
  await proxy.proxy.settle()
  // The same folder under an operator who does not allow it.
  const mayCarryCredentials = (url: string) => createCredentialRule('')(url.replace('127.0.0.1', 'registry.example'))
  const upstreams = { npm: npm.open.url }
  const { folder } = proxy
  const strict = await openProxyGatehouse(
    { upstreams, egressAllow: '127.0.0.1', mayCarryCredentials, folder },
    gatehouse,
  )
  t.after(() => strict.close())
  const before = npm.own.server.seen.length
  const answer = await strict.get('npm/sealed')
  assert.equal(answer.status, 502)
  assert.match((await answer.json()).error, /not encrypted.*GATEHOUSE_PLAIN_HTTP_HOSTS/)
  assert.equal(npm.own.server.seen.length, before)
})
