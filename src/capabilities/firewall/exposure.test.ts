import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openHouse, type TestHouse } from '../../../test/house.ts'
import { upload as send } from '../scans/test-upload.ts'
import { testFeed } from './test-feed.ts'

const feed = testFeed()
let house: TestHouse
let id: number

before(async () => {
  house = await openHouse()
  id = house.owner.deploymentId
  feed.add({ id: 'MAL-0', name: 'other' })
  await house.firewall.feeds.sync(feed.place)
  await house.firewall.refresh()
})
after(async () => {
  await house.close()
  feed.remove()
})

const lock = (...names: string[]) =>
  JSON.stringify({
    lockfileVersion: 3,
    packages: { '': {}, ...Object.fromEntries(names.map((name) => [`node_modules/${name}`, { version: '1.0.0' }])) },
  })

async function upload(repository: string, body: string, more: object = {}) {
  const answer = await send(house, { repository, ...more }, { 'package-lock.json': body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

type Row = {
  repository: string
  rule: string
  state: number
  malicious: boolean
  severity: number
  pullRequest: number
}

function findings(): Promise<Row[]> {
  return house.db.as({ deploymentId: id }).query(sql`select r.name as repository, rule.external_id as rule, f.state,
      f.malicious, f.severity, f.pull_request as "pullRequest"
    from finding f join repository r on r.deployment_id = f.deployment_id and r.id = f.repository_id
    join finding_rule rule on rule.deployment_id = f.deployment_id and rule.id = f.rule_id
    where f.deployment_id = ${id} and rule.source = 'malware' order by f.id`)
}

/** As it goes by itself, only sooner. */
async function lookNow(): Promise<void> {
  await house.firewall.exposure.periodic.run()
  for (const started = performance.now(); performance.now() - started < 20_000; ) {
    house.jobs.wake()
    const [left] = await house.db
      .as({ deploymentId: id })
      .query<{ count: number }>(sql`select count(*) from outbox where deployment_id = ${id} and kind like 'firewall.%'`)
    if (left!.count === 0) return
  }
  throw new Error('the jobs are not done')
}

async function audits(): Promise<string[]> {
  const rows = await house.db
    .as({ deploymentId: id })
    .query<{ action: string }>(sql`select action from audit_event where deployment_id = ${id} order by seq`)
  return rows.map((row) => row.action).filter((action) => action.startsWith('supply-chain'))
}

const exposures = async () => (await house.call('GET', `/api/firewall/v1/deployments/${id}/exposures`)).body.exposures

test('when an advisory arrives, who already has it is told, and when it is withdrawn that is taken back', async () => {
  await upload('team/has-it', lock('evil', 'fine'))
  await upload('team/has-another-version', lock('evil').replace('1.0.0', '2.0.0'))
  await upload('team/clean', lock('fine'))
  const fetched = {
    deploymentId: id,
    ecosystem: 'npm',
    refused: false,
    advisoryId: '',
    personId: 1,
    tokenId: 7,
  } as const
  await house.recorder.record({ ...fetched, name: 'evil', version: '1.0.0' })
  await house.recorder.record({ ...fetched, name: 'evil', version: '2.0.0', tokenId: 8 })
  await house.recorder.record({ ...fetched, name: 'fine', version: '1.0.0' })
  await house.recorder.flush()
  await lookNow()
  assert.deepEqual(await findings(), [])

  feed.add({ id: 'MAL-1', name: 'evil', versions: ['1.0.0'] })
  await house.firewall.feeds.sync(feed.place)
  await lookNow()
  const open = { repository: 'team/has-it', rule: 'MAL-1', state: 1, malicious: true, severity: 5, pullRequest: 0 }
  assert.deepEqual(await findings(), [open])
  const [exposed, ...others] = await exposures()
  assert.deepEqual(others, [])
  assert.partialDeepStrictEqual(exposed, {
    name: 'evil',
    version: '1.0.0',
    advisoryIds: ['MAL-1'],
    personId: 1,
    tokenId: 7,
    withdrawnAt: null,
  })
  // Repositories and clients are looked at by jobs of their own, in no order.
  assert.deepEqual((await audits()).sort(), ['supply-chain-incident.clients', 'supply-chain-incident.repository'])

  feed.add({ id: 'MAL-1', name: 'evil', versions: ['1.0.0'], withdrawn: '2026-11-01T00:00:00Z' })
  await house.firewall.feeds.sync(feed.place)
  await lookNow()
  assert.deepEqual(await findings(), [{ ...open, state: 7 }])
  assert.notEqual((await exposures())[0].withdrawnAt, null)
  const said = await audits()
  assert.equal(said.filter((action) => action === 'supply-chain-incident.take-back').length, 2)
  const notes = await house.db
    .as({ deploymentId: id })
    .query<{ note: string }>(sql`select note from finding_history where deployment_id = ${id}`)
  assert.ok(notes.some(({ note }) => note.includes('MAL-1 no longer says')))
})

test('what is known to be malicious is found with the scan that brings it, and in the pull request that would', async () => {
  feed.add({ id: 'MAL-2', name: 'wicked' })
  await house.firewall.feeds.sync(feed.place)
  await house.firewall.refresh()
  await upload('team/new', lock('fine'))
  await upload('team/new', lock('fine', 'wicked'), {
    kind: 'SCAN_KIND_PULL_REQUEST',
    ref: 'change',
    pullRequest: 4,
    baseRef: 'main',
  })
  const ofNew = async () => (await findings()).filter((each) => each.repository === 'team/new')
  assert.deepEqual(
    (await ofNew()).map((each) => [each.pullRequest, each.rule, each.state]),
    [[4, 'MAL-2', 1]],
  )
  await upload('team/new', lock('wicked'))
  assert.deepEqual(
    (await ofNew()).map((each) => [each.pullRequest, each.state]),
    [
      [4, 1],
      [0, 1],
    ],
  )
  await upload('team/new', lock('fine'))
  assert.deepEqual((await ofNew()).at(-1)?.state, 7)
})
