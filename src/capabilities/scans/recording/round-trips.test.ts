import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { type RoundTrip, watchRoundTrips } from '../../../../test/watching/round-trips.ts'
import { sarifLog } from '../../findings/test-log.ts'
import { packageLock, upload } from '../test-upload.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
})
after(() => gatehouse.close())

const log = (...rules: string[]) => sarifLog({ results: rules.map((rule) => ({ rule })) })

async function tripsOf(scan: object, files: Record<string, string>): Promise<RoundTrip[]> {
  const watch = watchRoundTrips()
  try {
    const answer = await upload(gatehouse, scan, files)
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
  } finally {
    watch.stop()
  }
  const locks = watch.transactions.filter((trips) => trips.flat().some((text) => text.includes('insert into scan ')))
  assert.equal(locks.length, 1)
  return locks[0]!
}

/** From the lock of the repository to the commit. */
function underLock(trips: readonly RoundTrip[]): RoundTrip[] {
  const first = trips.findIndex((trip) => trip.some((text) => /for (no key )?update/.test(text)))
  return trips.slice(first)
}

const most = 8
const shown = (trips: readonly RoundTrip[]) =>
  trips
    .map((trip, at) => `${at + 1}: ${trip.map((text) => text.replace(/\s+/g, ' ').slice(0, 80)).join(' + ')}`)
    .join('\n')

test('a log holds its repository for at most 8 round trips: new, known and fixed findings', async () => {
  await upload(gatehouse, { repository: 'a', commit: '1000000' }, { 'a.sarif': log('a', 'b', 'c') })
  const trips = underLock(await tripsOf({ repository: 'a', commit: '1000001' }, { 'a.sarif': log('b', 'c', 'd') }))
  assert.ok(trips.length <= most, shown(trips))
})

test('so does a lockfile, with new packages', async () => {
  const lock = (packages: Record<string, string>) => ({ 'package-lock.json': packageLock(packages) })
  await upload(gatehouse, { repository: 'b', commit: '1000000' }, lock({ a: '1.0.0', b: '1.0.0' }))
  const trips = underLock(await tripsOf({ repository: 'b', commit: '1000001' }, lock({ a: '2.0.0', c: '1.0.0' })))
  assert.ok(trips.length <= most, shown(trips))
})

test('an upload that makes its repository takes at most 15 round trips in all', async () => {
  const trips = await tripsOf({ repository: 'new', commit: '1000000' }, { 'a.sarif': log('a') })
  assert.ok(trips.length <= 15, shown(trips))
})

test('a pull request holds its repository for at most 10 round trips', async () => {
  const change = { repository: 'a', kind: 'SCAN_KIND_PULL_REQUEST', pullRequest: 7, ref: 'change', baseRef: 'main' }
  for (const [commit, ...rules] of [
    ['1000002', 'b', 'e'],
    ['1000003', 'b', 'f'],
  ]) {
    const trips = underLock(await tripsOf({ ...change, commit }, { 'a.sarif': log(...rules) }))
    assert.ok(trips.length <= 10, shown(trips))
  }
})

test('many files of one upload are recorded together', async () => {
  const locks = (version: string) =>
    Object.fromEntries([1, 2, 3, 4].map((n) => [`${n}/package-lock.json`, packageLock({ shared: version })]))
  await upload(gatehouse, { repository: 'c', commit: '1000000' }, locks('1.0.0'))
  await upload(gatehouse, { repository: 'c', commit: '1000001' }, locks('2.0.0'))
  const trips = underLock(await tripsOf({ repository: 'c', commit: '1000002' }, locks('1.0.0')))
  // Each file has its dependencies in a trip of their own.
  assert.ok(trips.length <= most + 3, shown(trips))
})
