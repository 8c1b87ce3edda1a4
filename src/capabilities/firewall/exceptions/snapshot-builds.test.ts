import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { type MavenRegistrySandbox, startMavenRegistry } from '../../../sandbox/registries/maven-registry.ts'
import { testFeed } from '../advisories/test-feed.ts'

const now = new Date('2026-11-15T12:00:00Z')
const friday = '2026-11-20T00:00:00.000Z'
const [first, second] = ['2.0-20261115.060000-1', '2.0-20261115.070000-2']
const feed = testFeed()
let maven: MavenRegistrySandbox
let gatehouse: TestGatehouse
let path: string
let names = 0

before(async () => {
  maven = await startMavenRegistry()
  feed.add({ id: 'MAL-1', name: 'com.acme:caught', ecosystem: 'Maven', versions: [second] })
  const env = { GATEHOUSE_MAVEN_UPSTREAM: maven.url }
  gatehouse = await openGatehouse({ clock: { now: () => now }, env, jobs: false })
  path = `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}`
  await gatehouse.firewall.feeds.sync(feed.place)
})
beforeEach(() => gate(0))
after(async () => {
  await gatehouse.close()
  await maven.close()
  feed.remove()
})

async function gate(minimumAgeHours: number): Promise<void> {
  const body = { ecosystem: 'maven', undetermined: 'block', minimumAgeHours, ageExceptions: [], maximumDataAgeHours: 0 }
  assert.equal((await gatehouse.call('PUT', `${path}/settings`, { body })).status, 200)
  await gatehouse.firewall.refresh()
}

/** A snapshot with two builds. */
function publish(artifact = `lib${++names}`): string {
  const folder = `com/acme/${artifact}/2.0-SNAPSHOT`
  for (const build of [first, second])
    for (const ending of ['pom', 'jar']) maven.put(`${folder}/${artifact}-${build}.${ending}`, build)
  maven.put(`${folder}/maven-metadata.xml`, '<metadata><versioning><snapshot/></versioning></metadata>')
  return artifact
}

async function fetchBuild(artifact: string, build: string): Promise<Response> {
  await gatehouse.firewall.refresh()
  const headers = { authorization: `Bearer ${gatehouse.owner.token}` }
  const file = `com/acme/${artifact}/2.0-SNAPSHOT/${artifact}-${build}.jar`
  const answer = await fetch(`${gatehouse.url}/firewall/1/maven/${file}`, { headers })
  assert.equal(answer.ok, (await checked(artifact, build)).refuse === false, 'the check says what the client gets')
  return answer
}

async function statusesOf(artifact: string): Promise<number[]> {
  return [(await fetchBuild(artifact, first)).status, (await fetchBuild(artifact, second)).status]
}

async function checked(artifact: string, version: string) {
  const asked = new URLSearchParams({ ecosystem: 'maven', name: `com.acme:${artifact}`, version })
  return (await gatehouse.call('GET', `${path}/verdict?${asked}`)).body
}

async function override(artifact: string, effect: 'allow' | 'deny', version: string): Promise<void> {
  const body = { ecosystem: 'maven', name: `com.acme:${artifact}`, version, effect, reason: 'we looked' }
  assert.equal((await gatehouse.call('POST', `${path}/overrides`, { body })).status, 200)
}

async function approve(artifact: string, version: string, more = {}): Promise<void> {
  const body = { ecosystem: 'maven', name: `com.acme:${artifact}`, version, reason: 'a fix' }
  const asked = await gatehouse.call('POST', `${path}/exceptions`, { body })
  assert.equal(asked.status, 200, JSON.stringify(asked.body))
  const decision = { decision: 'approve', reason: 'looked at it', expiresAt: friday, ...more }
  const place = `${path}/exceptions/${asked.body.exception.id}/decision`
  const answer = await gatehouse.call('POST', place, { body: decision })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

test('an exception for one build of a snapshot lets that build in, and none that comes after it', async () => {
  const artifact = publish()
  await gate(24)
  assert.deepEqual(await statusesOf(artifact), [403, 403])
  await approve(artifact, first)
  assert.deepEqual(await statusesOf(artifact), [200, 403])
})

test('an exception for a snapshot lets all its builds in, also where one of them was asked for', async () => {
  const [one, other] = [publish(), publish()]
  await gate(24)
  await approve(one, '2.0-SNAPSHOT')
  await approve(other, first, { versions: '2.0-SNAPSHOT' })
  assert.deepEqual(
    [await statusesOf(one), await statusesOf(other)],
    [
      [200, 200],
      [200, 200],
    ],
  )
})

test('a build that is denied is refused by its own name, and the others of its snapshot come in', async () => {
  const artifact = publish()
  await override(artifact, 'deny', second)
  assert.deepEqual(await statusesOf(artifact), [200, 403])
  const { error } = (await (await fetchBuild(artifact, second)).json()) as { error: string }
  assert.match(error, new RegExp(`^Gatehouse refuses com.acme:${artifact}@${second}: Denied .*&package=.*@${second}`))
  await approve(artifact, second)
  assert.deepEqual(await statusesOf(artifact), [200, 200])
})

test('a build that is allowed comes in though its snapshot is denied', async () => {
  const artifact = publish()
  await override(artifact, 'deny', '2.0-SNAPSHOT')
  assert.deepEqual(await statusesOf(artifact), [403, 403])
  await override(artifact, 'allow', first)
  assert.deepEqual(await statusesOf(artifact), [200, 403])
})

test('a build that an advisory names is refused', async () => {
  assert.deepEqual(await statusesOf(publish('caught')), [200, 403])
})

test('of a package that is refused by its name, the metadata of a snapshot is refused too, and no registry is asked', async () => {
  const artifact = publish()
  await override(artifact, 'deny', '')
  await gatehouse.firewall.refresh()
  const seen = maven.seen.length
  const headers = { authorization: `Bearer ${gatehouse.owner.token}` }
  for (const file of ['maven-metadata.xml', 'maven-metadata.xml.sha1']) {
    const place = `com/acme/${artifact}/2.0-SNAPSHOT/${file}`
    assert.equal((await fetch(`${gatehouse.url}/firewall/1/maven/${place}`, { headers })).status, 403, file)
  }
  assert.equal(maven.seen.length, seen)
})
