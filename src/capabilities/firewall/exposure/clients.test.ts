import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type Tester, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { testFeed } from '../advisories/test-feed.ts'
import { lockOf, watchExposure } from './test-exposure.ts'

const name = 'gatehouse/package-clients'
const clock = { at: new Date('2026-11-15T12:00:00Z'), now: () => clock.at }
const feed = testFeed()
let gatehouse: TestGatehouse
let watch: ReturnType<typeof watchExposure>
let member: Tester
let base: string

before(async () => {
  gatehouse = await openGatehouse({ clock })
  watch = watchExposure(gatehouse)
  base = `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories`
  member = await gatehouse.addPerson('member')
  feed.add({ id: 'MAL-0', name: 'other' })
  await gatehouse.firewall.feeds.sync(feed.place)
  await gatehouse.firewall.refresh()
})
beforeEach(() => {
  clock.at = new Date('2026-11-15T12:00:00Z')
})
after(async () => {
  await gatehouse.close()
  feed.remove()
})

async function tokenOf({ id: personId }: Tester) {
  const [row] = await watch.db.query<{ id: number }>(sql`select id from api_token
    where deployment_id = ${gatehouse.owner.deploymentId} and person_id = ${personId}`)
  return { personId, tokenId: row!.id }
}

/** An advisory about all versions arrives, and everybody has looked. */
async function warn(id: string, name: string, more: object = {}): Promise<void> {
  feed.add({ id, name, ...more })
  await gatehouse.firewall.feeds.sync(feed.place)
  await watch.lookNow()
}

const about = async (rule: string) => (await watch.findings()).filter((each) => each.rule === rule)
const states = async (rule: string) => (await about(rule)).map((each) => each.state)

async function theRepository(as?: string) {
  const answer = await gatehouse.call('GET', `${base}?includeArchived=true&pageSize=100`, as ? { as } : {})
  const kind = 'REPOSITORY_KIND_PACKAGE_CLIENTS'
  const [found, ...more] = answer.body.repositories.filter((each: { kind: string }) => each.kind === kind)
  assert.deepEqual(more, [])
  return found
}

test('who was given what turns out to be malicious is a finding for each client and version, until it is withdrawn', async () => {
  const client = await tokenOf(member)
  await watch.fetch(client, 'evil@1.0.0', 'evil@2.0.0', 'fine@1.0.0')
  await watch.fetch({ personId: 1, tokenId: 0 }, 'evil@1.0.0')
  await watch.fetch({ personId: 999, tokenId: 998 }, 'evil@1.0.0')
  assert.equal(await theRepository(), undefined)
  await warn('MAL-1', 'evil')
  const found = await about('MAL-1')
  const shown = { repository: name, state: 1, malicious: true, severity: 5, pullRequest: 0 }
  for (const each of found) assert.partialDeepStrictEqual(each, shown)
  assert.deepEqual(found.map((each) => each.path).sort(), [
    `npm/${member.email}/test`,
    `npm/${member.email}/test`,
    'npm/owner@localhost/no token',
    'npm/person 999/token 998',
  ])
  const own = found.filter((each) => each.path.includes(member.email)).map((each) => each.message)
  for (const version of ['1.0.0', '2.0.0']) {
    const first = `${member.email} (token test) was given evil ${version} (npm) by the firewall, first at 2026-11-15T12:00:00.000Z.`
    assert.ok(own.some((message) => message.startsWith(first) && message.includes('(MAL-1)')))
  }

  await warn('MAL-1', 'evil', { withdrawn: '2026-11-01T00:00:00Z' })
  assert.deepEqual(await states('MAL-1'), [7, 7, 7, 7])
  await warn('MAL-1', 'evil', { versions: ['2.0.0'] })
  assert.deepEqual((await states('MAL-1')).sort(), [2, 7, 7, 7])
})

test('only owners and admins see them, as with any repository that is in no team', async () => {
  assert.partialDeepStrictEqual(await theRepository(), { name, publiclyExposed: false, defaultBranch: 'clients' })
  assert.equal(await theRepository(member.token), undefined)
  const search = { body: { filter: { malicious: true } }, as: member.token }
  const path = `/api/findings/${gatehouse.owner.deploymentId}/findings/search`
  assert.deepEqual((await gatehouse.call('POST', path, search)).body.findings, [])
})

test('an incident of clients fires automations about their findings, once', async () => {
  const automations = `/api/notifications/deployments/${gatehouse.owner.deploymentId}/automations`
  const runs = () =>
    watch.db.query<{ subjects: string[] }>(sql`select subjects from automation_run
      where deployment_id = ${gatehouse.owner.deploymentId} order by id`)
  const made = await gatehouse.call('POST', automations, {
    body: {
      name: 'review',
      triggerSource: 'TRIGGER_SOURCE_SUPPLY_CHAIN_INCIDENT',
      filters: { mode: 'MODE_ALL', conditions: [] },
      actions: [{ type: 'ACTION_TYPE_TRIAGE', config: { triageState: 'TRIAGE_STATE_REVIEWING' } }],
    },
  })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  await watch.fetch(await tokenOf(member), 'sly@1.0.0')
  await warn('MAL-2', 'sly')
  const [found] = await about('MAL-2')
  assert.equal(found!.state, 3)
  await warn('MAL-2', 'sly', { modified: '2026-02-01T00:00:00Z' })
  assert.deepEqual(
    (await runs()).map((run) => run.subjects),
    [[`finding:${found!.id}`]],
  )
})

test('allowing it takes them back, and when that runs out they are back', async () => {
  await watch.fetch(await tokenOf(member), 'claimed@1.0.0')
  await warn('MAL-3', 'claimed')
  const body = { ecosystem: 'npm', name: 'claimed', effect: 'allow', reason: 'ours', expiresAt: '2026-11-16T12:00:00Z' }
  await gatehouse.call('POST', `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}/overrides`, { body })
  await watch.lookNow()
  assert.deepEqual(await states('MAL-3'), [7])
  assert.ok((await watch.notes()).includes('Allowed by your organisation: ours'))
  clock.at = new Date('2026-11-16T12:00:00Z')
  await watch.lookNow()
  assert.equal((await about('MAL-3'))[0]!.state === 7, false)
})

test('what was let through in time and is counted too late is found all the same', async () => {
  await warn('MAL-4', 'late')
  await watch.fetch(await tokenOf(member), 'late@1.0.0')
  await watch.lookNow()
  assert.equal((await about('MAL-4')).length, 1)
})

test('scans of that repository by people leave the findings of clients alone', async () => {
  const before = (await watch.findings()).filter((each) => each.repository === name)
  await watch.upload(name, lockOf('fine'), { ref: 'clients' })
  await watch.upload(name, lockOf('fine'), { ref: 'main' })
  assert.deepEqual(
    (await watch.findings()).filter((each) => each.repository === name),
    before,
  )
  await watch.upload(name, lockOf('late'), { ref: 'clients' })
  await watch.fetch(await tokenOf(member), 'another@1.0.0')
  await warn('MAL-5', 'another')
  const paths = (await about('MAL-4')).filter((each) => each.state < 5).map((each) => each.path)
  assert.deepEqual(paths, [`npm/${member.email}/test`, 'package-lock.json'])
  assert.equal((await about('MAL-5')).length, 1)
})

test('it may be renamed, archived and deleted: it is found, brought back and made again when needed', async () => {
  const given = await theRepository()
  const client = await tokenOf(member)
  await gatehouse.call('PATCH', `${base}/${given.id}`, {
    body: { name: 'renamed', archived: true, defaultBranch: 'x' },
  })
  await gatehouse.call('POST', base, { body: { name } })
  await watch.fetch(client, 'sixth@1.0.0')
  await warn('MAL-6', 'sixth')
  assert.deepEqual(
    (await about('MAL-6')).map((each) => each.repository),
    ['renamed'],
  )
  assert.equal((await theRepository()).archived, false)

  const standing = (await watch.findings()).filter((each) => each.state < 5 && each.path.startsWith('npm/')).length
  assert.equal((await gatehouse.call('DELETE', `${base}/${given.id}`)).status, 200)
  assert.deepEqual(await watch.findings(), [])
  await warn('MAL-6', 'sixth', { withdrawn: '2026-11-01T00:00:00Z' })
  await watch.fetch(client, 'seventh@1.0.0')
  await warn('MAL-7', 'seventh')
  const made = await theRepository()
  assert.equal(made.name, `${name}-2`)
  const again = await watch.findings()
  assert.ok(again.every((each) => each.repository === made.name))
  // Without the one that was withdrawn, with the new one.
  assert.equal(again.length, standing)
})

test('reports count each of them once', async () => {
  const standing = (await watch.findings()).filter((each) => each.state < 6).length
  assert.ok(standing > 0)
  const timePeriod = { since: '2020-01-01T00:00:00Z', until: '2100-01-01T00:00:00Z' }
  const path = `/api/reporting/${gatehouse.owner.deploymentId}/reports/funnel`
  const { body } = await gatehouse.call('POST', path, { body: { filters: { timePeriod } } })
  assert.equal(body.byProduct?.sca?.allFindings, standing, JSON.stringify(body))
})

test('owners see who was given what; a member sees what their own clients were, unless the repository is shown to them', async () => {
  const colleague = await gatehouse.addPerson('member')
  await watch.fetch(await tokenOf(colleague), 'prying@1.0.0')
  await watch.fetch(await tokenOf(member), 'prying@1.0.0')
  await warn('MAL-40', 'prying')
  const path = `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}/exposures?pageSize=100`
  const people = async (as?: string): Promise<number[]> => {
    const { exposures } = (await gatehouse.call('GET', path, as ? { as } : {})).body
    return [...new Set<number>(exposures.map((each: { personId: number }) => each.personId))].sort((a, b) => a - b)
  }
  const everybody = await people()
  assert.ok(everybody.includes(member.id) && everybody.includes(colleague.id))
  assert.deepEqual(await people((await gatehouse.addPerson('admin')).token), everybody)
  assert.deepEqual(await people(colleague.token), [colleague.id])
  assert.deepEqual(await people((await gatehouse.addPerson('readonly')).token), [])

  const teams = `/api/permissions/v2/deployments/${gatehouse.owner.deploymentId}/teams`
  const { team } = (await gatehouse.call('POST', teams, { body: { team: { name: 'Responders' } } })).body
  const users = [{ userId: colleague.id, role: 'TEAM_ROLE_MEMBER', action: 'UPDATE_ACTION_ADD' }]
  const repositories = [{ repositoryId: String((await theRepository()).id), action: 'UPDATE_ACTION_ADD' }]
  const shown = await gatehouse.call('PATCH', `${teams}/${team.id}`, { body: { team: { users, repositories } } })
  assert.equal(shown.status, 200, JSON.stringify(shown.body))
  assert.deepEqual(await people(colleague.token), everybody)
})

test('allowing all names that begin so takes them back too, and no others', async () => {
  await watch.fetch(await tokenOf(member), 'mine-one@1.0.0', 'mine-two@1.0.0', 'minor@1.0.0')
  await warn('MAL-31', 'mine-one')
  await warn('MAL-32', 'mine-two')
  await warn('MAL-33', 'minor')
  await watch.upload('shop', lockOf('mine-one'))
  assert.deepEqual(
    (await about('MAL-31')).map((each) => each.state < 5),
    [true, true],
  )
  const body = { ecosystem: 'npm', name: 'mine-*', effect: 'allow', reason: 'ours', expiresAt: '2026-11-16T12:00:00Z' }
  await gatehouse.call('POST', `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}/overrides`, { body })
  await watch.lookNow()
  assert.deepEqual(await states('MAL-31'), [7, 7])
  assert.deepEqual(await states('MAL-32'), [7])
  assert.notDeepEqual(await states('MAL-33'), [7])
  clock.at = new Date('2026-11-16T12:00:00Z')
  await watch.lookNow()
  assert.deepEqual(
    (await about('MAL-31')).map((each) => each.state === 7),
    [false, false],
  )
})

test('exposures are listed by package, person and whether they stand, with names; a member sees no others by asking', async () => {
  const other = await gatehouse.addPerson('admin')
  await watch.fetch(await tokenOf(other), 'listed@1.0.0')
  await watch.fetch(await tokenOf(member), 'listed@1.0.0', 'unlisted@1.0.0')
  await warn('MAL-41', 'listed')
  await warn('MAL-42', 'unlisted')
  await warn('MAL-42', 'unlisted', { withdrawn: '2026-11-01T00:00:00Z' })
  const list = async (query: string, as = gatehouse.owner.token) => {
    const exposures = `/api/firewall/v1/deployments/${gatehouse.owner.deploymentId}/exposures`
    const { body } = await gatehouse.call('GET', `${exposures}?package=LISTED&${query}`, { as })
    return body.exposures as { name: string; personId: number; personName: string; tokenName: string }[]
  }
  const names = async (query: string, as?: string) =>
    (await list(query, as)).map((each) => `${each.name} ${each.personId}`)
  const [theirs, own, gone] = [`listed ${other.id}`, `listed ${member.id}`, `unlisted ${member.id}`]
  assert.deepEqual((await names('')).sort(), [theirs, own, gone].sort())
  assert.deepEqual((await names('state=open')).sort(), [theirs, own].sort())
  assert.deepEqual(await names('state=withdrawn'), [gone])
  assert.deepEqual(await names(`personId=${other.id}`), [theirs])
  assert.deepEqual(await names(`personId=${other.id}`, member.token), [])
  assert.deepEqual(await names('state=open', member.token), [own])
  assert.deepEqual(await names('ecosystem=npm&name=unlisted'), [gone])
  assert.deepEqual(await names('ecosystem=pypi&name=unlisted'), [])
  const [first] = await list(`personId=${other.id}`)
  assert.ok(first!.personName)
  assert.equal(first!.tokenName, 'test')
})
