import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

const people = () => `/api/people/v1/deployments/${gatehouse.owner.deploymentId}/people`

test('who changes their password keeps the session they do it in and ends the others', async () => {
  const { email, password, jwt } = await gatehouse.addPerson('member')
  const change = (current: string, next: string) =>
    gatehouse.call('POST', '/api/people/v1/self/password', { as: jwt, body: { current, next } })
  assert.equal((await change('wrong', 'another long password')).status, 403)
  assert.equal((await change(password, 'short')).status, 400)
  const other = await gatehouse.signIn(email.toUpperCase(), password)
  assert.equal((await change(password, 'another long password')).status, 200)
  await gatehouse.signIn(email, 'another long password')
  const deadline = performance.now() + 1_000
  let answer = await gatehouse.call('GET', '/api/tokens/v1/self', { as: other })
  while (answer.status === 200 && performance.now() < deadline)
    answer = await gatehouse.call('GET', '/api/tokens/v1/self', { as: other })
  assert.equal(answer.status, 401)
  assert.equal((await gatehouse.call('GET', '/api/tokens/v1/self', { as: jwt })).status, 200)
})

test('the list of people has no password', async () => {
  const member = await gatehouse.addPerson('member')
  const listed = await gatehouse.call('GET', people())
  assert.ok(listed.body.people.find((each: { id: number }) => each.id === member.id).lastSignInAt)
  assert.ok(!JSON.stringify(listed.body).includes('argon2'))
})

test('a member leaves alone: their teams and tokens in this deployment go, their account stays', async () => {
  const member = await gatehouse.addPerson('member')
  assert.equal((await gatehouse.call('DELETE', `${people()}/${member.id}`)).body.person.id, member.id)
  assert.equal((await gatehouse.call('DELETE', `${people()}/${member.id}`)).status, 404)
  await gatehouse.signIn(member.email, member.password)
})

test('only owners decide who is an owner, and one always remains', async () => {
  const admin = await gatehouse.addPerson('admin')
  const [self] = (await gatehouse.call('GET', people())).body.people
  const refused = [
    await gatehouse.call('POST', people(), { as: admin.token, body: { email: 'x@example.com', role: 'owner' } }),
    await gatehouse.call('PATCH', `${people()}/${admin.id}`, { as: admin.token, body: { role: 'owner' } }),
    await gatehouse.call('PATCH', `${people()}/${self.id}`, { as: admin.token, body: { role: 'member' } }),
    await gatehouse.call('DELETE', `${people()}/${self.id}`, { as: admin.token }),
  ]
  assert.deepEqual(
    refused.map((answer) => answer.status),
    [403, 403, 403, 403],
  )
  const last = [
    await gatehouse.call('PATCH', `${people()}/${self.id}`, { body: { role: 'admin' } }),
    await gatehouse.call('DELETE', `${people()}/${self.id}`),
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
  const second = await gatehouse.addPerson('owner')
  const [first] = (await gatehouse.call('GET', people())).body.people
  const answers = await Promise.all([
    gatehouse.call('PATCH', `${people()}/${first.id}`, { as: second.token, body: { role: 'admin' } }),
    gatehouse.call('PATCH', `${people()}/${second.id}`, { body: { role: 'admin' } }),
  ])
  // The later one is the last owner's (409), or comes when its sender is not an owner any more (403).
  const [won, lost] = answers.map((answer) => answer.status).sort()
  assert.equal(won, 200)
  assert.ok(lost === 409 || lost === 403, String(lost))
  const owners = (await gatehouse.call('GET', people(), { as: second.token })).body.people.filter(
    (each: { role: string }) => each.role === 'owner',
  )
  assert.equal(owners.length, 1)
})

test('If-Match changes and removes only the version of a person that was seen', async () => {
  const path = `${people()}/${(await gatehouse.addPerson('member')).id}`
  const change = (role: string, etag: string) =>
    gatehouse.call('PATCH', path, { body: { role }, headers: { 'if-match': etag } })
  const first = await change('admin', '"1"')
  assert.equal(first.status, 200, JSON.stringify(first.body))
  assert.equal((await change('readonly', '"1"')).status, 412)
  assert.equal((await gatehouse.call('DELETE', path, { headers: { 'if-match': '"1"' } })).status, 412)
  assert.equal(
    (await gatehouse.call('DELETE', path, { headers: { 'if-match': first.headers.get('etag')! } })).status,
    200,
  )
})
