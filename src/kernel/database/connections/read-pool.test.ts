import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import sql, { type Sql } from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { plainVault } from '../../../../test/plain-vault.ts'
import { systemActor } from '../../access/actor.ts'
import { createDatabase } from '../database.ts'
import { readOnlyServer } from './connection.ts'
import { createOpenSockets } from './open-sockets.ts'
import { createReadPool } from './read-pool.ts'

let gatehouse: TestGatehouse
let other: { id: number; as: string }
before(async () => {
  gatehouse = await openGatehouse()
  other = await gatehouse.addDeployment()
})
after(() => gatehouse.close())

const own = () => gatehouse.db.as({ deploymentId: gatehouse.owner.deploymentId })
const ofOther = () => gatehouse.db.as({ deploymentId: other.id })
test('every question is asked for itself, also where many ask the same at once', async () => {
  // Differs with every statement that PostgreSQL runs.
  const moment = sql`select clock_timestamp()::text || random() as at, id from deployment`
  const answers = await Promise.all(Array.from({ length: 20 }, () => own().query<{ at: string }>(moment)))
  assert.equal(new Set(answers.map(([row]) => row!.at)).size, 20)
})

test('tenants and values are never mixed up, however many ask at once', async () => {
  const asks = Array.from({ length: 200 }, async (_, n) => {
    const db = n % 3 === 0 ? ofOther() : own()
    const [row] = await db.query<{ id: number; n: number }>(sql`select id, ${n % 7}::int as n from deployment`)
    assert.deepEqual(row, { id: db.deploymentId, n: n % 7 })
  })
  await Promise.all(asks)
})

test('a change that was answered is seen by every read after it', async () => {
  const path = `/api/deployments/v1/deployments/${gatehouse.owner.deploymentId}`
  for (let i = 0; i < 15; i++) {
    const noise = Array.from({ length: 10 }, () => gatehouse.call('GET', path))
    await gatehouse.call('PATCH', path, { body: { name: `Name ${i}` } })
    const answer = await gatehouse.call('GET', path)
    assert.equal(answer.body.deployment.name, `Name ${i}`)
    await Promise.all(noise)
  }
})

test('where a tenant cannot be set, the statement is not run, and nobody else is disturbed', async () => {
  // PostgreSQL refuses this setting.
  const impossible = gatehouse.db.as({ deploymentId: '1\0' as unknown as number })
  const statement = sql`select id, 'around' as word from deployment`
  const [before, between, behind] = await Promise.allSettled([
    own().query(statement),
    impossible.query(statement),
    own().query(statement),
  ])
  assert.equal(between!.status, 'rejected')
  for (const around of [before, behind]) {
    assert.deepEqual(around, { status: 'fulfilled', value: [{ id: gatehouse.owner.deploymentId, word: 'around' }] })
  }
})

test('what is known to be slow does not hold up what others ask', async () => {
  const slow = sql`select pg_sleep(0.02), pg_advisory_xact_lock(20260101)`
  await own().query(slow)
  const admin = new pg.Client(gatehouse.connection)
  await admin.connect()
  try {
    await admin.query('select pg_advisory_lock(20260101)')
    let isOver = false
    const waiting = own()
      .query(slow)
      .finally(() => (isOver = true))
    // Behind it on its connection they would wait until it is given up.
    await Promise.all(Array.from({ length: 5 }, () => ofOther().query(sql`select 'quick' as word`)))
    assert.equal(isOver, false)
    await admin.query('select pg_advisory_unlock(20260101)')
    await waiting
  } finally {
    await admin.end()
  }
})

test('a new connection that turns out to lead to a standby is told of as a database out of reach', async () => {
  const { stream } = createOpenSockets(() => {})
  const nothing = () => {}
  const verify = async () => Promise.reject(readOnlyServer())
  const heartbeat = { check: nothing, stream, verify, onShortage: nothing, noteShortage: nothing }
  const reads = { prepare: async () => {}, execute: async () => [], longestWaitMs: 1_000 }
  const pool = createReadPool(gatehouse.connection, 1, heartbeat, reads)
  await assert.rejects(pool.query({}, sql`select 1`), {
    code: 'unavailable',
    message: 'The database cannot be reached right now.',
  })
  await pool.close()
})

test('a connection whose prepared statements are gone, as behind a pooler in another mode, is not used again', async () => {
  const { connection, owner } = gatehouse
  const db = createDatabase(connection, plainVault, { readers: 1, writers: 1, identity: 1, worker: 1 })
  const actor = systemActor(owner.deploymentId, 'test')
  const ways: [string, (statement: Sql) => Promise<unknown>][] = [
    ['reads', (statement) => db.as(actor).query(statement)],
    ['writes', (statement) => db.transaction(actor, (tx) => tx.query(statement))],
    ['identities', (statement) => db.identityQuery(statement)],
    ['workers', (statement) => db.workerQuery(statement)],
  ]
  try {
    for (const [what, use] of ways) {
      await use(sql`select 1`)
      await use(sql`deallocate all`)
      await assert.rejects(use(sql`select 1`), { code: 'unavailable' }, what)
      await use(sql`select 1`)
    }
  } finally {
    await db.close()
  }
})
