import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { type Answer, openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { passkeyDevice } from '../../../test/outside/passkey-device.ts'
import { base32Bytes, factorKit, passkeyOrigin } from '../../../test/servers/factor-gatehouse.ts'
import { heldUp } from '../../../test/watching/held-up.ts'
import { codeOf, stepAt } from './totp/totp.ts'

let gatehouse: TestGatehouse
let kit: ReturnType<typeof factorKit>
let database: pg.Client
before(async () => {
  gatehouse = await openGatehouse({ env: { GATEHOUSE_URL: passkeyOrigin } })
  kit = factorKit(gatehouse, { now: () => new Date(), later: () => {} })
  database = new pg.Client(gatehouse.connection)
  await database.connect()
})
after(async () => {
  await database.end()
  await gatehouse.close()
})

const factors = '/api/auth/factors'

/** Sends what a session may do at that moment, and has the session end while it waits for the account. */
function whileItEnds(personId: number, request: () => Promise<Answer>): Promise<Answer> {
  const end = () => database.query('update session set revoked_at = now() where person_id = $1', [personId])
  return heldUp(database, `select from person where id = ${personId} for update`, request, end)
}

async function factorsOf(personId: number): Promise<number> {
  const { rows } = await database.query(
    `select (select count(*) from passkey where person_id = $1) + (select count(*) from totp_factor where id = $1) as all`,
    [personId],
  )
  return Number(rows[0].all)
}

test('a session that ends while a passkey is on its way leaves none behind', async () => {
  const { id, jwt: as } = await gatehouse.addPerson('member')
  const { options } = (await gatehouse.call('POST', `${factors}/passkeys/options`, { as })).body
  const body = { name: 'Left behind', credential: passkeyDevice(passkeyOrigin).create(options) }
  const answer = await whileItEnds(id, () => gatehouse.call('POST', `${factors}/passkeys`, { as, body }))
  assert.deepEqual([answer.status, answer.body.code], [401, 'token_revoked'])
  assert.equal(await factorsOf(id), 0)
})

test('nor an authenticator app, nor recovery codes that would open the account', async () => {
  const { id, jwt: as } = await gatehouse.addPerson('member')
  await kit.setUpApp(as)
  const codes = () => database.query('select hash from recovery_code where person_id = $1 order by hash', [id])
  const before = (await codes()).rows
  const renewed = await whileItEnds(id, () => gatehouse.call('POST', `${factors}/recovery-codes`, { as }))
  assert.equal(renewed.status, 401)
  assert.deepEqual((await codes()).rows, before)

  const other = await gatehouse.addPerson('member')
  const begun = await gatehouse.call('POST', `${factors}/app`, { as: other.jwt })
  const code = codeOf(base32Bytes(begun.body.secret), stepAt(new Date()))
  const confirmed = await whileItEnds(other.id, () =>
    gatehouse.call('POST', `${factors}/app/confirm`, { as: other.jwt, body: { code } }),
  )
  assert.equal(confirmed.status, 401)
  assert.equal(await factorsOf(other.id), 0)
})

test('a factor is not removed by a session that has just ended', async () => {
  const { id, jwt: as } = await gatehouse.addPerson('member')
  await kit.setUpApp(as)
  const removed = await whileItEnds(id, () => gatehouse.call('DELETE', `${factors}/app`, { as }))
  assert.equal(removed.status, 401)
  assert.equal(await factorsOf(id), 1)
})
