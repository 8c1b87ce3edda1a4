import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { sarifLog } from '../../findings/test-log.ts'
import { upload } from '../../scans/test-upload.ts'

let gatehouse: TestGatehouse
let policyId: string
before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
  const { teams } = (await gatehouse.call('GET', '/api/permissions/v2/deployments/1/teams')).body
  await gatehouse.call('PATCH', `/api/permissions/v2/deployments/1/teams/${teams[0].id}/defaults`, {
    body: { isProjectDefault: false },
  })
  await upload(gatehouse, { repository: 'shop/web' }, { 'log.sarif': sarifLog({ results: [] }) })
  for (const [pullRequest, rules] of [
    [7, ['js.eval', 'js.eval', 'py.exec']],
    [8, ['js.eval']],
    [9, ['py.exec']],
  ] as const) {
    const results = rules.map((rule, at) => ({
      rule,
      path: `${pullRequest}-${at}.js`,
      code: `x(${pullRequest}, ${at})`,
    }))
    const change = {
      repository: 'shop/web',
      ref: `c-${pullRequest}`,
      kind: 'SCAN_KIND_PULL_REQUEST',
      pullRequest,
      baseRef: 'main',
    }
    assert.equal((await upload(gatehouse, change, { 'log.sarif': sarifLog({ results }) })).status, 200)
  }
  const { policies } = (await gatehouse.call('GET', '/api/policies/v1/deployments/1/policies')).body
  policyId = policies.find((each: { productType: string }) => each.productType === 'PRODUCT_TYPE_SAST').id
})
after(() => gatehouse.close())

const attempt = (rules: object[], more: { as?: string; id?: string } = {}) =>
  gatehouse.call('POST', `/api/policies/v1/deployments/1/policies/${more.id ?? policyId}/trial`, {
    ...(more.as && { as: more.as }),
    body: { rules },
  })

test('a trial says what would have been different, and saves nothing', async () => {
  const before = await gatehouse.call('GET', `/api/policies/v1/deployments/1/policies/${policyId}/rules`)
  const { status, body } = await attempt([
    { rule: 'js.*', mode: 'block' },
    { rule: '*', mode: 'comment' },
  ])
  assert.equal(status, 200, JSON.stringify(body))
  const { since, ...rest } = body
  assert.match(since, /T00:00:00\.000Z$/)
  assert.deepEqual(rest, {
    findings: 5,
    pullRequests: 3,
    blockedBefore: 0,
    blockedAfter: 2,
    changes: [{ rule: 'js.eval', from: 'comment', to: 'block', findings: 3, pullRequests: 2 }],
  })
  const afterwards = await gatehouse.call('GET', `/api/policies/v1/deployments/1/policies/${policyId}/rules`)
  assert.deepEqual([afterwards.body, afterwards.headers.get('etag')], [before.body, before.headers.get('etag')])
})

test('the same rules change nothing, and repeated ones are refused', async () => {
  const same = await attempt([{ rule: '*', mode: 'comment' }])
  assert.deepEqual([same.body.changes, same.body.blockedAfter], [[], 0])
  const twice = await attempt([
    { rule: 'a', mode: 'block' },
    { rule: 'a', mode: 'comment' },
  ])
  assert.equal(twice.status, 400)
  assert.equal((await attempt([], { id: '987654' })).status, 404)
})

test('it counts what the caller sees, and takes the permission for findings', async () => {
  const member = await gatehouse.addPerson('member')
  const { body } = await attempt([{ rule: '*', mode: 'block' }], { as: member.token })
  assert.deepEqual([body.findings, body.blockedAfter], [0, 0])
  const narrow = await gatehouse.makeToken(gatehouse.owner.jwt, 1, { scopes: ['policies:read'] })
  assert.equal((await attempt([], { as: narrow })).status, 403)
})
