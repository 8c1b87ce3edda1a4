import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { testFeed } from '../advisories/test-feed.ts'
import { watchExposure } from '../exposure/test-exposure.ts'

const clock = { at: new Date('2026-11-01T12:00:00Z'), now: () => clock.at }
const feed = testFeed()
let gatehouse: TestGatehouse
const path = '/api/firewall/v1/deployments/1/settings'
const npm = {
  ecosystem: 'npm',
  undetermined: 'block',
  held: 'block',
  minimumAgeHours: 0,
  ageExceptions: [] as string[],
  maximumDataAgeHours: 0,
  mirrorHosts: [] as string[],
}

before(async () => {
  gatehouse = await openGatehouse({ clock })
  feed.add({ id: 'MAL-1', name: 'evil' })
  await gatehouse.firewall.feeds.sync(feed.place)
  await gatehouse.firewall.refresh()
  const { fetch } = watchExposure(gatehouse)
  await fetch({ personId: 1, tokenId: 0 }, 'old@1.0.0', 'evil@1.0.0')
  clock.at = new Date('2026-11-15T11:00:00Z')
  await fetch({ personId: 1, tokenId: 0 }, 'fresh@1.0.0')
  clock.at = new Date('2026-11-15T12:00:00Z')
})
after(async () => {
  await gatehouse.close()
  feed.remove()
})

const attempt = (change: object, more: object = {}) =>
  gatehouse.call('POST', `${path}/trial`, { body: { settings: { ...npm, ...change }, ...more } })

test('a trial says which versions would be refused, and saves nothing', async () => {
  const same = await attempt({})
  assert.equal(same.status, 200, JSON.stringify(same.body))
  const { since, ...figures } = same.body
  assert.equal(since, '2026-10-16T00:00:00.000Z')
  const nothing = { versions: 3, truncated: false, refusedBefore: 1, refusedAfter: 1, unknownAge: 0, changes: [] }
  assert.deepEqual(figures, nothing)
  // The advisories are two weeks old here.
  const strict = (await attempt({ maximumDataAgeHours: 24 })).body
  assert.deepEqual([strict.refusedBefore, strict.refusedAfter], [1, 3])
  assert.deepEqual(
    strict.changes.map((each: { name: string; refused: boolean }) => [each.name, each.refused]),
    [
      ['fresh', true],
      ['old', true],
    ],
  )
  assert.match(strict.changes[0].reason, /24 hours/)
  assert.deepEqual([strict.changes[0].clients, strict.changes[0].people.length], [1, 1])
  const member = await gatehouse.addPerson('member')
  const body = { settings: { ...npm, maximumDataAgeHours: 24 } }
  const asMember = await gatehouse.call('POST', `${path}/trial`, { as: member.token, body })
  assert.deepEqual([asMember.body.changes[0].clients, asMember.body.changes[0].people], [1, []])
  assert.equal((await attempt({ maximumDataAgeHours: 24, undetermined: 'warn' })).body.refusedAfter, 1)
  assert.deepEqual((await gatehouse.call('GET', `${path}/npm`)).body, npm)
  assert.equal((await attempt({}, { days: 1 })).body.versions, 1)
})

test('what may be too young is counted apart: when it was published is not known', async () => {
  const gate = (await attempt({ minimumAgeHours: 72 })).body
  assert.deepEqual([gate.unknownAge, gate.refusedAfter, gate.changes], [1, 1, []])
  assert.equal((await attempt({ minimumAgeHours: 72, ageExceptions: ['fresh'] })).body.unknownAge, 0)
  assert.equal((await attempt({ ageExceptions: ['@ours'] })).status, 422)
})

test('settings that somebody else changed meanwhile are not overwritten', async () => {
  const seen = await gatehouse.call('GET', `${path}/npm`)
  const tag = seen.headers.get('etag')!
  const put = (ifMatch: string, change: object) =>
    gatehouse.call('PUT', path, { body: { ...npm, ...change }, headers: { 'if-match': ifMatch } })
  const first = await put(tag, { minimumAgeHours: 5 })
  assert.equal(first.status, 200, JSON.stringify(first.body))
  assert.equal((await put(tag, { minimumAgeHours: 9 })).status, 412)
  const now = await gatehouse.call('GET', `${path}/npm`)
  assert.equal(now.body.minimumAgeHours, 5)
  assert.equal(now.headers.get('etag'), first.headers.get('etag'))
  assert.equal((await put(now.headers.get('etag')!, {})).status, 200)
})
