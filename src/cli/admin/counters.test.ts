import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { recount } from '../../capabilities/findings/public.ts'
import { sendLog } from '../../capabilities/findings/test-findings.ts'
import { miscounts } from '../../capabilities/issues/public.ts'
import { rebuild } from './counters.ts'

let gatehouse: TestGatehouse
let admin: pg.Client
before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
  admin = new pg.Client(gatehouse.connection)
  await admin.connect()
})
after(async () => {
  await admin.end()
  await gatehouse.close()
})

const results = (from: number, count: number) =>
  Array.from({ length: count }, (_, n) => ({ code: `c${from + n}`, path: `src/f${from + n}.js` }))
const wrong = async () => {
  const db = gatehouse.db.as(gatehouse.owner)
  return { findings: (await recount(db)).length, issues: (await miscounts(db, 100)).length }
}
const rebuilds = async () =>
  (await admin.query(`select detail from audit_event where action = 'counters.rebuild'`)).rows.length

test('counters that are right stay as they are, and nothing is recorded', async () => {
  await sendLog(gatehouse, 'counted/right', results(0, 5))
  assert.deepEqual(await rebuild(gatehouse.db, 1), { deploymentId: 1, findings: 0, issues: 0 })
  assert.equal(await rebuilds(), 0)
})

test('whatever is wrong with them, a rebuild makes them what a recount says, and what comes later counts', async () => {
  await sendLog(gatehouse, 'counted/wrong', results(0, 20))
  await sendLog(gatehouse, 'counted/wrong', results(0, 20), { ref: 'other' })
  await admin.query(`delete from finding_count where repository_id = 0`)
  await admin.query(`update finding_count set open = open + 3`)
  await admin.query(`insert into finding_tally (deployment_id, repository_id, kind, number) values (1, 0, 1, 4900)`)
  await admin.query(`update finding set duplicate = not duplicate where id % 3 = 0`)
  await admin.query(`insert into issue_count (deployment_id, scope_id, triage_state, triage_reason, severity, count)
    values (1, 0, 1, 0, 1, 7)`)
  const before = await wrong()
  assert.ok(before.findings > 3 && before.issues === 1, JSON.stringify(before))
  const { findings, issues } = await rebuild(gatehouse.db, 1)
  assert.ok(findings >= 3 && issues === 1)
  assert.deepEqual(await wrong(), { findings: 0, issues: 0 })
  assert.equal(await rebuilds(), 1)
  await sendLog(gatehouse, 'counted/wrong', results(10, 20))
  assert.deepEqual(await wrong(), { findings: 0, issues: 0 })
})

test('what is uploaded while they are rebuilt is counted once', async () => {
  await admin.query(`update finding_count set fixed = fixed + 1 where repository_id = 0`)
  const uploads = Array.from({ length: 4 }, async (_, lane) => {
    for (let n = 0; n < 4; n++) await sendLog(gatehouse, `counted/lane-${lane}`, results(n, 10))
  })
  for (let n = 0; n < 5; n++) await rebuild(gatehouse.db, 1)
  await Promise.all(uploads)
  assert.deepEqual(await wrong(), { findings: 0, issues: 0 })
})
