import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { automationsOf } from '../../../../test/servers/automation-gatehouse.ts'
import { type RoundTrip, watchRoundTrips } from '../../../../test/watching/round-trips.ts'
import { recount } from '../../findings/public.ts'
import { sarifLog } from '../../findings/test-log.ts'
import { openMemories } from '../../memories/test-memories.ts'
import { advisoryFolder, semver } from '../../vulnerabilities/feeds/test-advisories.ts'
import { type Files, packageLock, type Sending, upload } from '../test-upload.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
})
after(async () => {
  const miscounted = await recount(gatehouse.db.as(gatehouse.owner))
  await gatehouse.close()
  assert.deepEqual(miscounted, [])
})

let commits = 1_000_000

/** From the statement that takes the lock, or makes the repository, to the answer to the commit. */
async function takesFew(what: string, scan: object, files: Files, how: Sending = {}) {
  const watch = watchRoundTrips()
  const answer = await upload(gatehouse, { commit: String(commits++), ...scan }, files, how).finally(watch.stop)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const recording = watch.transactions.filter((trips) =>
    trips.flat().some((text) => text.includes('insert into scan ')),
  )
  assert.equal(recording.length, 1)
  const trips = underLock(recording[0]!)
  assert.ok(trips.length <= 8, `${what}: ${trips.length}\n${shown(trips)}`)
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

const once = (key: string) => ({ headers: { 'idempotency-key': `${key}-0123456789` } })

/** Every kind of upload to repositories that begin with this name. */
async function everyKind(name: string): Promise<void> {
  const both = (rules: string[], version: string) => ({
    ...log(...rules),
    ...lock({ [`${name}-own`]: version, deep: version }),
    // The one file stays as it is.
    'stays/package-lock.json': chained('1.0.0')['package-lock.json'],
  })
  const to = (repository: string) => ({ repository: `${name}/${repository}` })
  await takesFew('a new repository with a log', to('log'), log('a', 'b', 'c'))
  await takesFew('a log: new, known and fixed', to('log'), log('b', 'c', 'd'))
  await takesFew('a new repository with a lockfile', to('lock'), chained('1.0.0'))
  await takesFew('a lockfile with new packages', to('lock'), chained('1.1.0'))
  await takesFew('a new repository with both', to('both'), both(['a', 'b'], '1.0.0'))
  await takesFew('both', to('both'), both(['b', 'c'], '2.0.0'))
  const requested = (repository: string) => ({ ...change, ...to(repository) })
  for (const rule of ['e', 'f']) await takesFew('a pull request with a log', requested('log'), log('b', rule))
  for (const version of ['1.2.0', '1.3.0']) {
    await takesFew('a pull request with a lockfile', requested('lock'), chained(version))
    await takesFew('a pull request with both', requested('both'), both(['c', version], version))
  }
  await takesFew('a pull request to a new repository', requested('new'), both(['c'], '1.0.0'))
  await takesFew('what merges it', { ...to('both'), mergedPullRequests: [7] }, both(['c', 'd'], '3.0.0'))
  await takesFew('another branch', { ...to('both'), ref: 'other' }, both(['c', 'e'], '4.0.0'))
  await takesFew('after another branch', to('both'), both(['e', 'f'], '5.0.0'))
  const key = (what: string) => once(`${name}-${what}`)
  await takesFew('with a key', to('both'), both(['f', 'g'], '6.0.0'), key('both'))
  await takesFew('a pull request with a key', requested('both'), both(['g', 'h'], '7.0.0'), key('request'))
  await takesFew('a new repository with a key', to('once'), both(['c', 'g'], '1.0.0'), key('new'))
}

test('every upload holds its repository for at most 8 round trips', () => everyKind('plain'))

test('so it does with several tools and files', async () => {
  const runs = (rule: string) =>
    ['One', 'Two', 'Three'].map((tool) => ({ tool, results: [{ rule }, { rule: 'kept' }] }))
  const folders = Array.from({ length: 12 }, (_, n) => n)
  const files = (version: string) => ({
    'a.sarif': sarifLog(...runs(version)),
    ...Object.fromEntries(folders.map((n) => [`${n}/package-lock.json`, packageLock({ shared: version })])),
  })
  for (const version of ['1.0.0', '2.0.0', '1.0.0']) await takesFew('many', { repository: 'many' }, files(version))
})

/** What else decides: each is set up, and answers how it is taken away again. */
const circumstances: Record<string, () => Promise<() => Promise<unknown>>> = {
  async memories() {
    const memories = openMemories(gatehouse)
    const made = [await memories.create({ ruleId: 'c' }), await memories.create({ ruleId: 'GHSA-1' })]
    return async () => {
      for (const { id } of made) await memories.remove(id)
    }
  },
  async automations() {
    const automations = automationsOf(gatehouse)
    const severe = { mode: 'MODE_ANY', type: 'CONDITION_TYPE_SEVERITY', values: ['SEVERITY_HIGH'] }
    const filters = { mode: 'MODE_ALL', conditions: [severe] }
    const { id } = await automations.create({ filters, actions: [{ type: 'ACTION_TYPE_BLOCK' }] })
    return () => automations.call('DELETE', `/${id}`)
  },
  async advisories() {
    const feed = advisoryFolder()
    for (const id of ['GHSA-1', 'GHSA-2']) feed.put({ id, affected: [{ name: 'deep', ranges: [semver('0')] }] })
    await gatehouse.vulnerabilities.feeds.sync(feed.place)
    return async () => {
      for (const id of ['GHSA-1', 'GHSA-2']) feed.drop(id)
      feed.put()
      await gatehouse.vulnerabilities.feeds.sync(feed.place)
      feed.remove()
    }
  },
}

/** All of these together. */
async function under(names: readonly string[], work: () => Promise<void>): Promise<void> {
  const undo: (() => Promise<unknown>)[] = []
  try {
    for (const name of names) undo.push(await circumstances[name]!())
    await work()
  } finally {
    for (const one of undo.toReversed()) await one()
  }
}

for (const which of [1, 2, 3, 4, 5, 6, 7]) {
  const names = Object.keys(circumstances).filter((_, at) => which & (1 << at))
  test(`so it does where ${names.join(' and ')} have a say`, () =>
    under(names, () => everyKind(`with-${names.join('-')}`)))
}

test('so does one where everything comes together', () =>
  under(Object.keys(circumstances), async () => {
    const all = (rules: string[], version: string) => ({
      ...log(...rules),
      'moves/package-lock.json': chained(version)['package-lock.json'],
      'stays/package-lock.json': chained('1.0.0')['package-lock.json'],
    })
    const repository = 'all/together'
    const found = (receipt: { files: { findings: { raised: number } }[] }) => receipt.files[0]!.findings.raised
    const made = await takesFew('made', { repository }, all(['a', 'b', 'c'], '1.0.0'), once('made'))
    assert.deepEqual([made.createdRepository, made.blocked, found(made)], [true, true, 3])
    const beside = { repository, ref: 'other' }
    const branch = await takesFew('branch', beside, all(['a', 'b', 'c', 'd'], '1.0.0'), once('branch'))
    assert.deepEqual([branch.blocked, found(branch)], [true, 4])
    const back = await takesFew('main', { repository }, all(['b', 'c', 'd', 'e'], '2.0.0'), once('main'))
    assert.deepEqual([back.blocked, found(back), back.openAdvisoryFindings], [true, 2, 2])
    const asked = { repository, ...change }
    const request = await takesFew('request', asked, all(['c', 'd', 'f'], '3.0.0'), once('request'))
    assert.deepEqual([request.blocked, found(request)], [true, 1])
    const merge = { repository, mergedPullRequests: [7] }
    const merged = await takesFew('merged', merge, all(['c', 'f'], '3.0.0'), once('merged'))
    assert.deepEqual([merged.blocked, found(merged)], [true, 1])
    assert.deepEqual(
      merged,
      (await upload(gatehouse, { commit: String(commits - 1), ...merge }, all(['c', 'f'], '3.0.0'), once('merged')))
        .body,
    )
  }))
