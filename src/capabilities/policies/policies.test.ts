import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../test/gatehouse.ts'
import { modesInForce } from './public.ts'

const gatehouse = await openGatehouse()
after(() => gatehouse.close())

const { deploymentId } = gatehouse.owner
const deprecated = `/api/policies/v1/deployments/${deploymentId}`
const policies = `${deprecated}/policies`

type PolicyAnswer = { id: string; name: string; slug: string; productType: string; isDefault: boolean }

async function all(): Promise<PolicyAnswer[]> {
  return (await gatehouse.call('GET', policies)).body.policies
}

async function add(policy: object): Promise<PolicyAnswer> {
  const answer = await gatehouse.call('POST', policies, { body: policy })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.policy
}

const [code, secrets] = (await all()) as [PolicyAnswer, PolicyAnswer]

test('a new deployment has a policy in force for code and one for secrets', async () => {
  assert.deepEqual(await all(), [
    { id: code.id, name: 'Code', slug: 'code', productType: 'PRODUCT_TYPE_SAST', isDefault: true },
    { id: secrets.id, name: 'Secrets', slug: 'secrets', productType: 'PRODUCT_TYPE_SECRETS', isDefault: true },
  ])
  for (const { id } of [code, secrets]) {
    const { body } = await gatehouse.call('GET', `${policies}/${id}/rules`)
    assert.deepEqual(body, { rules: [{ rule: '*', mode: 'comment' }] })
  }
})

test('the deprecated list answers the same, says so in its headers, and takes only an API token', async () => {
  const answer = await gatehouse.call('GET', deprecated)
  assert.equal(answer.status, 200)
  assert.deepEqual(answer.body, { policies: await all() })
  assert.match(answer.headers.get('deprecation')!, /^@\d+$/)
  assert.ok(Date.parse(answer.headers.get('sunset')!) > Number(answer.headers.get('deprecation')!.slice(1)) * 1000)
  const successor = /^<([^>]+)>; rel="successor-version"/.exec(answer.headers.get('link')!)![1]!
  assert.equal(successor, policies)
  assert.deepEqual((await gatehouse.call('GET', successor)).body, answer.body)
  assert.equal((await gatehouse.call('GET', policies)).headers.get('deprecation'), null)

  const signedIn = await gatehouse.call('GET', deprecated, { as: gatehouse.owner.jwt })
  assert.equal(signedIn.status, 403)
  assert.equal(signedIn.body.code, 'wrong_credential_kind')
  assert.equal((await gatehouse.call('GET', policies, { as: gatehouse.owner.jwt })).status, 200)
})

test('rules are replaced as a whole', async () => {
  const { id } = await add({ name: 'Rules', productType: 'PRODUCT_TYPE_SAST' })
  const path = `${policies}/${id}/rules`
  assert.deepEqual((await gatehouse.call('GET', path)).body, { rules: [] })
  const rules = [
    { rule: 'python.*', mode: 'monitor' },
    { rule: 'go.sql-injection', mode: 'block' },
    { rule: '*', mode: 'disabled' },
  ]
  const sorted = [rules[2], rules[1], rules[0]]
  assert.deepEqual((await gatehouse.call('PUT', path, { body: { rules } })).body, { rules: sorted })
  assert.deepEqual((await gatehouse.call('GET', path)).body, { rules: sorted })
  assert.deepEqual((await gatehouse.call('PUT', path, { body: { rules: [] } })).body, { rules: [] })
})

test('rules that do not fit are refused and the old ones stay', async () => {
  const path = `${policies}/${code.id}/rules`
  const rule = (name: unknown, mode = 'block') => ({ rule: name, mode })
  const cases: [object, string][] = [
    [{}, '/rules'],
    [{ rules: [rule('')] }, '/rules/0/rule'],
    [{ rules: [rule('a*b')] }, '/rules/0/rule'],
    [{ rules: [rule('a b')] }, '/rules/0/rule'],
    [{ rules: [rule('a', 'off')] }, '/rules/0/mode'],
    [{ rules: [{ rule: 'a' }] }, '/rules/0/mode'],
    [{ rules: [rule('a'), rule('b'), rule('a', 'monitor')] }, '/rules/2/rule'],
    [{ rules: Array.from({ length: 2001 }, (_, n) => rule(`r${n}`)) }, '/rules'],
  ]
  for (const [body, pointer] of cases) {
    const answer = await gatehouse.call('PUT', path, { body })
    assert.equal(answer.status, 400, JSON.stringify(body).slice(0, 100))
    assert.equal(answer.body.errors[0].pointer, pointer)
  }
  assert.deepEqual((await gatehouse.call('GET', path)).body.rules, [{ rule: '*', mode: 'comment' }])
  const twice = { name: 'x', productType: 'PRODUCT_TYPE_SAST', rules: [rule('a'), rule('a')] }
  assert.equal((await gatehouse.call('POST', policies, { body: twice })).body.errors[0].pointer, '/rules/1/rule')
})

test('If-Match guards the rules by the version of their policy', async () => {
  const { id } = await add({ name: 'Versions', productType: 'PRODUCT_TYPE_SECRETS' })
  const path = `${policies}/${id}/rules`
  const etag = (await gatehouse.call('GET', path)).headers.get('etag')!
  const put = (mode: string) =>
    gatehouse.call('PUT', path, { headers: { 'if-match': etag }, body: { rules: [{ rule: '*', mode }] } })
  const answers = await Promise.all(['monitor', 'comment', 'block', 'disabled'].map(put))
  assert.deepEqual(answers.map((answer) => answer.status).sort(), [200, 412, 412, 412])
  const won = answers.find((answer) => answer.status === 200)!
  const now = await gatehouse.call('GET', path)
  assert.deepEqual(now.body, won.body)
  assert.equal(now.headers.get('etag'), won.headers.get('etag'))
  assert.equal((await gatehouse.call('GET', `${policies}/${id}`)).headers.get('etag'), won.headers.get('etag'))
})

test('another policy can be put in force; the one in force can be neither dropped nor deleted', async () => {
  const strict = await add({
    name: 'Strict',
    productType: 'PRODUCT_TYPE_SAST',
    rules: [{ rule: 'java.*', mode: 'block' }],
  })
  assert.equal(strict.isDefault, false)
  const db = gatehouse.db.as({ deploymentId })
  assert.equal((await modesInForce(db, 'PRODUCT_TYPE_SAST'))('java.xss'), 'comment')
  const update = (id: string, body: object) => gatehouse.call('PATCH', `${policies}/${id}`, { body })
  assert.equal((await update(strict.id, { isDefault: true, name: 'Stricter' })).body.policy.isDefault, true)
  assert.equal((await modesInForce(db, 'PRODUCT_TYPE_SAST'))('java.xss'), 'block')
  assert.equal((await modesInForce(db, 'PRODUCT_TYPE_SECRETS'))('java.xss'), 'comment')
  const inForce = (await all()).filter((policy) => policy.isDefault).map((policy) => policy.name)
  assert.deepEqual(inForce, ['Secrets', 'Stricter'])
  assert.equal((await update(strict.id, { isDefault: false })).status, 409)
  assert.equal((await gatehouse.call('DELETE', `${policies}/${strict.id}`)).status, 409)
  await update(code.id, { isDefault: true })
  const deleted = await gatehouse.call('DELETE', `${policies}/${strict.id}`)
  assert.deepEqual(deleted.body.policy, { ...strict, name: 'Stricter', slug: 'strict' })
  assert.equal((await gatehouse.call('GET', `${policies}/${strict.id}`)).status, 404)
})

test('of many put in force at once, one is', async () => {
  const made = await Promise.all(
    Array.from({ length: 8 }, () => add({ name: 'Rival', productType: 'PRODUCT_TYPE_SECRETS' })),
  )
  assert.equal(new Set(made.map((policy) => policy.slug)).size, 8)
  const answers = await Promise.all(
    made.map(({ id }) => gatehouse.call('PATCH', `${policies}/${id}`, { body: { isDefault: true } })),
  )
  for (const answer of answers) assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const inForce = (await all()).filter((policy) => policy.isDefault && policy.productType === 'PRODUCT_TYPE_SECRETS')
  assert.deepEqual(
    inForce.map((policy) => policy.name),
    ['Rival'],
  )
})

test('members read policies and change none', async () => {
  const { token } = await gatehouse.addPerson('member')
  const calls: [string, string, number, object?][] = [
    ['GET', deprecated, 200],
    ['GET', policies, 200],
    ['GET', `${policies}/${code.id}`, 200],
    ['GET', `${policies}/${code.id}/rules`, 200],
    ['POST', policies, 403, { name: 'Mine', productType: 'PRODUCT_TYPE_SAST' }],
    ['PATCH', `${policies}/${code.id}`, 403, { name: 'Mine' }],
    ['PUT', `${policies}/${code.id}/rules`, 403, { rules: [] }],
    ['DELETE', `${policies}/${code.id}`, 403],
  ]
  for (const [method, path, status, body] of calls) {
    const answer = await gatehouse.call(method, path, { as: token, ...(body && { body }) })
    assert.equal(answer.status, status, `${method} ${path}`)
  }
})

test('policies of another deployment look like ones that do not exist', async () => {
  const other = await gatehouse.addDeployment()
  const theirs = `/api/policies/v1/deployments/${other.id}/policies`
  const foreign = (await gatehouse.call('GET', theirs, { as: other.as })).body.policies[0].id
  const calls: [string, string, object?][] = [
    ['GET', ''],
    ['GET', '/rules'],
    ['PUT', '/rules', { rules: [] }],
    ['PATCH', '', { name: 'Ours' }],
    ['DELETE', ''],
  ]
  for (const [method, rest, body] of calls) {
    const request = body ? { body } : {}
    const there = await gatehouse.call(method, `${policies}/${foreign}${rest}`, request)
    const nowhere = await gatehouse.call(method, `${policies}/999999${rest}`, request)
    assert.equal(there.status, 404, `${method} ${rest}`)
    assert.equal(there.body.detail.replace(foreign, '#'), nowhere.body.detail.replace('999999', '#'))
  }
  const rules = (await gatehouse.call('GET', `${theirs}/${foreign}/rules`, { as: other.as })).body.rules
  assert.deepEqual(rules, [{ rule: '*', mode: 'comment' }])
})
