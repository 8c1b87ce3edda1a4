import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { ask, askAll, reportsHold } from '../../../test/reports/report-answers.ts'
import { whole } from '../../../test/reports/report-cases.ts'
import { slowFunnel, standingOf } from '../../../test/reports/report-recount.ts'
import { buildWorld, observeRepository, raisedFindings, type World } from '../../../test/reports/report-world.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import { transition } from '../findings/lifecycle/transition-store.ts'
import { count } from './counting/count-store.ts'
import { funnelFigures } from './counting/figures.ts'
import { partsFor } from './counting/parts.ts'

let gatehouse: TestGatehouse
let world: World
before(async () => {
  gatehouse = await openGatehouse()
  world = await buildWorld(gatehouse)
})
after(() => gatehouse.close())

const repository = (name: string) => `/api/repositories/v1/deployments/1/repositories/${world.ids.get(name)}`

test('every decision moves the numbers with it, in both reports', async () => {
  const states = ['IGNORED', 'FIXED', 'PROVISIONALLY_IGNORED', 'REVIEWING', 'REOPENED', 'FIXING', 'OPEN']
  for (const [at, state] of states.entries()) {
    const some = (await raisedFindings(gatehouse))
      .filter((_, place) => place % 5 === at % 5)
      .map((one) => String(one.id))
    const body = { findingIds: some, triageState: `TRIAGE_STATE_${state}` }
    const answer = await gatehouse.call('POST', '/api/findings/1/findings/triage', { body })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    await reportsHold(gatehouse, await raisedFindings(gatehouse), whole)
    await reportsHold(gatehouse, await raisedFindings(gatehouse), { ...whole, tags: ['pci'], ruleIds: ['injection'] })
  }
  const ignored = (await raisedFindings(gatehouse)).filter((one) => standingOf(one) === 'ignored')
  assert.deepEqual(
    await askAll(gatehouse, 'guardrails-activity/findings', { filters: whole, figure: 'ignored' }),
    ignored.map((one) => one.id),
  )
})

test('a finding that only goes back a stage in the funnel is told at once', async () => {
  const before = await ask(gatehouse, 'funnel', { filters: whole })
  const found = await askAll(gatehouse, 'funnel/findings', {
    filters: whole,
    stage: 'possiblyExploitable',
    product: 'code',
  })
  const body = { findingIds: [String(found[0])], triageState: 'TRIAGE_STATE_PROVISIONALLY_IGNORED' }
  assert.equal((await gatehouse.call('POST', '/api/findings/1/findings/triage', { body })).status, 200)
  const now = await ask(gatehouse, 'funnel', { filters: whole })
  assert.deepEqual([now.allFindings, now.possiblyExploitable], [before.allFindings, before.possiblyExploitable - 1])
  await reportsHold(gatehouse, await raisedFindings(gatehouse), whole)
})

test('a change that is taken back has moved nothing, and is seen by nobody before', async () => {
  const open = (await raisedFindings(gatehouse)).filter((one) => standingOf(one) === 'open').map((one) => one.id)
  assert.ok(open.length > 0)
  const before = await ask(gatehouse, 'guardrails-activity', { filters: whole })
  const change = gatehouse.db.transaction(systemActor(1, 'test'), async (tx) => {
    const fixed = { state: 7, reason: 0, decidedBy: 4, deciderId: 1, reopens: false }
    await transition(
      tx,
      open.map((id) => ({ id, ...fixed })),
      { scanId: 0, note: '' },
    )
    assert.deepEqual(await ask(gatehouse, 'guardrails-activity', { filters: whole }), before)
    throw new Error('taken back')
  })
  await assert.rejects(change, /taken back/)
  assert.deepEqual(await ask(gatehouse, 'guardrails-activity', { filters: whole }), before)
})

test('an archived repository counts as before: what was found does not change by it', async () => {
  const before = await ask(gatehouse, 'funnel', { filters: whole })
  assert.equal((await gatehouse.call('PATCH', repository('shop/web'), { body: { archived: true } })).status, 200)
  assert.deepEqual(await ask(gatehouse, 'funnel', { filters: whole }), before)
  await reportsHold(gatehouse, await raisedFindings(gatehouse), { ...whole, projects: ['shop/web'] })
})

test('what is exposed, renamed or deleted is told at once', async () => {
  assert.equal(
    (await gatehouse.call('PATCH', repository('bank/core'), { body: { publiclyExposed: true } })).status,
    200,
  )
  await reportsHold(gatehouse, await raisedFindings(gatehouse), whole)
  assert.equal((await gatehouse.call('PATCH', repository('bank/app'), { body: { name: 'bank/phone' } })).status, 200)
  await reportsHold(gatehouse, await raisedFindings(gatehouse), { ...whole, projects: ['bank/phone'] })
  assert.equal((await gatehouse.call('DELETE', repository('shop/api'))).status, 200)
  const left = await raisedFindings(gatehouse)
  assert.ok(left.every((one) => one.repository !== 'shop/api'))
  await reportsHold(gatehouse, left, whole)
  await reportsHold(gatehouse, left, { ...whole, ruleIds: ['injection', 'weak-hash'] })
})

test('a repository that comes while a report is made is not among those one sees', async () => {
  const left = await raisedFindings(gatehouse)
  const seen = left.filter((one) => one.repository !== 'lab/trial')
  const wanted = {
    repositories: [...new Set(seen.map((one) => one.repository_id))],
    rules: undefined,
    categories: undefined,
  }
  // As it was found out before the last repository came: all but one.
  const parts = partsFor(wanted, { repositories: wanted.repositories.length + 1, rules: 6 })
  assert.ok(parts.some((part) => part.sign === -1))
  const made = await gatehouse.call('POST', '/api/repositories/v1/deployments/1/repositories', {
    body: { name: 'new/one' },
  })
  await observeRepository(gatehouse, made.body.repository.id)
  assert.ok((await raisedFindings(gatehouse)).length > left.length)
  const period = { since: new Date(whole.timePeriod.since), until: new Date(whole.timePeriod.until) }
  const [row] = await count(gatehouse.db.as({ deploymentId: 1 }), parts, undefined, [period], funnelFigures)
  const { byProduct } = slowFunnel(seen)
  assert.deepEqual(
    [row!['code allFindings'], row!['sca allFindings']],
    [byProduct.code.allFindings, byProduct.sca.allFindings],
  )
})
