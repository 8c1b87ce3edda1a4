import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as delay } from 'node:timers/promises'
import pg from 'pg'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { countLockWaits } from '../../../test/watching/lock-waits.ts'
import { oauthClient, redirectUri } from './test-oauth.ts'

let now = new Date('2026-03-01T10:00:00Z')
let gatehouse: TestGatehouse
let client: ReturnType<typeof oauthClient>
before(async () => {
  gatehouse = await openGatehouse({ clock: { now: () => now }, env: { GATEHOUSE_TRUST_PROXY: '127.0.0.1' } })
  client = oauthClient(gatehouse)
})
after(() => gatehouse.close())

const forward = (seconds: number) => (now = new Date(now.getTime() + seconds * 1000))
const programs = async (as: string) =>
  (await gatehouse.call('GET', '/api/tokens/v1/deployments/1/connected-programs', { as })).body.programs
const auditOf = async (action: string) =>
  (await gatehouse.call('GET', `/api/audit/v1/deployments/1/events?action=${action}`)).body.events
const toolsOf = (answer: { body: { result: { tools: { name: string }[] } } }) =>
  answer.body.result.tools.map(({ name }) => name)

test('a client finds by the challenge alone how to get a token', async () => {
  const refused = await client.mcp('')
  assert.equal(refused.status, 401)
  const challenge = refused.headers.get('www-authenticate')!
  const metadata = /resource_metadata="([^"]+)"/.exec(challenge)![1]!
  assert.equal(metadata, `${gatehouse.url}/.well-known/oauth-protected-resource/mcp`)
  assert.doesNotMatch(challenge, /error=/)
  const { body: resource } = await gatehouse.call('GET', new URL(metadata).pathname, { as: '' })
  assert.equal(resource.resource, `${gatehouse.url}/mcp`)
  assert.deepEqual(resource.authorization_servers, [gatehouse.url])
  // What tools take is what programs are told to ask for.
  assert.deepEqual(/scope="([^"]+)"/.exec(challenge)![1]!.split(' ').sort(), [...resource.scopes_supported].sort())
  const { body: server } = await gatehouse.call('GET', '/.well-known/oauth-authorization-server', { as: '' })
  assert.deepEqual(
    [server.issuer, server.authorization_endpoint, server.code_challenge_methods_supported],
    [gatehouse.url, `${gatehouse.url}/authorize`, ['S256']],
  )
  const wrong = await client.mcp('gth_wrong')
  assert.match(wrong.headers.get('www-authenticate')!, /resource_metadata=.*error="invalid_token"/)
})

test('a person connects a program: it reads what they chose, in their name, until they end it', async () => {
  const person = await gatehouse.addPerson('member')
  const { request } = await client.begin({ scope: '' })
  const { body: shown } = await client.show(person.jwt, request)
  assert.deepEqual(shown, {
    name: 'Agent',
    goesTo: 'computer',
    host: '127.0.0.1',
    scopes: ['findings:read', 'dependencies:read', 'firewall:read', 'findings:triage', 'firewall:ask'],
    problem: null,
    backTo: `${redirectUri}?error=access_denied&error_description=The+person+did+not+allow+it.&state=the+state&iss=${encodeURIComponent(gatehouse.url)}`,
  })
  const { redirect, fields } = await client.approved(person.jwt, { scopes: ['findings:read', 'dependencies:read'] })
  assert.equal(redirect.origin + redirect.pathname, redirectUri)
  assert.deepEqual([redirect.searchParams.get('state'), redirect.searchParams.get('iss')], ['the state', gatehouse.url])
  const { status, body: given, headers } = await client.form('token', fields)
  assert.equal(status, 200)
  assert.equal(headers.get('cache-control'), 'no-store')
  assert.deepEqual(
    [given.token_type, given.expires_in, given.scope],
    ['Bearer', 900, 'findings:read dependencies:read'],
  )
  assert.deepEqual(toolsOf(await client.mcp(given.access_token)), [
    'find_dependency',
    'who_is_affected',
    'search_findings',
    'explain_finding',
  ])
  const [program] = await programs(person.jwt)
  assert.deepEqual(
    [program.name, program.host, program.personId, program.scopes],
    ['Agent', '127.0.0.1', person.id, ['findings:read', 'dependencies:read']],
  )
  const [approval] = await auditOf('connected-program.approve')
  assert.deepEqual([approval.personId, approval.detail.client], [person.id, 'Agent'])
  assert.equal((await auditOf('connected-program.begin'))[0].detail.token, program.tokenId)
  const ended = await gatehouse.call('DELETE', `/api/tokens/v1/deployments/1/tokens/${program.tokenId}`, {
    as: person.jwt,
  })
  assert.equal(ended.status, 200)
  assert.deepEqual(await programs(person.jwt), [])
  const refused = await client.refresh(given.refresh_token, fields.client_id)
  assert.deepEqual([refused.status, refused.body.error], [400, 'invalid_grant'])
})

test('a token is renewed until the grant ends, and the one before stops to work', async () => {
  const { email, password, ...person } = await gatehouse.addPerson('member')
  const first = await client.connected(person.jwt, { expiresInDays: 1 })
  assert.equal((await client.mcp(first.token)).status, 200)
  forward(901)
  assert.equal((await client.mcp(first.token)).status, 401)
  const { status, body: second } = await client.refresh(first.refreshToken, first.clientId)
  assert.equal(status, 200)
  assert.notEqual(second.access_token, first.token)
  assert.equal((await client.mcp(second.access_token)).status, 200)
  assert.equal((await client.mcp(first.token)).status, 401)
  forward(86_400 - 901 - 60)
  const { body: last } = await client.refresh(second.refresh_token, first.clientId)
  assert.equal(last.expires_in, 60)
  forward(61)
  assert.equal((await client.refresh(last.refresh_token, first.clientId)).body.error, 'invalid_grant')
  assert.deepEqual(await programs(await gatehouse.signIn(email, password)), [])
})

test('a token for /mcp works nowhere else', async () => {
  const { token } = await client.connected((await gatehouse.addPerson('admin')).jwt, { scopes: ['findings:read'] })
  assert.equal((await client.mcp(token)).status, 200)
  const tries: [string, string, object?][] = [
    ['POST', '/api/findings/1/findings/search', {}],
    ['GET', '/api/tokens/v1/self'],
    ['GET', '/api/v1/project'],
    ['GET', '/scim/v2/Users'],
    ['GET', '/metrics'],
    ['GET', '/firewall/1/npm/left-pad'],
  ]
  for (const [method, path, body] of tries) {
    const answer = await gatehouse.call(method, path, { as: token, ...(body && { body }) })
    assert.equal(answer.status, 401, `${method} ${path}`)
  }
})

test('a repeated approval answers with the code that was stored', async () => {
  const { jwt } = await gatehouse.addPerson('member')
  const { request, verifier } = await client.begin()
  const approve = () => client.approve(jwt, request, {}, 1, { 'idempotency-key': 'connect' })
  const first = await approve()
  const again = await approve()
  assert.deepEqual([again.status, again.body], [200, first.body])
  const fields = client.fieldsFor(new URL(again.body.redirectTo), request.clientId, verifier)
  assert.equal((await client.form('token', fields)).status, 200)
})

test('a code works once; whoever shows it again ends what it gave', async () => {
  const person = await gatehouse.addPerson('member')
  const { fields, token, refreshToken, clientId } = await client.connected(person.jwt)
  const again = await client.form('token', fields)
  assert.deepEqual([again.status, again.body.error], [400, 'invalid_grant'])
  assert.deepEqual(await programs(person.jwt), [])
  assert.equal((await client.refresh(refreshToken, clientId)).status, 400)
  assert.equal((await auditOf('connected-program.reuse'))[0].detail.what, 'code')
  const other = await gatehouse.anotherProcess()
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  assert.equal((await other.call('POST', '/mcp', { as: token, body })).status, 401)
  await other.close()
})

test('two at once with one code: one of them is refused, and then both are out', async (t) => {
  const { fields } = await client.approved((await gatehouse.addPerson('member')).jwt)
  const admin = new pg.Client(gatehouse.connection)
  await admin.connect()
  t.after(() => admin.end())
  // Held until both have found that the code is not used, and want to use it.
  await admin.query('begin')
  await admin.query('select from oauth_grant where token_id is null for update')
  let ended = 0
  const both = [1, 2].map(() => client.form('token', fields).finally(() => ended++))
  while (ended === 0 && (await countLockWaits(admin)) < 2) await delay(5)
  await admin.query('commit')
  const answers = await Promise.all(both)
  assert.deepEqual(answers.map(({ status }) => status).sort(), [200, 400])
  const { body } = answers.find(({ status }) => status === 200)!
  assert.equal((await client.refresh(body.refresh_token, fields.client_id)).status, 400)
})

test('a refresh token works once; an old one ends the connection', async () => {
  const { email, password, jwt } = await gatehouse.addPerson('member')
  const first = await client.connected(jwt)
  const { body: second } = await client.refresh(first.refreshToken, first.clientId)
  // Another window of the same program, at the same moment.
  assert.equal((await client.refresh(first.refreshToken, first.clientId)).status, 400)
  assert.equal((await programs(jwt)).length, 1)
  const stranger = { 'x-forwarded-for': '198.51.100.9' }
  assert.equal((await client.refresh(first.refreshToken, first.clientId, stranger)).status, 400)
  assert.deepEqual(await programs(jwt), [])
  assert.equal((await client.refresh(second.refresh_token, first.clientId)).status, 400)
  const third = await client.connected(jwt)
  await client.refresh(third.refreshToken, third.clientId)
  forward(11)
  assert.equal((await client.refresh(third.refreshToken, third.clientId)).status, 400)
  assert.deepEqual(await programs(await gatehouse.signIn(email, password)), [])
})

test('a stolen code is worth nothing without what only the program has', async () => {
  const { jwt } = await gatehouse.addPerson('member')
  const { fields } = await client.approved(jwt)
  const otherClient = (await client.register([redirectUri, 'http://127.0.0.1/x'])).body.client_id
  const tries: [Record<string, string>, string][] = [
    [{ code_verifier: 'x'.repeat(43) }, 'invalid_grant'],
    [{ code_verifier: '' }, 'invalid_grant'],
    [{ client_id: otherClient }, 'invalid_grant'],
    [{ client_id: 'gthc_made-up' }, 'invalid_client'],
    [{ redirect_uri: 'http://127.0.0.1:3119/callback' }, 'invalid_grant'],
    [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
    [{ code: `2.${fields.code.split('.')[1]}` }, 'invalid_grant'],
    [{ code: 'nothing' }, 'invalid_grant'],
    [{ grant_type: 'password' }, 'unsupported_grant_type'],
  ]
  for (const [change, error] of tries) {
    const answer = await client.form('token', { ...fields, ...change })
    assert.deepEqual([answer.status, answer.body.error], [400, error], JSON.stringify(change))
  }
  assert.equal((await client.form('token', fields)).status, 200)
  const late = await client.approved(jwt)
  forward(61)
  assert.equal((await client.form('token', late.fields)).body.error, 'invalid_grant')
})

test('a refresh token belongs to the program that it was given to', async () => {
  const { jwt } = await gatehouse.addPerson('member')
  const { refreshToken, clientId } = await client.connected(jwt)
  const other = (await client.register(['http://127.0.0.1/other'])).body.client_id
  assert.equal((await client.refresh(refreshToken, other)).body.error, 'invalid_grant')
  assert.equal((await client.refresh(refreshToken, clientId)).status, 200)
})

test('what a request lacks is said to the person, and to the program where they choose so', async () => {
  const { jwt } = await gatehouse.addPerson('member')
  const cases: [object, string][] = [
    [{ codeChallengeMethod: 'plain' }, 'invalid_request'],
    [{ codeChallenge: '', codeChallengeMethod: '' }, 'invalid_request'],
    [{ resource: 'https://other.example/mcp' }, 'invalid_target'],
    [{ responseType: 'token' }, 'unsupported_response_type'],
    [{ scope: 'people:write offline_access' }, 'invalid_scope'],
  ]
  for (const [change, error] of cases) {
    const { request } = await client.begin(change)
    const { body } = await client.show(jwt, request)
    assert.equal(new URL(body.backTo).searchParams.get('error'), error)
    assert.equal(typeof body.problem, 'string')
    assert.equal((await client.approve(jwt, request)).status, 422, error)
  }
})

test('a code goes only where the program said when it registered', async () => {
  const { jwt } = await gatehouse.addPerson('member')
  for (const [uri, status] of [
    ['http://127.0.0.1:40000/callback', 200],
    ['http://127.0.0.1:3118/other', 422],
    ['http://localhost:3118/callback', 422],
    ['https://evil.example/callback', 422],
    ['http://127.0.0.1:3118/callback?x=1', 422],
    ['http://127.0.0.1:3118@evil.example/callback', 422],
  ] as const) {
    const { request } = await client.begin({ redirectUri: uri })
    assert.equal((await client.show(jwt, request)).status, status, uri)
    assert.equal((await client.approve(jwt, request)).status, status, uri)
  }
  const { request } = await client.begin()
  const forged = `${request.clientId.slice(0, -2)}AA`
  assert.equal((await client.show(jwt, { ...request, clientId: forged })).status, 404)
})

test('a person decides, and nobody else', async () => {
  const person = await gatehouse.addPerson('readonly')
  const { request } = await client.begin({ scope: '' })
  assert.equal((await client.approve(person.token, request)).status, 403)
  assert.equal((await client.approve('', request)).status, 401)
  assert.equal((await client.approve(person.jwt, request, { scopes: ['findings:triage'] })).status, 403)
  const { request: narrow } = await client.begin({ scope: 'findings:read' })
  assert.equal((await client.approve(person.jwt, narrow, { scopes: ['firewall:read'] })).status, 422)
  assert.equal((await client.approve(person.jwt, narrow, { scopes: ['people:read'] })).status, 400)
  const other = await gatehouse.addDeployment()
  assert.equal((await client.approve(person.jwt, narrow, {}, other.id)).status, 404)
})

test('who leaves takes their programs along', async () => {
  const person = await gatehouse.addPerson('member')
  const { token, refreshToken, clientId } = await client.connected(person.jwt)
  const path = `/api/people/v1/deployments/1/people/${person.id}`
  assert.equal((await gatehouse.call('DELETE', path)).status, 200)
  assert.equal((await client.refresh(refreshToken, clientId)).status, 400)
  const other = await gatehouse.anotherProcess()
  const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' }
  assert.equal((await other.call('POST', '/mcp', { as: token, body })).status, 401)
  await other.close()
})

test('programs are seen by who connected them, and by owners', async () => {
  const [one, two] = [await gatehouse.addPerson('member'), await gatehouse.addPerson('member')]
  await client.connected(one.jwt)
  const [program] = await programs(one.jwt)
  assert.deepEqual(await programs(two.jwt), [])
  assert.ok(
    (await programs(gatehouse.owner.token)).some(({ tokenId }: { tokenId: number }) => tokenId === program.tokenId),
  )
  const end = (as: string) => gatehouse.call('DELETE', `/api/tokens/v1/deployments/1/tokens/${program.tokenId}`, { as })
  assert.equal((await end(two.jwt)).status, 404)
  // They are renewed by themselves, so nobody is reminded of them, and they are not among the tokens.
  for (const list of ['tokens', 'expiring-tokens']) {
    const { tokens } = (await gatehouse.call('GET', `/api/tokens/v1/deployments/1/${list}`, { as: one.jwt })).body
    assert.ok(
      tokens.every(({ id }: { id: number }) => id !== program.tokenId),
      list,
    )
  }
})

test('a program ends what it was given, by either of its tokens, and by no other', async () => {
  const { jwt, token: apiToken } = await gatehouse.addPerson('member')
  for (const which of ['token', 'refreshToken'] as const) {
    const connected = await client.connected(jwt)
    assert.equal((await programs(jwt)).length, 1)
    assert.deepEqual((await client.form('revoke', { token: connected[which] })).status, 200)
    assert.deepEqual(await programs(jwt), [])
  }
  for (const token of ['nothing', apiToken]) assert.equal((await client.form('revoke', { token })).status, 200)
  assert.equal((await gatehouse.call('GET', '/api/tokens/v1/self', { as: apiToken })).status, 200)
})

test('registering is limited, in size and in number, and leaves nothing behind', async () => {
  const registered = await client.register([
    'https://agent.example/cb',
    'cursor://anysphere.cursor-mcp/oauth/callback',
    'com.example.app:/cb',
    'http://[::1]/cb',
  ])
  assert.equal(registered.status, 201)
  for (const uri of [
    'javascript:alert(1)',
    'javascript://%0aalert(1)',
    'data:text/html,x',
    'file:///etc/passwd',
    'http://agent.example/cb',
    'https://agent.example/cb#x',
    'https://agent.example/cb#',
    'https://user@agent.example/cb',
    'vbscript:x',
    'nothing',
    `https://agent.example/${'x'.repeat(500)}`,
  ]) {
    const { status, body } = await client.register([uri])
    assert.equal(status, 400, uri)
    assert.match(body.error, /^invalid_(redirect_uri|request)$/, uri)
  }
  const long = (at: number) => `https://agent.example/${at}${'x'.repeat(300)}`
  assert.equal((await client.register([1, 2, 3, 4].map(long))).status, 400)
  assert.equal((await client.register([])).status, 400)
  const from = { 'x-forwarded-for': '203.0.113.77' }
  const answers = []
  for (let at = 0; at < 31; at++) answers.push(await client.register([redirectUri], from))
  assert.deepEqual(answers.map(({ status }) => status).filter((status) => status === 201).length, 30)
  assert.deepEqual([answers[30]!.status, answers[30]!.body.error], [429, 'temporarily_unavailable'])
})

test('wrong codes from one network are limited', async () => {
  const from = { 'x-forwarded-for': '203.0.113.78' }
  const { fields } = await client.approved((await gatehouse.addPerson('member')).jwt)
  for (let at = 0; at < 60; at++) await client.form('token', { ...fields, code: `1.${'x'.repeat(43)}` }, from)
  assert.equal((await client.form('token', fields, from)).status, 429)
  assert.equal((await client.form('token', fields)).status, 200)
})
