import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { ok, semgrepOf } from './test-run.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

const rule = (id: string, more: object = {}) => ({
  id,
  languages: ['python'],
  severity: 'ERROR',
  message: 'Do not use eval.',
  pattern: 'eval(...)',
  ...more,
})
const ownPath = '/api/semgrep/v1/deployments/1/rules'

function publish(definition: object, more: object = {}, as = gatehouse.owner.token) {
  const body = {
    definition: { rules: [definition] },
    visibility: 'org_private',
    language: 'python',
    deployment_id: 1,
    test_target: null,
    registry_check_id: null,
    ...more,
  }
  return gatehouse.call('POST', '/api/registry/rules', { as, body })
}
const idsAt = async (path: string, as = gatehouse.owner.token) =>
  ok(await gatehouse.call('GET', path, { as })).rules.map(({ id }: { id: string }) => id)

test('rules are published, replaced, listed and deleted', async () => {
  const first = ok(await publish(rule('acme.one')))
  assert.equal(first.path, 'acme.one')
  assert.equal(ok(await publish(rule('acme.one', { message: 'Better.' }))).id, first.id)
  const second = ok(await publish(rule('acme.two')))
  const { rules, hasMore } = ok(await gatehouse.call('GET', `${ownPath}?pageSize=1`))
  assert.deepEqual([rules.map((one: { ruleId: string }) => one.ruleId), hasMore], [['acme.one'], true])
  assert.equal(rules[0].definition.message, 'Better.')
  assert.equal(ok(await gatehouse.call('DELETE', `${ownPath}/${second.id}`)).rule.ruleId, 'acme.two')
  assert.equal((await gatehouse.call('DELETE', `${ownPath}/${second.id}`)).status, 404)
})

test('a pack has the rules below its name', async () => {
  for (const id of ['python.eval', 'python.lang.exec', 'pythonic', 'go.unsafe']) ok(await publish(rule(id)))
  assert.deepEqual(await idsAt('/c/p/python'), ['python.eval', 'python.lang.exec'])
  assert.deepEqual(await idsAt('/c/r/python.eval'), ['python.eval'])
  assert.deepEqual(await idsAt('/p/python'), await idsAt('/c/p/python'))
  assert.deepEqual(await idsAt('/r/python.eval'), ['python.eval'])
  assert.deepEqual(await idsAt('/c/p/all'), await idsAt('/c/auto'))
  const { id } = ok(await publish(rule('go.unsafe')))
  assert.deepEqual(await idsAt(`/c/s/${id}`), ['go.unsafe'])
  const missing = await gatehouse.call('GET', '/c/p/no-such')
  assert.deepEqual([missing.status, missing.body], [404, "No rule 'no-such' was published here."])
})

test('rules are those of one deployment', async () => {
  ok(await publish(rule('secret.of-ours')))
  const other = await gatehouse.addDeployment()
  assert.deepEqual(await idsAt('/c/auto', other.as), [])
  assert.equal((await gatehouse.call('GET', '/c/r/secret.of-ours', { as: other.as })).status, 404)
})

test('what cannot be published is refused with a sentence', async () => {
  const refusal = async (definition: object, more?: object) => {
    const { status, body } = await publish(definition, more)
    return `${status} ${body}`
  }
  assert.match(await refusal(rule('a.b'), { visibility: 'public' }), /^422 .*no public registry/)
  assert.match(await refusal(rule('a b')), /^422 The id of a rule/)
  assert.match(await refusal(rule('gatehouse.advisory.x')), /^422 Ids that begin with/)
  assert.match(await refusal(rule('a.large', { message: 'x'.repeat(101_000) })), /^4(00|22) /)
  const member = await gatehouse.addPerson('member')
  assert.equal((await publish(rule('a.c'), {}, member.token)).status, 403)
})

test('a run gets the rules by the policy in force, and none of them blocks by itself', async () => {
  ok(await publish(rule('run.shown', { metadata: { category: 'security', 'dev.semgrep.actions': ['block'] } })))
  ok(await publish(rule('run.plain')))
  ok(await publish(rule('run.off')))
  const policies = '/api/policies/v1/deployments/1/policies'
  const rules = [
    { rule: 'run.off', mode: 'disabled' },
    { rule: 'run.*', mode: 'block' },
  ]
  const body = { name: 'Rules', productType: 'PRODUCT_TYPE_SAST', rules }
  const { policy } = ok(await gatehouse.call('POST', policies, { body }))
  ok(await gatehouse.call('PATCH', `${policies}/${policy.id}`, { body: { isDefault: true } }))
  const config = await semgrepOf(gatehouse, 'semgrep/rules').config()
  const own = config.rules.rules.filter(({ id }: { id: string }) => id.startsWith('run.'))
  assert.deepEqual(
    own.map(({ id, metadata }: { id: string; metadata: object }) => [id, metadata]),
    [
      ['run.plain', { 'dev.semgrep.actions': [] }],
      ['run.shown', { category: 'security', 'dev.semgrep.actions': [] }],
    ],
  )
})

test('a token is checked, and told whose it is', async () => {
  const { deployment } = ok(await gatehouse.call('GET', '/api/agent/deployments/current'))
  assert.deepEqual([deployment.id, deployment.name], [1, deployment.slug])
  const member = await gatehouse.addPerson('member')
  const identity = ok(await gatehouse.call('GET', '/api/agent/identity', { as: member.token }))
  assert.deepEqual(identity, { person_id: member.id, deployment_id: 1, role: 'member' })
  assert.equal((await gatehouse.call('GET', '/api/agent/deployments/current', { as: 'gth_wrong' })).status, 401)
})
