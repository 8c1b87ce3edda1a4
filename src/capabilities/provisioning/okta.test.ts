import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { type Directory, groupSchema, openDirectory, patchOp, userSchema } from './test-directory.ts'

// The requests that Okta documents for its provisioning ("Okta and SCIM Version 2.0"), in the order in which it sends them.

let gatehouse: TestGatehouse
let okta: Directory
let userId: string
let otherId: string
let groupId: string
before(async () => {
  gatehouse = await openGatehouse()
  okta = await openDirectory(gatehouse)
})
after(() => gatehouse.close())

const wholeUser = (more: object = {}) => ({
  schemas: [userSchema],
  userName: 'test.user@okta.local',
  name: { givenName: 'Test', familyName: 'User' },
  emails: [{ primary: true, value: 'test.user@okta.local', type: 'work' }],
  displayName: 'Test User',
  locale: 'en-US',
  externalId: '00ujl29u0le5T6Aj10h7',
  groups: [],
  password: '1mz050nq',
  active: true,
  ...more,
})

test('the connection test reads two users and a hundred groups', async () => {
  for (const path of ['/Users?startIndex=1&count=2', '/Groups?startIndex=1&count=100']) {
    const { status, body } = await okta.send('GET', path)
    assert.deepEqual([status, body.totalResults, body.startIndex, body.itemsPerPage], [200, 0, 1, 0])
  }
})

test('a user is looked for, then made; the password that is sent along is not used', async () => {
  const filter = 'filter=userName%20eq%20%22test.user%40okta.local%22&startIndex=1&count=100'
  assert.equal((await okta.send('GET', `/Users?${filter}`)).body.totalResults, 0)
  const made = await okta.send('POST', '/Users', wholeUser())
  assert.equal(made.status, 201, JSON.stringify(made.body))
  userId = made.body.id
  const { meta: _, ...user } = made.body
  assert.deepEqual(user, {
    schemas: [userSchema],
    id: userId,
    externalId: '00ujl29u0le5T6Aj10h7',
    userName: 'test.user@okta.local',
    name: { givenName: 'Test', familyName: 'User' },
    displayName: 'Test User',
    active: true,
    emails: [{ value: 'test.user@okta.local', type: 'work', primary: true }],
    groups: [],
  })
  const signIn = { email: 'test.user@okta.local', password: '1mz050nq' }
  assert.equal((await gatehouse.call('POST', '/api/auth/login', { as: '', body: signIn })).status, 401)
  assert.equal((await okta.send('GET', `/Users?${filter}`)).body.Resources[0].id, userId)
})

test('a user that is there already is refused in the words of the standard', async () => {
  const again = await okta.send('POST', '/Users', wholeUser())
  assert.equal(again.status, 409)
  assert.deepEqual(again.body, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:Error'],
    status: '409',
    scimType: 'uniqueness',
    detail: "There is a user 'test.user@okta.local', or one with the address test.user@okta.local.",
  })
})

test('an update reads the user and puts the whole of it back', async () => {
  const { body } = await okta.send('GET', `/Users/${userId}`)
  const { externalId: _, ...sent } = body
  const put = await okta.send('PUT', `/Users/${userId}`, {
    ...sent,
    name: { givenName: 'Another', middleName: 'Excited', familyName: 'User' },
    displayName: 'Another User',
  })
  assert.equal(put.status, 200, JSON.stringify(put.body))
  assert.deepEqual(put.body.name, { givenName: 'Another', familyName: 'User' })
  assert.equal(put.body.externalId, '00ujl29u0le5T6Aj10h7')
  assert.equal(put.body.active, true)
})

test('a group is pushed, renamed with its id in the value, and its members replaced', async () => {
  otherId = await okta.provision('second.user@okta.local')
  const made = await okta.send('POST', '/Groups', { schemas: [groupSchema], displayName: 'Test SCIMv2', members: [] })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  groupId = made.body.id
  const operations = [
    [{ op: 'replace', value: { id: groupId, displayName: 'Test SCIMv20' } }],
    [{ op: 'add', path: 'members', value: [{ value: userId, display: 'test.user@okta.local' }] }],
    [
      { op: 'remove', path: `members[value eq "${userId}"]` },
      { op: 'add', path: 'members', value: [{ value: otherId, display: 'second.user@okta.local' }] },
    ],
  ]
  const members: string[][] = []
  for (const Operations of operations) {
    assert.equal((await okta.send('PATCH', `/Groups/${groupId}`, { schemas: [patchOp], Operations })).status, 204)
    members.push(await membersNow())
  }
  assert.deepEqual(members, [[], [userId], [otherId]])
  const value = [userId, otherId].map((id) => ({ value: id, display: 'test.user@okta.local' }))
  const Operations = [{ op: 'replace', path: 'members', value }]
  assert.equal((await okta.send('PATCH', `/Groups/${groupId}`, { schemas: [patchOp], Operations })).status, 204)
  assert.deepEqual(await membersNow(), [userId, otherId])
})

async function membersNow(): Promise<string[]> {
  const { body } = await okta.send('GET', `/Groups/${groupId}`)
  assert.equal(body.displayName, 'Test SCIMv20')
  return body.members.map(({ value }: { value: string }) => value)
}

test('an integration that was made by the wizard puts groups whole', async () => {
  const put = await okta.send('PUT', `/Groups/${groupId}`, {
    schemas: [groupSchema],
    id: groupId,
    displayName: 'Test SCIMv20',
    members: [{ value: otherId, display: 'second.user@okta.local' }],
  })
  assert.deepEqual([put.status, put.body.members.length], [200, 1])
  const { body } = await okta.send('GET', `/Users/${otherId}`)
  assert.deepEqual(body.groups, [
    { value: groupId, display: 'Test SCIMv20', $ref: `${gatehouse.url}/scim/v2/Groups/${groupId}` },
  ])
})

test('who is unassigned is deactivated, by PATCH or by PUT, and activated again', async () => {
  const off = await okta.deactivate(userId)
  assert.deepEqual([off.status, off.body.active], [200, false])
  const { body } = await okta.send('GET', `/Users/${userId}`)
  const on = await okta.send('PUT', `/Users/${userId}`, { ...body, active: true })
  assert.deepEqual([on.status, on.body.active], [200, true])
  const offByPut = await okta.send('PUT', `/Users/${userId}`, { ...body, active: false })
  assert.deepEqual([offByPut.status, offByPut.body.active], [200, false])
})

test('an import reads page by page, in one order', async () => {
  const pages = await Promise.all([1, 2, 3].map((start) => okta.send('GET', `/Users?startIndex=${start}&count=1`)))
  assert.deepEqual(
    pages.map(({ body }) => [body.totalResults, body.startIndex, body.itemsPerPage, body.Resources[0]?.id]),
    [
      [2, 1, 1, userId],
      [2, 2, 1, otherId],
      [2, 3, 0, undefined],
    ],
  )
})

test('a group that is unlinked is deleted', async () => {
  assert.equal((await okta.send('DELETE', `/Groups/${groupId}`)).status, 204)
  assert.equal((await okta.send('DELETE', `/Groups/${groupId}`)).status, 404)
})
