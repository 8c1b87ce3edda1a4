import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { systemActor } from '../access/actor.ts'
import type { Transaction } from './transaction.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
})
after(() => gatehouse.close())

const inTransaction = (work: (tx: Transaction) => Promise<unknown>) =>
  gatehouse.db.transaction(systemActor(gatehouse.owner.deploymentId, 'test'), work)
/** So long that it is planned by itself, and heard of a little later. */
const many = Array.from({ length: 200 }, (_, n) => n)

test('a transaction fails with what went wrong in it, and not with what was refused after that', async () => {
  const failed = inTransaction(async (tx) => {
    const wrong = tx.query(sql`select 1 / (n - n) from unnest(${many}::int[]) as n`)
    wrong.catch(() => {})
    await tx.query(sql`select 1`)
  })
  await assert.rejects(failed, { code: '22012' })
})

test('a deadlock is tried again, also where a statement after it is heard of first', async () => {
  let attempts = 0
  await inTransaction(async (tx) => {
    attempts++
    if (attempts > 1) return
    const deadlock = tx.query(sql`do $$ begin raise exception using errcode = 'deadlock_detected'; end $$`)
    deadlock.catch(() => {})
    await tx.query(sql`select 1`)
  })
  assert.equal(attempts, 2)
})
