import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openHouse, type TestHouse } from '../../../test/gatehouse.ts'

let house: TestHouse
before(async () => {
  house = await openHouse()
})
after(() => house.close())

const people = () => `/api/people/v1/deployments/${house.owner.deploymentId}/people`

test('who changes their password keeps the session they do it in and ends the others', async () => {
  const { email, password, jwt } = await house.addPerson('member')
  const change = (current: string, next: string) =>
    house.call('POST', '/api/people/v1/self/password', { as: jwt, body: { current, next } })
  assert.equal((await change('wrong', 'another long password')).status, 403)
  assert.equal((await change(password, 'short')).status, 400)
  const other = await house.signIn(email.toUpperCase(), password)
  assert.equal((await change(password, 'another long password')).status, 200)
  await house.signIn(email, 'another long password')
  const deadline = performance.now() + 1_000
  let answer = await house.call('GET', '/api/tokens/v1/self', { as: other })
  while (answer.status === 200 && performance.now() < deadline)
    answer = await house.call('GET', '/api/tokens/v1/self', { as: other })
  assert.equal(answer.status, 401)
  assert.equal((await house.call('GET', '/api/tokens/v1/self', { as: jwt })).status, 200)
})

test('the list of people has no password', async () => {
  const member = await house.addPerson('member')
  const listed = await house.call('GET', people())
  assert.ok(listed.body.people.find((each: { id: number }) => each.id === member.id).lastSignInAt)
  assert.ok(!JSON.stringify(listed.body).includes('argon2'))
})

test('a member leaves alone: their teams and tokens in this deployment go, their account stays', async () => {
  const member = await house.addPerson('member')
  assert.equal((await house.call('DELETE', `${people()}/${member.id}`)).body.person.id, member.id)
  assert.equal((await house.call('DELETE', `${people()}/${member.id}`)).status, 404)
  await house.signIn(member.email, member.password)
})

test('only owners decide who is an owner, and one always remains', async () => {
  const admin = await house.addPerson('admin')
  const [self] = (await house.call('GET', people())).body.people
  const refused = [
    await house.call('POST', people(), { as: admin.token, body: { email: 'x@example.com', role: 'owner' } }),
    await house.call('PATCH', `${people()}/${admin.id}`, { as: admin.token, body: { role: 'owner' } }),
    await house.call('PATCH', `${people()}/${self.id}`, { as: admin.token, body: { role: 'member' } }),
    await house.call('DELETE', `${people()}/${self.id}`, { as: admin.token }),
  ]
  assert.deepEqual(
    refused.map((answer) => answer.status),
    [403, 403, 403, 403],
  )
  const last = [
    await house.call('PATCH', `${people()}/${self.id}`, { body: { role: 'admin' } }),
    await house.call('DELETE', `${people()}/${self.id}`),
  ]
  assert.deepEqual(
    last.map((answer) => [answer.status, answer.body.code]),
    [
      [409, 'conflict'],
      [409, 'conflict'],
    ],
  )
})

test('two owners who demote each other at once leave one of them', async () => {
  const second = await house.addPerson('owner')
  const [first] = (await house.call('GET', people())).body.people
  const answers = await Promise.all([
    house.call('PATCH', `${people()}/${first.id}`, { as: second.token, body: { role: 'admin' } }),
    house.call('PATCH', `${people()}/${second.id}`, { body: { role: 'admin' } }),
  ])
  // The later one is the last owner's (409), or comes when its sender is no owner any more (403).
  const [won, lost] = answers.map((answer) => answer.status).sort()
  assert.equal(won, 200)
  assert.ok(lost === 409 || lost === 403, String(lost))
  const owners = (await house.call('GET', people(), { as: second.token })).body.people.filter(
    (each: { role: string }) => each.role === 'owner',
  )
  assert.equal(owners.length, 1)
})

test('If-Match changes and removes only the version of a person that was seen', async () => {
  const path = `${people()}/${(await house.addPerson('member')).id}`
  const change = (role: string, etag: string) =>
    house.call('PATCH', path, { body: { role }, headers: { 'if-match': etag } })
  const first = await change('admin', '"1"')
  assert.equal(first.status, 200, JSON.stringify(first.body))
  assert.equal((await change('readonly', '"1"')).status, 412)
  assert.equal((await house.call('DELETE', path, { headers: { 'if-match': '"1"' } })).status, 412)
  assert.equal((await house.call('DELETE', path, { headers: { 'if-match': first.headers.get('etag')! } })).status, 200)
})
