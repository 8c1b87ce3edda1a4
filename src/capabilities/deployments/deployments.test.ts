import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openHouse, type TestHouse } from '../../../test/gatehouse.ts'

let house: TestHouse
before(async () => {
  house = await openHouse()
})
after(() => house.close())

const path = '/api/deployments/v1/deployments'

test('a new deployment comes with its owner, a team, boards and policies', async () => {
  const { id, as } = await house.addDeployment('Second House')
  const [deployment, boards, policies, teams, people] = await Promise.all([
    house.call('GET', `${path}/${id}`, { as }),
    house.call('GET', `/api/agent/deployments/${id}/ruleboards`, { as }),
    house.call('GET', `/api/policies/v1/deployments/${id}`, { as }),
    house.call('GET', `/api/permissions/v2/deployments/${id}/teams`, { as }),
    house.call('GET', `/api/people/v1/deployments/${id}/people`, { as }),
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
  const { jwt } = house.owner
  await house.call('GET', path, { as: jwt })
  const { id } = (await house.call('POST', path, { as: jwt, body: { name: 'Just Made' } })).body.deployment
  assert.equal((await house.call('GET', `${path}/${id}`, { as: jwt })).status, 200)
  const listed = (await house.call('GET', path, { as: jwt })).body.deployments
  assert.ok(listed.some((one: { id: number }) => one.id === id))
})

test('only operators create deployments, and a slug is taken once', async () => {
  const owner = await house.addPerson('owner')
  const refused = await house.call('POST', path, { as: owner.jwt, body: { name: 'Mine' } })
  assert.deepEqual([refused.status, refused.body.code], [403, 'forbidden'])
  await house.addDeployment('Taken')
  const jwt = await house.signIn(house.owner.email, house.owner.password)
  const again = await house.call('POST', path, { as: jwt, body: { name: 'Taken' } })
  assert.deepEqual([again.status, again.body.detail], [409, "The slug 'taken' is taken."])
  const unnamable = await house.call('POST', path, { as: jwt, body: { name: '日本' } })
  assert.equal(unnamable.status, 422)
})

test('the list holds the deployments of the caller and no other', async () => {
  const before = await house.call('GET', path)
  assert.deepEqual(
    before.body.deployments.map((each: { id: number }) => each.id),
    [house.owner.deploymentId],
  )
  const other = await house.addDeployment()
  const member = await house.addPerson('member', other)
  const theirs = await house.call('GET', path, { as: member.jwt })
  assert.deepEqual(
    theirs.body.deployments.map((each: { id: number }) => each.id),
    [other.id],
  )
})

test('renaming keeps the slug and honours If-Match', async () => {
  const { id, as } = await house.addDeployment('Old Name')
  const first = await house.call('GET', `${path}/${id}`, { as })
  const tag = first.headers.get('etag')!
  const renamed = await house.call('PATCH', `${path}/${id}`, {
    as,
    body: { name: 'New Name' },
    headers: { 'if-match': tag },
  })
  assert.deepEqual([renamed.body.deployment.name, renamed.body.deployment.slug], ['New Name', 'old-name'])
  assert.notEqual(renamed.headers.get('etag'), tag)
  const stale = await house.call('PATCH', `${path}/${id}`, {
    as,
    body: { name: 'Third' },
    headers: { 'if-match': tag },
  })
  assert.deepEqual([stale.status, stale.body.code], [412, 'precondition_failed'])
  const change = (ifMatch: string) =>
    house.call('PATCH', `${path}/${id}`, { as, body: { name: 'Last' }, headers: { 'if-match': ifMatch } })
  assert.equal((await change(`"0", ${renamed.headers.get('etag')}`)).status, 200)
  assert.equal((await change(`W/${renamed.headers.get('etag')}`)).status, 412)
  assert.equal((await change('*')).status, 200)
})
