import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { type Directory, groupSchema, openDirectory, patchOp, userSchema } from './test-directory.ts'

// The requests that Microsoft documents for its provisioning service ("Develop and plan provisioning for a SCIM endpoint"),
// in the order in which it sends them.

let gatehouse: TestGatehouse
let entra: Directory
let teamId: number
let userId: string
let groupId: string
before(async () => {
  gatehouse = await openGatehouse()
  const made = await gatehouse.call('POST', `/api/permissions/v2/deployments/${gatehouse.owner.deploymentId}/teams`, {
    body: { team: { name: 'Platform' } },
  })
  teamId = Number(made.body.team.id)
  const rules = [{ group: 'Gatehouse Admins', role: 'admin', teamId }]
  entra = await openDirectory(gatehouse, gatehouse.owner.deploymentId, { rules })
})
after(() => gatehouse.close())

const find = (attribute: string, value: string) =>
  entra.send('GET', `/Users?filter=${encodeURIComponent(`${attribute} eq "${value}"`)}`)

async function person(email: string) {
  const { people } = (await gatehouse.call('GET', `/api/people/v1/deployments/${entra.deploymentId}/people`)).body
  return people.find((each: { email: string }) => each.email === email)
}

test('the connection test asks for a user that cannot be there, and gets an empty list', async () => {
  const answer = await find('userName', '7b39475f-16ae-4e4e-a2be-5d3c2f7b3e4e')
  assert.equal(answer.status, 200)
  assert.equal(answer.headers.get('content-type'), 'application/scim+json; charset=utf-8')
  assert.deepEqual(answer.body, {
    schemas: ['urn:ietf:params:scim:api:messages:2.0:ListResponse'],
    totalResults: 0,
    startIndex: 1,
    itemsPerPage: 0,
    Resources: [],
  })
})

test('a user is looked for by both ids, then made', async () => {
  assert.equal((await find('externalId', '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef')).body.totalResults, 0)
  assert.equal((await find('userName', 'ryan.leenay@contoso.com')).body.totalResults, 0)
  const made = await entra.send('POST', '/Users', {
    schemas: [userSchema, 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User'],
    externalId: '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef',
    userName: 'Ryan.Leenay@contoso.com',
    active: true,
    emails: [{ primary: true, type: 'work', value: 'ryan@contoso.com' }],
    meta: { resourceType: 'User' },
    name: { formatted: 'Ryan Leenay', familyName: 'Leenay', givenName: 'Ryan' },
    roles: [],
    title: 'Engineer',
    'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User': { employeeNumber: '99887766' },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  userId = made.body.id
  const location = `${gatehouse.url}/scim/v2/Users/${userId}`
  assert.equal(made.headers.get('location'), location)
  assert.equal(made.headers.get('etag'), 'W/"1"')
  const { created, lastModified, ...meta } = made.body.meta
  assert.deepEqual(meta, { resourceType: 'User', location, version: 'W/"1"' })
  assert.equal(created, lastModified)
  assert.deepEqual(made.body.emails, [{ value: 'ryan@contoso.com', type: 'work', primary: true }])
  const { role, suspendedAt, name } = await person('ryan@contoso.com')
  assert.deepEqual([role, suspendedAt, name], ['member', null, 'Ryan Leenay'])
})

test('it is found again, by either id, in whatever case the name is written', async () => {
  for (const answer of [
    await find('userName', 'RYAN.leenay@contoso.com'),
    await find('externalId', '0a21f0f2-8d2a-4f8e-bf98-7363c4aed4ef'),
    await find('emails[type eq \\"work\\"].value'.replaceAll('\\', ''), 'ryan@contoso.com'),
  ]) {
    assert.deepEqual([answer.status, answer.body.totalResults, answer.body.Resources[0]?.id], [200, 1, userId])
  }
  assert.equal((await entra.send('GET', `/Users/${userId}`)).status, 200)
  const missing = await entra.send('GET', '/Users/5171a35d82074e068ce2')
  assert.equal(missing.status, 404)
  assert.deepEqual(missing.body.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error'])
  assert.equal(missing.body.status, '404')
})

test('attributes are changed by operations in capitals, with paths that filter', async () => {
  const changed = await entra.send('PATCH', `/Users/${userId}`, {
    schemas: [patchOp],
    Operations: [
      { op: 'Replace', path: 'emails[type eq "work"].value', value: 'ryan.l@contoso.com' },
      { op: 'Replace', path: 'name.familyName', value: 'Lee' },
      { op: 'Add', path: 'phoneNumbers[type eq "work"].value', value: '+1 555 0100' },
      { op: 'Add', path: 'urn:ietf:params:scim:schemas:extension:enterprise:2.0:User:department', value: 'R&D' },
      { op: 'Replace', value: { 'name.formatted': 'Ryan Lee', displayName: 'Ryan Lee' } },
    ],
  })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  assert.equal(changed.headers.get('etag'), 'W/"2"')
  assert.deepEqual(changed.body.name, { formatted: 'Ryan Lee', familyName: 'Lee', givenName: 'Ryan' })
  assert.equal(changed.body.emails[0].value, 'ryan.l@contoso.com')
  assert.equal((await person('ryan.l@contoso.com')).name, 'Ryan Lee')
})

test('what is sent again as it is changes nothing', async () => {
  const again = await entra.send('PATCH', `/Users/${userId}`, {
    schemas: [patchOp],
    Operations: [{ op: 'Add', path: 'displayName', value: 'Ryan Lee' }],
  })
  assert.deepEqual([again.status, again.headers.get('etag')], [200, 'W/"2"'])
})

test('a group is looked for without its members, made empty, and gets members: their role and team follow', async () => {
  const filter = encodeURIComponent('displayName eq "Gatehouse Admins"')
  const none = await entra.send('GET', `/Groups?excludedAttributes=members&filter=${filter}`)
  assert.deepEqual([none.status, none.body.totalResults], [200, 0])
  const made = await entra.send('POST', '/Groups', {
    schemas: [groupSchema, 'http://schemas.microsoft.com/2006/11/ResourceManagement/ADSCIM/2.0/Group'],
    externalId: '8aa1a0c0-c4c3-4bc0-b4a5-2ef676900159',
    displayName: 'Gatehouse Admins',
    meta: { resourceType: 'Group' },
  })
  assert.equal(made.status, 201, JSON.stringify(made.body))
  assert.deepEqual(made.body.members, [])
  groupId = made.body.id
  const added = await entra.send('PATCH', `/Groups/${groupId}`, {
    schemas: [patchOp],
    Operations: [{ op: 'Add', path: 'members', value: [{ $ref: null, value: userId }] }],
  })
  assert.deepEqual([added.status, added.body], [204, ''])
  const found = await entra.send('GET', `/Groups/${groupId}?excludedAttributes=members`)
  assert.equal('members' in found.body, false)
  const whole = await entra.send('GET', `/Groups/${groupId}`)
  assert.deepEqual(
    whole.body.members.map((each: { value: string }) => each.value),
    [userId],
  )
  assert.equal((await person('ryan.l@contoso.com')).role, 'admin')
  assert.deepEqual(await membersOfTeam(), ['ryan.l@contoso.com'])
})

async function membersOfTeam(): Promise<string[]> {
  const path = `/api/permissions/v2/deployments/${entra.deploymentId}/teams/${teamId}/members`
  const answer = await gatehouse.call('GET', path)
  return (answer.body.users ?? answer.body.members).map((each: { email: string }) => each.email)
}

test('a member is removed by a value or by a filter in the path, and so are role and team', async () => {
  const operations = [
    { op: 'Remove', path: 'members', value: [{ $ref: null, value: userId }] },
    { op: 'Remove', path: `members[value eq "${userId}"]` },
  ]
  for (const operation of operations) {
    const Operations = [{ op: 'Add', path: 'members', value: [{ value: userId }] }]
    await entra.send('PATCH', `/Groups/${groupId}`, { schemas: [patchOp], Operations })
    assert.equal((await person('ryan.l@contoso.com')).role, 'admin')
    const removed = await entra.send('PATCH', `/Groups/${groupId}`, { schemas: [patchOp], Operations: [operation] })
    assert.equal(removed.status, 204)
    assert.equal((await person('ryan.l@contoso.com')).role, 'member')
    assert.deepEqual(await membersOfTeam(), [])
  }
})

test('a group is renamed and deleted', async () => {
  const renamed = await entra.send('PATCH', `/Groups/${groupId}`, {
    schemas: [patchOp],
    Operations: [{ op: 'Replace', path: 'displayName', value: 'Renamed' }],
  })
  assert.equal(renamed.status, 204)
  assert.equal((await entra.send('GET', `/Groups/${groupId}`)).body.displayName, 'Renamed')
  assert.equal((await entra.send('DELETE', `/Groups/${groupId}`)).status, 204)
  assert.equal((await entra.send('GET', `/Groups/${groupId}`)).status, 404)
})

test('a user is disabled by the word "False" as well as by the value, enabled again, and deleted at last', async () => {
  for (const value of ['False', false]) {
    const disabled = await entra.send('PATCH', `/Users/${userId}`, {
      Operations: [{ op: 'Replace', path: 'active', value }],
      schemas: [patchOp],
    })
    assert.deepEqual([disabled.status, disabled.body.active], [200, false])
    assert.notEqual((await person('ryan.l@contoso.com')).suspendedAt, null)
    const enabled = await entra.send('PATCH', `/Users/${userId}`, {
      schemas: [patchOp],
      Operations: [{ op: 'Replace', value: { active: 'True' } }],
    })
    assert.deepEqual([enabled.status, enabled.body.active], [200, true])
    assert.equal((await person('ryan.l@contoso.com')).suspendedAt, null)
  }
  assert.equal((await entra.send('DELETE', `/Users/${userId}`)).status, 204)
  assert.equal((await entra.send('GET', `/Users/${userId}`)).status, 404)
  assert.equal(await person('ryan.l@contoso.com'), undefined)
})

test('who was deleted and comes back gets an account again, not an invitation', async () => {
  const id = await entra.provision('ryan.l@contoso.com')
  assert.notEqual(id, userId)
  assert.equal((await person('ryan.l@contoso.com')).suspendedAt, null)
})
