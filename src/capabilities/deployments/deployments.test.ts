import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

const path = '/api/deployments/v1/deployments'

test('a new deployment comes with its owner, a team, boards and policies', async () => {
  const { id, as } = await gatehouse.addDeployment('Second House')
  const [deployment, boards, policies, teams, people] = await Promise.all([
    gatehouse.call('GET', `${path}/${id}`, { as }),
    gatehouse.call('GET', `/api/agent/deployments/${id}/ruleboards`, { as }),
    gatehouse.call('GET', `/api/policies/v1/deployments/${id}`, { as }),
    gatehouse.call('GET', `/api/permissions/v2/deployments/${id}/teams`, { as }),
    gatehouse.call('GET', `/api/people/v1/deployments/${id}/people`, { as }),
  ])
  assert.equal(deployment.body.deployment.slug, 'second-house')
  assert.deepEqual(
    boards.body.ruleboards.map((board: { default: boolean }) => board.default),
    [true, true],
  )
  assert.deepEqual(policies.body.policies.map((policy: { productType: string }) => policy.productType).sort(), [
    'PRODUCT_TYPE_SAST',
    'PRODUCT_TYPE_SECRETS',
  ])
  assert.deepEqual([teams.body.teams.length, teams.body.teams[0].userCount], [1, '1'])
  assert.deepEqual(
    people.body.people.map((person: { role: string }) => person.role),
    ['owner'],
  )
})

test('who creates a deployment is in it at once', async () => {
  const { jwt } = gatehouse.owner
  await gatehouse.call('GET', path, { as: jwt })
  const { id } = (await gatehouse.call('POST', path, { as: jwt, body: { name: 'Just Made' } })).body.deployment
  assert.equal((await gatehouse.call('GET', `${path}/${id}`, { as: jwt })).status, 200)
  const listed = (await gatehouse.call('GET', path, { as: jwt })).body.deployments
  assert.ok(listed.some((one: { id: number }) => one.id === id))
})

test('only operators create deployments, and a slug is taken once', async () => {
  const owner = await gatehouse.addPerson('owner')
  const refused = await gatehouse.call('POST', path, { as: owner.jwt, body: { name: 'Mine' } })
  assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden'])
  await gatehouse.addDeployment('Taken')
  const jwt = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  const again = await gatehouse.call('POST', path, { as: jwt, body: { name: 'Taken' } })
  assert.deepEqual([again.status, again.body.detail], [409, "The slug 'taken' is taken."])
  const unnamable = await gatehouse.call('POST', path, { as: jwt, body: { name: '日本' } })
  assert.equal(unnamable.status, 422)
})

test('the list holds the deployments of the caller and no other', async () => {
  const before = await gatehouse.call('GET', path)
  assert.deepEqual(
    before.body.deployments.map((each: { id: number }) => each.id),
    [gatehouse.owner.deploymentId],
  )
  const other = await gatehouse.addDeployment()
  const member = await gatehouse.addPerson('member', other)
  const theirs = await gatehouse.call('GET', path, { as: member.jwt })
  assert.deepEqual(
    theirs.body.deployments.map((each: { id: number }) => each.id),
    [other.id],
  )
})

test('renaming keeps the slug and honours If-Match', async () => {
  const { id, as } = await gatehouse.addDeployment('Old Name')
  const first = await gatehouse.call('GET', `${path}/${id}`, { as })
  const tag = first.headers.get('etag')!
  const renamed = await gatehouse.call('PATCH', `${path}/${id}`, {
    as,
    body: { name: 'New Name' },
    headers: { 'if-match': tag },
  })
  assert.deepEqual([renamed.body.deployment.name, renamed.body.deployment.slug], ['New Name', 'old-name'])
  assert.notEqual(renamed.headers.get('etag'), tag)
  const stale = await gatehouse.call('PATCH', `${path}/${id}`, {
    as,
    body: { name: 'Third' },
    headers: { 'if-match': tag },
  })
  assert.deepEqual([stale.status, stale.body.code], [412, 'precondition_failed'])
  const change = (ifMatch: string) =>
    gatehouse.call('PATCH', `${path}/${id}`, { as, body: { name: 'Last' }, headers: { 'if-match': ifMatch } })
  assert.equal((await change(`"0", ${renamed.headers.get('etag')}`)).status, 200)
  assert.equal((await change(`W/${renamed.headers.get('etag')}`)).status, 412)
  assert.equal((await change('*')).status, 200)
})
