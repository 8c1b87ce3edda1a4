import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { recount } from '../counters/recount.ts'
import { findingsPath, searchAll, sendLog } from '../test-findings.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

const path = findingsPath()
const codes = Array.from({ length: 12 }, (_, at) => `call(${at})`)
const some = (from: number) =>
  codes.filter((_, at) => (at + from) % 3 > 0).map((code) => ({ code, rule: `rule-${code.length}` }))
const states = ['TRIAGE_STATE_IGNORED', 'TRIAGE_STATE_OPEN', 'TRIAGE_STATE_FIXED', 'TRIAGE_STATE_REVIEWING']

async function ok(answer: ReturnType<TestGatehouse['call']>): Promise<void> {
  const { status, body } = await answer
  assert.equal(status, 200, JSON.stringify(body))
}

test('uploads, triage, exposure and deletions at once: the counters are what a recount says', async () => {
  const repositories = ['busy/a', 'busy/b', 'busy/c']
  for (const repository of repositories) await sendLog(gatehouse, repository, some(0))
  const list = await gatehouse.call('GET', '/api/repositories/v1/deployments/1/repositories')
  const idOf = (name: string) => list.body.repositories.find((one: { name: string }) => one.name === name).id
  const work: Promise<unknown>[] = []
  for (let round = 0; round < 12; round++) {
    for (const repository of repositories) {
      work.push(
        sendLog(gatehouse, repository, some(round), {
          ref: round % 2 ? 'main' : 'next',
          tool: `Tool ${(round >> 1) % 2}`,
        }),
      )
    }
    const triageState = states[round % states.length]!
    work.push(ok(gatehouse.call('POST', `${path}/triage`, { body: { triageState, filter: { repositories } } })))
    work.push(ok(gatehouse.call('POST', `${path}/triage`, { body: { triageState, filter: { ruleIds: ['rule-7'] } } })))
    const url = `/api/repositories/v1/deployments/1/repositories/${idOf('busy/b')}`
    work.push(ok(gatehouse.call('PATCH', url, { body: { publiclyExposed: round % 2 === 0 } })))
  }
  const doomed = `/api/repositories/v1/deployments/1/repositories/${idOf('busy/c')}`
  work.push(ok(gatehouse.call('DELETE', doomed)))
  await Promise.all(work)
  assert.deepEqual(await recount(gatehouse.db.as(gatehouse.owner)), [])
})

test('the history of a finding that many decide on holds each change once, and explains its state', async () => {
  await sendLog(gatehouse, 'busy/one', [{ code: 'x' }])
  const [finding] = await searchAll(gatehouse, { filter: { repositories: ['busy/one'] } })
  await Promise.all(
    Array.from({ length: 50 }, (_, at) => {
      const body = { triageState: states[at % states.length], note: `caller ${at}` }
      return ok(gatehouse.call('POST', `${path}/${finding!.id}`, { body }))
    }),
  )
  const { history } = (await gatehouse.call('GET', `${path}/${finding!.id}/history`)).body
  const changes = history.toReversed()
  assert.deepEqual(
    changes.map((one: { seq: number }) => one.seq),
    Array.from({ length: 51 }, (_, seq) => seq),
  )
  assert.equal(new Set(changes.map((one: { note: string }) => one.note)).size, 51)
  for (let at = 1; at < changes.length; at++) assert.equal(changes[at].fromState, changes[at - 1].toState)
  const now = await gatehouse.call('GET', `${path}/${finding!.id}`)
  assert.equal(now.body.data.triageState, changes.at(-1).toState)
})

test('the same log sent ten times at once is one set of findings', async () => {
  await Promise.all(
    Array.from({ length: 10 }, (_, at) =>
      sendLog(
        gatehouse,
        'busy/same',
        some(0).map((one) => ({ ...one, line: at + 1 })),
      ),
    ),
  )
  assert.equal((await searchAll(gatehouse, { filter: { repositories: ['busy/same'] } })).length, some(0).length)
})

test('a counter that somebody changes past Gatehouse is noticed', async () => {
  await sendLog(gatehouse, 'busy/tampered', [{ code: 'x' }])
  const tamper = (by: number) =>
    gatehouse.db.transaction(systemActor(), (tx) =>
      tx.query(sql`with first as materialized (select min(id) as id from finding_count
          where deployment_id = 1 and repository_id = 0 and rule_id = 0 and category = -1 and grain = 'd')
        update finding_count c set code_standing = code_standing + ${by}::integer from first
        where c.deployment_id = 1 and c.id = first.id`),
    )
  await tamper(1)
  const wrong = await recount(gatehouse.db.as(gatehouse.owner))
  assert.deepEqual([wrong.length, wrong[0]!.kept[5]! - wrong[0]!.counted[5]!], [1, 1])
  await tamper(-1)
  assert.deepEqual(await recount(gatehouse.db.as(gatehouse.owner)), [])
})

function systemActor() {
  const permissions = new Set<never>()
  return { deploymentId: 1, personId: 1, tokenId: 0, role: 'owner' as const, permissions, requestId: 'test' }
}
