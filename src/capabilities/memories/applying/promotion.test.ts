import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { sendLog } from '../../findings/test-findings.ts'
import type { PreanalysisCounts } from '../memory.ts'
import { openMemories } from '../test-memories.ts'

let gatehouse: TestGatehouse
let memories: ReturnType<typeof openMemories>
before(async () => {
  gatehouse = await openGatehouse()
  memories = openMemories(gatehouse)
})
after(() => gatehouse.close())

const at = (path: string, more: object = {}) => ({ path, code: `run(${path})`, ...more })
const suggested = { stage: 'AI_MEMORY_STAGE_SUGGESTED' }

/** What the history says that a memory did: how many findings it took that were of concern. */
async function takenBy(memoryId: string): Promise<number> {
  const [row] = await gatehouse.db
    .as(gatehouse.owner)
    .query<{ count: number }>(sql`select count(*) as count from finding_history
    where deployment_id = ${gatehouse.owner.deploymentId} and decided_by = 2 and decider_id = ${memoryId} and from_state <= 4`)
  return row!.count
}

/** What stands in the findings of a rule, as the counts of a memory that covers them would say after it went live. */
async function standingOf(rule: string): Promise<Pick<PreanalysisCounts, 'remainsTruePositive'> & { ignored: number }> {
  const [row] = await gatehouse.db.as(gatehouse.owner).query<{ of_concern: number; ignored: number }>(sql`
    select count(*) filter (where f.state <= 4) as of_concern, count(*) filter (where f.state in (5, 6)) as ignored
    from finding f join finding_rule r on r.deployment_id = f.deployment_id and r.id = f.rule_id
    where f.deployment_id = ${gatehouse.owner.deploymentId} and r.external_id = ${rule}`)
  return { remainsTruePositive: String(row!.of_concern), ignored: row!.ignored }
}

test('the counts announced before promotion equal what promotion did', async () => {
  const repository = await memories.addRepository('promotion/plain')
  const paths = ['a.js', 'b.js', 'c.js', 'd.js', 'e.js']
  const log = [...paths.map((path) => at(path)), at('f.js', { suppressed: true })]
  await sendLog(gatehouse, 'promotion/plain', [...log, at('gone.js')])
  await sendLog(gatehouse, 'promotion/plain', log)
  const ids = await memories.findingIds(repository)
  await memories.triage(ids['a.js']!, { triageState: 'TRIAGE_STATE_REVIEWING' })
  await memories.triage(ids['b.js']!, { triageState: 'TRIAGE_STATE_IGNORED' })
  const waiting = await memories.create({ ...suggested, repositoryId: repository, ruleId: 'rule' })
  const announced = {
    newlyTruePositive: '0',
    newlyFalsePositive: '3',
    remainsTruePositive: '1',
    remainsFalsePositive: '2',
  }
  assert.deepEqual(waiting.preanalysisCounts, announced)
  assert.equal(await takenBy(waiting.id), 0)
  const live = await memories.promote(waiting.id, { preanalysisCounts: announced })
  assert.equal(live.stage, 'AI_MEMORY_STAGE_LIVE')
  assert.deepEqual(live.preanalysisCounts, announced)
  assert.equal(await takenBy(live.id), 3)
  assert.deepEqual(await standingOf('rule'), { remainsTruePositive: '1', ignored: 5 })
  assert.deepEqual(await memories.promote(live.id), live, 'again changes nothing')
  const [listed] = await memories.list({ repositoryIds: [repository] })
  assert.deepEqual(listed!.preanalysisCounts, announced)
})

test('counts that are no longer true are refused, and nothing happens', async () => {
  const repository = await memories.addRepository('promotion/stale')
  await sendLog(gatehouse, 'promotion/stale', [at('a.js', { rule: 'stale' })])
  const waiting = await memories.create({ ...suggested, repositoryId: repository, ruleId: 'stale' })
  await sendLog(gatehouse, 'promotion/stale', [at('a.js', { rule: 'stale' }), at('b.js', { rule: 'stale' })])
  const told = { preanalysisCounts: waiting.preanalysisCounts }
  const refused = await memories.ask('POST', `/${waiting.id}/promote`, told)
  assert.equal(refused.status, 409)
  assert.match(refused.body.detail, /"newlyFalsePositive":"2"/)
  assert.deepEqual(await memories.states(repository), { 'a.js': '1', 'b.js': '1' })
  const again = (await memories.ask('POST', `/${waiting.id}/preanalyze`)).body.memory
  assert.equal(again.preanalysisCounts.newlyFalsePositive, '2')
  await memories.promote(waiting.id, { preanalysisCounts: again.preanalysisCounts })
  assert.equal(await takenBy(waiting.id), 2)
})

test('while people triage, scans come in and repositories appear, it does just what it says', async () => {
  const files = Array.from({ length: 24 }, (_, at) => `src/${at}.js`)
  for (let round = 0; round < 6; round++) {
    const rule = `busy-${round}`
    const names = [0, 1, 2].map((n) => `promotion/busy-${round}-${n}`)
    const repositories = await Promise.all(names.map((name) => memories.addRepository(name)))
    const log = (count: number) => files.slice(0, count).map((path) => at(path, { rule }))
    for (const name of names) await sendLog(gatehouse, name, log(16))
    const ids = Object.values(await memories.findingIds(repositories[0]!))
    const waiting = await memories.create({ ...suggested, ruleId: rule })
    const people = ids.map((id, n) =>
      memories.triage(id, { triageState: n % 2 ? 'TRIAGE_STATE_REVIEWING' : 'TRIAGE_STATE_IGNORED' }),
    )
    const scans = [...names, `promotion/new-${round}`].map((name, n) => sendLog(gatehouse, name, log(8 + 8 * (n % 3))))
    const [live] = await Promise.all([memories.promote(waiting.id), ...people, ...scans])
    const { newlyFalsePositive, newlyTruePositive } = live.preanalysisCounts
    const fromScans = await gatehouse.db.as(gatehouse.owner).query(sql`select from finding_history
      where deployment_id = ${gatehouse.owner.deploymentId} and decided_by = 2 and decider_id = ${live.id} and scan_id > 0
        and from_state <= 4`)
    assert.equal(await takenBy(live.id), Number(newlyFalsePositive) + fromScans.length)
    assert.equal(newlyTruePositive, '0')
    const astray = await gatehouse.db.as(gatehouse.owner).query(sql`select f.id, f.state, f.decided_by
      from finding f join finding_rule r on r.deployment_id = f.deployment_id and r.id = f.rule_id
      where f.deployment_id = ${gatehouse.owner.deploymentId} and r.external_id = ${rule} and f.state <> 7
        and f.decided_by <> 4 and (f.decided_by, f.decider_id) <> (2, ${live.id}::bigint)`)
    assert.deepEqual(astray, [], 'nothing in scope escaped it')
  }
})

test('a repository that appears while a memory goes live does not escape it', async () => {
  const { deploymentId } = gatehouse.owner
  const waiting = await memories.create({ ...suggested, ruleId: 'unborn' })
  const scanned = Promise.withResolvers<void>()
  const go = Promise.withResolvers<void>()
  const actor = systemActor(deploymentId, 'test')
  const birth = gatehouse.db.transaction(actor, async (tx) => {
    const [row] = await tx.query<{ id: number }>(sql`insert into repository (deployment_id, name, default_branch)
      values (${deploymentId}, 'promotion/unborn', 'main') returning id`)
    scanned.resolve()
    await go.promise
    return row!.id
  })
  await scanned.promise
  let promoted = false
  const promotion = memories.promote(waiting.id).then(() => {
    promoted = true
  })
  // Whoever goes live waits for repositories that are being made: the lock is asked for, and not given.
  for (let waits = false; !waits && !promoted; ) {
    const [row] = await gatehouse.db
      .as(gatehouse.owner)
      .query<{ waiting: boolean }>(sql`select exists (select 1 from pg_locks
      where locktype = 'advisory' and not granted
        and database = (select oid from pg_database where datname = current_database())) as waiting`)
    waits = row!.waiting
    await delay(5)
  }
  const early = promoted
  go.resolve()
  assert.equal(early, false)
  await Promise.all([birth, promotion])
  await sendLog(gatehouse, 'promotion/unborn', [at('a.js', { rule: 'unborn' })])
  assert.deepEqual(await memories.states(String(await birth)), { 'a.js': `5 by ${waiting.id}` })
})

test('after all this the counters are what a recount says', () => memories.requireRightCounters())
