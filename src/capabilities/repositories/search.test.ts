import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../test/gatehouse.ts'
import { sarifLog } from '../findings/test-log.ts'
import { packageLock, upload } from '../scans/test-upload.ts'
import type { RepositoryFigures } from './search-contract.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())
const base = '/api/repositories/v1/deployments/1/repositories'
const scans = '/api/scans/v1/deployments/1'
const teams = '/api/permissions/v2/deployments/1/teams'
const everyone = (await gatehouse.call('GET', teams)).body.teams[0].id
await gatehouse.call('PATCH', `${teams}/${everyone}/defaults`, { body: { isProjectDefault: false } })
const member = await gatehouse.addPerson('member')

const policies = '/api/policies/v1/deployments/1/policies'
const { policies: known } = (await gatehouse.call('GET', policies)).body
const sast = known.find((policy: { productType: string }) => policy.productType === 'PRODUCT_TYPE_SAST')
const rules = [{ rule: 'must', mode: 'block' }]
assert.equal((await gatehouse.call('PUT', `${policies}/${sast.id}/rules`, { body: { rules } })).status, 200)

const log = (...results: object[]) => ({ 'log.sarif': sarifLog({ results: results as never }) })
const web = await upload(
  gatehouse,
  { repository: 'shop/web' },
  log({ code: 'a', level: 'error' }, { code: 'b', level: 'note' }),
)
await upload(
  gatehouse,
  { repository: 'shop/api' },
  { 'package-lock.json': packageLock({ lodash: '4.0.0', ms: '2.0.0' }) },
)
await gatehouse.call('POST', base, { body: { name: 'shop/empty', publiclyExposed: true, tags: ['new'] } })
const old = await gatehouse.call('POST', base, { body: { name: 'shop/old', archived: true } })
const pull = { repository: 'shop/web', kind: 'SCAN_KIND_PULL_REQUEST', pullRequest: 7, baseRef: 'main', ref: 'change' }
const commit = '1f0c4b2a9d8e7f6a5b4c3d2e1f0a9b8c7d6e5f4a'
const blocked = await upload(gatehouse, { ...pull, commit }, log({ code: 'x', rule: 'must' }))
assert.equal(blocked.body.blocked, true)
const fine = { ...pull, pullRequest: 8, ref: 'other' }
await upload(gatehouse, fine, log({ code: 'x', rule: 'must' }))
await upload(gatehouse, fine, log())

// What stands on another branch too is the same thing; one more stands there alone.
await upload(
  gatehouse,
  { repository: 'shop/web', ref: 'feature' },
  log({ code: 'a', level: 'error' }, { code: 'b', level: 'note' }, { code: 'c', level: 'warning' }),
)

async function search(body: object = {}, as = gatehouse.owner.token): Promise<RepositoryFigures[]> {
  const found: RepositoryFigures[] = []
  for (let cursor = ''; ; ) {
    const answer = await gatehouse.call('POST', `${base}/search`, { as, body: { pageSize: 1, ...body, cursor } })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    found.push(...answer.body.repositories)
    if (!answer.body.hasMore) {
      assert.equal(found.length, answer.body.total)
      return found
    }
    cursor = answer.body.cursor
  }
}
const names = async (body: object, as?: string) => (await search(body, as)).map(({ name }) => name)

test('each repository comes with its figures', async () => {
  const [api, empty, shop] = await search()
  assert.deepEqual(
    [api!.name, api!.open, api!.dependencies, api!.lastScan !== null, api!.blockedPullRequests],
    ['shop/api', 0, 2, true, 0],
  )
  assert.deepEqual([empty!.name, empty!.lastScan, empty!.tags, empty!.teams], ['shop/empty', null, ['new'], []])
  assert.deepEqual([shop!.name, shop!.blockedPullRequests], ['shop/web', 1])
})

test('what is open is counted on branches, each thing once, on every page', async () => {
  const [shop] = await search({ filter: { text: 'shop/web' } })
  const states = ['OPEN', 'REOPENED', 'REVIEWING', 'FIXING'].map((state) => `TRIAGE_STATE_${state}`)
  const filter = { triageStates: states, pullRequests: 'none', once: true }
  const counted = async (more: object) =>
    (await gatehouse.call('POST', '/api/findings/1/findings/counts', { body: { filter: { ...filter, ...more } } })).body
  // Of the deployment, of the repository, and by looking at each finding.
  for (const more of [{}, { repositories: ['shop/web'] }, { sources: ['sarif:tester'] }]) {
    const counts = await counted(more)
    assert.deepEqual([counts.total, counts.bySeverity], [3, shop!.openBySeverity], JSON.stringify(more))
  }
  const listed = await gatehouse.call('POST', '/api/findings/1/findings/search', { body: { filter } })
  assert.deepEqual([shop!.open, listed.body.findings.length], [3, 3])
  const everywhere = await gatehouse.call('POST', '/api/findings/1/findings/counts', {
    body: { filter: { triageStates: states } },
  })
  assert.equal(everywhere.body.total, 6, 'with what another branch and a pull request have')
})

test('they are found and ordered by each of them, page by page', async () => {
  assert.deepEqual(await names({ sort: { by: 'name', direction: 'desc' } }), ['shop/web', 'shop/empty', 'shop/api'])
  assert.deepEqual(await names({ sort: { by: 'severity' } }), ['shop/web', 'shop/api', 'shop/empty'])
  assert.deepEqual(await names({ sort: { by: 'open', direction: 'asc' } }), ['shop/api', 'shop/empty', 'shop/web'])
  assert.deepEqual(await names({ sort: { by: 'dependencies' } }), ['shop/api', 'shop/empty', 'shop/web'])
  assert.deepEqual(await names({ sort: { by: 'lastScan' } }), ['shop/web', 'shop/api', 'shop/empty'])
  assert.deepEqual(await names({ sort: { by: 'blocked' } }), ['shop/web', 'shop/api', 'shop/empty'])
  const cases: [object, string[]][] = [
    [{ text: 'WEB' }, ['shop/web']],
    [{ tags: ['new'] }, ['shop/empty']],
    [{ publiclyExposed: false }, ['shop/api', 'shop/web']],
    [{ archived: true }, ['shop/old']],
    [{ neverScanned: true }, ['shop/empty']],
    [{ blocked: true }, ['shop/web']],
    [{ teams: ['nobody'] }, []],
    [{ ids: [web.body.scan.repositoryId, 999_999] }, ['shop/web']],
    [{ ids: [old.body.repository.id] }, ['shop/old']],
    [{ ids: [old.body.repository.id], archived: false }, []],
  ]
  for (const [filter, expected] of cases) assert.deepEqual(await names({ filter }), expected, JSON.stringify(filter))
  const first = await gatehouse.call('POST', `${base}/search`, { body: { pageSize: 1 } })
  const body = { pageSize: 1, cursor: first.body.cursor, sort: { by: 'open' } }
  assert.equal((await gatehouse.call('POST', `${base}/search`, { body })).status, 400)
})

test('scans are found by what they are about, and say what came of them', async () => {
  const find = async (query: string, as = gatehouse.owner.token) =>
    (await gatehouse.call('GET', `${scans}/scans?${query}`, { as })).body.scans as Record<string, unknown>[]
  const [one] = await find(`repositoryId=${web.body.scan.repositoryId}&ref=main`)
  assert.deepEqual([one!.raisedCount, one!.fixedCount, one!.blocked], [2, 0, false])
  assert.deepEqual(
    (await find('pullRequest=7')).map(({ blocked }) => blocked),
    [true],
  )
  assert.deepEqual(
    (await find('pullRequest=8')).map(({ raisedCount, fixedCount }) => [raisedCount, fixedCount]),
    [
      [0, 1],
      [1, 0],
    ],
  )
  assert.equal((await find('commit=1f0c4b')).length, 1)
  assert.equal((await find('commit=ffff')).length, 0)
  assert.equal((await find('blocked=true')).length, 2)
  assert.equal((await find('problems=true')).length, 0)
  assert.equal((await find('tool=nothing-like-it')).length, 0)
  assert.equal((await find('ref=change')).length, 1)
})

test('pull requests are listed as their last scan left them', async () => {
  const list = async (query = '', as = gatehouse.owner.token) =>
    (await gatehouse.call('GET', `${scans}/pull-requests?${query}`, { as })).body
  const { pullRequests } = await list()
  assert.deepEqual(
    pullRequests.map((one: Record<string, unknown>) => [one.pullRequest, one.blocked, one.openFindings, one.scans]),
    [
      [8, false, 0, 2],
      [7, true, 1, 1],
    ],
  )
  const { commit: scanned, repository, baseRef, ref, shownFindings } = pullRequests[1]
  assert.deepEqual([scanned, repository, baseRef, ref, shownFindings], [commit, 'shop/web', 'main', 'change', 1])
  assert.equal((await list('blocked=true')).pullRequests.length, 1)
  assert.equal((await list('pullRequest=8')).pullRequests.length, 1)
  const page = await list('pageSize=1')
  assert.equal((await list(`pageSize=1&cursor=${page.cursor}`)).pullRequests[0].pullRequest, 7)
  assert.deepEqual((await list('', member.token)).pullRequests, [])
})

test('who does not see a repository does not see its figures, and a narrowed token only what it may', async () => {
  assert.deepEqual(await names({}, member.token), [])
  const made = await gatehouse.call('POST', teams, { body: { team: { name: 'Ours' } } })
  const change = {
    users: [{ userId: member.id, action: 'UPDATE_ACTION_ADD' }],
    repositories: [{ repositoryId: web.body.scan.repositoryId, action: 'UPDATE_ACTION_ADD' }],
  }
  await gatehouse.call('PATCH', `${teams}/${made.body.team.id}`, { body: { team: change } })
  const [own, ...others] = await search({}, member.token)
  assert.deepEqual([own!.name, own!.teams[0]!.name, others], ['shop/web', 'Ours', []])
  assert.deepEqual(await names({ filter: { teams: ['ours'] } }), ['shop/web'])
  const narrow = await gatehouse.makeToken(gatehouse.owner.jwt, 1, { scopes: ['repositories:read'] })
  const refused = await gatehouse.call('POST', `${base}/search`, { as: narrow, body: {} })
  assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden'])
})
