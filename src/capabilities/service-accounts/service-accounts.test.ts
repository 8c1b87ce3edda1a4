import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type Tester, type TestGatehouse } from '../../../test/gatehouse.ts'
import { poll } from '../../../test/servers/real-process.ts'
import { upload } from '../scans/test-upload.ts'

let gatehouse: TestGatehouse
let admin: Tester
let member: Tester
before(async () => {
  gatehouse = await openGatehouse()
  admin = await gatehouse.addPerson('admin')
  member = await gatehouse.addPerson('member')
})
after(() => gatehouse.close())

const path = () => `/api/service-accounts/v1/deployments/${gatehouse.owner.deploymentId}/service-accounts`
const make = (body: object, as = admin.jwt) => gatehouse.call('POST', path(), { as, body })
const makeToken = (id: number, body: object = {}, as = admin.jwt) =>
  gatehouse.call('POST', `${path()}/${id}/tokens`, { as, body: { name: 'ci', webApi: true, ...body } })
const self = (as: string) => gatehouse.call('GET', '/api/tokens/v1/self', { as })

async function made(name: string, more: object = {}): Promise<{ id: number; email: string }> {
  const answer = await make({ name, ...more })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.serviceAccount
}

test('a service account has a role and scopes, and its tokens can do that and no more', async () => {
  const scopes = ['scans:write', 'scans:read', 'repositories:read']
  const { id } = await made('CI of the shop', { description: 'Ask the shop team', role: 'member', scopes })
  const { status, body } = await makeToken(id)
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual([body.token.personId, body.token.isService, body.token.madeBy], [id, true, admin.id])
  const who = await self(body.secret)
  assert.equal(who.body.personId, id)
  assert.deepEqual(who.body.deployments[0].permissions.sort(), scopes.toSorted())
  const files = { 'go.mod': 'module example.com/a\n\nrequire golang.org/x/text v0.3.0\n' }
  const sent = await upload(gatehouse, { repository: 'accounts/a' }, files, { as: body.secret })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  const people = `/api/people/v1/deployments/${gatehouse.owner.deploymentId}/people`
  assert.equal((await gatehouse.call('GET', people, { as: body.secret })).status, 403)
  const listed = await gatehouse.call('GET', path(), { as: admin.token })
  const account = listed.body.serviceAccounts.find((each: { id: number }) => each.id === id)
  assert.deepEqual([account.tokenCount, account.nextExpiryAt], [1, body.token.expiresAt])
  const tokens = await gatehouse.call('GET', `${path()}/${id}/tokens`, { as: admin.token })
  assert.deepEqual(
    tokens.body.tokens.map((each: { id: number }) => each.id),
    [body.token.id],
  )
})

test('npm whoami with its token says what it is called', async () => {
  const { id } = await made('CI of the till', { role: 'member', scopes: ['packages:read'] })
  const { body } = await makeToken(id)
  const url = `${gatehouse.url}/firewall/${gatehouse.owner.deploymentId}/npm/-/whoami`
  const answer = await fetch(url, { headers: { authorization: `Bearer ${body.secret}` } })
  assert.deepEqual(await answer.json(), { username: 'CI of the till' })
})

test('narrowing the account narrows the tokens that it has', async () => {
  const { id } = await made('narrowed')
  const wide = (await makeToken(id)).body.secret
  const narrow = (await makeToken(id, { scopes: ['scans:read', 'findings:read'] })).body.secret
  const changes = { role: 'readonly', scopes: ['scans:read'] }
  const changed = await gatehouse.call('PATCH', `${path()}/${id}`, { as: admin.jwt, body: changes })
  assert.equal(changed.status, 200, JSON.stringify(changed.body))
  for (const secret of [wide, narrow]) {
    const permissions = async () => (await self(secret)).body.deployments[0].permissions
    await poll('it is narrowed', async () => JSON.stringify(await permissions()) === '["scans:read"]', 30_000)
  }
})

test('it outlives the people who made it and its tokens', async () => {
  const leaving = await gatehouse.addPerson('admin')
  const { id } = (await make({ name: 'outlives' }, leaving.jwt)).body.serviceAccount
  const { secret } = (await makeToken(id, {}, leaving.jwt)).body
  const people = `/api/people/v1/deployments/${gatehouse.owner.deploymentId}/people`
  assert.equal((await gatehouse.call('DELETE', `${people}/${leaving.id}`)).status, 200)
  assert.equal((await gatehouse.call('GET', '/api/tokens/v1/self', { as: leaving.token })).status, 401)
  assert.equal((await self(secret)).status, 200)
})

test('nobody signs in as one, resets its password, or treats it as a person', async () => {
  const { id, email } = await made('nobody signs in')
  for (const password of ['', ' ', 'correct horse battery']) {
    const login = await gatehouse.call('POST', '/api/auth/login', {
      as: '',
      body: { email, password: password || 'x' },
    })
    assert.equal(login.status, 401)
  }
  const people = `/api/people/v1/deployments/${gatehouse.owner.deploymentId}/people`
  const { jwt } = gatehouse.owner
  assert.equal((await gatehouse.call('POST', `${people}/${id}/reset-link`, { as: jwt })).status, 404)
  assert.equal((await gatehouse.call('PATCH', `${people}/${id}`, { as: jwt, body: { role: 'owner' } })).status, 404)
  assert.equal((await gatehouse.call('DELETE', `${people}/${id}`, { as: jwt })).status, 404)
  const listed = (await gatehouse.call('GET', people)).body.people.map((each: { id: number }) => each.id)
  assert.equal(listed.includes(id), false)
  assert.equal(listed.includes(admin.id), true)
})

test('tokens are made for it by a signed-in admin, not by a token and not by members', async () => {
  const { id } = await made('by admins')
  const byToken = await makeToken(id, {}, admin.token)
  assert.deepEqual([byToken.status, byToken.body.code], [403, 'wrong_credential_kind'])
  assert.equal((await makeToken(id, {}, member.jwt)).status, 403)
  assert.equal((await make({ name: 'by a member' }, member.jwt)).status, 403)
  assert.equal((await gatehouse.call('GET', path(), { as: member.token })).status, 403)
  const ofPerson = await makeToken(member.id, {}, gatehouse.owner.jwt)
  assert.equal(ofPerson.status, 404, 'no token is made for a person')
})

test('nobody gives it more than they have', async () => {
  const narrow = await gatehouse.makeToken(admin.jwt, gatehouse.owner.deploymentId, {
    scopes: ['service-accounts:write', 'scans:read'],
  })
  const tooMuch = await make({ name: 'too much', role: 'admin' }, narrow)
  assert.deepEqual([tooMuch.status, tooMuch.body.code], [403, 'forbidden'])
  assert.equal((await make({ name: 'too much', scopes: ['scans:read', 'scans:write'] }, narrow)).status, 403)
  const fits = await make({ name: 'fits', role: 'admin', scopes: ['scans:read'] }, narrow)
  assert.equal(fits.status, 200, JSON.stringify(fits.body))
  const address = `${path()}/${fits.body.serviceAccount.id}`
  assert.equal((await gatehouse.call('PATCH', address, { as: narrow, body: { scopes: [] } })).status, 403)
  const wider = await makeToken(fits.body.serviceAccount.id, { scopes: ['people:write'] })
  assert.deepEqual([wider.status, wider.body.code], [403, 'forbidden'])
})

test('bad input changes nothing', async () => {
  assert.equal((await make({ name: 'owner', role: 'owner' })).status, 400)
  const scopes = await make({ name: 'scopes', role: 'readonly', scopes: ['scans:read', 'scans:write'] })
  assert.deepEqual([scopes.status, scopes.body.errors[0].pointer], [422, '/scopes/1'])
  const { id } = await made('Taken')
  assert.equal((await make({ name: 'taken' })).status, 409)
  const stale = await gatehouse.call('PATCH', `${path()}/${id}`, {
    as: admin.jwt,
    body: { description: 'x' },
    headers: { 'if-match': '"9"' },
  })
  assert.equal(stale.status, 412)
  assert.equal((await gatehouse.call('PATCH', `${path()}/999999`, { as: admin.jwt, body: {} })).status, 404)
  const names = (await gatehouse.call('GET', path())).body.serviceAccounts.map((each: { name: string }) => each.name)
  assert.equal(names.includes('owner') || names.includes('scopes') || names.includes('taken'), false)
})

test('a deleted one takes its tokens along, and another deployment reaches none of it', async () => {
  const { id } = await made('deleted')
  const { secret } = (await makeToken(id)).body
  assert.equal((await self(secret)).status, 200)
  const other = await gatehouse.addDeployment()
  const theirs = `/api/service-accounts/v1/deployments/${other.id}/service-accounts/${id}`
  assert.equal((await gatehouse.call('DELETE', theirs, { as: other.as })).status, 404)
  assert.equal((await gatehouse.call('GET', `${theirs}/tokens`, { as: other.as })).status, 404)
  assert.equal((await gatehouse.call('DELETE', `${path()}/${id}`, { as: admin.token })).status, 200)
  await poll('its token is refused', async () => (await self(secret)).status === 401, 30_000)
  assert.equal((await make({ name: 'deleted' })).status, 200, 'its name is free')
})

test('everything is in the audit log, by who did it', async () => {
  const { id } = await made('audited')
  const { token } = (await makeToken(id, { name: 'audited token' })).body
  await gatehouse.call('DELETE', `${path()}/${id}`, { as: admin.jwt })
  const log = await gatehouse.call(
    'GET',
    `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/events?pageSize=20`,
  )
  const told = log.body.events.filter((each: { personId: number }) => each.personId === admin.id)
  const about = (action: string) => told.find((each: { action: string }) => each.action === action)
  assert.equal(about('service-account.create').target, `service-account:${id}`)
  assert.deepEqual([about('token.create').target, about('token.create').detail.for], [`token:${token.id}`, id])
  assert.equal(about('service-account.delete').target, `service-account:${id}`)
})
