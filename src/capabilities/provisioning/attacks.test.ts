import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse, tokenOf } from '../../../test/gatehouse.ts'
import { openTestStream } from '../events/test-stream.ts'
import { endSessionsOfMember } from '../people/public.ts'
import { type Directory, openDirectory, patchOp, userSchema } from './test-directory.ts'

let gatehouse: TestGatehouse
let directory: Directory
let other: { id: number; as: string }
let foreign: Directory
before(async () => {
  gatehouse = await openGatehouse()
  directory = await openDirectory(gatehouse)
  other = await gatehouse.addDeployment()
  foreign = await openDirectory(gatehouse, other.id)
})
after(() => gatehouse.close())

const peopleOf = async (deployment: number, as = gatehouse.owner.jwt) =>
  (await gatehouse.call('GET', `/api/people/v1/deployments/${deployment}/people`, { as })).body.people

async function ownId(deployment: number): Promise<number> {
  const people = await peopleOf(deployment)
  return people.find((each: { email: string }) => each.email === gatehouse.owner.email).id
}

async function ownerJwt(): Promise<string> {
  return gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
}

test('the token of another deployment sees and changes nothing of this one', async () => {
  const userId = await directory.provision('only.here@example.com')
  const groupId = await directory.pushGroup('Only here', [userId])
  const body = { schemas: [userSchema], userName: 'taken.over@example.com', active: false }
  const patch = { schemas: [patchOp], Operations: [{ op: 'replace', value: { active: false } }] }
  const answers = await Promise.all([
    foreign.send('GET', `/Users/${userId}`),
    foreign.send('PUT', `/Users/${userId}`, body),
    foreign.send('PATCH', `/Users/${userId}`, patch),
    foreign.send('DELETE', `/Users/${userId}`),
    foreign.send('GET', `/Groups/${groupId}`),
    foreign.send('PATCH', `/Groups/${groupId}`, patch),
    foreign.send('DELETE', `/Groups/${groupId}`),
  ])
  assert.deepEqual(
    answers.map(({ status }) => status),
    answers.map(() => 404),
  )
  for (const path of ['/Users', '/Groups', '/Users?filter=userName%20eq%20%22only.here@example.com%22']) {
    assert.equal((await foreign.send('GET', path)).body.totalResults, 0, path)
  }
  const group = { displayName: 'Theirs', members: [{ value: userId }] }
  const joined = await foreign.send('POST', '/Groups', group)
  assert.deepEqual([joined.status, joined.body.scimType], [400, 'invalidValue'])
  assert.equal((await directory.send('GET', `/Users/${userId}`)).body.active, true)
})

test('an account of another deployment is not taken over: it is invited, and stays as it is until its owner accepts', async () => {
  const victim = await gatehouse.addPerson('member', other)
  const group = await directory.pushGroup('Analysts')
  await gatehouse.call('PATCH', `${directory.path}/settings`, {
    as: await ownerJwt(),
    body: { rules: [{ group: 'Analysts', role: 'readonly', teamId: null }] },
  })
  const id = await directory.provision(victim.email, { displayName: 'Renamed by force' })
  const add = { schemas: [patchOp], Operations: [{ op: 'add', path: 'members', value: [{ value: id }] }] }
  assert.equal((await directory.send('PATCH', `/Groups/${group}`, add)).status, 204)
  const rename = {
    schemas: [patchOp],
    Operations: [{ op: 'replace', value: { displayName: 'Again', 'name.givenName': 'X' } }],
  }
  assert.equal((await directory.send('PATCH', `/Users/${id}`, rename)).status, 200)

  const here = await peopleOf(directory.deploymentId)
  assert.equal(
    here.some((each: { email: string }) => each.email === victim.email),
    false,
  )
  const there = await peopleOf(other.id, other.as)
  const untouched = there.find((each: { email: string }) => each.email === victim.email)
  assert.equal(untouched.name, victim.email.split('@')[0])
  assert.equal((await gatehouse.call('GET', '/api/tokens/v1/self', { as: victim.jwt })).body.deployments.length, 1)

  const users = await gatehouse.call('GET', `${directory.path}/users`)
  assert.equal(users.body.users.find((each: { email: string }) => each.email === victim.email).state, 'invited')
  const invitations = await gatehouse.call('GET', `/api/people/v1/deployments/${directory.deploymentId}/invitations`)
  const invitation = invitations.body.invitations.find((each: { email: string }) => each.email === victim.email)
  const renewed = await gatehouse.call(
    'POST',
    `/api/people/v1/deployments/${directory.deploymentId}/invitations/${invitation.id}/renew`,
    { as: await ownerJwt() },
  )
  assert.equal(renewed.status, 200, JSON.stringify(renewed.body))
  const accepted = await gatehouse.call('POST', '/api/people/v1/self/invitations/accept', {
    as: victim.jwt,
    body: { token: tokenOf(renewed.body.link) },
  })
  assert.equal(accepted.status, 200, JSON.stringify(accepted.body))
  const joined = (await peopleOf(directory.deploymentId)).find((each: { email: string }) => each.email === victim.email)
  assert.deepEqual([joined.role, joined.name], ['readonly', untouched.name])

  // From here on the directory decides about the membership, and about nothing else.
  const again = {
    schemas: [patchOp],
    Operations: [{ op: 'replace', path: 'emails[type eq "work"].value', value: 'mine@example.com' }],
  }
  assert.equal((await directory.send('PATCH', `/Users/${id}`, again)).status, 200)
  assert.equal((await directory.deactivate(id)).status, 200)
  const self = await gatehouse.call('GET', '/api/tokens/v1/self', {
    as: await gatehouse.signIn(victim.email, victim.password),
  })
  assert.deepEqual(
    self.body.deployments.map((each: { deploymentId: number }) => each.deploymentId),
    [other.id],
  )
})

test('who was made by a directory and belongs to another deployment since is not renamed by it any more', async () => {
  const id = await directory.provision('traveller@example.com', { displayName: 'Traveller' })
  const invited = await gatehouse.call('POST', `/api/people/v1/deployments/${other.id}/people`, {
    as: other.as,
    body: { email: 'traveller@example.com' },
  })
  const member = (await peopleOf(directory.deploymentId)).find((each: { name: string }) => each.name === 'Traveller')
  const link = await gatehouse.call(
    'POST',
    `/api/people/v1/deployments/${directory.deploymentId}/people/${member.id}/reset-link`,
    { as: await ownerJwt() },
  )
  assert.equal(link.status, 200, JSON.stringify(link.body))
  const reset = { token: tokenOf(link.body.link), password: 'correct horse battery' }
  assert.equal((await gatehouse.call('POST', '/api/auth/password-reset', { as: '', body: reset })).status, 200)
  const jwt = await gatehouse.signIn('traveller@example.com', 'correct horse battery')
  const body = { token: tokenOf(invited.body.link) }
  assert.equal((await gatehouse.call('POST', '/api/people/v1/self/invitations/accept', { as: jwt, body })).status, 200)

  const Operations = [
    { op: 'replace', value: { displayName: 'Somebody', emails: [{ value: 'thief@example.com', primary: true }] } },
  ]
  assert.equal((await directory.send('PATCH', `/Users/${id}`, { schemas: [patchOp], Operations })).status, 200)
  const there = (await peopleOf(other.id, other.as)).find((each: { id: number }) => each.id === member.id)
  assert.deepEqual([there.name, there.email], ['Traveller', 'traveller@example.com'])
})

test('a deactivated person is out within a second, on every process, and back with their tokens when activated', async (t) => {
  const person = await gatehouse.addPerson('member')
  const id = await directory.provision(person.email)
  const second = await gatehouse.anotherProcess()
  t.after(() => second.close())
  const path = `/api/people/v1/deployments/${directory.deploymentId}/people`
  const credentials = [person.token, person.jwt]
  const ask = () =>
    Promise.all(credentials.flatMap((as) => [gatehouse.call('GET', path, { as }), second.call('GET', path, { as })]))
  assert.deepEqual(
    (await ask()).map(({ status }) => status),
    [200, 200, 200, 200],
  )
  assert.equal((await directory.deactivate(id)).status, 200)
  const deadline = Date.now() + 1_000
  let seen: number[] = []
  do seen = (await ask()).map(({ status }) => status)
  while (seen.some((status) => status !== 401) && Date.now() < deadline)
  assert.deepEqual(seen, [401, 401, 401, 401])

  assert.equal((await directory.activate(id)).status, 200)
  assert.equal((await gatehouse.call('GET', path, { as: person.token })).status, 200)
  assert.equal((await gatehouse.call('GET', path, { as: person.jwt })).status, 401, 'a session that was ended stays so')
  const jwt = await gatehouse.signIn(person.email, person.password)
  assert.equal((await gatehouse.call('GET', path, { as: jwt })).status, 200)
})

test('who is suspended wherever they belong cannot sign in, and learns no more than from a wrong password', async () => {
  const person = await gatehouse.addPerson('member')
  const { email, password } = person
  const id = await directory.provision(email)
  const login = (given: string) =>
    gatehouse.call('POST', '/api/auth/login', { as: '', body: { email, password: given } })
  assert.equal((await directory.deactivate(id)).status, 200)
  const [right, wrong] = [await login(password), await login(`${password}!`)]
  assert.deepEqual([right.status, right.body.detail], [401, wrong.body.detail])
  assert.equal((await directory.activate(id)).status, 200)
  assert.equal((await login(password)).status, 200)
})

test('a directory that suspends somebody does not keep them from joining another deployment', async () => {
  const person = await gatehouse.addPerson('member')
  assert.equal((await directory.deactivate(await directory.provision(person.email))).status, 200)
  const invited = await gatehouse.call('POST', `/api/people/v1/deployments/${other.id}/people`, {
    as: other.as,
    body: { email: person.email },
  })
  const as = await gatehouse.signIn(person.email, person.password)
  const body = { token: tokenOf(invited.body.link) }
  assert.equal((await gatehouse.call('POST', '/api/people/v1/self/invitations/accept', { as, body })).status, 200)
  const self = await gatehouse.call('GET', '/api/tokens/v1/self', {
    as: await gatehouse.signIn(person.email, person.password),
  })
  assert.deepEqual(
    self.body.deployments.map((each: { deploymentId: number }) => each.deploymentId),
    [other.id],
  )
})

test('the last owner cannot be deactivated or deleted, and an owner who is suspended is not counted as one', async () => {
  const mine = await openDirectory(gatehouse, (await gatehouse.addDeployment()).id)
  const first = await mine.provision(gatehouse.owner.email)
  const Operations = [{ op: 'Replace', path: 'active', value: 'False' }]
  for (const answer of [
    await mine.send('PATCH', `/Users/${first}`, { schemas: [patchOp], Operations }),
    await mine.send('DELETE', `/Users/${first}`),
    await mine.send('POST', '/Users', {
      schemas: [userSchema],
      userName: 'x',
      emails: [{ value: gatehouse.owner.email }],
      active: false,
    }),
  ]) {
    assert.equal(answer.status, 409)
    assert.match(answer.body.detail, /A deployment needs an owner|There is a user/)
  }
  assert.equal((await mine.send('GET', `/Users/${first}`)).body.active, true)

  const deployment = { id: mine.deploymentId, as: '' }
  const second = await gatehouse.addPerson('owner', deployment)
  const secondId = await mine.provision(second.email)
  assert.equal((await mine.deactivate(secondId)).status, 200)
  assert.equal((await mine.deactivate(first)).status, 409)
  const path = `/api/people/v1/deployments/${mine.deploymentId}/people/${await ownId(mine.deploymentId)}`
  const demoted = await gatehouse.call('PATCH', path, { as: await ownerJwt(), body: { role: 'member' } })
  assert.equal(demoted.status, 409, 'the other owner is suspended')
  assert.equal((await mine.activate(secondId)).status, 200)
  assert.equal((await mine.deactivate(first)).status, 200)
})

test('a stream of events ends when whoever opened it is suspended', async (t) => {
  const person = await gatehouse.addPerson('member')
  const id = await directory.provision(person.email)
  const headers = { authorization: `Bearer ${person.token}` }
  const stream = await openTestStream(`${gatehouse.url}/api/events/v1/deployments/${directory.deploymentId}/stream`, {
    headers,
  })
  t.after(stream.close)
  assert.equal(stream.status, 200)
  assert.equal((await directory.deactivate(id)).status, 200)
  await stream.whenEnded()
})

test('who joins by themselves while the directory keeps them out is suspended', async () => {
  const person = await gatehouse.addPerson('member', other)
  await directory.provision(person.email, { active: false })
  const invited = await gatehouse.call('POST', `/api/people/v1/deployments/${directory.deploymentId}/people`, {
    body: { email: person.email },
  })
  const body = { token: tokenOf(invited.body.link) }
  const joined = await gatehouse.call('POST', '/api/people/v1/self/invitations/accept', { as: person.jwt, body })
  assert.equal(joined.status, 200, JSON.stringify(joined.body))
  const found = (await peopleOf(directory.deploymentId)).find((each: { email: string }) => each.email === person.email)
  assert.notEqual(found.suspendedAt, null)
})

test('a member who came by themselves keeps their name and address', async () => {
  const person = await gatehouse.addPerson('member')
  const id = await directory.provision(person.email, { displayName: 'Forced' })
  const value = { displayName: 'Forced again', emails: [{ value: 'elsewhere@example.com', primary: true }] }
  const patch = { schemas: [patchOp], Operations: [{ op: 'replace', value }] }
  assert.equal((await directory.send('PATCH', `/Users/${id}`, patch)).status, 200)
  const found = (await peopleOf(directory.deploymentId)).find((each: { id: number }) => each.id === person.id)
  assert.deepEqual([found.name, found.email], [person.email.split('@')[0], person.email])
})

test('what a directory sends again reaches the account, where the process had ended before it did', async () => {
  const identities = gatehouse.db.identityQuery
  const id = await directory.provision('halfway@example.com', { displayName: 'Halfway' })
  const emails = [{ value: 'arrived@example.com', primary: true }]
  const body = { schemas: [userSchema], userName: 'halfway@example.com', displayName: 'Arrived', emails, active: true }
  const put = () => directory.send('PUT', `/Users/${id}`, body)
  assert.equal((await put()).status, 200)
  // As if it had ended after the first of its transactions.
  const [account] = await identities<{
    id: number
  }>(sql`update person set name = 'Halfway', email = 'halfway@example.com'
    where email = 'arrived@example.com' returning id`)
  assert.equal((await put()).status, 200)
  const found = (await peopleOf(directory.deploymentId)).find((each: { id: number }) => each.id === account!.id)
  assert.deepEqual([found.name, found.email], ['Arrived', 'arrived@example.com'])
})

test('a directory that deactivates somebody again ends the sessions that are still open', async () => {
  const person = await gatehouse.addPerson('member')
  const id = await directory.provision(person.email)
  const live = () =>
    gatehouse.db.identityQuery(sql`select from session where person_id = ${person.id} and revoked_at is null`)
  await directory.deactivate(id)
  await gatehouse.db.identityQuery(sql`update session set revoked_at = null where person_id = ${person.id}`)
  await directory.deactivate(id)
  assert.equal((await live()).length, 0)
})

test('the end of a deactivation that comes late ends no session of somebody who is active again', async () => {
  const { id, jwt } = await gatehouse.addPerson('member')
  await endSessionsOfMember(gatehouse.db, id, directory.deploymentId)
  assert.equal((await gatehouse.call('GET', '/api/auth/session', { as: jwt })).status, 200)
  const open = await gatehouse.db.identityQuery(sql`select from session where person_id = ${id} and revoked_at is null`)
  assert.equal(open.length, 1)
})

test('while provisioning is off, roles are left to people, also when its settings change', async () => {
  const own = await gatehouse.addDeployment()
  const rules = [{ group: 'Admins', role: 'admin', teamId: null }]
  const source = await openDirectory(gatehouse, own.id, { rules, defaultRole: 'readonly' })
  await source.provision('promoted@example.com')
  const promoted = async () =>
    (await peopleOf(own.id, own.as)).find((each: { email: string }) => each.email === 'promoted@example.com')
  const settings = (body: object) => gatehouse.call('PATCH', `${source.path}/settings`, { as: source.jwt, body })
  assert.equal((await promoted()).role, 'readonly')
  const people = `/api/people/v1/deployments/${own.id}/people/${(await promoted()).id}`
  await settings({ enabled: false })
  assert.equal((await gatehouse.call('PATCH', people, { as: own.as, body: { role: 'member' } })).status, 200)
  for (const body of [{ defaultRole: 'readonly' }, { enabled: false }]) {
    assert.equal((await settings(body)).status, 200)
    assert.equal((await promoted()).role, 'member')
  }
  assert.equal((await settings({ enabled: true })).status, 200)
  assert.equal((await promoted()).role, 'readonly')
})

test('of many who make one user at once, one does', async () => {
  const body = { schemas: [userSchema], userName: 'race@example.com', active: true }
  const answers = await Promise.all(Array.from({ length: 8 }, () => directory.send('POST', '/Users', body)))
  assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409, 409, 409, 409, 409, 409])
  const found = (await peopleOf(directory.deploymentId)).filter(
    (each: { email: string }) => each.email === 'race@example.com',
  )
  assert.equal(found.length, 1)
})

test('two deployments that provision one address at once: one account, and an invitation for the other', async () => {
  const ids = await Promise.all([directory.provision('both@example.com'), foreign.provision('both@example.com')])
  assert.equal(ids.length, 2)
  const states = await Promise.all(
    [directory, foreign].map(async ({ path, jwt }) => {
      const { users } = (await gatehouse.call('GET', `${path}/users`, { as: jwt })).body
      return users.find((each: { email: string }) => each.email === 'both@example.com').state
    }),
  )
  assert.deepEqual(states.sort(), ['active', 'invited'])
})

test('no other token speaks for a directory, whoever it belongs to', async () => {
  const admin = await gatehouse.addPerson('admin')
  const scoped = await gatehouse.makeToken(await ownerJwt(), directory.deploymentId, { scopes: ['provisioning:sync'] })
  for (const as of [gatehouse.owner.token, gatehouse.owner.jwt, admin.token, admin.jwt, scoped]) {
    const answer = await gatehouse.call('GET', '/scim/v2/Users', { as })
    assert.equal(answer.status, 403)
    assert.deepEqual(answer.body.schemas, ['urn:ietf:params:scim:api:messages:2.0:Error'])
  }
  for (const as of ['', 'gth_nonsense']) {
    const answer = await gatehouse.call('GET', '/scim/v2/Users', { as })
    assert.equal(answer.status, 401)
    assert.match(answer.headers.get('www-authenticate')!, /^Bearer/)
  }
  const made = await gatehouse.call('POST', `${directory.path}/tokens`, { as: admin.jwt, body: {} })
  assert.equal(made.status, 403, 'an admin would suspend owners with it')
  const account = { name: 'Sly', role: 'admin', scopes: ['provisioning:sync'] }
  const path = `/api/service-accounts/v1/deployments/${directory.deploymentId}/service-accounts`
  assert.equal((await gatehouse.call('POST', path, { as: admin.jwt, body: account })).status, 422)
})

test('the token of a directory can do nothing else, and nothing while provisioning is off', async () => {
  const { deploymentId, token: as } = directory
  for (const [method, path] of [
    ['GET', `/api/people/v1/deployments/${deploymentId}/people`],
    ['GET', `/api/audit/v1/deployments/${deploymentId}/events`],
    ['GET', `${directory.path}/settings`],
    ['POST', `/api/tokens/v1/deployments/${deploymentId}/tokens`],
  ] as const) {
    const body = method === 'POST' ? { body: { name: 'more' } } : {}
    assert.equal((await gatehouse.call(method, path, { as, ...body })).status, 403, path)
  }
  const own = await gatehouse.addDeployment()
  const mine = await openDirectory(gatehouse, own.id)
  await gatehouse.call('PATCH', `${mine.path}/settings`, { as: mine.jwt, body: { enabled: false } })
  assert.equal((await mine.send('GET', '/Users')).status, 403)
  assert.equal((await mine.send('POST', '/Users', { userName: 'late@example.com' })).status, 403)
})

test('an account without a password is not opened by an empty one', async () => {
  await directory.provision('no.password@example.com')
  for (const password of ['', ' ', 'null', 'undefined']) {
    const body = { email: 'no.password@example.com', password }
    const { status } = await gatehouse.call('POST', '/api/auth/login', { as: '', body })
    assert.ok(status === 401 || status === 400, String(status))
  }
})

test('groups make nobody an owner and take it from nobody', async () => {
  const { id: deployment } = await gatehouse.addDeployment()
  const mine = await openDirectory(gatehouse, deployment, { rules: [{ group: 'All', role: 'readonly', teamId: null }] })
  const owner = await mine.provision(gatehouse.owner.email)
  await mine.pushGroup('All', [owner, await mine.provision('plain@example.com')])
  const people = await peopleOf(deployment)
  const roles = people.map(({ email, role }: { email: string; role: string }) => [email, role])
  assert.deepEqual(Object.fromEntries(roles), { [gatehouse.owner.email]: 'owner', 'plain@example.com': 'readonly' })
  const rules = [{ group: 'All', role: 'owner', teamId: null }]
  const refused = await gatehouse.call('PATCH', `${mine.path}/settings`, { as: mine.jwt, body: { rules } })
  assert.equal(refused.status, 400)
})

test('a version that has passed is refused, and one that is known is not sent again', async () => {
  const id = await directory.provision('versions@example.com')
  const change = (value: string, ifMatch: string) =>
    directory.send(
      'PATCH',
      `/Users/${id}`,
      { schemas: [patchOp], Operations: [{ op: 'replace', path: 'displayName', value }] },
      { 'if-match': ifMatch },
    )
  assert.equal((await change('One', 'W/"1"')).status, 200)
  const late = await change('Two', 'W/"1"')
  assert.deepEqual([late.status, late.body.status], [412, '412'])
  assert.equal((await directory.send('GET', `/Users/${id}`, undefined, { 'if-none-match': 'W/"2"' })).status, 304)
  assert.equal((await directory.send('DELETE', `/Users/${id}`, undefined, { 'if-match': 'W/"1"' })).status, 412)
})

test('what was refused and changed is shown to those who look after the deployment', async () => {
  await directory.send('GET', '/Users?filter=title%20sw%20%22x%22')
  const { requests } = (await gatehouse.call('GET', `${directory.path}/requests`)).body
  assert.deepEqual([requests[0].method, requests[0].path, requests[0].status], ['GET', '/Users', 400])
  assert.match(requests[0].detail, /eq/)
  const { groups } = (await gatehouse.call('GET', `${directory.path}/groups`)).body
  assert.deepEqual([groups[0].name, groups[0].members], ['Only here', 1])
  const { provisioning } = (await gatehouse.call('GET', `${directory.path}/settings`)).body
  assert.notEqual(provisioning.lastRequestAt, null)
  assert.equal(provisioning.tokens[0].scopes[0], 'provisioning:sync')
})
