import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../test/gatehouse.ts'
import { issuesOf, ok } from './test-issues.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())
const issues = issuesOf(gatehouse)
const { deploymentId } = gatehouse.owner
const teams = `/api/permissions/v2/deployments/${deploymentId}/teams`
const repositories = `/api/repositories/v1/deployments/${deploymentId}/repositories`

const everyone = (await gatehouse.call('GET', teams)).body.teams[0].id
await gatehouse.call('PATCH', `${teams}/${everyone}/defaults`, { body: { isProjectDefault: false } })
const team = (await ok(gatehouse.call('POST', teams, { body: { team: { name: 'Own' } } }))).team.id

async function addRepository(name: string, own: boolean): Promise<string> {
  const repositoryId = String((await ok(gatehouse.call('POST', repositories, { body: { name } }))).repository.id)
  const entries = [{ repositoryId, action: 'UPDATE_ACTION_ADD' }]
  if (own) await ok(gatehouse.call('PATCH', `${teams}/${team}`, { body: { team: { repositories: entries } } }))
  return repositoryId
}
const own = await addRepository('own', true)
const foreign = await addRepository('foreign', false)
const member = await gatehouse.addPerson('member')
const users = [{ userId: member.id, action: 'UPDATE_ACTION_ADD' }]
await ok(gatehouse.call('PATCH', `${teams}/${team}`, { body: { team: { users } } }))
const admin = await gatehouse.addPerson('admin')

const keys = ['own', 'foreign', 'both', 'whole']
const [ownId, foreignId, bothId, wholeId] = await issues.report([
  { externalKey: 'own', projectIds: [own] },
  { externalKey: 'foreign', projectIds: [foreign] },
  { externalKey: 'both', projectIds: [own, foreign] },
  { externalKey: 'whole' },
])
const asMember = { as: member.token }

test('a member sees the issues of their repositories and of the whole deployment', async () => {
  const sort = { direction: 'asc' }
  assert.deepEqual((await issues.search({ sort })).sort(), keys.toSorted())
  assert.deepEqual((await issues.search({ sort }, admin.token)).sort(), keys.toSorted())
  assert.deepEqual((await issues.search({ sort }, member.token)).sort(), ['both', 'own', 'whole'])
  assert.deepEqual((await issues.search({ filter: { projectIds: [own] } }, member.token)).sort(), ['both', 'own'])
  assert.deepEqual(await issues.search({ filter: { projectIds: [foreign] } }, member.token), [])
  assert.deepEqual([(await issues.counts()).total, (await issues.counts(undefined, member.token)).total], [4, 3])
  assert.equal((await issues.counts({ projectIds: [own, foreign] }, member.token)).total, 2)
  assert.equal((await issues.counts({ projectIds: [own, foreign] })).total, 3)
})

test('of the repositories of an issue they see those that they see', async () => {
  assert.deepEqual((await issues.get(bothId!)).projectIds, [own, foreign])
  assert.deepEqual((await issues.get(bothId!, member.token)).projectIds, [own])
  const triaged = await issues.call('POST', `/issue/${bothId}`, { triageState: 'TRIAGE_STATE_OPEN' }, asMember)
  assert.deepEqual(triaged.body.data.projectIds, [own])
})

test('an issue they do not see is like one that does not exist', async () => {
  const body = { triageState: 'TRIAGE_STATE_FIXED' }
  const calls: [string, string, object?][] = [
    ['GET', '/issue/#'],
    ['GET', '/issue/#/activity'],
    ['POST', '/issue/#', body],
  ]
  for (const [method, path, sent] of calls) {
    const hidden = await issues.call(method, path.replace('#', foreignId!), sent, asMember)
    const nowhere = await issues.call(method, path.replace('#', '987654'), sent, asMember)
    assert.deepEqual([hidden.status, nowhere.status], [404, 404], `${method} ${path}`)
    assert.equal(hidden.body.detail.replace(foreignId!, '#'), nowhere.body.detail.replace('987654', '#'))
  }
  const bulk = await issues.call('POST', '/issues/triage', { issueIds: [ownId, foreignId], ...body }, asMember)
  assert.deepEqual([bulk.status, bulk.body.detail], [422, `No issue ${foreignId}.`])
  const filtered = await ok(issues.call('POST', '/issues/triage', { filter: {}, ...body }, asMember))
  assert.deepEqual(filtered.changedIssueIds.toSorted(), [ownId, bothId, wholeId].toSorted())
  assert.equal((await issues.get(foreignId!)).triageState, 'TRIAGE_STATE_OPEN')
})

test('they report about what they see, and cannot take over a key that they do not', async () => {
  const about = await issues.send([{ externalKey: 'new', projectIds: [foreign] }], member.token)
  assert.deepEqual([about.status, about.body.code], [422, 'unknown_repository'])
  const over = await issues.send([{ externalKey: 'mine', projectIds: [own] }, { externalKey: 'foreign' }], member.token)
  assert.deepEqual(
    [over.status, over.body.code, over.body.errors[0].pointer],
    [409, 'conflict', '/issues/1/externalKey'],
  )
  assert.deepEqual((await issues.get(foreignId!)).projectIds, [foreign])
  assert.ok(!(await issues.search()).includes('mine'))
})

test('what they report about an issue leaves the repositories they do not see with it', async () => {
  const second = await addRepository('second', true)
  const [id] = await issues.report([{ externalKey: 'shared', projectIds: [own, foreign] }])
  const told = async (projectIds: string[] | undefined, as: string) => {
    await issues.report([{ externalKey: 'shared', ...(projectIds && { projectIds }) }], as)
    return (await issues.get(id!)).projectIds
  }
  assert.deepEqual(await told([second], member.token), [foreign, second])
  assert.deepEqual((await issues.get(id!, member.token)).projectIds, [second])
  assert.deepEqual(await told([own, second], member.token), [own, foreign, second])
  assert.deepEqual(await told([], member.token), [own, foreign, second])
  assert.deepEqual(await told(undefined, member.token), [own, foreign, second])
  assert.deepEqual(await told([own], admin.token), [own])
  assert.deepEqual(await told([], member.token), [])
})

test('an issue whose last repository is deleted is left to owners and admins', async () => {
  const doomed = await addRepository('doomed', true)
  const [id] = await issues.report([{ externalKey: 'orphan', projectIds: [doomed] }])
  assert.equal((await issues.get(id!, member.token)).id, id)
  await ok(gatehouse.call('DELETE', `${repositories}/${doomed}`))
  assert.equal((await issues.call('GET', `/issue/${id}`, undefined, asMember)).status, 404)
  assert.deepEqual((await issues.get(id!, admin.token)).projectIds, [])
  assert.ok(!(await issues.search({}, member.token)).includes('orphan'))
  assert.ok((await issues.search({}, admin.token)).includes('orphan'))
})

test('who is in the team of every repository gets the counts of the deployment, until one is hidden', async () => {
  const other = await gatehouse.addDeployment()
  const in_ = (path: string) => path.replace(`/${deploymentId}/`, `/${other.id}/`)
  const person = await gatehouse.addPerson('member', other)
  const base = `/api/issues/${other.id}`
  const add = async (name: string) =>
    String((await ok(gatehouse.call('POST', in_(repositories), { as: other.as, body: { name } }))).repository.id)
  const send = (externalKey: string, projectIds: string[]) => {
    const issue = { externalKey, title: externalKey, severity: 'SEVERITY_LOW', projectIds }
    return ok(gatehouse.call('POST', `${base}/issues`, { as: other.as, body: { issues: [issue] } }))
  }
  const count = async () =>
    (await ok(gatehouse.call('POST', `${base}/issues/counts`, { as: person.token, body: {} }))).total
  assert.equal(await count(), 0)
  const shared = await add('shared')
  await send('one', [shared])
  await send('two', [])
  assert.equal(await count(), 2)
  const teamsThere = (await gatehouse.call('GET', in_(teams), { as: other.as })).body.teams
  await gatehouse.call('PATCH', `${in_(teams)}/${teamsThere[0].id}/defaults`, {
    as: other.as,
    body: { isProjectDefault: false },
  })
  const hidden = await add('hidden')
  await send('three', [hidden])
  await send('four', [hidden, shared])
  assert.equal(await count(), 3)
})
