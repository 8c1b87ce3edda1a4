import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { ruleThatDecides } from '../mode-for-rule.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
  const { teams } = (await gatehouse.call('GET', '/api/permissions/v2/deployments/1/teams')).body
  await gatehouse.call('PATCH', `/api/permissions/v2/deployments/1/teams/${teams[0].id}/defaults`, {
    body: { isProjectDefault: false },
  })
  for (const name of ['shop/web', 'shop/api']) {
    await gatehouse.call('POST', '/api/repositories/v1/deployments/1/repositories', { body: { name } })
  }
  await gatehouse.call('POST', '/api/agent/deployments/1/ruleboards', {
    body: { name: 'Web', type: 'RULEBOARD_TYPE_SAST', assigned_repos: ['shop/web'] },
  })
})
after(() => gatehouse.close())

const applied = (id: number, search = '', as = gatehouse.owner.token) =>
  gatehouse.call('GET', `/api/policies/v1/deployments/1/repositories/${id}/applied${search}`, { as })
type Board = { slug: string; type: string; why: string }

test('a repository has the boards that claim it, and the default ones where none does', async () => {
  const boards = async (id: number) =>
    ((await applied(id)).body.ruleboards as Board[]).map((board) => board.slug).sort()
  assert.deepEqual(await boards(1), ['secrets', 'web'])
  assert.deepEqual(await boards(2), ['code', 'secrets'])
  const { ruleboards } = (await applied(1)).body
  const web = ruleboards.find((board: Board) => board.slug === 'web')
  assert.deepEqual([web.type, web.why], ['RULEBOARD_TYPE_SAST', 'The repository is assigned to it.'])
  const board = await gatehouse.call('GET', '/api/agent/deployments/1/ruleboards/web')
  assert.equal(board.body.type, 'RULEBOARD_TYPE_SAST')
})

test('the policies in force are told, with the pattern that decides about a rule', async () => {
  const { policies } = (await applied(1)).body
  assert.deepEqual(
    policies.map((each: { productType: string; mode: string }) => [each.productType, each.mode]),
    [
      ['PRODUCT_TYPE_SAST', ''],
      ['PRODUCT_TYPE_SECRETS', ''],
    ],
  )
  const asked = (await applied(1, '?rule=js.eval')).body.policies[0]
  assert.deepEqual([asked.rule, asked.mode], ['*', 'comment'])
})

test('since when a rule has had its mode is told, and stays while others change', async () => {
  const policies = '/api/policies/v1/deployments/1/policies'
  const add = async (name: string, rules: object[]) =>
    (await gatehouse.call('POST', policies, { body: { name, productType: 'PRODUCT_TYPE_SECRETS', rules } })).body.policy
  const decided = async () => (await applied(1, '?rule=key')).body.policies[1]
  const replace = (id: string, rules: object[]) => gatehouse.call('PUT', `${policies}/${id}/rules`, { body: { rules } })

  const { id } = await add('Strict', [{ rule: 'key', mode: 'comment' }])
  await replace(id, [{ rule: 'key', mode: 'block' }])
  const before = Date.now()
  await gatehouse.call('PATCH', `${policies}/${id}`, { body: { isDefault: true } })
  const first = await decided()
  assert.deepEqual([first.rule, first.mode], ['key', 'block'])
  assert.ok(Date.parse(first.since) >= before - 1, 'a mode counts once its policy is in force')

  await replace(id, [
    { rule: 'key', mode: 'block' },
    { rule: 'other', mode: 'block' },
  ])
  await gatehouse.call('PATCH', `${policies}/${id}`, { body: { name: 'Stricter' } })
  assert.equal((await decided()).since, first.since)
  await replace(id, [{ rule: 'key', mode: 'monitor' }])
  const changed = await decided()
  assert.equal(changed.mode, 'monitor')
  assert.ok(changed.since > first.since)
  assert.equal((await applied(1)).body.policies[1].since, null)
})

test('the longest pattern decides, and an id in full before a beginning', () => {
  const rules = ['*', 'js.*', 'js.eval*', 'js.eval'].map((rule) => ({ rule, mode: 'block' as const }))
  assert.deepEqual(
    ['js.eval', 'js.evaluate', 'js.x', 'py'].map((id) => ruleThatDecides(rules, id)),
    ['js.eval', 'js.eval*', 'js.*', '*'],
  )
  assert.equal(ruleThatDecides([{ rule: 'a', mode: 'block' }], 'b'), undefined)
})

test('a repository that one does not see is not there', async () => {
  const member = await gatehouse.addPerson('member')
  const [hidden, missing] = [await applied(1, '', member.token), await applied(987, '', member.token)]
  assert.equal(hidden.status, 404)
  assert.equal(hidden.body.detail.replace('1', '#'), missing.body.detail.replace('987', '#'))
  const narrow = await gatehouse.makeToken(gatehouse.owner.jwt, 1, { scopes: ['policies:read'] })
  assert.deepEqual((await applied(1, '', narrow)).body.ruleboards, [])
})

test('people and teams are searched and counted', async () => {
  const people = await gatehouse.call('GET', '/api/people/v1/deployments/1/people?text=OWNER')
  assert.deepEqual([people.body.total, people.body.people.length], [1, 1])
  const none = await gatehouse.call('GET', '/api/people/v1/deployments/1/people?text=%25')
  assert.equal(none.body.total, 0)
  for (const name of ['Red one', 'Red two', 'Blue']) {
    await gatehouse.call('POST', '/api/permissions/v2/deployments/1/teams', { body: { team: { name } } })
  }
  const teams = await gatehouse.call('GET', '/api/permissions/v2/deployments/1/teams?text=red&pageSize=1')
  assert.deepEqual([teams.body.total, teams.body.teams.length, teams.body.hasMore], [2, 1, true])
})
