import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { heldUp } from '../../../../test/watching/held-up.ts'
import { hashPassword } from './password.ts'

let gatehouse: TestGatehouse
let database: pg.Client
before(async () => {
  gatehouse = await openGatehouse()
  database = new pg.Client(gatehouse.connection)
  await database.connect()
})
after(async () => {
  await database.end()
  await gatehouse.close()
})

test('who knows the old password does not undo a new one that is being set by a link', async () => {
  const { id, email, password, jwt: as } = await gatehouse.addPerson('member')
  const own = 'the word of the owner'
  const hash = await hashPassword(own)
  const change = { current: password, next: 'the word of somebody else' }
  const answer = await heldUp(
    database,
    `select from person where id = ${id} for update`,
    () => gatehouse.call('POST', '/api/people/v1/self/password', { as, body: change }),
    () => database.query('update person set password_hash = $2 where id = $1', [id, hash]),
  )
  assert.equal(answer.status, 403)
  await gatehouse.signIn(email, own)
})
