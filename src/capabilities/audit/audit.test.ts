import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { openHouse, type TestHouse } from '../../../test/house.ts'
import { firstBreak } from './reads.ts'

let house: TestHouse
before(async () => {
  house = await openHouse()
})
after(() => house.close())

const events = (query = '') => house.call('GET', `/api/audit/v1/deployments/${house.owner.deploymentId}/events${query}`)
const repositories = () => `/api/repositories/v1/deployments/${house.owner.deploymentId}/repositories`

/** As who has the database in their hands. */
async function tamper(statement: string): Promise<void> {
  const client = new pg.Client(house.connection)
  await client.connect()
  await client.query(statement)
  await client.end()
}

const broken = () => firstBreak(house.db.as({ deploymentId: house.owner.deploymentId }))

test('a change is in the log with who, what and the request', async () => {
  await house.call('POST', repositories(), {
    body: { name: 'shop/checkout' },
    headers: { 'x-request-id': 'request-0001' },
  })
  const [newest] = (await events('?pageSize=1')).body.events
  assert.deepEqual([newest.action, newest.requestId], ['repository.create', 'request-0001'])
  assert.ok(newest.tokenId > 0 && newest.personId > 0)
})

test('a refused change leaves nothing in the log', async () => {
  const before = (await events()).body.cursor
  assert.equal((await house.call('POST', repositories(), { body: { name: 'shop/checkout' } })).status, 409)
  assert.equal((await events()).body.cursor, before)
})

test('paging goes through the log once, newest first', async () => {
  for (let i = 0; i < 5; i++) await house.call('POST', repositories(), { body: { name: `paged/${i}` } })
  const seen: number[] = []
  for (let cursor = 0, more = true; more; ) {
    const { body } = await events(`?pageSize=3&cursor=${cursor}`)
    seen.push(...body.events.map((event: { seq: number }) => event.seq))
    cursor = body.cursor
    more = body.hasMore
  }
  assert.deepEqual(
    seen,
    Array.from({ length: seen.length }, (_, index) => seen.length - index),
  )
})

test('the log is for owners', async () => {
  const admin = await house.addPerson('admin')
  const answer = await house.call('GET', `/api/audit/v1/deployments/${house.owner.deploymentId}/events`, {
    as: admin.token,
  })
  assert.equal(answer.status, 403)
})

test('parallel changes make one chain without gaps', async () => {
  await Promise.all(
    Array.from({ length: 30 }, (_, i) => house.call('POST', repositories(), { body: { name: `parallel/${i}` } })),
  )
  assert.equal(await broken(), undefined)
})

test('a changed, removed or cut-off event is found', async () => {
  const only = `deployment_id = ${house.owner.deploymentId}`
  await tamper(`create table kept as select * from audit_event where ${only}`)
  const restore = async () => {
    await tamper(`delete from audit_event where ${only}; insert into audit_event select * from kept`)
    assert.equal(await broken(), undefined)
  }
  await tamper(`update audit_event set detail = '{"name": "innocent"}' where ${only} and seq = 4`)
  assert.deepEqual(await broken(), { seq: 4, reason: 'it was changed' })
  await restore()
  await tamper(`update audit_event set at = at + interval '1 second' where ${only} and seq = 5`)
  assert.deepEqual(await broken(), { seq: 5, reason: 'it was changed' })
  await restore()
  await tamper(`delete from audit_event where ${only} and seq = 6`)
  assert.deepEqual(await broken(), { seq: 7, reason: 'an event is missing before it' })
  await restore()
  await tamper(`delete from audit_event where ${only} and seq > 8`)
  assert.equal((await broken())?.reason, 'the end of the log is missing')
})
