import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { hasValidChecksum, makeToken } from './token-format.ts'

let now = new Date('2026-03-01T10:00:00Z')
let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ clock: { now: () => now } })
})
after(() => gatehouse.close())

const boards = () => `/api/agent/deployments/${gatehouse.owner.deploymentId}/ruleboards`
const tokens = () => `/api/tokens/v1/deployments/${gatehouse.owner.deploymentId}/tokens`

test('a token is prefix, 30 random characters and a checksum', () => {
  const token = makeToken()
  assert.match(token, /^gth_[0-9A-Za-z]{36}$/)
  assert.ok(hasValidChecksum(token))
  const changed = token.slice(0, 10) + (token[10] === 'a' ? 'b' : 'a') + token.slice(11)
  assert.ok(!hasValidChecksum(changed))
})

test('a token is shown once, has no Web API access unless asked for, and lives 90 days', async () => {
  const made = await gatehouse.call('POST', tokens(), { body: { name: 'ci' } })
  assert.equal(made.status, 200)
  assert.equal(made.body.token.webApi, false)
  assert.equal(made.body.token.expiresAt, '2026-05-30T10:00:00.000Z')
  const listed = await gatehouse.call('GET', tokens())
  assert.ok(!JSON.stringify(listed.body).includes(made.body.secret))
  assert.equal(listed.body.tokens[0].id, made.body.token.id)
  const refused = await gatehouse.call('GET', boards(), { as: made.body.secret })
  assert.equal(refused.status, 403)
  assert.equal(refused.body.code, 'web_api_disabled')
})

test('what is wrong with a token is said, each in its own way', async () => {
  const cases: [string, string, number, string][] = [
    ['checksum', `${makeToken().slice(0, -1)}!`.replace('!', '0'), 401, 'unauthenticated'],
    ['unknown', makeToken(), 401, 'unauthenticated'],
    ['garbage', 'not-a-token', 401, 'unauthenticated'],
  ]
  for (const [name, token, status, code] of cases) {
    const answer = await gatehouse.call('GET', boards(), { as: token })
    assert.deepEqual([answer.status, answer.body.code], [status, code], name)
    assert.match(answer.headers.get('www-authenticate') ?? '', /^Bearer realm="gatehouse", error="invalid_token"/)
  }
  for (const header of ['', 'Basic abc', 'Bearer', 'Bearer a b']) {
    const answer = await gatehouse.call('GET', boards(), { as: '', headers: header ? { authorization: header } : {} })
    assert.equal(answer.status, 401, header)
    assert.ok(answer.headers.get('www-authenticate'))
  }
})

test('an expired token is refused the moment it expires', async () => {
  const secret = await gatehouse.makeToken(gatehouse.owner.token, gatehouse.owner.deploymentId, { expiresInDays: 1 })
  assert.equal((await gatehouse.call('GET', boards(), { as: secret })).status, 200)
  now = new Date(now.getTime() + 86_400_000)
  const answer = await gatehouse.call('GET', boards(), { as: secret })
  assert.deepEqual([answer.status, answer.body.code], [401, 'token_expired'])
})

test('a revoked token is refused within a second', async () => {
  const made = await gatehouse.call('POST', tokens(), { body: { name: 'short', webApi: true } })
  assert.equal((await gatehouse.call('GET', boards(), { as: made.body.secret })).status, 200)
  const revoked = await gatehouse.call('DELETE', `${tokens()}/${made.body.token.id}`)
  assert.ok(revoked.body.token.revokedAt)
  const deadline = performance.now() + 1_000
  let answer = await gatehouse.call('GET', boards(), { as: made.body.secret })
  while (answer.status === 200 && performance.now() < deadline)
    answer = await gatehouse.call('GET', boards(), { as: made.body.secret })
  assert.deepEqual([answer.status, answer.body.code], [401, 'token_revoked'])
})

test('a token reaches no other deployment, even of its own owner', async () => {
  const other = await gatehouse.addDeployment()
  const answer = await gatehouse.call('GET', `/api/agent/deployments/${other.id}/ruleboards`)
  assert.deepEqual([answer.status, answer.body.detail], [404, `No deployment ${other.id}.`])
})

test('scopes narrow a token, and it cannot make a wider one', async () => {
  const secret = await gatehouse.makeToken(gatehouse.owner.token, gatehouse.owner.deploymentId, {
    scopes: ['ruleboards:read', 'tokens:write'],
  })
  assert.equal((await gatehouse.call('GET', boards(), { as: secret })).status, 200)
  const refused = await gatehouse.call('GET', `/api/people/v1/deployments/${gatehouse.owner.deploymentId}/people`, {
    as: secret,
  })
  assert.deepEqual([refused.status, refused.body.detail], [403, "The token lacks the scope 'people:read'."])
  const wider = await gatehouse.call('POST', tokens(), {
    as: secret,
    body: { name: 'wider', webApi: true, scopes: ['people:read'] },
  })
  assert.equal(wider.status, 403)
  const child = await gatehouse.call('POST', tokens(), { as: secret, body: { name: 'child', webApi: true } })
  assert.deepEqual(child.body.token.scopes.sort(), ['ruleboards:read', 'tokens:write'])
})

test('a member sees and revokes only their own tokens', async () => {
  const member = await gatehouse.addPerson('member')
  const listed = await gatehouse.call('GET', tokens(), { as: member.token })
  assert.deepEqual([...new Set(listed.body.tokens.map((token: { personId: number }) => token.personId))], [member.id])
  const ownersToken = (await gatehouse.call('GET', tokens())).body.tokens.find(
    (token: { personId: number }) => token.personId !== member.id,
  )
  const answer = await gatehouse.call('DELETE', `${tokens()}/${ownersToken.id}`, { as: member.token })
  assert.equal(answer.status, 404)
})

test('who loses their role loses what their tokens could do', async () => {
  const admin = await gatehouse.addPerson('admin')
  const people = `/api/people/v1/deployments/${gatehouse.owner.deploymentId}/people`
  assert.equal((await gatehouse.call('PATCH', `${people}/${admin.id}`, { body: { role: 'readonly' } })).status, 200)
  const deadline = performance.now() + 1_000
  const attempt = () => gatehouse.call('POST', people, { as: admin.token, body: { email: 'x@example.com' } })
  let answer = await attempt()
  while (answer.status !== 403 && performance.now() < deadline) answer = await attempt()
  assert.equal(answer.status, 403)
  assert.equal((await gatehouse.call('DELETE', `${people}/${admin.id}`)).status, 200)
  while (answer.status !== 401 && performance.now() < deadline + 1_000)
    answer = await gatehouse.call('GET', boards(), { as: admin.token })
  assert.equal(answer.status, 401)
})

test('introspection tells whose credentials these are and what they allow', async () => {
  const answer = await gatehouse.call('GET', '/api/tokens/v1/self')
  assert.equal(answer.body.kind, 'token')
  assert.deepEqual(
    answer.body.deployments.map((entry: { deploymentId: number; role: string }) => [entry.deploymentId, entry.role]),
    [[gatehouse.owner.deploymentId, 'owner']],
  )
  const jwt = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  const signedIn = await gatehouse.call('GET', '/api/tokens/v1/self', { as: jwt })
  assert.equal(signedIn.body.kind, 'jwt')
})
