import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { UnsecuredJWT } from 'jose'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { startHostileIssuer } from '../../../test/outside/hostile-issuer.ts'
import { poll } from '../../../test/servers/real-process.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import { openTestStream } from '../events/test-stream.ts'
import { addProvider, browserAt, providerEnv, providersPath, setUp } from './test-sign-in.ts'

let gatehouse: TestGatehouse
let issuer: Awaited<ReturnType<typeof startHostileIssuer>>
let other: { id: number; as: string }
let provider: { id: number }
let foreign: { id: number }
let ownerId: number
before(async () => {
  issuer = await startHostileIssuer()
  gatehouse = await openGatehouse({ env: providerEnv })
  other = await gatehouse.addDeployment()
  ownerId = (await gatehouse.call('GET', '/api/auth/session', { as: gatehouse.owner.jwt })).body.person.id
  const domains = ['example.com', 'corp.example', gatehouse.owner.email.split('@')[1]!]
  provider = await addProvider(gatehouse, setUp(issuer.url, { domains }))
  foreign = await addProvider(gatehouse, setUp(issuer.url, { domains, name: 'Foreign' }), other.id)
})
after(async () => {
  await gatehouse.close()
  await issuer.close()
})

async function signIn(claims: Record<string, unknown>, id = provider.id, browser = browserAt(gatehouse)) {
  const url = new URL(await browser.start(id))
  issuer.control.claims = { nonce: url.searchParams.get('nonce')!, email_verified: true, ...claims }
  return { browser, answer: await browser.finish(id, `?code=a&state=${url.searchParams.get('state')}`) }
}
const bosses = [{ group: 'bosses', role: 'owner', teams: [] }]
const owner = () => gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
const deploymentsOf = async (browser: ReturnType<typeof browserAt>) =>
  (await browser.me()).body.deployments.map(({ id }: { id: number }) => id)

test('a member of this deployment alone is linked by a verified address, and keeps their role', async () => {
  const known = await gatehouse.addPerson('admin')
  const { browser, answer } = await signIn({ sub: 'known', email: known.email.toUpperCase() })
  assert.equal(answer.body.outcome, 'signed-in', JSON.stringify(answer.body))
  const me = (await browser.me()).body
  assert.deepEqual([me.person.id, me.deployments[0].role], [known.id, 'admin'])
})

test('an address that was given to somebody else at the provider does not bring the account along', async () => {
  await signIn({ sub: 'first-holder', email: 'shared@corp.example' })
  const { answer, browser } = await signIn({ sub: 'second-holder', email: 'shared@corp.example' })
  assert.equal(answer.body.outcome, 'confirm')
  assert.equal((await browser.me()).status, 401)
})

test('a deployment cannot take over an account of another one, nor an operator, by its own provider', async () => {
  const stranger = await gatehouse.addPerson('member')
  for (const email of [stranger.email, gatehouse.owner.email]) {
    const { answer, browser } = await signIn({ sub: `thief-of-${email}`, email }, foreign.id)
    assert.deepEqual([answer.status, answer.body.outcome, answer.body.session], [200, 'confirm', null])
    assert.equal((await browser.me()).status, 401)
  }
})

test('the owner of the account joins by confirming, in the same browser, and the session reaches that deployment alone', async () => {
  const person = await gatehouse.addPerson('member')
  // Somebody else who is signed in there cannot confirm it, and has to begin again.
  const nosy = await gatehouse.addPerson('member')
  const shared = (await signIn({ sub: 'joiner', email: person.email }, foreign.id)).browser
  await shared.call('POST', '/api/auth/session', { email: nosy.email, password: nosy.password })
  assert.equal((await shared.call('POST', '/api/auth/providers/confirm')).status, 403)
  const { browser, answer } = await signIn({ sub: 'joiner', email: person.email }, foreign.id)
  assert.equal(answer.body.outcome, 'confirm')
  await browser.call('POST', '/api/auth/session', { email: person.email, password: person.password })
  const confirmed = await browser.call('POST', '/api/auth/providers/confirm')
  assert.deepEqual([confirmed.status, confirmed.body.deploymentId], [200, other.id])
  const byProvider = await signIn({ sub: 'joiner', email: person.email }, foreign.id)
  assert.equal(byProvider.answer.body.outcome, 'signed-in')
  assert.deepEqual(await deploymentsOf(byProvider.browser), [other.id])
  const path = `/api/people/v1/deployments/${gatehouse.owner.deploymentId}/people`
  assert.equal((await byProvider.browser.call('GET', path)).status, 404)
})

test('a session of a provider of one deployment shows and ends sessions of that provider alone', async () => {
  const person = await gatehouse.addPerson('member')
  const { browser } = await signIn({ sub: 'two-places', email: person.email }, foreign.id)
  await browser.call('POST', '/api/auth/session', { email: person.email, password: person.password })
  assert.equal((await browser.call('POST', '/api/auth/providers/confirm')).status, 200)
  const byProvider = (await signIn({ sub: 'two-places', email: person.email }, foreign.id)).browser
  const path = '/api/auth/sessions'
  const all = (await gatehouse.call('GET', path, { as: person.jwt })).body.sessions
  const own = all.find(({ current }: { current: boolean }) => current)
  const seen = (await byProvider.call('GET', path)).body.sessions
  assert.ok(seen.length > 0 && seen.length < all.length)
  assert.ok(!seen.some(({ id }: { id: string }) => id === own.id))
  assert.equal((await byProvider.call('DELETE', `${path}/${own.id}`)).status, 404)
  assert.equal((await gatehouse.call('GET', path, { as: person.jwt })).status, 200)
})

test('sessions of a provider that becomes another one end, also where the process had ended before it did that', async (t) => {
  const own = await openGatehouse({ env: providerEnv, jobs: false })
  t.after(() => own.close())
  const changing = await addProvider(own, setUp(issuer.url, { domains: ['corp.example'] }))
  const browser = browserAt(own)
  await signIn({ sub: 'stays', email: 'stays@corp.example' }, changing.id, browser)
  assert.equal((await browser.me()).status, 200)
  const as = await own.signIn(own.owner.email, own.owner.password)
  const body = setUp(issuer.url, { domains: ['corp.example'], clientId: 'another-client' })
  assert.equal((await own.call('PUT', `${providersPath(1)}/${changing.id}`, { as, body })).status, 200)
  // As if it had ended after its transaction.
  await own.db.identityQuery(sql`update session set revoked_at = null where provider_id = ${changing.id}`)
  const since = browserAt(own)
  await signIn({ sub: 'since', email: 'since@corp.example', aud: 'another-client' }, changing.id, since)
  assert.equal((await since.me()).status, 200)
  const other = await own.anotherProcess()
  t.after(() => other.close())
  await poll('it has ended', async () => (await browser.me()).status === 401, 30_000)
  assert.equal((await since.me()).status, 200, 'whom the other one vouches for stays')
})

test('a suspended owner is not taken as break-glass owner', async () => {
  const second = await gatehouse.addPerson('owner')
  const body = setUp(issuer.url, { name: 'With a way back', breakGlassId: second.id })
  await gatehouse.db.transaction(systemActor(1, 'test'), (tx) =>
    tx.query(sql`update membership set suspended_at = now() where deployment_id = 1 and person_id = ${second.id}`),
  )
  const refused = await gatehouse.call('POST', providersPath(1), { as: await owner(), body })
  assert.deepEqual([refused.status, refused.body.errors?.[0].pointer], [422, '/breakGlassId'])
})

test('who comes in through a provider sets up nothing that would open the account without it', async () => {
  const person = await gatehouse.addPerson('member')
  const { browser } = await signIn({ sub: 'keyless', email: person.email }, foreign.id)
  await browser.call('POST', '/api/auth/session', { email: person.email, password: person.password })
  assert.equal((await browser.call('POST', '/api/auth/providers/confirm')).status, 200)
  // The provider says that they have just proved who they are there.
  const auth_time = Math.floor(Date.now() / 1000)
  const byProvider = await signIn({ sub: 'keyless', email: person.email, auth_time }, foreign.id)
  assert.equal(byProvider.answer.body.outcome, 'signed-in')
  for (const path of ['/api/auth/factors/app', '/api/auth/factors/passkeys/options']) {
    const answer = await byProvider.browser.call('POST', path)
    assert.equal(answer.status, 403, path)
    assert.match(answer.body.detail, /Sign in with your password/)
  }
})

test('an operator who is linked to a provider of a deployment is no operator in its sessions', async () => {
  const { browser } = await signIn({ sub: 'operator', email: gatehouse.owner.email })
  const { email, password } = gatehouse.owner
  await browser.call('POST', '/api/auth/session', { email, password })
  assert.equal((await browser.call('POST', '/api/auth/providers/confirm')).status, 200)
  const linked = await signIn({ sub: 'operator', email })
  const me = (await linked.browser.me()).body
  assert.deepEqual([me.person.id, me.operator], [ownerId, false])
  assert.deepEqual(await deploymentsOf(linked.browser), [gatehouse.owner.deploymentId])
})

test('the same subject of one issuer is nobody yet in another deployment', async () => {
  const here = await signIn({ sub: 'two-worlds', email: 'two-worlds@corp.example' })
  const there = await signIn({ sub: 'two-worlds', email: 'two-worlds@corp.example' }, foreign.id)
  assert.deepEqual([here.answer.body.outcome, there.answer.body.outcome], ['signed-in', 'confirm'])
})

test('only owners set providers up, only operators those of the whole instance, and the secret is never shown', async () => {
  const path = providersPath(gatehouse.owner.deploymentId)
  const admin = await gatehouse.addPerson('admin')
  const plain = await gatehouse.addPerson('owner')
  const save = (as: string, more: object) =>
    gatehouse.call('POST', path, { as, body: setUp(issuer.url, { name: 'Mine', ...more }) })
  assert.equal((await save(admin.jwt, {})).status, 403)
  assert.equal((await save(plain.token, {})).status, 403)
  assert.equal((await save(plain.jwt, { instanceWide: true })).status, 403)
  const made = await save(await owner(), { instanceWide: true, domains: ['example.com'] })
  assert.equal(made.status, 200)
  const one = `${path}/${made.body.provider.id}`
  assert.equal((await gatehouse.call('DELETE', one, { as: plain.jwt })).status, 403)
  const { clientSecret, ...fields } = setUp(issuer.url, { name: 'Mine' })
  assert.equal((await gatehouse.call('PUT', one, { as: plain.jwt, body: fields })).status, 403)
  const listed = await gatehouse.call('GET', path, { as: admin.jwt })
  assert.equal(listed.status, 200)
  assert.ok(!JSON.stringify(listed.body).includes(clientSecret))
  const stale = await gatehouse.call('DELETE', one, { as: await owner(), headers: { 'if-match': '"99"' } })
  assert.equal(stale.status, 412)
  // It signs in people of every deployment, once they have confirmed it, and reaches all of theirs.
  const person = await gatehouse.addPerson('member', other)
  const claims = { sub: 'instance', email: person.email }
  const first = await signIn(claims, made.body.provider.id)
  assert.equal(first.answer.body.outcome, 'confirm')
  await first.browser.call('POST', '/api/auth/session', { email: person.email, password: person.password })
  assert.equal((await first.browser.call('POST', '/api/auth/providers/confirm')).status, 200)
  const { browser } = await signIn(claims, made.body.provider.id)
  assert.ok((await deploymentsOf(browser)).includes(other.id))
  assert.equal((await gatehouse.call('DELETE', one, { as: await owner() })).status, 200)
  await poll('sessions end with their provider', async () => (await browser.me()).status === 401)
})

test('a provider of the whole instance brings nobody into an account that another deployment made for their address', async () => {
  const whole = { name: 'Whole', instanceWide: true, domains: ['corp.example'], mapping: bosses }
  const instance = await addProvider(gatehouse, setUp(issuer.url, whole))
  const chief = { sub: 'chief', email: 'chief@corp.example', groups: ['bosses'] }
  // Owners of a deployment can have an account made for any address, and set its password while it is theirs alone.
  const made = await signIn({ sub: 'no chief', email: chief.email }, foreign.id)
  const { person } = (await made.browser.me()).body
  const reset = `/api/people/v1/deployments/${other.id}/people/${person.id}/reset-link`
  const { link } = (await gatehouse.call('POST', reset, { as: await owner() })).body
  const password = 'known to who made it'
  const token = new URL(link).hash.slice(1)
  assert.equal(
    (await gatehouse.call('POST', '/api/auth/password-reset', { as: '', body: { token, password } })).status,
    200,
  )
  const { answer } = await signIn(chief, instance.id)
  assert.equal(answer.body.outcome, 'confirm')
  const thief = browserAt(gatehouse)
  await thief.call('POST', '/api/auth/session', { email: chief.email, password })
  assert.deepEqual(await deploymentsOf(thief), [other.id])
})

test('a provider of the whole instance links by itself who belongs to its deployment, wherever else they belong', async () => {
  const instance = await addProvider(
    gatehouse,
    setUp(issuer.url, { name: 'Home', instanceWide: true, domains: ['example.com'] }),
  )
  const person = await gatehouse.addPerson('member')
  const linked = await signIn({ sub: 'at home', email: person.email }, instance.id)
  assert.equal((await linked.browser.me()).body.person.id, person.id)
})

test('where single sign-on is enforced passwords open nothing, but for the break-glass owner', async (t) => {
  const home = await gatehouse.addDeployment()
  const made = await addProvider(gatehouse, setUp(issuer.url, { name: 'Only', domains: ['only.example'] }), home.id)
  const member = await gatehouse.addPerson('member', home)
  const second = await gatehouse.addPerson('owner', home)
  await signIn({ sub: 'only', email: 'only@only.example' }, made.id)
  const one = `${providersPath(home.id)}/${made.id}`
  const { clientSecret: _, ...fields } = setUp(issuer.url, { name: 'Only', domains: ['only.example'], enforced: true })
  const save = async (more: object) => gatehouse.call('PUT', one, { as: await owner(), body: { ...fields, ...more } })
  assert.equal((await save({ breakGlassId: null })).body.errors[0].pointer, '/breakGlassId')
  assert.equal((await save({ breakGlassId: member.id })).body.errors[0].pointer, '/breakGlassId')
  const listen = async (as: string) => {
    const headers = { authorization: `Bearer ${as}` }
    const stream = await openTestStream(`${gatehouse.url}/api/events/v1/deployments/${home.id}/stream`, { headers })
    t.after(stream.close)
    assert.equal(stream.status, 200)
    return stream
  }
  const [shutOut, staying] = [await listen(second.jwt), await listen(await owner())]
  assert.equal((await save({ breakGlassId: ownerId })).status, 200)
  await shutOut.whenEnded()
  // A session that was there already is shut out too, within a second.
  const path = `/api/people/v1/deployments/${home.id}/people`
  await poll(
    'the session ends here',
    async () => (await gatehouse.call('GET', path, { as: second.jwt })).status === 404,
  )
  const login = (body: object) => gatehouse.call('POST', '/api/auth/login', { as: '', body })
  const right = await login({ email: member.email, password: member.password })
  assert.deepEqual([right.status, right.body.code], [403, 'forbidden'])
  assert.equal((await login({ email: member.email, password: 'a wrong password' })).status, 401)
  const glass = await owner()
  assert.equal((await gatehouse.call('GET', path, { as: glass })).status, 200)
  const { browser } = await signIn({ sub: 'only', email: 'only@only.example' }, made.id)
  assert.deepEqual(await deploymentsOf(browser), [home.id])
  assert.equal(staying.ended(), false)
  // Nobody can take away the way back.
  for (const [method, body] of [
    ['DELETE', undefined],
    ['PUT', { role: 'member' }],
    ['PATCH', { role: 'member' }],
  ] as const) {
    const answer = await gatehouse.call(method, `${path}/${ownerId}`, { as: glass, ...(body && { body }) })
    assert.ok([404, 405, 409].includes(answer.status) && answer.status !== 200, `${method} ${answer.status}`)
  }
})

test('a provider ends sessions that began at it, within a second, and nobody else does', async () => {
  const subject = { sub: 'leaver', email: 'leaver@corp.example' }
  const { browser } = await signIn({ ...subject, sid: 'sid-1' })
  const second = await signIn({ ...subject, sid: 'sid-2' })
  const now = Math.floor(Date.now() / 1000)
  const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
  const base = { iss: issuer.url, aud: 'gatehouse', iat: now, exp: now + 120, sub: 'leaver', sid: 'sid-1', events }
  const post = (logout_token: string, id = provider.id) =>
    gatehouse.call('POST', `/api/auth/providers/${id}/logout`, {
      as: '',
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
      body: new URLSearchParams({ logout_token }).toString(),
    })
  const bad = [
    await issuer.sign({ ...base, jti: '1', aud: 'another' }),
    await issuer.sign({ ...base, jti: '2', iss: 'https://elsewhere.example' }),
    await issuer.sign({ ...base, jti: '3', events: {} }),
    await issuer.sign({ ...base, jti: '4', nonce: 'of an ID token' }),
    await issuer.sign({ iss: base.iss, aud: base.aud, iat: now, exp: now + 120, events, jti: '5' }),
    await issuer.sign({ ...base, jti: '6' }, 'stranger'),
    await issuer.sign({ ...base, jti: '7' }, 'secret'),
    await issuer.sign({ ...base, jti: '8', iat: now - 3_600, exp: now - 3_000 }),
    await issuer.sign({ ...base }),
    new UnsecuredJWT({ ...base, jti: '9' }).encode(),
  ]
  for (const [at, token] of bad.entries()) assert.equal((await post(token)).status, 400, `token ${at}`)
  assert.equal((await browser.me()).status, 200)
  const good = await issuer.sign({ ...base, jti: 'good' }, 'right', { typ: 'logout+jwt' })
  // Of another deployment, the same issuer and client: its sessions are its own.
  const asJson = { as: '', body: { logout_token: good } }
  assert.equal((await gatehouse.call('POST', `/api/auth/providers/${foreign.id}/logout`, asJson)).body.ended, 0)
  const answer = await post(good)
  assert.deepEqual([answer.status, answer.body.ended], [200, 1])
  await poll('the session has ended', async () => (await browser.me()).status === 401)
  assert.equal((await second.browser.me()).status, 200)
  assert.equal((await post(good)).status, 400)
})

test('trying it says whether the provider knows the client', async () => {
  const answer = await gatehouse.call('POST', `${providersPath(gatehouse.owner.deploymentId)}/${provider.id}/try`, {})
  assert.equal(answer.status, 200)
  assert.deepEqual(
    answer.body.checks.map(({ what, passed }: { what: string; passed: boolean }) => [what, passed]),
    [
      ['Configuration', true],
      ['Keys', true],
      ['Client and secret', false],
    ],
  )
  assert.equal(answer.body.checks[1].detail, 'It has one key.')
})
