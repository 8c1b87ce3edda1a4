import assert from 'node:assert/strict'
import { chmodSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { clientFromNpm, makeProject, runClient } from './clients/package-clients.ts'
import { deepOnly } from './depth.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'
import { freePort, poll } from './servers/real-process.ts'

/** Clients of the Model Context Protocol that are told the address of the server and nothing else: they find out how to sign in. */
let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

/** A person with a browser: whoever sends an address here has it approved, and its redirect followed. */
async function person(t: TestContext) {
  const seen: string[] = []
  const server = createServer(async (request, response) => {
    let address = ''
    for await (const chunk of request) address += chunk
    seen.push(address)
    response.end()
    const asked = new URL(address).searchParams
    const one = (name: string) => asked.get(name) ?? ''
    const body = {
      request: {
        clientId: one('client_id'),
        redirectUri: one('redirect_uri'),
        responseType: one('response_type'),
        codeChallenge: one('code_challenge'),
        codeChallengeMethod: one('code_challenge_method'),
        scope: one('scope'),
        resource: one('resource'),
        state: one('state'),
      },
      scopes: ['findings:read', 'dependencies:read'],
      expiresInDays: 1,
    }
    const path = '/api/tokens/v1/deployments/1/connected-programs'
    const approved = await gatehouse.call('POST', path, { as: gatehouse.owner.jwt, body })
    if (approved.status !== 200) throw new Error(JSON.stringify(approved.body))
    // Some programs begin to listen after they have opened the browser.
    await poll('the program listens', async () => !!(await fetch(approved.body.redirectTo).catch(() => false)), 60_000)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/`, seen }
}

/** What a client keeps while it signs in, in memory, and a page that it waits for its code at. */
const provider = `
import { createServer } from 'node:http'
const kept = {}
const waiting = Promise.withResolvers()
const server = createServer((request, response) => {
  response.end('done')
  waiting.resolve(new URL(request.url, 'http://127.0.0.1').searchParams)
})
await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve))
const redirectUrl = 'http://127.0.0.1:' + server.address().port + '/callback'
const authProvider = {
  redirectUrl,
  clientMetadata: { client_name: 'Test agent', redirect_uris: [redirectUrl], grant_types: ['authorization_code', 'refresh_token'], response_types: ['code'], token_endpoint_auth_method: 'none' },
  state: () => 'state-of-the-test',
  clientInformation: () => kept.client,
  saveClientInformation: (client) => { kept.client = client },
  tokens: () => kept.tokens,
  saveTokens: (tokens) => { kept.tokens = tokens },
  redirectToAuthorization: (url) => fetch(process.env.PERSON, { method: 'POST', body: String(url) }),
  saveCodeVerifier: (verifier) => { kept.verifier = verifier },
  codeVerifier: () => kept.verifier,
}
const url = new URL(process.env.MCP_URL)
const connect = async (client, finish) => {
  const transport = new StreamableHTTPClientTransport(url, { authProvider })
  try {
    await client.connect(transport)
    throw new Error('it was let in without a token')
  } catch (error) {
    if (!(error instanceof UnauthorizedError)) throw error
  }
  await finish(transport, await waiting.promise)
}
const report = async (makeClient) => {
  const first = kept.tokens
  const client = makeClient()
  await client.connect(new StreamableHTTPClientTransport(url, { authProvider }))
  const { tools } = await client.listTools()
  // As if a quarter of an hour had passed: the client renews it by itself.
  kept.tokens = { ...kept.tokens, access_token: 'gth_expired' }
  const again = await client.listTools()
  await client.close()
  server.close()
  server.closeAllConnections()
  console.log(JSON.stringify({ tools: tools.map(({ name }) => name), again: again.tools.length, renewed: kept.tokens.access_token !== first.access_token, scope: first.scope }))
}
`

const oldClient = `
import { Client } from 'PACKAGES/@modelcontextprotocol/sdk/dist/esm/client/index.js'
import { StreamableHTTPClientTransport } from 'PACKAGES/@modelcontextprotocol/sdk/dist/esm/client/streamableHttp.js'
import { UnauthorizedError } from 'PACKAGES/@modelcontextprotocol/sdk/dist/esm/client/auth.js'
${provider}
const makeClient = () => new Client({ name: 'test', version: '1' }, { capabilities: {} })
await connect(makeClient(), (transport, answer) => transport.finishAuth(answer.get('code')))
await report(makeClient)
`

const newClient = `
import { Client, StreamableHTTPClientTransport, UnauthorizedError } from 'PACKAGES/@modelcontextprotocol/client/dist/index.mjs'
${provider}
const makeClient = () => new Client({ name: 'test', version: '1' }, { capabilities: {}, versionNegotiation: { mode: 'auto' } })
await connect(makeClient(), (transport, answer) => transport.finishAuth(answer))
await report(makeClient)
`

const clients = [
  ['@modelcontextprotocol/sdk', '1.32.2', oldClient],
  ['@modelcontextprotocol/client', '2.4.0', newClient],
] as const

for (const [name, version, script] of clients) {
  test(`${name} connects by the address alone, and renews its token`, async (t) => {
    const found = await clientFromNpm(name, version, 'package.json')
    if (!found) return t.skip(`${name} cannot be installed: the npm registry is out of reach`)
    const packages = `${found.slice(0, found.lastIndexOf('node_modules'))}node_modules`
    const folder = makeProject({ 'client.mjs': script.replaceAll('PACKAGES', packages) })
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const { url, seen } = await person(t)
    const env = { MCP_URL: `${gatehouse.url}/mcp`, PERSON: url }
    const { code, output } = await runClient(process.execPath, [join(folder, 'client.mjs')], { folder, env })
    assert.equal(code, 0, output)
    const said = JSON.parse(
      output
        .trim()
        .split('\n')
        .find((line) => line.startsWith('{'))!,
    )
    assert.deepEqual([said.tools.length, said.again, said.renewed], [4, 4, true])
    assert.equal(said.scope, 'findings:read dependencies:read')
    const asked = new URL(seen[0]!).searchParams
    assert.deepEqual(
      [asked.get('resource'), asked.get('code_challenge_method'), asked.get('state')],
      [`${gatehouse.url}/mcp`, 'S256', 'state-of-the-test'],
    )
  })
}

/** A browser that clients find as they find any (xdg-open, BROWSER). This one hands the address to the person. */
function browserFor(t: TestContext, url: string): { folder: string; env: Record<string, string> } {
  const opener = `#!/bin/sh\nfor last; do :; done\nexec curl -sS --data-binary "$last" ${url}\n`
  const names = ['xdg-open', 'x-www-browser']
  const folder = makeProject(Object.fromEntries(names.map((name) => [`bin/${name}`, opener])))
  for (const name of names) chmodSync(join(folder, 'bin', name), 0o755)
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  return {
    folder,
    env: { PATH: `${join(folder, 'bin')}:${process.env.PATH}`, BROWSER: join(folder, 'bin', names[0]!) },
  }
}

const skip = deepOnly('the inspector installs its own clients, which takes a while')

test('the inspector connects by the address alone', { skip }, async (t) => {
  const found = await clientFromNpm('@modelcontextprotocol/inspector', '2.12.0', 'package.json')
  if (!found) return t.skip('@modelcontextprotocol/inspector cannot be installed: the npm registry is out of reach')
  const { url, seen } = await person(t)
  const { folder, env } = browserFor(t, url)
  const program = join(dirname(dirname(dirname(found))), '.bin', 'mcp-inspector')
  const args = ['--cli', `${gatehouse.url}/mcp`, '--transport', 'http', '--method', 'tools/list']
  const callback = ['--callback-url', `http://127.0.0.1:${await freePort()}/oauth/callback`]
  // Without a terminal it prints the address and opens nothing, unless it is told to.
  const opening = { ...env, MCP_AUTO_OPEN_ENABLED: 'true' }
  const { code, output } = await runClient(program, [...args, ...callback], { folder, env: opening })
  assert.equal(code, 0, output)
  assert.match(output, /"search_findings"/)
  assert.equal(seen.length, 1)
})

test('mcp-remote connects by the address alone', async (t) => {
  const found = await clientFromNpm('mcp-remote', '0.15.1', 'package.json')
  if (!found) return t.skip('mcp-remote cannot be installed: the npm registry is out of reach')
  const { url, seen } = await person(t)
  const { folder, env } = browserFor(t, url)
  const program = join(dirname(found), 'dist', 'client.js')
  const port = String(await freePort())
  const args = [program, `${gatehouse.url}/mcp`, port]
  const { code, output } = await runClient(process.execPath, args, { folder, env })
  assert.equal(code, 0, output)
  assert.match(output, /search_findings/)
  assert.equal(seen.length, 1)
})
