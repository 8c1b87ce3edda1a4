import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'

let gatehouse: TestGatehouse
let npmId: number
let otherId: number
let other: { id: number; as: string }

const claimsOf = (deployment: number) => `/api/firewall/v1/deployments/${deployment}/package-claims`
const claims = claimsOf(1)

before(async () => {
  gatehouse = await openGatehouse()
  other = await gatehouse.addDeployment()
  npmId = await enter(1, gatehouse.owner.token)
  otherId = await enter(other.id, other.as)
})

after(() => gatehouse.close())

async function enter(deployment: number, as: string): Promise<number> {
  const config = { name: 'Own', url: 'https://npm.example.com/', ecosystem: 'npm' }
  const path = `/api/agent/deployments/${deployment}/packagemanagerauthconfigs`
  const made = await gatehouse.call('POST', path, { as, body: { packageManagerConfigForInsert: { config } } })
  return made.body.packageManagerConfig.id
}

test('a claim is made, listed, in the audit log, and deleted', async () => {
  const body = { ecosystem: 'npm', pattern: 'Company-*', packageManagerConfigId: npmId, reason: 'ours' }
  const made = await gatehouse.call('POST', claims, { body })
  assert.equal(made.status, 200)
  const { claim } = made.body
  assert.deepEqual([claim.pattern, claim.packageManagerConfigId, claim.reason], ['company-*', npmId, 'ours'])
  assert.deepEqual([claim.registry, claim.createdByName.length > 0], ['https://npm.example.com', true])
  assert.equal((await gatehouse.call('POST', claims, { body })).status, 409)
  assert.deepEqual((await gatehouse.call('GET', claims)).body.claims, [claim])
  const gone = await gatehouse.call('DELETE', `${claims}/${claim.id}`)
  assert.deepEqual([gone.status, gone.body], [200, { claim }])
  assert.equal((await gatehouse.call('DELETE', `${claims}/${claim.id}`)).status, 404)
  const log = (await gatehouse.call('GET', '/api/audit/v1/deployments/1/events')).body.events
  const actions = log.map(({ action }: { action: string }) => action)
  assert.ok(actions.includes('package-claim.create') && actions.includes('package-claim.delete'))
})

const impossible: [what: string, body: object, pointer: string][] = [
  ['a pattern that is none', { ecosystem: 'npm', pattern: 'a*b' }, '/pattern'],
  ['everything', { ecosystem: 'npm', pattern: '*' }, '/pattern'],
  ['a registry that is not there', { packageManagerConfigId: 987654 }, '/packageManagerConfigId'],
  ['a registry of another ecosystem', { ecosystem: 'pypi', pattern: 'company-*' }, '/packageManagerConfigId'],
]

for (const [what, more, pointer] of impossible) {
  test(`${what}: 422, and nothing is claimed`, async () => {
    const body = { ecosystem: 'npm', pattern: 'x-company-*', packageManagerConfigId: npmId, reason: 'r', ...more }
    const answer = await gatehouse.call('POST', claims, { body })
    assert.deepEqual([answer.status, answer.body.errors?.[0].pointer], [422, pointer])
    assert.deepEqual((await gatehouse.call('GET', claims)).body.claims, [])
  })
}

test("a registry of another deployment cannot be claimed for, and others' claims are their own", async () => {
  const body = { ecosystem: 'npm', pattern: 'shared-*', packageManagerConfigId: otherId, reason: 'r' }
  assert.equal((await gatehouse.call('POST', claims, { body })).status, 422)
  assert.equal((await gatehouse.call('POST', claimsOf(other.id), { as: other.as, body })).status, 200)
  assert.deepEqual((await gatehouse.call('GET', claims)).body.claims, [])
})

test('only owners and admins claim and release; everybody may look', async () => {
  const member = await gatehouse.addPerson('member')
  const body = { ecosystem: 'npm', pattern: 'mine-*', reason: 'r' }
  assert.equal((await gatehouse.call('POST', claims, { as: member.token, body })).status, 403)
  const release = '/api/firewall/v1/deployments/1/package-names/release'
  const wanted = { ecosystem: 'npm', name: 'x', reason: 'r' }
  assert.equal((await gatehouse.call('POST', release, { as: member.token, body: wanted })).status, 403)
  assert.equal((await gatehouse.call('GET', claims, { as: member.token })).status, 200)
})

test('one thing is released at a time, and only what is there', async () => {
  const release = '/api/firewall/v1/deployments/1/package-names/release'
  const ask = (more: object) => gatehouse.call('POST', release, { body: { ecosystem: 'npm', reason: 'r', ...more } })
  assert.equal((await ask({})).status, 422)
  assert.equal((await ask({ name: 'x', packageManagerConfigId: npmId })).status, 422)
  assert.equal((await ask({ name: 'x' })).status, 404)
  assert.equal((await ask({ packageManagerConfigId: npmId })).status, 404)
})
