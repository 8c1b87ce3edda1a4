import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type Tester, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { upload as send } from '../../scans/test-upload.ts'
import { testFeed } from '../advisories/test-feed.ts'

const start = Date.parse('2026-11-01T12:00:00Z')
const daysLater = (days: number) => new Date(start + days * 86_400_000)
const clock = { at: new Date(start), now: () => clock.at }
const feed = testFeed()
let gatehouse: TestGatehouse
let path: string
let mallory: Tester
let other: { id: number; as: string }

type Person = { id: number; as: string }
const owner = (): Person => ({ id: gatehouse.owner.deploymentId, as: gatehouse.owner.token })

before(async () => {
  gatehouse = await openGatehouse({ clock })
  path = `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}`
  mallory = await gatehouse.addPerson('member')
  other = await gatehouse.addDeployment()
  // What the company has had for long, and what one member has, at the beginning.
  const long = ['popular@1.0.0', 'pinned@1.0.0', 'left@1.0.0']
  for (let i = 0; i < 5; i++) await upload(owner(), `team/app-${i}`, long)
  for (let i = 0; i < 4; i++) await upload(other, `team/app-${i}`, ['popular@1.0.0'])
  for (let i = 0; i < 5; i++) await upload(asMallory(), `mallory/old-${i}`, ['hers@1.0.0'])
  await gatehouse.firewall.snapshots.run()
  feed.add({ id: 'MAL-0', name: 'something' })
  await sync()
  // From here on time only passes.
  clock.at = daysLater(8)
})
after(async () => {
  await gatehouse.close()
  feed.remove()
})

const asMallory = (): Person => ({ id: gatehouse.owner.deploymentId, as: mallory.token })

async function upload(by: Person, repository: string, packages: string[], more: object = {}): Promise<void> {
  const locked = packages.map((each, at): [string, object] => {
    const [name, version] = each.split('@') as [string, string]
    return [at === 0 ? `node_modules/${name}` : `node_modules/under-${at}/node_modules/${name}`, { version }]
  })
  const lock = JSON.stringify({ lockfileVersion: 3, packages: { '': {}, ...Object.fromEntries(locked) } })
  const files = { 'package-lock.json': lock }
  const answer = await send(gatehouse, { repository, ...more }, files, { as: by.as, deploymentId: by.id })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

async function sync(): Promise<void> {
  assert.equal((await gatehouse.firewall.feeds.sync(feed.place)).outcome, 'activated')
}

/** An advisory that names every version of it, published just now. */
async function accuse(id: string, name: string, published = clock.at.toISOString()): Promise<void> {
  feed.add({ id, name, published, modified: clock.at.toISOString() })
  await sync()
}

async function verdict(name: string, version = '1.0.0', by = owner()) {
  await gatehouse.firewall.refresh()
  const query = `ecosystem=npm&name=${name}&version=${version}`
  const answer = await gatehouse.call('GET', `/api/firewall/v1/deployments/${by.id}/verdict?${query}`, { as: by.as })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

async function decisionOn(name: string, version?: string, by?: Person): Promise<[string, boolean]> {
  const { decision, refuse } = await verdict(name, version, by)
  return [decision, refuse]
}

async function heldAdvisories() {
  return (await gatehouse.call('GET', `${path}/held-advisories?pageSize=100`)).body.heldAdvisories
}

async function held(): Promise<string[]> {
  return (await heldAdvisories()).map((each: { advisoryId: string }) => each.advisoryId)
}

test('an entry for all versions of what has long been in five repositories waits for a person, there alone', async () => {
  await accuse('MAL-3', 'popular')
  const said = await verdict('popular')
  assert.partialDeepStrictEqual(said, { decision: 'held', refuse: true, advisoryIds: ['MAL-3'] })
  assert.match(said.reason, /MAL-3 names every version .* owner or admin .* refused/)
  assert.deepEqual(await decisionOn('popular', '1.0.1'), ['block', true], 'a version that nobody has')
  assert.deepEqual(await decisionOn('popular', '1.0.0', other), ['block', true], 'four repositories are not enough')
  const fetched = await gatehouse.call('GET', `/firewall/${owner().id}/npm/popular/-/popular-1.0.0.tgz`)
  assert.equal(fetched.status, 403)
  assert.match(JSON.stringify(fetched.body), /Gatehouse refuses popular@1\.0\.0: Held: MAL-3 names every version/)
  const [entry] = await heldAdvisories()
  assert.partialDeepStrictEqual(entry, {
    advisoryId: 'MAL-3',
    name: 'popular',
    repositoryCount: 5,
    versions: ['1.0.0'],
    state: 'held',
    decidedAt: null,
  })

  const decide = (decision: string, as?: string) =>
    gatehouse.call('POST', `${path}/held-advisories/${entry.id}/decision`, {
      body: { decision, reason: 'looked' },
      ...(as ? { as } : {}),
    })
  assert.equal((await decide('release', mallory.token)).status, 403)
  assert.partialDeepStrictEqual((await decide('confirm')).body.heldAdvisory, { state: 'confirmed', reason: 'looked' })
  assert.deepEqual(await decisionOn('popular'), ['block', true])
  // A new wording of the same advisory changes nothing about what was decided.
  feed.add({ id: 'MAL-3', name: 'popular', modified: '2026-12-01T00:00:00Z', published: clock.at.toISOString() })
  await sync()
  assert.deepEqual(await decisionOn('popular'), ['block', true])
  assert.equal((await decide('release')).body.heldAdvisory.state, 'released')
  const released = await verdict('popular', '1.0.1')
  assert.equal(released.decision, 'allow')
  assert.match(released.reason, /MAL-3 names it; your organisation released it: looked/)
})

test('the deployment may let what is held pass, with a warning; other versions are blocked all the same', async () => {
  await accuse('MAL-4', 'left')
  assert.deepEqual(await decisionOn('left'), ['held', true])
  const defaults = { undetermined: 'block', minimumAgeHours: 0, ageExceptions: [], maximumDataAgeHours: 0 }
  const put = (more: object, as?: string) =>
    gatehouse.call('PUT', `${path}/settings`, {
      body: { ecosystem: 'npm', ...defaults, ...more },
      ...(as ? { as } : {}),
    })
  assert.equal((await put({ held: 'warn' }, mallory.token)).status, 403)
  assert.equal((await put({ held: 'warn' })).body.held, 'warn')
  assert.deepEqual(await decisionOn('left'), ['held', false])
  assert.match((await verdict('left')).reason, /^Held: MAL-4 .* passes with a warning/)
  assert.deepEqual(await decisionOn('left', '9.9.9'), ['block', true])
  assert.equal((await put({})).body.held, 'block')
  assert.deepEqual(await decisionOn('left'), ['held', true])
})

test('repositories that somebody made a minute ago, whatever time they claim, keep nothing from being refused', async () => {
  const past = { performedAt: '2026-01-01T00:00:00Z' }
  for (let i = 0; i < 8; i++) {
    await upload(asMallory(), `mallory/new-${i}`, ['wanted@1.0.0'])
    await upload(owner(), `claimed/old-${i}`, ['claimed@1.0.0'], past)
  }
  await gatehouse.firewall.snapshots.run()
  clock.at = daysLater(8.01)
  await accuse('MAL-10', 'wanted')
  await accuse('MAL-9', 'claimed')
  assert.deepEqual(await decisionOn('wanted'), ['block', true])
  assert.deepEqual(await decisionOn('claimed'), ['block', true])
})

test('nor do old repositories with a version that came into them since', async () => {
  for (let i = 0; i < 5; i++) {
    await upload(owner(), `team/app-${i}`, ['popular@1.0.0', 'pinned@1.0.0', 'left@1.0.0', 'pinned@2.0.0'])
  }
  await accuse('MAL-11', 'pinned')
  assert.deepEqual(await decisionOn('pinned'), ['held', true])
  assert.deepEqual(await decisionOn('pinned', '2.0.0'), ['block', true])
})

test('nor the inventories of one member, however old and many: a member counts once', async () => {
  await accuse('MAL-12', 'hers')
  assert.deepEqual(await decisionOn('hers'), ['block', true])
  clock.at = daysLater(9)
  const [friend, packages] = [await gatehouse.addPerson('member'), ['shared@1.0.0', 'known@1.0.0']]
  for (let i = 0; i < 3; i++) await upload(owner(), `some/app-${i}`, packages)
  for (let i = 0; i < 5; i++) await upload(asMallory(), `mallory/more-${i}`, [...packages, 'known@6.6.6'])
  await upload({ ...asMallory(), as: friend.token }, 'friend/app', ['known@1.0.0'])
  await gatehouse.firewall.snapshots.run()
  clock.at = daysLater(17)
  await accuse('MAL-13', 'shared')
  assert.deepEqual(await decisionOn('shared'), ['block', true], 'three repositories and a member')
  await accuse('MAL-16', 'known')
  assert.deepEqual(await decisionOn('known'), ['held', true], 'three repositories and two members')
  assert.deepEqual(await decisionOn('known', '6.6.6'), ['block', true], 'a version that one member has')
})

test('nor what a member sends into repositories of others, as another tool', async () => {
  clock.at = daysLater(17)
  for (let i = 0; i < 5; i++) {
    await upload(owner(), `sound/app-${i}`, ['sound@1.0.0'])
    await snapshotOf(`sound/app-${i}`, 'planted')
    // The inventory is the owner's again, with her file beside it.
    await upload(owner(), `sound/app-${i}`, ['sound@1.0.0', 'more@1.0.0'])
  }
  await gatehouse.firewall.snapshots.run()
  clock.at = daysLater(25)
  await accuse('MAL-17', 'planted')
  assert.deepEqual(await decisionOn('planted'), ['block', true])
  await accuse('MAL-18', 'sound')
  assert.deepEqual(await decisionOn('sound'), ['held', true], 'what the owner sent counts all the same')
})

async function snapshotOf(repository: string, name: string): Promise<void> {
  const resolved = { [name]: { package_url: `pkg:npm/${name}@1.0.0` } }
  const body = {
    version: 0,
    sha: 'a'.repeat(40),
    ref: 'refs/heads/main',
    job: { correlator: 'hers', id: '1' },
    detector: { name: 'hers', version: '1', url: 'https://detector.example' },
    scanned: clock.at.toISOString(),
    manifests: { 'package.json': { name: 'package.json', resolved } },
  }
  const address = `/api/v3/repos/${repository}/dependency-graph/snapshots`
  const answer = await gatehouse.call('POST', address, { as: mallory.token, body })
  assert.equal(answer.status, 201, JSON.stringify(answer.body))
}

test('nor what pipelines upload, whatever the role of their account', async () => {
  clock.at = daysLater(17)
  const accounts = `/api/service-accounts/v1/deployments/${owner().id}/service-accounts`
  const as = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  const account = await gatehouse.call('POST', accounts, { as, body: { name: 'ci', role: 'admin' } })
  const tokens = `${accounts}/${account.body.serviceAccount.id}/tokens`
  const token = await gatehouse.call('POST', tokens, { as, body: { name: 'ci', webApi: true } })
  const pipeline = { id: owner().id, as: token.body.secret }
  for (let i = 0; i < 5; i++) await upload(pipeline, `made/app-${i}`, ['piped@1.0.0'])
  await gatehouse.firewall.snapshots.run()
  clock.at = daysLater(25)
  await accuse('MAL-19', 'piped')
  assert.deepEqual(await decisionOn('piped'), ['block', true])
})

test('nor what came in after the advisory was published', async () => {
  clock.at = daysLater(17)
  await accuse('MAL-14', 'left', daysLater(-1).toISOString())
  assert.ok(!(await held()).includes('MAL-14'))
})

test('nor what was there once and is no longer', async () => {
  for (let i = 0; i < 5; i++) await upload(owner(), `gone/app-${i}`, ['leaving@1.0.0'])
  await gatehouse.firewall.snapshots.run()
  clock.at = daysLater(25)
  for (let i = 0; i < 5; i++) await upload(owner(), `gone/app-${i}`, ['staying@1.0.0'])
  await accuse('MAL-15', 'leaving')
  assert.deepEqual(await decisionOn('leaving'), ['block', true])
})

test('of the snapshots of a repository two are kept, a week apart', async () => {
  const taken = async () => {
    const rows = await gatehouse.db
      .as({ deploymentId: gatehouse.owner.deploymentId })
      .query<{ at: Date }>(sql`select snapshot.taken_at as at
      from inventory_snapshot snapshot
      join repository r on r.deployment_id = snapshot.deployment_id and r.id = snapshot.repository_id
      where snapshot.deployment_id = ${gatehouse.owner.deploymentId} and r.name = 'kept/app' order by 1`)
    return rows.map(({ at }) => (at.getTime() - start) / 86_400_000)
  }
  clock.at = daysLater(30)
  await upload(owner(), 'kept/app', ['kept@1.0.0'])
  for (const [days, expected] of [
    [30, [30]],
    [36.9, [30]],
    [37, [30, 37]],
    [45, [37, 45]],
  ] as const) {
    clock.at = daysLater(days)
    await gatehouse.firewall.snapshots.run()
    assert.deepEqual(await taken(), expected)
  }
})

test('what blocks already goes on doing so, however long repositories have had it when it is reworded', async () => {
  await accuse('MAL-20', 'spreading')
  for (let i = 0; i < 5; i++) await upload(owner(), `spread/app-${i}`, ['spreading@1.0.0'])
  await gatehouse.firewall.snapshots.run()
  clock.at = daysLater(54)
  feed.add({ id: 'MAL-20', name: 'spreading', published: clock.at.toISOString(), modified: clock.at.toISOString() })
  assert.partialDeepStrictEqual(await gatehouse.firewall.feeds.sync(feed.place), { outcome: 'activated', changed: 1 })
  assert.deepEqual(await decisionOn('spreading'), ['block', true])
  assert.ok(!(await held()).includes('MAL-20'))
})

test('what is withdrawn, or no longer in its feed, needs no decision any more', async () => {
  const published = clock.at.toISOString()
  const takenBack = [
    () => feed.add({ id: 'MAL-21', name: 'pinned', withdrawn: '2026-11-15T00:00:00Z' }),
    () => rmSync(feed.fileOf('MAL-21')),
  ]
  for (const takeBack of takenBack) {
    feed.add({ id: 'MAL-21', name: 'pinned', published })
    await sync()
    assert.equal((await held()).at(-1), 'MAL-21')
    takeBack()
    assert.equal((await gatehouse.firewall.feeds.sync(feed.place, { force: true })).outcome, 'activated')
    assert.ok(!(await held()).includes('MAL-21'))
  }
})

test('what was held goes with its feed', async () => {
  const second = testFeed()
  try {
    second.add({ id: 'MAL-22', name: 'pinned', published: clock.at.toISOString() })
    await gatehouse.firewall.feeds.sync(second.place)
    assert.ok((await held()).includes('MAL-22'))
    assert.equal(await gatehouse.firewall.feeds.remove(second.place), true)
    assert.ok(!(await held()).includes('MAL-22'))
  } finally {
    second.remove()
  }
})
