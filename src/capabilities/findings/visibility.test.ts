import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../test/gatehouse.ts'
import { type FoundFinding, findingsPath, searchAll, sendLog } from './test-findings.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())
const path = findingsPath()
const teams = '/api/permissions/v2/deployments/1/teams'
const everyone = (await gatehouse.call('GET', teams)).body.teams[0].id
await gatehouse.call('PATCH', `${teams}/${everyone}/defaults`, { body: { isProjectDefault: false } })

const member = await gatehouse.addPerson('member')
const admin = await gatehouse.addPerson('admin')
const made = await gatehouse.call('POST', teams, { body: { team: { name: 'Ours' } } })
const scan = await sendLog(gatehouse, 'team/ours', [{ code: 'a' }, { code: 'b', level: 'note' }])
await sendLog(gatehouse, 'team/theirs', [{ code: 'c' }, { code: 'd', level: 'note' }])
const change = {
  users: [{ userId: member.id, action: 'UPDATE_ACTION_ADD' }],
  repositories: [{ repositoryId: scan.body.scan.repositoryId, action: 'UPDATE_ACTION_ADD' }],
}
const filled = await gatehouse.call('PATCH', `${teams}/${made.body.team.id}`, { body: { team: change } })
assert.equal(filled.status, 200, JSON.stringify(filled.body))

const all = await searchAll(gatehouse)
const theirs = all.filter((one) => one.repository === 'team/theirs')
const ours = all.filter((one) => one.repository === 'team/ours')
const ids = (findings: FoundFinding[]) => findings.map((one) => one.id).sort()
const as = member.token

test('a member finds what is in the repositories of their teams, an admin everything', async () => {
  assert.equal(ours.length + theirs.length, 4)
  assert.deepEqual(ids(await searchAll(gatehouse, {}, admin.token)), ids(all))
  const sorts = ['severity', 'stateChangedAt', 'path', 'repository', 'rule'].map((by) => ({ sort: { by } }))
  for (const body of [{}, ...sorts, { filter: { repositories: ['team/ours', 'team/theirs'] } }]) {
    assert.deepEqual(ids(await searchAll(gatehouse, body, as)), ids(ours), JSON.stringify(body))
  }
  assert.deepEqual(await searchAll(gatehouse, { filter: { repositories: ['team/theirs'] } }, as), [])
  assert.equal((await gatehouse.call('POST', `${path}/counts`, { as, body: {} })).body.total, 2)
  const exported = await gatehouse.call('POST', `${path}/export`, { as, body: {} })
  assert.deepEqual(ids(exported.body.findings), ids(ours))
})

test('what they do not see is like what does not exist', async () => {
  const { id } = theirs[0]!
  const body = { triageState: 'TRIAGE_STATE_IGNORED' }
  assert.equal((await gatehouse.call('GET', `${path}/${id}`, { as })).status, 404)
  assert.equal((await gatehouse.call('GET', `${path}/${id}/history`, { as })).status, 404)
  assert.equal((await gatehouse.call('POST', `${path}/${id}`, { as, body })).status, 404)
  const many = await gatehouse.call('POST', `${path}/triage`, { as, body: { ...body, findingIds: [ours[0]!.id, id] } })
  assert.equal(many.status, 422)
  const filtered = await gatehouse.call('POST', `${path}/triage`, { as, body: { ...body, filter: {} } })
  assert.deepEqual(filtered.body.changedFindingIds.sort(), ids(ours))
  const after = await gatehouse.call('GET', `${path}/${id}`)
  assert.equal(after.body.data.triageState, 'TRIAGE_STATE_OPEN')
})

test('who only reads decides nothing', async () => {
  const reader = await gatehouse.addPerson('readonly')
  const body = { triageState: 'TRIAGE_STATE_IGNORED' }
  for (const url of [`${path}/${ours[0]!.id}`, `${path}/triage`]) {
    assert.equal((await gatehouse.call('POST', url, { as: reader.token, body })).status, 403)
  }
})
