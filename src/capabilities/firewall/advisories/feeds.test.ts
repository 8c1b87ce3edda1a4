import assert from 'node:assert/strict'
import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import type { FeedLocation } from '../../../feeds/feed-location.ts'
import { testFeed } from './test-feed.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())

const { feeds, refresh, verdict } = gatehouse.firewall
const deployment = gatehouse.owner.deploymentId

async function decision(name: string, version = '1.0.0'): Promise<string> {
  await refresh()
  return verdict(deployment, 'npm', name, version).decision
}

async function audited(action: string): Promise<Record<string, unknown>[]> {
  const rows = await gatehouse.db
    .as({ deploymentId: deployment })
    .query<{ detail: Record<string, unknown> }>(sql`select detail from audit_event
      where deployment_id = ${deployment} and action = ${action} order by seq`)
  return rows.map((row) => row.detail)
}

test('a feed is taken over whole, then only what changed, and what it withdraws is taken back', async () => {
  const state = `/api/firewall/v1/deployments/${deployment}/state`
  const before = await gatehouse.call('GET', state)
  assert.equal(before.body.ready, false)
  assert.match(before.body.advice, /GATEHOUSE_FEED/)
  const nothing = verdict(deployment, 'npm', 'evil', '1.0.0')
  assert.deepEqual([nothing.decision, nothing.refuse, nothing.dataAgeSeconds], ['undetermined', true, null])
  assert.match(nothing.reason, /gatehouse feed sync/)

  const feed = testFeed()
  feed.add({ id: 'MAL-1', name: 'evil' }, { id: 'MAL-2', name: 'half', versions: ['1.0.0'] })
  const first = await feeds.sync(feed.place)
  assert.partialDeepStrictEqual(first, { outcome: 'activated', records: 2, added: 2, changed: 0, removed: 0 })
  assert.equal(await decision('evil'), 'block')
  assert.equal(await decision('half'), 'block')
  assert.equal(await decision('half', '1.0.1'), 'allow')
  assert.deepEqual(verdict(deployment, 'npm', 'evil', '9.9.9').advisoryIds, ['MAL-1'])
  assert.equal(typeof verdict(deployment, 'npm', 'evil', '9.9.9').dataAgeSeconds, 'number')

  assert.deepEqual(await feeds.sync(feed.place), { place: feed.path, outcome: 'current' })

  feed.add({ id: 'MAL-3', name: 'fresh' }, { id: 'MAL-1', name: 'evil', withdrawn: '2026-02-01T00:00:00Z' })
  assert.partialDeepStrictEqual(await feeds.sync(feed.place), {
    outcome: 'activated',
    records: 3,
    added: 1,
    changed: 1,
  })
  assert.equal(await decision('evil'), 'allow')
  assert.equal(await decision('half'), 'block')
  assert.equal(await decision('fresh'), 'block')

  const answer = await gatehouse.call('GET', state)
  assert.partialDeepStrictEqual(answer.body, { ready: true, advice: '', feeds: [{ place: feed.path, records: 3 }] })
  assert.equal((await audited('advisory-feed.activate')).length, 2)
  assert.equal(await feeds.remove(feed.place), true)
  assert.equal(await decision('half'), 'undetermined')
  feed.remove()
})

test('a feed that is corrupt, cut off, empty or shrunken is not taken over, and that is said once', async () => {
  const feed = testFeed()
  const records = Array.from({ length: 40 }, (_, i) => ({ id: `MAL-${i}`, name: `evil-${i}` }))
  feed.add(...records)
  await feeds.sync(feed.place)
  assert.equal(await decision('evil-7'), 'block')
  const said = (await audited('advisory-feed.refuse')).length

  const breakages: [RegExp, () => void][] = [
    [/corrupt.*MAL-7/, () => truncateSync(feed.fileOf('MAL-7'), 100)],
    [
      /corrupt.*affected/,
      () => writeFileSync(feed.fileOf('MAL-7'), '{"id":"MAL-7","modified":"2026-01-01T00:00:00Z","affected":{}}'),
    ],
    [/lost 3 of its 40/, () => ['MAL-7', 'MAL-8', 'MAL-9'].map((id) => rmSync(feed.fileOf(id)))],
    [/no advisories/, () => rmSync(join(feed.path, 'osv'), { recursive: true })],
    [/cannot be read/, () => feed.remove()],
  ]
  for (const [expected, breakIt] of breakages) {
    feed.remove()
    rmSync(feed.path, { recursive: true, force: true })
    feed.add(...records)
    breakIt()
    const result = await feeds.sync(feed.place)
    assert.equal(result.outcome, 'refused')
    assert.match(result.outcome === 'refused' ? result.problem : '', expected)
    assert.equal((await feeds.sync(feed.place)).outcome, 'refused')
    assert.equal(await decision('evil-7'), 'block')
  }
  assert.equal((await audited('advisory-feed.refuse')).length, said + breakages.length)

  // Two of forty are 5 %, which is not more than that.
  feed.add(...records.slice(2))
  assert.partialDeepStrictEqual(await feeds.sync(feed.place), { outcome: 'activated', removed: 2 })
  assert.equal(await decision('evil-1'), 'allow')
  feed.remove()
  feed.add(...records.slice(30))
  assert.equal((await feeds.sync(feed.place)).outcome, 'refused')
  assert.partialDeepStrictEqual(await feeds.sync(feed.place, { force: true }), { outcome: 'activated', removed: 28 })
  assert.equal(await decision('evil-7'), 'allow')
  assert.equal(await decision('evil-35'), 'block')
  assert.equal((await audited('advisory-feed.activate')).at(-1)?.force, true)
  await feeds.remove(feed.place)
  feed.remove()
})

test('a feed that was looked at while the clock was ahead is looked at again now, not at that time', async () => {
  const feed = testFeed()
  feed.add({ id: 'MAL-1', name: 'evil' })
  await feeds.sync(feed.place)
  const attempted = async (at: string) => {
    await gatehouse.db.workerQuery(
      sql`update advisory_feed set attempted_at = ${at}::timestamptz, checked_at = ${at}::timestamptz`,
    )
    await feeds.refreshing([feed.place], 60).run()
    return (await feeds.list()).find(({ place }) => place === feed.path)!.checkedAt!.getTime()
  }
  const now = Date.now()
  assert.ok((await attempted(new Date(now + 5 * 3_600_000).toISOString())) < now + 3_600_000)
  const recently = now - 60_000
  assert.equal(await attempted(new Date(recently).toISOString()), recently)
  await feeds.remove(feed.place)
  feed.remove()
})

test('another process knows of a change within a second, without being asked', async () => {
  const feed = testFeed()
  feed.add({ id: 'MAL-1', name: 'everywhere' })
  const other = await gatehouse.anotherProcess()
  try {
    const path = `/api/firewall/v1/deployments/${deployment}/verdict?ecosystem=npm&name=everywhere&version=1.0.0`
    const until = async (expected: string) => {
      for (const start = performance.now(); performance.now() - start < 10_000; ) {
        if ((await other.call('GET', path)).body.decision === expected) return expected
      }
      return 'nothing in time'
    }
    await feeds.sync(feed.place)
    assert.equal(await until('block'), 'block')
    const override = { ecosystem: 'npm', name: 'everywhere', effect: 'allow', reason: 'looked at it' }
    const made = await gatehouse.call('POST', `/api/firewall/v1/deployments/${deployment}/overrides`, {
      body: override,
    })
    assert.equal(made.status, 200)
    assert.equal(await until('allow'), 'allow')
  } finally {
    await other.close()
    await feeds.remove(feed.place)
    feed.remove()
  }
})

test('while a feed has never come in, what no other one names is undetermined, until it comes in or is removed', async () => {
  const python = async (name: string) => {
    await refresh()
    return verdict(deployment, 'pypi', name, '1.0.0').decision
  }
  const [npm, pypi] = [testFeed(), testFeed()]
  npm.add({ id: 'MAL-50', name: 'evil-50' })
  await feeds.sync(npm.place)
  assert.equal(await python('harmless'), 'allow')
  assert.equal((await feeds.sync(pypi.place)).outcome, 'refused', 'it has no record yet')
  assert.equal(await python('harmless'), 'undetermined')
  assert.deepEqual([await decision('harmless'), await decision('evil-50')], ['undetermined', 'block'])

  assert.equal(await feeds.remove(pypi.place), true)
  assert.equal(await python('harmless'), 'allow')

  const untried: FeedLocation = { kind: 'local', path: '/a/feed/that/waits/for/its/first/attempt' }
  await gatehouse.db.workerQuery(sql`insert into advisory_feed (place) values (${untried.path})`)
  assert.equal(await python('harmless'), 'undetermined')
  assert.equal(await feeds.remove(untried), true)
  assert.equal(await python('harmless'), 'allow')

  await feeds.sync(pypi.place)
  assert.equal(await python('harmless'), 'undetermined')
  pypi.add({ id: 'MAL-51', name: 'evil-51', ecosystem: 'PyPI' })
  await feeds.sync(pypi.place)
  assert.deepEqual([await python('harmless'), await python('evil-51')], ['allow', 'block'])
})
