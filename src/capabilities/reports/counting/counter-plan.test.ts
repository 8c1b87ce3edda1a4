import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { reportsHold } from '../../../../test/report-answers.ts'
import { buildWorld, raisedFindings } from '../../../../test/report-world.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { bucketsOf } from '../../../kernel/time/time-buckets.ts'
import { planCounters } from './counter-plan.ts'
import { partsFor } from './parts.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
  await buildWorld(gatehouse)
})
after(() => gatehouse.close())

const change = (statement: ReturnType<typeof sql>) =>
  gatehouse.db.transaction(systemActor(1, 'test'), (tx) => tx.query(statement))

/** Three repositories day by day, for longer than counters alone would be read. */
const timePeriod = { since: '2025-12-10T05:00:00.000Z', until: '2026-06-20T17:00:00.000Z' }
const filters = {
  timePeriod,
  timeBucketSize: 'TIME_BUCKET_SIZE_DAY' as const,
  projects: ['shop/web', 'shop/api', 'bank/core'],
}

/** All but two, which are taken from the whole. */
const most = { ...filters, projects: ['shop/web', 'shop/api', 'bank/core', 'shop/batch', 'lab/trial'] }

test('many days are read from sheets where those are less, else from counters', async () => {
  const findings = await raisedFindings(gatehouse)
  await reportsHold(gatehouse, findings, filters)
  await reportsHold(gatehouse, findings, most)
  const spoil = (by: number) =>
    change(sql`update finding_count set open = open + ${by}::integer
      where deployment_id = 1 and repository_id > 0 and grain = 'd'`)
  await spoil(1_000)
  await reportsHold(gatehouse, findings, filters)
  await reportsHold(gatehouse, findings, most)
  await spoil(-1_000)
  // Large sheets that are wrong do not matter, because they are not read.
  const [made] = await change(sql`insert into finding_sheet (deployment_id, repository_id, rule_id, month, entries)
    select deployment_id, repository_id, rule_id, month, decode(repeat(encode(entries, 'hex'), 20000), 'hex') as entries
    from finding_sheet where deployment_id = 1 and repository_id > 0 order by id limit 1 returning id`)
  await reportsHold(gatehouse, findings, filters)
  await change(sql`delete from finding_sheet where deployment_id = 1 and id = ${(made as { id: number }).id}`)
})

test('only many days of some repositories or some rules are worth the choice', () => {
  const period = { since: new Date(timePeriod.since), until: new Date(timePeriod.until) }
  const days = bucketsOf(period, 'TIME_BUCKET_SIZE_DAY', '')
  const months = bucketsOf(period, 'TIME_BUCKET_SIZE_MONTH', '')
  const extent = { repositories: 9, rules: 9 }
  const readFrom = (wanted: { repositories?: number[]; rules?: number[]; categories?: number[] }, buckets = days) => {
    const parts = partsFor({ repositories: undefined, rules: undefined, categories: undefined, ...wanted }, extent)
    return parts.map((part) => {
      const { counters, sheets } = planCounters(part, wanted.categories, buckets)
      return [counters && 'counters', sheets].filter(Boolean).join(' or ')
    })
  }
  assert.deepEqual(readFrom({}), ['counters'])
  assert.deepEqual(readFrom({ repositories: [1, 2] }), ['counters or repositories'])
  assert.deepEqual(readFrom({ rules: [1, 2] }), ['counters or rules'])
  assert.deepEqual(readFrom({ repositories: [1] }), ['counters'])
  assert.deepEqual(readFrom({ repositories: [1, 2] }, months), ['counters'])
  assert.deepEqual(readFrom({ repositories: [1, 2, 3, 4, 5, 6, 7] }), ['counters', 'counters or repositories'])
  assert.deepEqual(readFrom({ repositories: [1, 2, 3, 4, 5, 6, 7, 8] }), ['counters', 'counters'])
  assert.deepEqual(readFrom({ repositories: [1, 2], categories: [1] }), ['repositories'])
  // Within a day there is nothing but findings.
  const hours = [{ since: new Date('2026-03-01T10:00:00Z'), until: new Date('2026-03-01T14:00:00Z') }]
  assert.deepEqual(readFrom({ repositories: [1, 2], rules: [1] }, hours), [''])
})
