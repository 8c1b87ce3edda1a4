import assert from 'node:assert/strict'
import { rmSync, truncateSync, writeFileSync } from 'node:fs'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { packageLock, upload } from '../../scans/test-upload.ts'
import { findingsOf, settled } from '../test-vulnerabilities.ts'
import { advisoryFolder, semver } from './test-advisories.ts'

const gatehouse = await openGatehouse()
const { feeds } = gatehouse.vulnerabilities
const state = `/api/sca/deployments/${gatehouse.owner.deploymentId}/vulnerability-feeds`
after(() => gatehouse.close())

const records = Array.from({ length: 40 }, (_, n) => ({
  id: `GHSA-${n}`,
  affected: [{ name: `package-${n}`, ranges: [semver('0', '2.0.0')] }],
}))

async function audited(action: string): Promise<number> {
  const rows = await gatehouse.db.as(gatehouse.owner).query(sql`select from audit_event
    where deployment_id = ${gatehouse.owner.deploymentId} and action = ${action}`)
  return rows.length
}

test('a feed that is corrupt, cut off, empty or shrunken is not taken over, and that is said once', async () => {
  assert.match((await gatehouse.call('GET', state)).body.advice, /GATEHOUSE_VULNERABILITY_FEED/)
  const feed = advisoryFolder()
  feed.put(...records)
  assert.partialDeepStrictEqual(await feeds.sync(feed.place), { outcome: 'activated', added: 40 })
  assert.deepEqual(await feeds.sync(feed.place), { place: feed.path, outcome: 'current' })
  await upload(gatehouse, { repository: 'f/one' }, { 'package-lock.json': packageLock({ 'package-7': '1.0.0' }) })
  const open = async () =>
    (await findingsOf(gatehouse, 'f/one')).filter((one) => one.triageState === 'TRIAGE_STATE_OPEN').length
  assert.equal(await open(), 1)

  const breakages: [RegExp, () => void][] = [
    [/corrupt.*GHSA-7/, () => truncateSync(feed.fileOf('GHSA-7'), 50)],
    [
      /corrupt.*affected/,
      () => writeFileSync(feed.fileOf('GHSA-7'), '{"id":"GHSA-7","modified":"2026-01-01T00:00:00Z","affected":{}}'),
    ],
    [/lost 3 of its 40/, () => ['GHSA-7', 'GHSA-8', 'GHSA-9'].map(feed.drop)],
    [/has no advisories/, () => records.map(({ id }) => feed.drop(id))],
    [/cannot be read/, () => feed.remove()],
  ]
  for (const [expected, breakIt] of breakages) {
    feed.remove()
    feed.put(...records)
    breakIt()
    for (let attempt = 0; attempt < 2; attempt++) {
      const result = await feeds.sync(feed.place)
      assert.match(result.outcome === 'refused' ? result.problem : result.outcome, expected)
    }
    assert.match((await gatehouse.call('GET', state)).body.feeds[0].problem, expected)
    await settled(gatehouse)
    assert.equal(await open(), 1)
  }
  assert.equal(await audited('vulnerability-feed.refuse'), breakages.length)

  feed.put(...records.slice(2))
  assert.partialDeepStrictEqual(await feeds.sync(feed.place), { outcome: 'activated', removed: 2, changed: 0 })
  assert.equal((await gatehouse.call('GET', state)).body.advice, '')
  rmSync(feed.fileOf('GHSA-8'))
  for (const { id } of records.slice(9, 20)) feed.drop(id)
  feed.drop('GHSA-7')
  assert.equal((await feeds.sync(feed.place)).outcome, 'refused')
  assert.partialDeepStrictEqual(await feeds.sync(feed.place, { force: true }), { outcome: 'activated', removed: 13 })
  await settled(gatehouse)
  const [gone] = await findingsOf(gatehouse, 'f/one')
  const history = await gatehouse.call(
    'GET',
    `/api/findings/${gatehouse.owner.deploymentId}/findings/${gone.id}/history`,
  )
  assert.deepEqual(
    [gone.triageState, history.body.history[0].note],
    ['TRIAGE_STATE_FIXED', 'GHSA-7 is no longer in the feed.'],
  )
  assert.equal(await feeds.remove(feed.place), true)
  assert.equal(await feeds.remove(feed.place), false)
  feed.remove()
})

test('what a process of an older release read meanwhile is read again', async () => {
  const feed = advisoryFolder()
  feed.put(...records)
  await feeds.sync(feed.place)
  assert.equal((await feeds.sync(feed.place)).outcome, 'current')
  // It names the state that it read, and no reader.
  await gatehouse.db.workerQuery(sql`update vulnerability_feed set tag = regexp_replace(tag, '^reader [0-9]+ ', '')`)
  assert.partialDeepStrictEqual(await feeds.sync(feed.place), { outcome: 'activated', added: 0, changed: 0 })
  assert.equal((await feeds.sync(feed.place)).outcome, 'current')
  await feeds.remove(feed.place)
  feed.remove()
})

test('only who has or had an affected version looks again', async () => {
  const feed = advisoryFolder()
  feed.put(
    { id: 'GHSA-a', affected: [{ name: 'a', ranges: [semver('1.0.0', '1.5.0')] }] },
    { id: 'GHSA-z', affected: [{ name: 'z', versions: ['1.0.0'] }] },
  )
  await feeds.sync(feed.place)
  const has = (version: string) => ({ 'package-lock.json': packageLock({ a: version }) })
  const ids = new Map<string, number>()
  for (const version of ['0.9.0', '1.4.0', '1.6.0', '3.0.0']) {
    const sent = await upload(gatehouse, { repository: `only/${version}` }, has(version))
    ids.set(version, sent.body.scan.repositoryId)
  }
  await settled(gatehouse)
  // It no longer names 1.4.0, it names 1.6.0 from now on, and it never named the others.
  feed.put({ id: 'GHSA-a', affected: [{ name: 'a', ranges: [semver('1.5.0', '2.0.0')] }] })
  await feeds.sync(feed.place)
  await settled(gatehouse)
  const streams = await gatehouse.db
    .as(gatehouse.owner)
    .query<{ id: number }>(sql`select repository_id as id from finding_stream
    where deployment_id = ${gatehouse.owner.deploymentId} and source = 'osv' and scan_id = 0 and repository_id = any(${[...ids.values()]}::bigint[])`)
  assert.deepEqual(streams.map((row) => row.id).sort(), [ids.get('1.4.0'), ids.get('1.6.0')].sort())
  const [was] = await findingsOf(gatehouse, 'only/1.4.0')
  const history = await gatehouse.call(
    'GET',
    `/api/findings/${gatehouse.owner.deploymentId}/findings/${was.id}/history`,
  )
  assert.deepEqual(
    [was.triageState, history.body.history[0].note],
    ['TRIAGE_STATE_FIXED', 'GHSA-a no longer names this version.'],
  )
  const [is] = await findingsOf(gatehouse, 'only/1.6.0')
  assert.equal(is.triageState, 'TRIAGE_STATE_OPEN')
  await feeds.remove(feed.place)
  feed.remove()
})
