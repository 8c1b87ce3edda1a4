import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { mcpClient } from './test-mcp.ts'

/** The protocol itself, in both dialects; what the tools answer is in tools.test.ts. */
let gatehouse: TestGatehouse
let client: ReturnType<typeof mcpClient>

before(async () => {
  gatehouse = await openGatehouse()
  client = mcpClient(gatehouse, gatehouse.owner.token)
})
after(() => gatehouse.close())

const all = [
  'check_package',
  'find_dependency',
  'who_is_affected',
  'search_findings',
  'explain_finding',
  'firewall_blocks',
  'triage_finding',
  'request_exception',
]
const namesOf = (body: { result: { tools: { name: string }[] } }) => body.result.tools.map(({ name }) => name)

test('a client learns what is spoken and offered', async () => {
  const { status, body } = await client.send('server/discover')
  assert.equal(status, 200)
  const { supportedVersions, capabilities, resultType, cacheScope, instructions } = body.result
  assert.deepEqual(supportedVersions, ['2026-07-28', '2025-11-25', '2025-06-18', '2025-03-26'])
  assert.deepEqual([capabilities, resultType, cacheScope], [{ tools: { listChanged: false } }, 'complete', 'private'])
  assert.match(instructions, /check_package/)
  const listed = await client.send('tools/list')
  assert.deepEqual(namesOf(listed.body), all)
  for (const { inputSchema, annotations, name } of listed.body.result.tools) {
    assert.equal(inputSchema.type, 'object')
    assert.equal(annotations.readOnlyHint, !['triage_finding', 'request_exception'].includes(name))
  }
})

test('the page about agents lists the tools in this order', () => {
  const page = readFileSync(join(import.meta.dirname, '..', '..', '..', 'docs', 'mcp.md'), 'utf8')
  assert.deepEqual(
    [...page.matchAll(/^\| `(\w+)` \|/gm)].map(([, name]) => name),
    all,
  )
})

test('the earlier dialect begins with initialize, and needs no session', async () => {
  const init = (protocolVersion: string) => ({
    jsonrpc: '2.0',
    id: 'a',
    method: 'initialize',
    params: { protocolVersion, capabilities: {}, clientInfo: { name: 'c', version: '1' } },
  })
  const begun = await client.post(init('2025-06-18'))
  assert.deepEqual([begun.status, begun.body.id, begun.body.result.protocolVersion], [200, 'a', '2025-06-18'])
  assert.equal(begun.headers.get('mcp-session-id'), null)
  assert.equal((await client.post(init('1999-01-01'))).body.result.protocolVersion, '2025-11-25')
  const told = await client.post({ jsonrpc: '2.0', method: 'notifications/initialized' })
  assert.deepEqual([told.status, told.body], [202, ''])
  const headers = { 'mcp-protocol-version': '2025-06-18' }
  const listed = await client.post({ jsonrpc: '2.0', id: 2, method: 'tools/list' }, headers)
  assert.deepEqual(namesOf(listed.body), all)
  assert.equal('resultType' in listed.body.result, false)
  assert.deepEqual((await client.post({ jsonrpc: '2.0', id: 3, method: 'ping' }, headers)).body.result, {})
  assert.equal((await client.post({ jsonrpc: '2.0', id: 9, result: {} }, headers)).status, 202)
})

const tool = { name: 'search_findings', arguments: {} }
for (const [what, method, params, headers, status, code] of [
  ['another method', 'tools/list', {}, { 'mcp-method': 'tools/call' }, 400, -32_020],
  ['no method', 'tools/list', {}, { 'mcp-method': '' }, 400, -32_020],
  ['a method in other letters', 'tools/list', {}, { 'mcp-method': 'TOOLS/LIST' }, 400, -32_020],
  ['another tool', 'tools/call', tool, { 'mcp-name': 'triage_finding' }, 400, -32_020],
  ['no tool', 'tools/call', tool, { 'mcp-name': '' }, 400, -32_020],
  ['no version', 'tools/list', {}, { 'mcp-protocol-version': '' }, 400, -32_020],
  ['an earlier version', 'tools/list', {}, { 'mcp-protocol-version': '2025-11-25' }, 400, -32_020],
  ['a version that is not known', 'tools/list', {}, { 'mcp-protocol-version': '2099-01-01' }, 400, -32_022],
  [
    'capabilities that are missing',
    'tools/list',
    { _meta: { 'io.modelcontextprotocol/protocolVersion': '2026-07-28' } },
    {},
    400,
    -32_602,
  ],
  ['a method of the earlier dialect', 'initialize', {}, {}, 404, -32_601],
  ['a method that nobody has', 'tools/delete', {}, {}, 404, -32_601],
  ['the name of something every object has', 'constructor', {}, {}, 404, -32_601],
  ['a tool that is not there', 'tools/call', { name: 'rm' }, {}, 400, -32_602],
] as const) {
  test(`refused: ${what}`, async () => {
    const answer = await client.send(method, params, headers)
    assert.deepEqual([answer.status, answer.body.error.code], [status, code], JSON.stringify(answer.body))
  })
}

test('the name of a tool may come encoded', async () => {
  const name = `=?base64?${Buffer.from('search_findings').toString('base64')}?=`
  assert.equal((await client.send('tools/call', tool, { 'mcp-name': name })).status, 200)
})

for (const [what, body] of [
  ['a batch', [{ jsonrpc: '2.0', id: 1, method: 'ping' }]],
  ['another protocol', { id: 1, method: 'ping' }],
  ['a text', 'ping'],
  ['an id that is an object', { jsonrpc: '2.0', id: {}, method: 'ping' }],
  ['params that are a list', { jsonrpc: '2.0', id: 1, method: 'ping', params: [] }],
] as const) {
  test(`not a message: ${what}`, async () => {
    const answer = await client.post(body)
    assert.deepEqual([answer.status, answer.body.error.code], [400, -32_600])
  })
}

test('only whoever is signed in with a token gets an answer, in the words of the protocol', async () => {
  const nobody = await client.send('tools/list', {}, { authorization: '' })
  assert.equal(nobody.status, 401)
  assert.match(nobody.headers.get('www-authenticate')!, /^Bearer/)
  assert.match(nobody.body.error.message, /API token/)
  const signedIn = await fetch(`${gatehouse.url}/api/auth/session`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ email: gatehouse.owner.email, password: gatehouse.owner.password }),
  })
  const cookie = signedIn.headers.get('set-cookie')?.split(';')[0]
  assert.ok(cookie, 'a browser is signed in')
  assert.equal((await client.send('tools/list', {}, { authorization: '', cookie })).status, 401)
  const without = await gatehouse.makeToken(gatehouse.owner.jwt, gatehouse.owner.deploymentId, { webApi: false })
  assert.equal((await mcpClient(gatehouse, without).send('tools/list')).status, 403)
})

test('a person of several deployments needs the token of one', async () => {
  const other = await gatehouse.addDeployment()
  const jwt = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  const refused = await mcpClient(gatehouse, jwt).send('tools/list')
  assert.deepEqual([refused.status, /API token/.test(refused.body.error.message)], [403, true])
  assert.equal((await mcpClient(gatehouse, other.as).send('tools/list')).status, 200)
})

for (const [origin, host, status] of [
  ['https://evil.example', '', 403],
  ['http://evil.example', 'evil.example', 403],
  ['null', '', 403],
] as const) {
  test(`a page of ${origin} ${host && `that calls us ${host} `}is refused`, async () => {
    const answer = await raw({ origin, ...(host && { host }) })
    assert.equal(answer, status)
  })
}

test('a page of our own address is not', async () => {
  assert.equal(await raw({ origin: gatehouse.url }), 200)
})

/** With a Host of our choice, which fetch does not let one choose. */
async function raw(headers: Record<string, string>): Promise<number> {
  const { request } = await import('node:http')
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping' })
  return new Promise((resolve, reject) => {
    const more = { authorization: `Bearer ${gatehouse.owner.token}`, 'content-type': 'application/json', ...headers }
    const sent = request(`${gatehouse.url}/mcp`, { method: 'POST', headers: more }, (answer) => {
      answer.resume()
      answer.on('end', () => resolve(answer.statusCode!))
    })
    sent.on('error', reject)
    sent.end(body)
  })
}

test('GET and DELETE are not allowed: there is neither stream nor session', async () => {
  for (const method of ['GET', 'DELETE']) {
    const answer = await gatehouse.call(method, '/mcp')
    assert.deepEqual([answer.status, answer.headers.get('allow')], [405, 'POST'])
  }
})

test('a token is offered, and may call, what its scopes allow', async () => {
  const { owner } = gatehouse
  const scopes = ['dependencies:read']
  const narrow = mcpClient(gatehouse, await gatehouse.makeToken(owner.jwt, owner.deploymentId, { scopes }))
  assert.deepEqual(namesOf((await narrow.send('tools/list')).body), ['find_dependency', 'who_is_affected'])
  const refused = await narrow.call('search_findings')
  assert.equal(refused.isError, true)
  assert.match(refused.content[0].text, /findings:read/)
  const reader = mcpClient(gatehouse, (await gatehouse.addPerson('readonly')).token)
  assert.equal(namesOf((await reader.send('tools/list')).body).includes('triage_finding'), false)
})

test('what does not fit is said so that a model can mend it', async () => {
  const answer = await client.call('search_findings', { severity: 'high' })
  assert.equal(answer.isError, true)
  assert.match(answer.content[0].text, /severities/)
  assert.equal((await client.call('check_package', { packages: [] })).isError, true)
})

test('requests count against the rate limit of the token', async () => {
  const { headers } = await client.send('tools/list')
  assert.match(headers.get('ratelimit') ?? '', /r=\d+/)
})
