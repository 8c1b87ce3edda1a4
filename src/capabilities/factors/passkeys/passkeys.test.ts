import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { passkeyDevice } from '../../../../test/outside/passkey-device.ts'
import { cookieOf, factorKit, passkeyOrigin } from '../../../../test/servers/factor-gatehouse.ts'
import { systemActor } from '../../../kernel/access/actor.ts'

let ahead = 0
const clock = {
  now: () => new Date(Date.now() + ahead),
  later(ms: number) {
    ahead += ms
  },
}
let gatehouse: TestGatehouse
let kit: ReturnType<typeof factorKit>
before(async () => {
  const env = { GATEHOUSE_URL: passkeyOrigin, GATEHOUSE_TRUST_PROXY: '127.0.0.1' }
  gatehouse = await openGatehouse({ clock, env })
  kit = factorKit(gatehouse, clock)
})
after(() => gatehouse.close())

let networks = 0
const elsewhere = () => `198.51.100.${++networks}`
const add = '/api/auth/factors/passkeys'

test('a passkey signs in alone, and its password then needs more', async () => {
  const person = await gatehouse.addPerson('member')
  const { device, added } = await kit.addPasskey(person.jwt)
  assert.equal(added.status, 200, JSON.stringify(added.body))
  assert.equal(added.body.recoveryCodes.length, 10)
  const opened = await kit.signInWith(device.get(await kit.challenge()))
  assert.equal(opened.status, 200, JSON.stringify(opened.body))
  const me = await kit.browse(cookieOf(opened), 'GET', '/api/auth/session')
  assert.equal(me.body.person.email, person.email)
  const asked = await kit.login(person)
  assert.equal(asked.body.code, 'second_factor_required')
  assert.deepEqual(
    asked.body.errors.map(({ pointer }: { pointer: string }) => pointer),
    ['/code', '/passkey'],
  )
  assert.equal((await kit.login({ ...person, code: '123456' })).status, 401)
  assert.equal((await kit.login({ ...person, code: added.body.recoveryCodes[0] })).status, 200)
})

test('a challenge is answered once, within five minutes, and only what was given out', async () => {
  const person = await gatehouse.addPerson('member')
  const { device } = await kit.addPasskey(person.jwt)
  const options = await kit.challenge()
  assert.equal((await kit.signInWith(device.get(options), elsewhere())).status, 200)
  assert.equal((await kit.signInWith(device.get(options), elsewhere())).status, 401)
  const late = await kit.challenge()
  clock.later(300_000)
  assert.equal((await kit.signInWith(device.get(late), elsewhere())).status, 401)
  const invented = { ...late, challenge: Buffer.alloc(32).toString('base64url') }
  assert.equal((await kit.signInWith(device.get(invented), elsewhere())).status, 401)
})

test('what another site, another host or an unlocked key without its person answers is refused', async () => {
  const person = await gatehouse.addPerson('member')
  const { device } = await kit.addPasskey(person.jwt)
  const wrong = [{ origin: 'https://localhost.example.com' }, { rpId: 'example.com' }, { verified: false }]
  for (const told of wrong) {
    const refused = await kit.signInWith(device.get(await kit.challenge(), told), elsewhere())
    assert.deepEqual([told, refused.status], [told, 401])
  }
  assert.equal((await kit.signInWith(device.get(await kit.challenge()), elsewhere())).status, 200)
})

test('the same holds for making one', async () => {
  const person = await gatehouse.addPerson('member')
  const options = async () => (await gatehouse.call('POST', `${add}/options`, { as: person.jwt })).body.options
  const keep = (credential: object, as = person.jwt) =>
    gatehouse.call('POST', add, { as, body: { name: 'Key', credential } })
  const wrong = [{ origin: 'https://localhost.example.com' }, { rpId: 'example.com' }, { verified: false }]
  for (const told of wrong) {
    const refused = await keep(passkeyDevice(passkeyOrigin).create(await options(), told))
    assert.deepEqual([told, refused.status], [told, 401])
  }
  const other = await gatehouse.addPerson('member')
  const given = await options()
  assert.equal((await keep(passkeyDevice(passkeyOrigin).create(given), other.jwt)).status, 401)
  const device = passkeyDevice(passkeyOrigin)
  assert.equal((await keep(device.create(given))).status, 200)
  assert.equal((await keep(device.create(given))).status, 401)
  assert.equal((await keep({ id: 'x' })).status, 400)
})

test('a counter that does not go on is that of a copy', async () => {
  const person = await gatehouse.addPerson('member')
  const { device } = await kit.addPasskey(person.jwt)
  const show = async (counter: number) =>
    (await kit.signInWith(device.get(await kit.challenge(), { counter }), elsewhere())).status
  assert.deepEqual([await show(7), await show(7), await show(3), await show(8)], [200, 401, 401, 200])
})

test('a passkey that counts nothing goes on working', async () => {
  const person = await gatehouse.addPerson('member')
  const device = passkeyDevice(passkeyOrigin)
  const { options } = (await gatehouse.call('POST', `${add}/options`, { as: person.jwt })).body
  const body = { name: 'Phone', credential: device.create(options, { counter: 0 }) }
  assert.equal((await gatehouse.call('POST', add, { as: person.jwt, body })).status, 200)
  for (let time = 0; time < 2; time++) {
    const credential = device.get(await kit.challenge(), { counter: 0 })
    assert.equal((await kit.signInWith(credential, elsewhere())).status, 200)
  }
})

test('a passkey is known to one account, and one that is not known is refused in the same words', async () => {
  const [one, two] = [await gatehouse.addPerson('member'), await gatehouse.addPerson('member')]
  const { device } = await kit.addPasskey(one.jwt)
  const again = await kit.addPasskey(two.jwt, device)
  assert.equal(again.added.status, 409)
  const stranger = passkeyDevice(passkeyOrigin)
  const unknown = await kit.signInWith(stranger.get(await kit.challenge()), elsewhere())
  const wrong = await kit.signInWith(device.get(await kit.challenge(), { rpId: 'example.com' }), elsewhere())
  assert.deepEqual([unknown.status, unknown.body.detail], [wrong.status, wrong.body.detail])
})

test('the passkey of somebody who is suspended wherever they belong is refused in the same words', async () => {
  const person = await gatehouse.addPerson('member')
  const { device } = await kit.addPasskey(person.jwt)
  await gatehouse.db.transaction(systemActor(gatehouse.owner.deploymentId, 'test'), (tx) =>
    tx.query(sql`update membership set suspended_at = now()
      where deployment_id = ${tx.deploymentId} and person_id = ${person.id}`),
  )
  const suspended = await kit.signInWith(device.get(await kit.challenge()), elsewhere())
  const unknown = await kit.signInWith(passkeyDevice(passkeyOrigin).get(await kit.challenge()), elsewhere())
  assert.deepEqual([suspended.status, suspended.body.detail], [401, unknown.body.detail])
})

test('wrong passkeys count as failed sign-ins of their address', async () => {
  const from = elsewhere()
  const device = passkeyDevice(passkeyOrigin)
  const statuses = []
  for (let tried = 0; tried < 11; tried++) {
    statuses.push((await kit.signInWith(device.get(await kit.challenge()), from)).status)
  }
  assert.deepEqual([statuses[9], statuses[10]], [401, 429])
})

test('what is asked for again takes the same proof: a passkey of theirs, or the password with a code', async () => {
  const person = await gatehouse.addPerson('member')
  const { device } = await kit.addPasskey(person.jwt)
  const other = await gatehouse.addPerson('member')
  const others = (await kit.addPasskey(other.jwt)).device
  const cookie = cookieOf(await kit.signInWith(device.get(await kit.challenge()), elsewhere()))
  const again = (body: object) => kit.browse(cookie, 'POST', '/api/auth/session/reauthenticate', { body })
  const remove = () => kit.browse(cookie, 'POST', '/api/auth/factors/recovery-codes')
  assert.equal((await remove()).status, 200)
  clock.later(300_000)
  assert.equal((await remove()).body.code, 'reauthentication_required')
  assert.equal((await again({ password: person.password })).body.code, 'second_factor_required')
  assert.equal((await again({ passkey: others.get(await kit.challenge()) })).status, 403)
  assert.equal((await again({})).status, 400)
  assert.equal((await remove()).status, 403)
  assert.equal((await again({ passkey: device.get(await kit.challenge()) })).status, 200)
  const renewed = await remove()
  assert.equal(renewed.status, 200)
  clock.later(300_000)
  const body = { password: person.password, code: renewed.body.recoveryCodes[0] }
  assert.equal((await again(body)).status, 200)
  assert.equal((await again(body)).status, 403)
})

test('where passkeys cannot work they are not offered, and it is said why', async () => {
  const plain = await openGatehouse({ env: { GATEHOUSE_URL: 'http://192.0.2.7:8080' } })
  try {
    const refused = await plain.call('POST', '/api/auth/passkey/options', { as: '' })
    assert.deepEqual([refused.status, refused.body.code], [409, 'not_configured'])
    const mine = await plain.call('GET', '/api/auth/factors', { as: plain.owner.jwt })
    assert.equal(mine.body.passkeysAt.origin, null)
    assert.match(mine.body.passkeysAt.why, /192\.0\.2\.7/)
  } finally {
    await plain.close()
  }
})
