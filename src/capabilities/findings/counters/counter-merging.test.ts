import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import sql, { raw } from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { poll } from '../../../../test/servers/real-process.ts'
import { countLockWaits } from '../../../../test/watching/lock-waits.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import type { Periodic } from '../../../kernel/jobs/job.ts'
import { findingsPath, searchAll, sendLog } from '../test-findings.ts'
import { createCounterMerging } from './counter-merging.ts'
import { wholeDeployment } from './merge-store.ts'
import { recount } from './recount.ts'

let gatehouse: TestGatehouse
let merging: Periodic
let admin: pg.Client
before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
  admin = new pg.Client(gatehouse.connection)
  await admin.connect()
  merging = createCounterMerging(gatehouse.db)
})
after(async () => {
  await admin.end()
  await gatehouse.close()
})

const ask = <Row>(statement: ReturnType<typeof sql>) => gatehouse.db.as(gatehouse.owner).query<Row>(statement)
const miscounts = () => recount(gatehouse.db.as(gatehouse.owner))
const results = (count: number) => Array.from({ length: count }, (_, n) => ({ code: `c${n}`, path: `src/f${n}.js` }))
const repositories = '/api/repositories/v1/deployments/1/repositories'

/** Rows of both tables, and how many of them share their key with another one. */
async function rows(): Promise<{ all: number; shared: number }> {
  const [row] = await ask<{
    all: number
    shared: number
  }>(sql`select sum(number)::integer as all,
      sum(number - 1)::integer as shared from (
      select count(*) as number from finding_count where deployment_id = 1
      group by repository_id, rule_id, category, grain, starts_at
      union all
      select count(*) from finding_tally where deployment_id = 1 group by repository_id, kind) keys`)
  return row!
}

async function decide(state: string, repository: string): Promise<void> {
  const found = await searchAll(gatehouse, { filter: { repositories: [repository] } })
  const body = { findingIds: found.map((one) => one.id), triageState: `TRIAGE_STATE_${state}` }
  const answer = await gatehouse.call('POST', `${findingsPath()}/triage`, { body })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
}

async function idOf(name: string): Promise<number> {
  const [row] = await ask<{ id: number }>(sql`select id from repository where deployment_id = 1 and name = ${name}`)
  return row!.id
}

test('of each counter one row remains, and none where there is nothing to count', async () => {
  await sendLog(gatehouse, 'merged/often', results(10))
  for (let time = 0; time < 3; time++) {
    await decide('IGNORED', 'merged/often')
    await decide('OPEN', 'merged/often')
  }
  assert.ok((await rows()).shared > 20)
  assert.deepEqual(await miscounts(), [])
  await merging.run()
  assert.equal((await rows()).shared, 0)
  assert.deepEqual(await miscounts(), [])
  await decide('IGNORED', 'merged/often')
  await merging.run()
  const standing = await ask(sql`select from finding_count where deployment_id = 1 and code_standing <> 0`)
  assert.equal(standing.length, 0)
  // There is nothing left to do.
  const ids = () => ask(sql`select id from finding_count where deployment_id = 1 order by id`)
  const known = await ids()
  await merging.run()
  assert.deepEqual(await ids(), known)
})

test('whoever moves counters waits for nobody who does', async () => {
  await sendLog(gatehouse, 'merged/one', results(1))
  await sendLog(gatehouse, 'merged/other', results(1))
  const move = (repositoryId: number, change: number) => sql`select
    move_finding_counts(1, array[${repositoryId}::bigint], array[1::bigint], array[1::smallint], array[now()],
      array[34::smallint], array[${change}::integer]),
    move_finding_tallies(1, array[${repositoryId}::bigint], array[1::smallint], array[${change}::integer])`
  const [one, other] = [await idOf('merged/one'), await idOf('merged/other')]
  await gatehouse.db.transaction(systemActor(1, 'test'), async (first) => {
    await first.query(move(one, 1))
    await gatehouse.db.transaction(systemActor(1, 'test'), async (second) => {
      await second.query(sql`set local lock_timeout = '5s'`)
      await second.query(move(other, 1))
      await second.query(move(other, -1))
    })
    await merging.run()
    await first.query(move(one, -1))
  })
  assert.deepEqual(await miscounts(), [])
})

test('what is written, deleted and exposed meanwhile is neither lost nor counted twice', async () => {
  const names = Array.from({ length: 6 }, (_, n) => `merged/busy${n}`)
  const work = names.map(async (name, at) => {
    for (let round = 1; round <= 5; round++) await sendLog(gatehouse, name, results(round * 3))
    const path = `${repositories}/${await idOf(name)}`
    if (at % 3 === 0) await gatehouse.call('PATCH', path, { body: { publiclyExposed: true } })
    if (at % 3 === 1) assert.equal((await gatehouse.call('DELETE', path)).status, 200)
  })
  let working = true
  const mergers = [0, 1].map(async () => {
    while (working) await createCounterMerging(gatehouse.db).run()
  })
  await Promise.all(work)
  working = false
  await Promise.all(mergers)
  assert.deepEqual(await miscounts(), [])
  await merging.run()
  assert.equal((await rows()).shared, 0)
  assert.deepEqual(await miscounts(), [])
})

test('a second process that merges the same counters leaves no second row of any', async () => {
  await sendLog(gatehouse, 'merged/twice', results(3))
  const others: Promise<unknown>[] = []
  const db = whenFirstMerged(async () => {
    await sendLog(gatehouse, 'merged/twice', results(5))
    others.push(merging.run())
    await untilWaiting()
  })
  await createCounterMerging(db).run()
  assert.equal(others.length, 1)
  await Promise.all(others)
  assert.equal((await rows()).shared, 0)
  assert.deepEqual(await miscounts(), [])
})

for (const merge of ['merge_finding_counts', 'merge_finding_tallies']) {
  test(`${merge} counts nothing twice where two do not wait for each other, as an older process does`, async () => {
    await merging.run()
    for (let round = 1; round <= 3; round++) await sendLog(gatehouse, `merged/${merge}`, results(round))
    const ids = [wholeDeployment, await idOf(`merged/${merge}`)]
    const statement = sql`select ${raw(merge)}(1, ${ids}::bigint[], 2000) as merged`
    const run = async (tx: Transaction) => (await tx.query<{ merged: number }>(statement))[0]!.merged
    const others: Promise<number>[] = []
    await gatehouse.db.transaction(systemActor(1, 'test'), async (first) => {
      assert.ok((await run(first)) > 0)
      others.push(gatehouse.db.transaction(systemActor(1, 'test'), run))
      await untilWaiting()
    })
    assert.ok(
      (await others[0]!) > 0,
      'it had seen the rows that the first one took, and waited for what becomes of them',
    )
    assert.deepEqual(await miscounts(), [])
  })
}

test('a repository is not deleted while its counters are written again', async () => {
  for (let round = 1; round <= 3; round++) await sendLog(gatehouse, 'merged/leaving', results(round))
  const id = await idOf('merged/leaving')
  const deleted: Promise<unknown>[] = []
  const db = whenFirstMerged(async () => {
    deleted.push(gatehouse.call('DELETE', `${repositories}/${id}`))
    await untilWaiting()
  })
  await createCounterMerging(db).run()
  assert.equal(deleted.length, 1)
  await Promise.all(deleted)
  const left = await ask(sql`select from finding_count where deployment_id = 1 and repository_id = ${id}`)
  assert.equal(left.length, 0)
  assert.deepEqual(await miscounts(), [])
})

/** The database, where something else happens after the first merge and before it is committed. */
function whenFirstMerged(interrupt: () => Promise<void>): TestGatehouse['db'] {
  let interrupted = false
  return {
    ...gatehouse.db,
    transaction: (actor, run) =>
      gatehouse.db.transaction(actor, async (tx) => {
        const query: typeof tx.query = async (statement) => {
          const found = await tx.query(statement)
          if (!interrupted && statement.text.includes('merge_finding_counts')) {
            interrupted = true
            await interrupt()
          }
          return found as never
        }
        return run({ ...tx, query })
      }),
  }
}

/** Until somebody waits for a lock. */
async function untilWaiting(): Promise<void> {
  await poll('somebody waits for a lock', async () => (await countLockWaits(admin)) > 0)
}
