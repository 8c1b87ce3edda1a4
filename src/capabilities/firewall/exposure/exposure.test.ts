import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { upload } from '../../scans/test-upload.ts'
import { testFeed } from '../advisories/test-feed.ts'
import { lockOf, watchExposure } from './test-exposure.ts'

const feed = testFeed()
let gatehouse: TestGatehouse
let watch: ReturnType<typeof watchExposure>

before(async () => {
  gatehouse = await openGatehouse()
  watch = watchExposure(gatehouse)
  feed.add({ id: 'MAL-0', name: 'other' })
  await gatehouse.firewall.feeds.sync(feed.place)
  await gatehouse.firewall.refresh()
})
after(async () => {
  await gatehouse.close()
  feed.remove()
})

const inCode = async () => (await watch.findings()).filter((each) => each.repository.startsWith('team/'))

test('when an advisory arrives, who already has it is told, and when it is withdrawn that is taken back', async () => {
  await watch.upload('team/has-it', lockOf('evil', 'fine'))
  await watch.upload('team/has-another-version', lockOf('evil').replace('1.0.0', '2.0.0'))
  await watch.upload('team/clean', lockOf('fine'))
  await watch.fetch({ personId: 1, tokenId: 7 }, 'evil@1.0.0', 'fine@1.0.0')
  await watch.fetch({ personId: 1, tokenId: 8 }, 'evil@2.0.0')
  await watch.lookNow()
  assert.deepEqual(await watch.findings(), [])

  feed.add({ id: 'MAL-1', name: 'evil', versions: ['1.0.0'] })
  await gatehouse.firewall.feeds.sync(feed.place)
  await watch.lookNow()
  const open = { repository: 'team/has-it', rule: 'MAL-1', state: 1, malicious: true, severity: 5, pullRequest: 0 }
  const [found, ...more] = await inCode()
  assert.partialDeepStrictEqual(found, open)
  assert.deepEqual(more, [])
  const [exposed, ...others] = await watch.exposures()
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
  const told = (await watch.audits()).sort()
  assert.deepEqual(told, ['supply-chain-incident.clients', 'supply-chain-incident.repository'])

  feed.add({ id: 'MAL-1', name: 'evil', versions: ['1.0.0'], withdrawn: '2026-11-01T00:00:00Z' })
  await gatehouse.firewall.feeds.sync(feed.place)
  await watch.lookNow()
  assert.deepEqual(await inCode(), [{ ...found, state: 7 }])
  assert.notEqual((await watch.exposures())[0].withdrawnAt, null)
  const said = await watch.audits()
  assert.equal(said.filter((action) => action === 'supply-chain-incident.take-back').length, 2)
  assert.ok((await watch.notes()).some((note) => note.includes('MAL-1 no longer says')))
})

test('what is known to be malicious is found with the scan that brings it, and in the pull request that would', async () => {
  feed.add({ id: 'MAL-2', name: 'wicked' })
  await gatehouse.firewall.feeds.sync(feed.place)
  await gatehouse.firewall.refresh()
  await watch.upload('team/new', lockOf('fine'))
  const change = { kind: 'SCAN_KIND_PULL_REQUEST', ref: 'change', pullRequest: 4, baseRef: 'main' }
  const files = { 'package-lock.json': lockOf('fine', 'wicked') }
  assert.equal((await upload(gatehouse, { repository: 'team/new', ...change }, files)).status, 200)
  const ofNew = async () => (await inCode()).filter((each) => each.repository === 'team/new')
  assert.deepEqual(
    (await ofNew()).map((each) => [each.pullRequest, each.rule, each.state]),
    [[4, 'MAL-2', 1]],
  )
  await watch.upload('team/new', lockOf('wicked'))
  assert.deepEqual(
    (await ofNew()).map((each) => [each.pullRequest, each.state]),
    [
      [4, 1],
      [0, 1],
    ],
  )
  await watch.upload('team/new', lockOf('fine'))
  assert.deepEqual((await ofNew()).at(-1)?.state, 7)
})

test('what a deployment decides about a package is compared with who has it at once', async () => {
  feed.add({ id: 'MAL-3', name: 'disputed' })
  await gatehouse.firewall.feeds.sync(feed.place)
  await gatehouse.firewall.refresh()
  await watch.upload('team/disputing', lockOf('disputed'))
  const states = async () => (await inCode()).filter((each) => each.rule === 'MAL-3').map((each) => each.state)
  const path = `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}/overrides`
  const decide = async (effect: string) => {
    const body = { ecosystem: 'npm', name: 'disputed', effect, reason: 'we wrote it' }
    const answer = await gatehouse.call('POST', path, { body })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    await watch.lookNow()
    return `${path}/${answer.body.override.id}`
  }
  assert.deepEqual(await states(), [1])
  const allowing = await decide('allow')
  assert.deepEqual(await states(), [7])
  assert.ok((await watch.notes()).some((note) => note.includes('we wrote it')))
  await gatehouse.call('DELETE', allowing)
  await watch.lookNow()
  assert.deepEqual(await states(), [2])
  // That it is denied as well makes it no less malicious.
  await decide('deny')
  assert.deepEqual(await states(), [2])
})
