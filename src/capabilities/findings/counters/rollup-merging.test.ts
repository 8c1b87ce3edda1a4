import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import type { Periodic } from '../../../kernel/jobs/job.ts'
import { findingsPath, searchAll, sendLog } from '../test-findings.ts'
import { recount } from './recount.ts'
import { createRollupMerging, mergeable } from './rollup-merging.ts'

let gatehouse: TestGatehouse
let merging: Periodic
before(async () => {
  gatehouse = await openGatehouse()
  merging = createRollupMerging(gatehouse.db)
})
after(() => gatehouse.close())

type Extent = { sheets: number; entries: number }
const extent = async (repository = 'merged/%'): Promise<Extent> => {
  const [row] = await gatehouse.db.as(gatehouse.owner).query<Extent>(sql`select count(*) as sheets,
      coalesce(sum(octet_length(s.entries)) / 6, 0)::bigint as entries
    from finding_sheet s join repository r on r.deployment_id = s.deployment_id and r.id = s.repository_id
    where s.deployment_id = 1 and r.name like ${repository}`)
  return row!
}
const miscounts = () => recount(gatehouse.db.as(gatehouse.owner))
const results = (count: number) => Array.from({ length: count }, (_, n) => ({ code: `c${n}`, path: `src/f${n}.js` }))

async function decide(state: string, repository: string): Promise<void> {
  const found = await searchAll(gatehouse, { filter: { repositories: [repository] } })
  const body = { findingIds: found.map((one) => one.id), triageState: `TRIAGE_STATE_${state}` }
  const answer = await gatehouse.call('POST', `${findingsPath()}/triage`, { body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

test('sheets become few, and what cancels is struck out', async () => {
  await sendLog(gatehouse, 'merged/often', results(10))
  for (let time = 0; time < 10; time++) {
    await decide('IGNORED', 'merged/often')
    await decide('OPEN', 'merged/often')
  }
  assert.deepEqual(await miscounts(), [])
  await merging.run()
  assert.deepEqual(await extent(), { sheets: 1, entries: 10 })
  assert.deepEqual(await miscounts(), [])
  // There is nothing left to do, for this one and for one that starts afresh.
  const ids = () =>
    gatehouse.db.as(gatehouse.owner).query(sql`select id from finding_sheet where deployment_id = 1 order by id`)
  const known = await ids()
  await merging.run()
  await createRollupMerging(gatehouse.db).run()
  assert.deepEqual(await ids(), known)
})

test('what is written, deleted and exposed meanwhile is neither lost nor counted twice', async () => {
  const names = Array.from({ length: 6 }, (_, n) => `merged/busy${n}`)
  const repositories = '/api/repositories/v1/deployments/1/repositories'
  const work = names.map(async (name, at) => {
    for (let round = 1; round <= 6; round++) await sendLog(gatehouse, name, results(round * 3))
    const listed = await gatehouse.call('GET', `${repositories}?name=${name}`)
    const { id } = listed.body.repositories.find((one: { name: string }) => one.name === name)
    if (at % 3 === 0) await gatehouse.call('PATCH', `${repositories}/${id}`, { body: { publiclyExposed: true } })
    if (at % 3 === 1) assert.equal((await gatehouse.call('DELETE', `${repositories}/${id}`)).status, 200)
  })
  let working = true
  const mergers = [0, 1].map(async () => {
    const one = createRollupMerging(gatehouse.db)
    while (working) await one.run()
  })
  await Promise.all(work)
  working = false
  await Promise.all(mergers)
  assert.deepEqual(await miscounts(), [])
})

test('a repository is not deleted while its sheets are written again', async () => {
  const name = 'merged/leaving'
  for (let round = 1; round <= 5; round++) await sendLog(gatehouse, name, results(round))
  const [{ id }] = (await gatehouse.db.as(gatehouse.owner).query<{ id: number }>(sql`select id from repository
    where deployment_id = 1 and name = ${name}`)) as [{ id: number }]
  const deleted: Promise<unknown>[] = []
  const db: typeof gatehouse.db = {
    ...gatehouse.db,
    transaction: (actor, run) =>
      gatehouse.db.transaction(actor, async (tx) => {
        const query: typeof tx.query = async (statement) => {
          const rows = await tx.query(statement)
          if (deleted.length === 0 && statement.text.includes('merge_finding_sheets')) {
            deleted.push(gatehouse.call('DELETE', `/api/repositories/v1/deployments/1/repositories/${id}`))
            await new Promise((resolve) => setTimeout(resolve, 200))
          }
          return rows as never
        }
        return run({ ...tx, query })
      }),
  }
  await createRollupMerging(db).run()
  assert.equal(deleted.length, 1)
  await Promise.all(deleted)
  const left = await gatehouse.db
    .as(gatehouse.owner)
    .query(sql`select from finding_sheet where deployment_id = 1 and repository_id = ${id}`)
  assert.equal(left.length, 0)
  assert.deepEqual(await miscounts(), [])
})

test('a sheet that somebody changes past Gatehouse is noticed', async () => {
  await sendLog(gatehouse, 'merged/tampered', results(3))
  const [taken] = await gatehouse.db.transaction(systemActor(1, 'test'), (tx) =>
    tx.query<{
      repository_id: number
      month: string
      entries: Buffer
    }>(sql`delete from finding_sheet s using repository r
      where s.deployment_id = 1 and r.deployment_id = 1 and r.id = s.repository_id and r.name = 'merged/tampered'
      returning s.repository_id, s.month::text as month, s.entries`),
  )
  assert.equal(
    (await miscounts()).reduce((sum, one) => sum + one.counted[0]! - one.kept[0]!, 0),
    3,
  )
  await gatehouse.db.transaction(systemActor(1, 'test'), (tx) =>
    tx.query(sql`insert into finding_sheet (deployment_id, repository_id, rule_id, month, entries)
      values (1, ${taken!.repository_id}, 0, ${taken!.month}::date, ${taken!.entries})`),
  )
  assert.deepEqual(await miscounts(), [])
})

test('how many sheets are put together', () => {
  const cases: [number[], number][] = [
    [[], 0],
    [[6], 0],
    [[6, 1_894], 2],
    [[6, 1_895], 0],
    [[6, 6, 6, 6, 48], 5],
    [[600, 600, 900], 0],
    [[600, 600, 600, 600], 4],
    [[600, 600, 600, 600, 10_000], 4],
    [[600, 10_000, 10_000, 10_000, 10_000], 5],
    [[600, 1_300, 4_000, 13_000, 40_000], 0],
    [[600, 600, 600, 600, 1_000_000, 1_000_000, 1_000_000], 4],
  ]
  for (const [sizes, expected] of cases) assert.equal(mergeable(sizes), expected, sizes.join())
})

test('however sheets come in, few remain, and each entry is written few times', () => {
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 6, max: 3_000 }), { minLength: 200, maxLength: 400 }), (sizes) => {
      let kept: number[] = []
      let written = 0
      for (const size of sizes) {
        kept = [...kept, size].sort((a, b) => a - b)
        const count = mergeable(kept)
        if (count === 0) continue
        const sum = kept.slice(0, count).reduce((so, one) => so + one, 0)
        written += sum
        kept = [sum, ...kept.slice(count)].sort((a, b) => a - b)
      }
      assert.ok(kept.length <= 14, String(kept))
      const total = sizes.reduce((so, one) => so + one, 0)
      assert.ok(written <= 12 * total, `${written} of ${total}`)
    }),
  )
})
