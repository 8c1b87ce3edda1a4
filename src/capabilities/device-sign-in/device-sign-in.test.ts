import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { countLockWaits } from '../../../test/watching/lock-waits.ts'
import { openDirectory } from '../provisioning/test-directory.ts'

let now = new Date('2026-03-01T10:00:00Z')
let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({
    clock: { now: () => now },
    env: { GATEHOUSE_TRUST_PROXY: '127.0.0.1', GATEHOUSE_URL: 'https://g.example' },
  })
})
after(() => gatehouse.close())

const grant = 'urn:ietf:params:oauth:grant-type:device_code'
const forward = (seconds: number) => (now = new Date(now.getTime() + seconds * 1000))
const from = (address: string) => ({ 'x-forwarded-for': address })
let network = 0

/** Each from a network of its own, so that no test uses up what another may ask for. */
async function start(more: object = {}, address = `192.0.2.${++network}`) {
  const body = { client_id: 'gatehouse', scope: 'scans:write packages:read', deployment_id: '1', ...more }
  const answer = await gatehouse.call('POST', '/api/auth/device', { as: '', body, headers: from(address) })
  return { ...answer, address }
}
const poll = (deviceCode: string) =>
  gatehouse.call('POST', '/api/auth/device/token', {
    as: '',
    body: { grant_type: grant, device_code: deviceCode, client_id: 'gatehouse' },
  })
const path = (verb: string) => `/api/tokens/v1/deployments/1/device-sign-ins/${verb}`
const find = (as: string, userCode: string, address: string) =>
  gatehouse.call('POST', path('find'), { as, body: { userCode }, headers: from(address) })
const approve = (as: string, userCode: string, address: string, more: object = {}) =>
  gatehouse.call('POST', path('approve'), {
    as,
    body: { userCode, scopes: ['packages:read'], expiresInDays: 7, ...more },
    headers: from(address),
  })
const jwtOf = async (role: 'member' | 'readonly' = 'member') => (await gatehouse.addPerson(role)).jwt
const auditOf = async (action: string) => {
  const { body } = await gatehouse.call('GET', '/api/audit/v1/deployments/1/events?pageSize=100')
  return body.events.filter((event: { action: string }) => event.action === action)
}

test('a program gets the token of the person who types its code, once, with what they chose', async () => {
  const person = await gatehouse.addPerson('member')
  const asked = await start({ host_name: 'laptop-7' })
  assert.equal(asked.status, 200)
  assert.match(asked.body.user_code, /^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/)
  assert.equal(asked.body.verification_uri, 'https://g.example/device?deployment=1')
  assert.deepEqual([asked.body.expires_in, asked.body.interval], [600, 5])
  const pending = await poll(asked.body.device_code)
  assert.deepEqual(
    [pending.status, pending.body.code, pending.body.error],
    [400, ...Array(2).fill('authorization_pending')],
  )
  // As people write it.
  const typed = asked.body.user_code.toLowerCase().replace('-', ' ')
  const { signIn } = (await find(person.jwt, typed, asked.address)).body
  assert.deepEqual(signIn, {
    kind: 'code',
    client: 'gatehouse',
    hostName: 'laptop-7',
    address: asked.address,
    sameNetwork: true,
    scopes: ['scans:write', 'packages:read'],
    missing: [],
    days: 30,
    askedAt: now.toISOString(),
    expiresAt: new Date(now.getTime() + 600_000).toISOString(),
  })
  assert.equal((await approve(person.jwt, typed, asked.address)).status, 200)
  const { body: given } = await poll(asked.body.device_code)
  assert.deepEqual(
    [given.token_type, given.expires_in, given.scope, given.deployment_id],
    ['Bearer', 604_800, 'packages:read', '1'],
  )
  const self = await gatehouse.call('GET', '/api/tokens/v1/self', { as: given.access_token })
  assert.deepEqual([self.body.personId, self.body.deployments[0].permissions], [person.id, ['packages:read']])
  const again = await poll(asked.body.device_code)
  assert.deepEqual([again.status, again.body.error], [400, 'expired_token'])
  assert.equal((await approve(person.jwt, typed, asked.address)).status, 404)
  const [approved] = await auditOf('device-sign-in.approve')
  assert.deepEqual(
    [approved.personId, approved.detail],
    [
      person.id,
      {
        kind: 'code',
        client: 'gatehouse',
        hostName: 'laptop-7',
        address: asked.address,
        scopes: ['packages:read'],
        days: 7,
      },
    ],
  )
  const [completed] = await auditOf('device-sign-in.complete')
  assert.deepEqual([completed.personId, completed.detail.token], [person.id, self.body.tokenId])
})

test('who polls twice at once gets one token', async (t) => {
  const jwt = await jwtOf()
  const asked = await start()
  await approve(jwt, asked.body.user_code, asked.address)
  const admin = new pg.Client(gatehouse.connection)
  await admin.connect()
  t.after(() => admin.end())
  // Held until both have seen that it is approved, and want to take it.
  await admin.query('begin')
  await admin.query("select from device_sign_in where state = 'approved' for update")
  let ended = 0
  const polls = [1, 2].map(() => poll(asked.body.device_code).finally(() => ended++))
  while (ended === 0 && (await countLockWaits(admin)) < 2) await delay(5)
  await admin.query('commit')
  const answers = await Promise.all(polls)
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
})

test('a program that was denied is told so, and its code is gone', async () => {
  const jwt = await jwtOf()
  const asked = await start()
  const denied = await gatehouse.call('POST', path('deny'), { as: jwt, body: { userCode: asked.body.user_code } })
  assert.equal(denied.status, 200)
  assert.equal((await approve(jwt, asked.body.user_code, asked.address)).status, 404)
  assert.equal((await poll(asked.body.device_code)).body.error, 'access_denied')
  assert.equal((await poll(asked.body.device_code)).body.error, 'expired_token')
  assert.equal((await auditOf('device-sign-in.deny')).length, 1)
})

for (const verb of ['approve', 'deny']) {
  test(`a repeated request to ${verb} is answered as the first, and is no wrong code`, async () => {
    const jwt = await jwtOf()
    const { body: asked, address } = await start()
    const more = verb === 'approve' ? { scopes: ['packages:read'], expiresInDays: 7 } : {}
    const body = { userCode: asked.user_code, ...more }
    const headers = { ...from(address), 'idempotency-key': `${verb}-once` }
    const decide = () => gatehouse.call('POST', path(verb), { as: jwt, body, headers })
    const first = await decide()
    assert.equal(first.status, 200)
    const before = (await auditOf(`device-sign-in.${verb}`)).length
    for (let at = 0; at < 12; at++) assert.deepEqual((await decide()).body, first.body)
    assert.equal((await auditOf(`device-sign-in.${verb}`)).length, before)
  })
}

test('codes end after ten minutes, approved or not', async () => {
  const { email, password } = await gatehouse.addPerson('member')
  const [waiting, approved] = [await start(), await start()]
  await approve(await gatehouse.signIn(email, password), approved.body.user_code, approved.address)
  forward(600)
  const jwt = await gatehouse.signIn(email, password)
  assert.equal((await find(jwt, waiting.body.user_code, waiting.address)).status, 404)
  assert.equal((await approve(jwt, waiting.body.user_code, waiting.address)).status, 404)
  assert.equal((await poll(approved.body.device_code)).body.error, 'expired_token')
})

test('a program that polls too often is told to slow down', async () => {
  const asked = await start()
  const say = async () => (await poll(asked.body.device_code)).body.error
  assert.deepEqual([await say(), await say()], ['authorization_pending', 'slow_down'])
  forward(5)
  assert.equal(await say(), 'authorization_pending')
})

test('what asks from another network has to be confirmed', async () => {
  const jwt = await jwtOf()
  const asked = await start({}, '203.0.113.9')
  const { signIn } = (await find(jwt, asked.body.user_code, '198.51.100.1')).body
  assert.deepEqual([signIn.address, signIn.sameNetwork], ['203.0.113.9', false])
  const refused = await approve(jwt, asked.body.user_code, '198.51.100.1')
  assert.deepEqual([refused.status, refused.body.code], [409, 'conflict'])
  assert.match(refused.body.detail, /asks from 203\.0\.113\.9/)
  assert.equal((await poll(asked.body.device_code)).body.error, 'authorization_pending')
  assert.equal((await approve(jwt, asked.body.user_code, '198.51.100.1', { otherNetwork: true })).status, 200)
})

test('nobody gives what was not asked for, or what they do not have', async () => {
  const readonly = await jwtOf('readonly')
  const asked = await start()
  const more = await approve(readonly, asked.body.user_code, asked.address, { scopes: ['audit:read'] })
  assert.deepEqual([more.status, more.body.detail], [422, 'The program did not ask for: audit:read.'])
  const { signIn } = (await find(readonly, asked.body.user_code, asked.address)).body
  assert.deepEqual(signIn.missing, ['scans:write'])
  const other = await approve(readonly, asked.body.user_code, asked.address, { scopes: ['scans:write'] })
  assert.deepEqual(
    [other.status, other.body.detail],
    [403, 'You can only give permissions that you have; you lack: scans:write.'],
  )
})

test('an API token cannot approve, and who loses their role before the token is fetched takes it along', async () => {
  const person = await gatehouse.addPerson('member')
  const asked = await start()
  assert.equal((await approve(person.token, asked.body.user_code, asked.address)).body.code, 'wrong_credential_kind')
  const scopes = ['scans:write', 'packages:read']
  await approve(person.jwt, asked.body.user_code, asked.address, { scopes })
  await gatehouse.call('PATCH', `/api/people/v1/deployments/1/people/${person.id}`, { body: { role: 'readonly' } })
  assert.equal((await poll(asked.body.device_code)).body.scope, 'packages:read')
  const gone = await start()
  await approve(person.jwt, gone.body.user_code, gone.address)
  await gatehouse.call('DELETE', `/api/people/v1/deployments/1/people/${person.id}`)
  assert.equal((await poll(gone.body.device_code)).body.error, 'expired_token')
})

test('who is suspended before the token is fetched gets none', async () => {
  const directory = await openDirectory(gatehouse)
  const person = await gatehouse.addPerson('member')
  const id = await directory.provision(person.email)
  const asked = await start()
  assert.equal((await approve(person.jwt, asked.body.user_code, asked.address)).status, 200)
  assert.equal((await directory.deactivate(id)).status, 200)
  assert.equal((await poll(asked.body.device_code)).body.error, 'expired_token')
})

test('codes cannot be guessed: ten wrong ones, and no more are taken', async () => {
  const jwt = await jwtOf()
  const asked = await start()
  for (let at = 0; at < 12; at++) assert.equal((await find(jwt, asked.body.user_code, asked.address)).status, 200)
  for (let at = 0; at < 10; at++) assert.equal((await find(jwt, 'BCDF-BCDF', asked.address)).status, 404)
  const refused = await find(jwt, asked.body.user_code, asked.address)
  assert.equal(refused.status, 429)
  assert.match(refused.body.detail, /^Too many wrong codes\. Wait [0-9]+ seconds\.$/)
})

test('one network begins twenty a minute', async () => {
  for (let at = 0; at < 20; at++) assert.equal((await start({}, '192.0.2.250')).status, 200)
  const refused = await start({}, '192.0.2.250')
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
})

test('a form is taken as OAuth sends it, and what is not right is refused', async () => {
  const form = new URLSearchParams({ client_id: 'a client', scope: 'packages:read', deployment_id: '1' }).toString()
  const headers = { 'content-type': 'application/x-www-form-urlencoded', ...from('192.0.2.240') }
  assert.equal((await gatehouse.call('POST', '/api/auth/device', { as: '', body: form, headers })).status, 200)
  assert.equal((await start({ scope: 'everything' })).status, 422)
  assert.equal((await start({ lifetime_days: '900' })).status, 422)
  assert.equal((await start({ deployment_id: '98765' })).status, 404)
  assert.equal((await start({ client_id: '<b>' })).status, 400)
  for (const code of ['x', `1.${'a'.repeat(43)}`]) assert.equal((await poll(code)).body.error, 'expired_token')
})

test('a code of one deployment is not found in another', async () => {
  const other = await gatehouse.addDeployment()
  const asked = await start()
  const jwt = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  const answer = await gatehouse.call('POST', path('find').replace('deployments/1', `deployments/${other.id}`), {
    as: jwt,
    body: { userCode: asked.body.user_code },
  })
  assert.equal(answer.status, 404)
})

test('a token that may do nothing else ends itself', async () => {
  const secret = await gatehouse.makeToken(gatehouse.owner.token, 1, { scopes: ['packages:read'] })
  assert.equal((await gatehouse.call('DELETE', '/api/tokens/v1/self', { as: secret })).status, 200)
  const deadline = performance.now() + 5_000
  const state = async () => (await gatehouse.call('GET', '/api/tokens/v1/self', { as: secret })).body.code
  let code = await state()
  while (code === undefined && performance.now() < deadline) code = await state()
  assert.equal(code, 'token_revoked')
})
