import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, beforeEach, test } from 'node:test'
import { openHouse, type TestHouse } from '../../../test/house.ts'
import { testFeed } from './test-feed.ts'

const clock = { at: new Date('2026-11-15T12:00:00Z'), now: () => clock.at }
const feed = testFeed()
let house: TestHouse
let path: string

before(async () => {
  house = await openHouse({ clock })
  path = `/api/firewall/v1/deployments/${house.owner.deploymentId}`
  feed.add({ id: 'MAL-1', name: 'evil' }, { id: 'MAL-2', name: 'half', versions: ['1.0.0'] })
  assert.equal((await house.firewall.feeds.sync(feed.place)).outcome, 'activated')
})
beforeEach(() => {
  clock.at = new Date('2026-11-15T12:00:00Z')
})
after(async () => {
  await house.close()
  feed.remove()
})

async function verdict(name: string, more = '', as?: { id: number; as: string }) {
  await house.firewall.refresh()
  const base = as ? `/api/firewall/v1/deployments/${as.id}` : path
  const query = `ecosystem=npm&name=${encodeURIComponent(name)}&version=1.0.0${more}`
  const answer = await house.call('GET', `${base}/verdict?${query}`, as ? { as: as.as } : {})
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

async function audits(): Promise<string[]> {
  const { body } = await house.call('GET', `/api/audit/v1/deployments/${house.owner.deploymentId}/events?pageSize=100`)
  return body.events.map((event: { action: string }) => event.action)
}

async function upload(deployment: { id: number; as: string }, repository: string, name: string): Promise<void> {
  const packages = { '': {}, [`node_modules/${name}`]: { version: '1.0.0' } }
  const body = JSON.stringify({ name: 'app', lockfileVersion: 3, packages })
  const target = `/api/scans/v1/deployments/${deployment.id}/scans/raw?repository=${repository}&ref=main&path=package-lock.json`
  assert.equal((await house.call('POST', target, { as: deployment.as, body })).status, 200)
}

async function held(): Promise<string[]> {
  const { body } = await house.call('GET', `${path}/held-advisories`)
  return body.heldAdvisories.map((each: { advisoryId: string }) => each.advisoryId)
}

test('an override is in force at once, until it expires or is deleted, in its own deployment only', async () => {
  const other = await house.addDeployment()
  const expiresAt = '2026-11-16T12:00:00.000Z'
  const allow = { ecosystem: 'npm', name: 'evil', effect: 'allow', reason: 'we wrote it', expiresAt }
  const made = await house.call('POST', `${path}/overrides`, { body: allow })
  assert.partialDeepStrictEqual(made.body.override, {
    ...allow,
    version: '',
    createdAt: '2026-11-15T12:00:00.000Z',
  })
  assert.ok(made.body.override.createdBy > 0)
  const allowed = await verdict('evil')
  assert.deepEqual([allowed.decision, allowed.refuse], ['allow', false])
  assert.match(allowed.reason, /we wrote it/)
  assert.equal((await verdict('evil', '', other)).decision, 'block')

  const again = await house.call('POST', `${path}/overrides`, { body: allow })
  assert.equal(again.status, 409)
  clock.at = new Date(expiresAt)
  assert.equal((await verdict('evil')).decision, 'block')
  const renewed = await house.call('POST', `${path}/overrides`, { body: { ...allow, expiresAt: null } })
  assert.equal(renewed.status, 200)
  assert.equal((await verdict('evil')).decision, 'allow')
  const list = await house.call('GET', `${path}/overrides`)
  assert.deepEqual(list.body.overrides, [renewed.body.override])
  assert.deepEqual(
    (await house.call('GET', `/api/firewall/v1/deployments/${other.id}/overrides`, { as: other.as })).body.overrides,
    [],
  )

  const gone = await house.call('DELETE', `${path}/overrides/${renewed.body.override.id}`)
  assert.deepEqual(gone.body, renewed.body)
  assert.equal((await verdict('evil')).decision, 'block')
  assert.equal((await house.call('DELETE', `${path}/overrides/${renewed.body.override.id}`)).status, 404)
  const actions = await audits()
  assert.ok(actions.includes('firewall-override.create') && actions.includes('firewall-override.delete'))
})

test('a denied package is refused though nobody else says anything', async () => {
  const deny = { ecosystem: 'npm', name: 'left-pad', version: '1.0.0', effect: 'deny', reason: 'we do it ourselves' }
  const { body } = await house.call('POST', `${path}/overrides`, { body: deny })
  const denied = await verdict('left-pad')
  assert.partialDeepStrictEqual(denied, {
    decision: 'block',
    refuse: true,
    advisoryIds: [`override-${body.override.id}`],
  })
  const past = await house.call('POST', `${path}/overrides`, {
    body: { ...deny, name: 'x', expiresAt: '2026-01-01T00:00:00Z' },
  })
  assert.equal(past.status, 422)
})

test('each ecosystem has its own settings: the age gate with its exceptions, and what is undetermined', async () => {
  const defaults = await house.call('GET', `${path}/settings`)
  const npm = { ecosystem: 'npm', undetermined: 'block', minimumAgeHours: 0, ageExceptions: [], maximumDataAgeHours: 0 }
  assert.deepEqual(
    defaults.body.settings.find((each: { ecosystem: string }) => each.ecosystem === 'npm'),
    npm,
  )
  assert.equal(defaults.body.settings.length, 12)

  const gate = { ...npm, minimumAgeHours: 72, ageExceptions: ['quick', '@ours/*'] }
  assert.deepEqual((await house.call('PUT', `${path}/settings`, { body: gate })).body, gate)
  const young = '&publishedAt=2026-11-14T12:00:00Z'
  assert.equal((await verdict('slow', young)).decision, 'block')
  assert.match((await verdict('slow', young)).reason, /72 hours/)
  assert.equal((await verdict('slow', '&publishedAt=2026-11-12T12:00:00Z')).decision, 'allow')
  assert.equal((await verdict('quick', young)).decision, 'allow')
  assert.equal((await verdict('@ours/any', young)).decision, 'allow')
  assert.deepEqual([(await verdict('slow')).decision, (await verdict('slow')).refuse], ['undetermined', true])
  await house.call('PUT', `${path}/settings`, { body: { ...gate, undetermined: 'warn' } })
  assert.deepEqual([(await verdict('slow')).decision, (await verdict('slow')).refuse], ['undetermined', false])
  assert.equal((await verdict('evil')).refuse, true)
  const restored = await house.call('PUT', `${path}/settings`, { body: npm })
  assert.deepEqual(restored.body, npm)
  assert.ok((await audits()).includes('firewall-settings.update'))
})

test('an entry for all versions of what five repositories have waits for a person, there alone', async () => {
  const own = { id: house.owner.deploymentId, as: house.owner.token }
  const other = await house.addDeployment()
  for (let i = 0; i < 5; i++) await upload(own, `team/app-${i}`, 'popular')
  for (let i = 0; i < 4; i++) await upload(other, `team/app-${i}`, 'popular')
  for (let i = 5; i < 10; i++) await upload(own, `team/app-${i}`, 'pinned')

  feed.add({ id: 'MAL-3', name: 'popular' }, { id: 'MAL-4', name: 'pinned', versions: ['1.0.0'] })
  assert.equal((await house.firewall.feeds.sync(feed.place)).outcome, 'activated')
  assert.equal((await verdict('popular')).decision, 'allow')
  assert.equal((await verdict('popular', '', other)).decision, 'block')
  assert.equal((await verdict('pinned')).decision, 'block')

  const { heldAdvisories } = (await house.call('GET', `${path}/held-advisories`)).body
  assert.partialDeepStrictEqual(heldAdvisories, [
    { advisoryId: 'MAL-3', ecosystem: 'npm', name: 'popular', repositoryCount: 5, state: 'held', decidedAt: null },
  ])
  const decide = (decision: string) =>
    house.call('POST', `${path}/held-advisories/${heldAdvisories[0].id}/decision`, {
      body: { decision, reason: 'looked' },
    })
  assert.partialDeepStrictEqual((await decide('confirm')).body.heldAdvisory, { state: 'confirmed', reason: 'looked' })
  assert.equal((await verdict('popular')).decision, 'block')
  // A new wording of the same advisory changes nothing about what was decided.
  feed.add({ id: 'MAL-3', name: 'popular', modified: '2026-06-01T00:00:00Z' })
  assert.equal((await house.firewall.feeds.sync(feed.place)).outcome, 'activated')
  assert.equal((await verdict('popular')).decision, 'block')
  assert.equal((await decide('release')).body.heldAdvisory.state, 'released')
  assert.equal((await verdict('popular')).decision, 'allow')
  const actions = await audits()
  assert.ok(actions.includes('held-advisory.confirm') && actions.includes('held-advisory.release'))
})

test('what blocks already goes on doing so, however many repositories have it when it is reworded', async () => {
  const own = { id: house.owner.deploymentId, as: house.owner.token }
  feed.add({ id: 'MAL-6', name: 'spreading' })
  await house.firewall.feeds.sync(feed.place)
  for (let i = 10; i < 15; i++) await upload(own, `team/app-${i}`, 'spreading')
  feed.add({ id: 'MAL-6', name: 'spreading', modified: '2026-06-01T00:00:00Z' })
  assert.partialDeepStrictEqual(await house.firewall.feeds.sync(feed.place), { outcome: 'activated', changed: 1 })
  assert.equal((await verdict('spreading')).decision, 'block')
  assert.ok(!(await held()).includes('MAL-6'))
})

test('what is withdrawn, or no longer in its feed, needs no decision any more', async () => {
  const takenBack = [
    () => feed.add({ id: 'MAL-5', name: 'pinned', withdrawn: '2026-11-15T00:00:00Z' }),
    () => rmSync(feed.fileOf('MAL-5')),
  ]
  for (const takeBack of takenBack) {
    feed.add({ id: 'MAL-5', name: 'pinned' })
    await house.firewall.feeds.sync(feed.place)
    assert.equal((await held()).at(-1), 'MAL-5')
    takeBack()
    assert.equal((await house.firewall.feeds.sync(feed.place, { force: true })).outcome, 'activated')
    assert.ok(!(await held()).includes('MAL-5'))
  }
})

test('what was held goes with its feed', async () => {
  const other = testFeed()
  try {
    other.add({ id: 'MAL-7', name: 'popular' })
    await house.firewall.feeds.sync(other.place)
    assert.ok((await held()).includes('MAL-7'))
    assert.equal(await house.firewall.feeds.remove(other.place), true)
    assert.ok(!(await held()).includes('MAL-7'))
  } finally {
    other.remove()
  }
})
