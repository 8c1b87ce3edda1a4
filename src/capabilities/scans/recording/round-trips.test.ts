import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { automationsOf } from '../../../../test/servers/automation-gatehouse.ts'
import { type RoundTrip, watchRoundTrips } from '../../../../test/watching/round-trips.ts'
import { sarifLog } from '../../findings/test-log.ts'
import { openMemories } from '../../memories/test-memories.ts'
import { advisoryFolder, semver } from '../../vulnerabilities/feeds/test-advisories.ts'
import { type Files, packageLock, type Sending, upload } from '../test-upload.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
})
after(() => gatehouse.close())

let commits = 1_000_000

/** From the statement that takes the lock, or makes the repository, to the answer to the commit. */
async function takesFew(
  what: string,
  scan: object,
  files: Files,
  { most = 8, ...how }: Sending & { most?: number } = {},
) {
  const watch = watchRoundTrips()
  const answer = await upload(gatehouse, { commit: String(commits++), ...scan }, files, how).finally(watch.stop)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const recording = watch.transactions.filter((trips) =>
    trips.flat().some((text) => text.includes('insert into scan ')),
  )
  assert.equal(recording.length, 1)
  const trips = underLock(recording[0]!)
  assert.ok(trips.length <= most, `${what}: ${trips.length}\n${shown(trips)}`)
  return answer.body
}

function underLock(trips: readonly RoundTrip[]): RoundTrip[] {
  const locks = /for (no key )?update|insert into repository\s/
  const first = trips.findIndex((trip) => trip.some((text) => locks.test(text)))
  assert.ok(first >= 0)
  return trips.slice(first)
}

function shown(trips: readonly RoundTrip[]): string {
  const short = (text: string) => text.replace(/\s+/g, ' ').slice(0, 80)
  return trips.map((trip, at) => `${at + 1}: ${trip.map(short).join(' + ')}`).join('\n')
}

const log = (...rules: string[]) => ({ 'a.sarif': sarifLog({ results: rules.map((rule) => ({ rule })) }) })
const lock = (packages: Record<string, string>) => ({ 'package-lock.json': packageLock(packages) })
/** `deep` comes in through `top`. */
const chained = (deep: string) => {
  const packages = {
    '': { dependencies: { top: '*' } },
    'node_modules/top': { version: '1.0.0', dependencies: { deep: '*' } },
    'node_modules/deep': { version: deep },
  }
  return { 'package-lock.json': JSON.stringify({ lockfileVersion: 3, packages }) }
}
const change = { kind: 'SCAN_KIND_PULL_REQUEST', pullRequest: 7, ref: 'change', baseRef: 'main' }

/** Every kind of upload to repositories that begin with this name. */
async function everyKind(name: string, most = 8, mostWithBranches = most): Promise<void> {
  const check = (what: string, scan: object, files: Files) => takesFew(what, scan, files, { most })
  const both = (rules: string[], version: string) => ({
    ...log(...rules),
    ...lock({ [`${name}-own`]: version, deep: version }),
  })
  await check('a new repository with a log', { repository: `${name}/log` }, log('a', 'b', 'c'))
  await check('a log: new, known and fixed', { repository: `${name}/log` }, log('b', 'c', 'd'))
  await check('a new repository with a lockfile', { repository: `${name}/lock` }, chained('1.0.0'))
  await check('a lockfile with new packages', { repository: `${name}/lock` }, chained('1.1.0'))
  await check('a new repository with both', { repository: `${name}/both` }, both(['a', 'b'], '1.0.0'))
  await check('both', { repository: `${name}/both` }, both(['b', 'c'], '2.0.0'))
  const to = (repository: string) => ({ ...change, repository: `${name}/${repository}` })
  for (const rule of ['e', 'f']) await check('a pull request with a log', to('log'), log('b', rule))
  for (const version of ['1.2.0', '1.3.0']) {
    await check('a pull request with a lockfile', to('lock'), chained(version))
    await check('a pull request with both', to('both'), both(['c', version], version))
  }
  await check('a pull request to a new repository', to('new'), both(['c'], '1.0.0'))
  await check('what merges it', { repository: `${name}/both`, mergedPullRequests: [7] }, both(['c', 'd'], '3.0.0'))
  const branches = { most: mostWithBranches }
  const beside = { repository: `${name}/both`, ref: 'other' }
  await takesFew('another branch', beside, both(['c', 'e'], '4.0.0'), branches)
  await takesFew('after another branch', { ...beside, ref: 'main' }, both(['e', 'f'], '5.0.0'), branches)
  const once = { ...branches, headers: { 'idempotency-key': `${name}-0123456789` } }
  await takesFew('with an Idempotency-Key', { ...beside, ref: 'main' }, both(['f', 'g'], '6.0.0'), once)
}

test('every upload holds its repository for at most 8 round trips', () => everyKind('plain'))

test('so it does with several tools and files', async () => {
  const runs = (rule: string) =>
    ['One', 'Two', 'Three'].map((tool) => ({ tool, results: [{ rule }, { rule: 'kept' }] }))
  const files = (version: string) => ({
    'a.sarif': sarifLog(...runs(version)),
    ...Object.fromEntries([1, 2, 3, 4].map((n) => [`${n}/package-lock.json`, packageLock({ shared: version })])),
  })
  for (const version of ['1.0.0', '2.0.0', '1.0.0']) await takesFew('many', { repository: 'many' }, files(version))
})

test('where memories and automations decide as well, there are two more at most', async () => {
  const memories = openMemories(gatehouse)
  const automations = automationsOf(gatehouse)
  const memory = await memories.create({ ruleId: 'c' })
  const severe = { mode: 'MODE_ANY', type: 'CONDITION_TYPE_SEVERITY', values: ['SEVERITY_HIGH'] }
  const filters = { mode: 'MODE_ALL', conditions: [severe] }
  const { id } = await automations.create({ filters, actions: [{ type: 'ACTION_TYPE_BLOCK' }] })
  try {
    const receipt = await takesFew('blocked', { repository: 'plain/log', ...change }, log('b', 'x'))
    assert.equal(receipt.blocked, true)
    await everyKind('decided', 10)
  } finally {
    await automations.call('DELETE', `/${id}`)
    await memories.remove(memory.id)
  }
})

test('where advisories name what it brings, it is one more at most, if other branches have it too', async () => {
  const feed = advisoryFolder()
  feed.put({ id: 'GHSA-1', affected: [{ name: 'deep', ranges: [semver('0')] }] })
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
  feed.remove()
  await everyKind('advised', 8, 9)
})
