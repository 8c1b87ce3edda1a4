import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { countLockWaits } from '../../../test/watching/lock-waits.ts'

let now = new Date('2026-03-01T10:00:00Z')
let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ clock: { now: () => now } })
})
after(() => gatehouse.close())

const tokens = () => `/api/tokens/v1/deployments/${gatehouse.owner.deploymentId}/tokens`
const people = () => `/api/people/v1/deployments/${gatehouse.owner.deploymentId}/people`
const make = (as: string, more: object = {}) =>
  gatehouse.call('POST', tokens(), { as, body: { name: 'family', webApi: true, ...more } })
const statusOf = async (secret: string) => (await gatehouse.call('GET', '/api/tokens/v1/self', { as: secret })).status

/** A revocation is felt within a second. */
async function revokedSoon(secret: string): Promise<boolean> {
  const deadline = performance.now() + 5_000
  while ((await statusOf(secret)) === 200) if (performance.now() > deadline) return false
  return true
}

test('a token made by a token expires with it at the latest', async () => {
  const parent = (await make(gatehouse.owner.jwt, { expiresInDays: 10 })).body
  const usual = (await make(parent.secret)).body.token
  assert.equal(usual.expiresAt, parent.token.expiresAt)
  const shorter = (await make(parent.secret, { expiresInDays: 3 })).body.token
  assert.equal(shorter.expiresAt, '2026-03-04T10:00:00.000Z')
  now = new Date(now.getTime() + 86_400_000)
  const longer = await make(parent.secret, { expiresInDays: 10 })
  assert.deepEqual(
    [longer.status, longer.body.detail],
    [403, `A token that lives longer than ${parent.token.expiresAt} takes a signed-in person, not an API token.`],
  )
  const jwt = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  assert.equal((await make(jwt, { expiresInDays: 365 })).status, 200)
})

test('a token falls with the one that made it, and so on; its siblings stay', async () => {
  const jwt = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  const parent = (await make(jwt)).body
  const child = (await make(parent.secret)).body
  const grandchild = (await make(child.secret)).body
  const sibling = (await make(jwt)).body
  assert.equal(await statusOf(grandchild.secret), 200)
  await gatehouse.call('DELETE', `${tokens()}/${parent.token.id}`)
  assert.ok(await revokedSoon(child.secret))
  assert.ok(await revokedSoon(grandchild.secret))
  assert.equal(await statusOf(sibling.secret), 200)
  const [event] = (
    await gatehouse.call('GET', `/api/audit/v1/deployments/${gatehouse.owner.deploymentId}/events?pageSize=1`)
  ).body.events
  assert.deepEqual([event.action, event.detail.descendants], ['token.revoke', [child.token.id, grandchild.token.id]])
})

test('a token that is being made while its maker is revoked falls too', async () => {
  const jwt = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  const parent = (await make(jwt)).body
  const client = new pg.Client(gatehouse.connection)
  await client.connect()
  const blocked = async (count: number) => {
    while ((await countLockWaits(client)) < count) await new Promise((resolve) => setTimeout(resolve, 10))
  }
  await client.query('begin')
  // Everybody stops here, just before the end.
  await client.query('lock table audit_head in exclusive mode')
  const making = make(parent.secret)
  await blocked(1)
  const revoking = gatehouse.call('DELETE', `${tokens()}/${parent.token.id}`)
  await blocked(2)
  await client.query('commit')
  await client.end()
  const child = await making
  assert.deepEqual([child.status, (await revoking).status], [200, 200])
  assert.ok(await revokedSoon(child.body.secret))
})

test('making an owner takes a signed-in person', async () => {
  const jwt = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  const member = await gatehouse.addPerson('member')
  const add = (as: string, email: string) => gatehouse.call('POST', people(), { as, body: { email, role: 'owner' } })
  const raise = (as: string) => gatehouse.call('PATCH', `${people()}/${member.id}`, { as, body: { role: 'owner' } })
  const refused = [await add(gatehouse.owner.token, 'x@example.com'), await raise(gatehouse.owner.token)]
  for (const { status, body } of refused)
    assert.deepEqual([status, body.detail], [403, 'Making an owner takes a signed-in person, not an API token.'])
  assert.equal((await raise(jwt)).body.person.role, 'owner')
  assert.equal((await add(jwt, 'second.owner@example.com')).status, 200)
})
