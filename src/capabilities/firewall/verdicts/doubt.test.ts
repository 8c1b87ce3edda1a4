import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { upload } from '../../scans/test-upload.ts'
import { testFeed } from '../advisories/test-feed.ts'
import { lockOf, watchExposure } from '../exposure/test-exposure.ts'

const clock = { at: new Date('2026-11-01T12:00:00Z'), now: () => clock.at }
const feed = testFeed()
let gatehouse: TestGatehouse
let watch: ReturnType<typeof watchExposure>
let firewall: string

before(async () => {
  gatehouse = await openGatehouse({ clock })
  watch = watchExposure(gatehouse)
  firewall = `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}`
  const made = await gatehouse.call(
    'POST',
    `/api/notifications/deployments/${gatehouse.owner.deploymentId}/automations`,
    {
      body: {
        name: 'tell',
        triggerSource: 'TRIGGER_SOURCE_SUPPLY_CHAIN_INCIDENT',
        filters: { mode: 'MODE_ALL', conditions: [] },
        actions: [{ type: 'ACTION_TYPE_TRIAGE', config: { triageState: 'TRIAGE_STATE_REVIEWING' } }],
      },
    },
  )
  assert.equal(made.status, 200, JSON.stringify(made.body))
  for (const n of [1, 2, 3, 4, 5]) await watch.upload(`team/wide-${n}`, lockOf('wide'))
  await gatehouse.firewall.snapshots.run()
  clock.at = new Date('2026-11-09T12:00:00Z')
  feed.add({ id: 'MAL-0', name: 'other' })
  await gatehouse.firewall.feeds.sync(feed.place)
  await gatehouse.firewall.refresh()
})
after(async () => {
  await gatehouse.close()
  feed.remove()
})

async function accuse(id: string, name: string, more: object = {}): Promise<void> {
  feed.add({ id, name, published: clock.at.toISOString(), ...more })
  await gatehouse.firewall.feeds.sync(feed.place)
  await watch.lookNow()
}

const standing = async (rule: string) => (await watch.findings()).filter((each) => each.rule === rule && each.state < 5)

async function told(): Promise<string[]> {
  const rows = await watch.db.query<{ subjects: string[] }>(sql`select subjects from automation_run
    where deployment_id = ${gatehouse.owner.deploymentId} order by id`)
  return rows.flatMap((run) => run.subjects)
}

/** A lockfile of npm with one package at 1.0.0 that comes from somewhere. */
function lockFrom(name: string, resolved: string): string {
  const entry = { version: '1.0.0', ...(resolved && { resolved }) }
  return JSON.stringify({ lockfileVersion: 3, packages: { '': {}, [`node_modules/${name}`]: entry } })
}

test('who has what a held advisory names is told at once, and again when a person decided', async () => {
  await watch.fetch({ personId: 1, tokenId: 7 }, 'wide@1.0.0')
  await watch.upload('team/late', lockOf('wide').replace('1.0.0', '2.0.0'))
  await accuse('MAL-4', 'wide')
  const held = await standing('MAL-4-held')
  assert.equal(held.length, 5)
  for (const one of held) assert.partialDeepStrictEqual(one, { malicious: false, severity: 5, state: 3 })
  assert.match(held[0]!.message, /MAL-4 calls every version of wide malicious.*confirms or releases/)
  // A version that only came in since is malicious, whoever else waits.
  assert.deepEqual(
    (await standing('MAL-4')).map((each) => [each.repository, each.malicious]),
    [['team/late', true]],
  )
  assert.deepEqual(
    (await told()).sort(),
    [...held, ...(await standing('MAL-4'))].map(({ id }) => `finding:${id}`).sort(),
  )
  const actions = await watch.db.query<{ action: string }>(sql`select action from audit_event
    where deployment_id = ${gatehouse.owner.deploymentId} and action = 'held-advisory.hold'`)
  assert.equal(actions.length, 1)
  assert.deepEqual(await watch.exposures(), [], 'nobody was given anything that is known to be malicious')

  const [entry] = (await gatehouse.call('GET', `${firewall}/held-advisories`)).body.heldAdvisories
  const decide = async (decision: string) => {
    const body = { decision, reason: 'looked at it' }
    await gatehouse.call('POST', `${firewall}/held-advisories/${entry.id}/decision`, { body })
    await watch.lookNow()
    return [(await standing('MAL-4-held')).length, (await standing('MAL-4')).length]
  }
  // Six repositories and the client.
  assert.deepEqual(await decide('confirm'), [0, 7])
  assert.ok((await watch.notes()).some((note) => note === 'MAL-4 is now judged differently: Malicious package wide.'))
  assert.deepEqual(await decide('release'), [0, 0])
})

test('what only shares the name of a malicious package is told apart, and says why', async () => {
  await accuse('MAL-5', 'duo_web_sdk')
  const before = await told()
  const places = {
    'team/git': 'git+ssh://git@github.com/duosecurity/duo_web_sdk.git#0123',
    'team/host': 'https://artifacts.corp.example/npm/duo_web_sdk/-/duo_web_sdk-1.0.0.tgz',
    'team/registry': 'https://registry.npmjs.org/duo_web_sdk/-/duo_web_sdk-1.0.0.tgz',
    'team/through-us': `${gatehouse.url}/firewall/1/npm/duo_web_sdk/-/duo_web_sdk-1.0.0.tgz`,
    'team/unsaid': '',
  }
  for (const [repository, resolved] of Object.entries(places)) {
    await watch.upload(repository, lockFrom('duo_web_sdk', resolved))
  }
  const certain = (await standing('MAL-5')).map((each) => each.repository)
  assert.deepEqual(certain, ['team/registry', 'team/through-us', 'team/unsaid'])
  const doubtful = await standing('MAL-5-name')
  assert.deepEqual(
    doubtful.map((each) => [each.repository, each.malicious, each.severity, each.state]),
    [
      ['team/git', false, 3, 1],
      ['team/host', false, 3, 1],
    ],
  )
  assert.match(doubtful[0]!.message, /comes from a git address \(git\+ssh:\/\/github\.com\/duosecurity/)
  assert.match(doubtful[1]!.message, /comes from another host than the public registry \(artifacts\.corp\.example\)/)
  const change = { kind: 'SCAN_KIND_PULL_REQUEST', ref: 'change', pullRequest: 4, baseRef: 'main' }
  const files = { 'web/package-lock.json': lockFrom('duo_web_sdk', places['team/git']) }
  assert.equal((await upload(gatehouse, { repository: 'team/git', ...change }, files)).status, 200)
  assert.deepEqual(
    (await standing('MAL-5-name')).filter((each) => each.pullRequest === 4).map((each) => each.malicious),
    [false],
  )
  // No incident, with the scan or when advisories are looked at again.
  await accuse('MAL-5', 'duo_web_sdk', { modified: '2026-11-09T00:00:00Z' })
  assert.deepEqual(await told(), before)

  // It is the public one after all: the organisation says so of the host.
  const settings = { undetermined: 'block', minimumAgeHours: 0, ageExceptions: [], maximumDataAgeHours: 0 }
  const body = { ecosystem: 'npm', ...settings, mirrorHosts: ['artifacts.corp.example'] }
  assert.equal((await gatehouse.call('PUT', `${firewall}/settings`, { body })).status, 200)
  for (const wrong of ['https://x.example', 'Host.example', 'a/b', '']) {
    const answer = await gatehouse.call('PUT', `${firewall}/settings`, { body: { ...body, mirrorHosts: [wrong] } })
    assert.equal(answer.status, 400, wrong)
  }
  await gatehouse.firewall.refresh()
  await watch.upload('team/host', lockFrom('duo_web_sdk', `${places['team/host']}?again`))
  assert.deepEqual(
    (await standing('MAL-5')).map((each) => each.repository).filter((name) => name === 'team/host'),
    ['team/host'],
  )
})
