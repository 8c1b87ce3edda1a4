import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { createServer, request as send } from 'node:http'
import type { AddressInfo } from 'node:net'
import { dirname, join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { sendLog } from '../src/capabilities/findings/test-findings.ts'
import { clientFromNpm, makeProject, type Ran, runClient } from './clients/package-clients.ts'
import { deepOnly } from './depth.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'

/** The official clients of the Model Context Protocol, of both generations, against the real server. */
let gatehouse: TestGatehouse

before(async () => {
  gatehouse = await openGatehouse()
  await sendLog(gatehouse, 'shop/api', [{ path: 'src/login.js' }])
})
after(() => gatehouse.close())

/** Runs a program of a client with the packages that come with it. */
async function run(t: TestContext, name: string, version: string, script: string): Promise<Ran | undefined> {
  const found = await clientFromNpm(name, version, 'package.json')
  if (!found) {
    t.skip(`${name} cannot be installed: the npm registry is out of reach`)
    return undefined
  }
  const packages = found.slice(0, found.lastIndexOf('node_modules'))
  const folder = makeProject({ 'client.mjs': script.replaceAll('PACKAGES', `${packages}node_modules`) })
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const env = { MCP_URL: `${gatehouse.url}/mcp`, MCP_TOKEN: gatehouse.owner.token }
  return runClient(process.execPath, [join(folder, 'client.mjs')], { folder, env })
}

/** Prints what it was told, as JSON. The user of this client says yes to whatever is asked. */
const newClient = (mode: string) => `
import { Client, StreamableHTTPClientTransport } from 'PACKAGES/@modelcontextprotocol/client/dist/index.mjs'
const client = new Client({ name: 'test', version: '1' }, { capabilities: { elicitation: { form: {} } }, versionNegotiation: { mode: ${mode} } })
const asked = []
client.setRequestHandler('elicitation/create', async ({ params }) => {
  asked.push(params.message)
  return { action: 'accept', content: { confirm: true } }
})
const requestInit = { headers: { authorization: 'Bearer ' + process.env.MCP_TOKEN } }
await client.connect(new StreamableHTTPClientTransport(new URL(process.env.MCP_URL), { requestInit }))
const { tools } = await client.listTools()
const call = async (name, args) => (await client.callTool({ name, arguments: args })).structuredContent
const { findings } = await call('search_findings', { repository: 'shop/api' })
const triage = { state: 'TRIAGE_STATE_REVIEWING', note: 'By ' + ${JSON.stringify(mode)} }
const decided = await call('triage_finding', { findingId: findings[0].id, ...triage })
const era = client.getProtocolEra()
await client.close()
console.log(JSON.stringify({ era, tools: tools.map(({ name }) => name), findings, asked, decided }))
`

type Told = {
  era: string
  tools: string[]
  findings: object[]
  asked: string[]
  decided: { done: boolean; proposal?: string }
}

function told({ code, output }: Ran): Told {
  assert.equal(code, 0, output)
  return JSON.parse(
    output
      .trim()
      .split('\n')
      .find((line) => line.startsWith('{'))!,
  )
}

test('the new client finds 2026-07-28, and its user is asked before anything is changed', async (t) => {
  const ran = await run(t, '@modelcontextprotocol/client', '2.4.0', newClient("'auto'"))
  if (!ran) return
  const { era, tools, findings, asked, decided } = told(ran)
  assert.deepEqual([era, tools.length, findings.length], ['modern', 8, 1])
  assert.match(asked.join(), /from open to reviewing/)
  assert.equal(decided.done, true)
})

test('the new client in its earlier dialect gets a proposal', async (t) => {
  const ran = await run(
    t,
    '@modelcontextprotocol/client',
    '2.4.0',
    newClient("'legacy'").replace(
      "'shop/api' }",
      "'shop/api', states: ['TRIAGE_STATE_OPEN', 'TRIAGE_STATE_REVIEWING'] }",
    ),
  )
  if (!ran) return
  const { era, asked, decided } = told(ran)
  assert.deepEqual([era, asked, decided.done], ['legacy', [], false])
  assert.match(decided.proposal!, /to reviewing/)
})

const oldClient = `
import { Client } from 'PACKAGES/@modelcontextprotocol/sdk/dist/esm/client/index.js'
import { StreamableHTTPClientTransport } from 'PACKAGES/@modelcontextprotocol/sdk/dist/esm/client/streamableHttp.js'
const client = new Client({ name: 'test', version: '1' }, { capabilities: {} })
const requestInit = { headers: { authorization: 'Bearer ' + process.env.MCP_TOKEN } }
await client.connect(new StreamableHTTPClientTransport(new URL(process.env.MCP_URL), { requestInit }))
await client.ping()
const { tools } = await client.listTools()
const { structuredContent, content } = await client.callTool({ name: 'find_dependency', arguments: { name: 'left' } })
const refused = await client.callTool({ name: 'explain_finding', arguments: { findingId: '987654321' } })
await client.close()
console.log(JSON.stringify({ tools: tools.map(({ name }) => name), structuredContent, content, refused, info: client.getServerVersion() }))
`

test('the client of the old SDK works as it is', async (t) => {
  const ran = await run(t, '@modelcontextprotocol/sdk', '1.32.2', oldClient)
  if (!ran) return
  assert.equal(ran.code, 0, ran.output)
  const said = JSON.parse(
    ran.output
      .trim()
      .split('\n')
      .find((line) => line.startsWith('{'))!,
  )
  assert.deepEqual([said.tools.length, said.info.name], [8, 'gatehouse'])
  assert.deepEqual(said.structuredContent, { dependencies: [], nextCursor: null })
  assert.deepEqual([said.refused.isError, said.refused.content[0].text], [true, 'No finding 987654321.'])
})

const skip = deepOnly('the inspector installs its own clients, which takes a while')

test('the inspector lists the tools and calls one', { skip }, async (t) => {
  const found = await clientFromNpm('@modelcontextprotocol/inspector', '2.12.0', 'package.json')
  if (!found) return t.skip('@modelcontextprotocol/inspector cannot be installed: the npm registry is out of reach')
  const folder = makeProject({})
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const program = join(dirname(dirname(dirname(found))), '.bin', 'mcp-inspector')
  const common = [
    '--cli',
    `${gatehouse.url}/mcp`,
    '--transport',
    'http',
    '--header',
    `Authorization: Bearer ${gatehouse.owner.token}`,
  ]
  const listed = await runClient(program, [...common, '--method', 'tools/list'], { folder })
  assert.equal(listed.code, 0, listed.output)
  assert.match(listed.output, /"check_package"/)
  const args = ['--method', 'tools/call', '--tool-name', 'who_is_affected', '--tool-arg', 'vulnerabilityId=CVE-1']
  const called = await runClient(program, [...common, ...args], { folder })
  assert.match(called.output, /No vulnerability 'CVE-1'/)
})

/** The conformance suite sends no credentials: this puts them in, and changes nothing else. */
async function withCredentials(t: TestContext): Promise<string> {
  const { hostname, port } = new URL(gatehouse.url)
  const server = createServer((request, response) => {
    const headers = { ...request.headers, authorization: `Bearer ${gatehouse.owner.token}` }
    const passed = send({ hostname, port, path: request.url, method: request.method, headers }, (answer) => {
      response.writeHead(answer.statusCode!, answer.headers)
      answer.pipe(response)
    })
    passed.on('error', () => response.destroy())
    request.pipe(passed)
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.close()
    server.closeAllConnections()
  })
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/mcp`
}

for (const scenario of ['server-initialize', 'ping', 'tools-list', 'dns-rebinding-protection']) {
  test(`conformance: ${scenario}`, async (t) => {
    const found = await clientFromNpm('@modelcontextprotocol/conformance', '0.1.16', 'package.json')
    if (!found) return t.skip('@modelcontextprotocol/conformance cannot be installed: the npm registry is out of reach')
    const url = await withCredentials(t)
    const folder = makeProject({})
    t.after(() => rmSync(folder, { recursive: true, force: true }))
    const program = join(dirname(dirname(dirname(found))), '.bin', 'conformance')
    const { code, output } = await runClient(program, ['server', '--url', url, '--scenario', scenario], { folder })
    assert.equal(code, 0, output)
  })
}
