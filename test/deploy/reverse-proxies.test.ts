import assert from 'node:assert/strict'
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import type { IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { connect, createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, type TestContext, test } from 'node:test'
import { certificateFor, withoutOpenssl } from '../../src/outbound/test-certificate.ts'
import { openGatehouse, type TestGatehouse } from '../gatehouse.ts'
import { poll } from '../servers/real-process.ts'
import { deploy, program, run, without } from './programs.ts'

/** The sample configurations, run by the real programs before a real Gatehouse. Addresses and certificates are the test's. */
const host = 'gatehouse.example.com'
const lines: string[] = []
let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({
    env: { GATEHOUSE_TRUST_PROXY: '127.0.0.1', GATEHOUSE_URL: `https://${host}` },
    log: (line) => lines.push(line),
  })
})
after(() => gatehouse.close())

type Setup = { folder: string; port: number; plainPort: number; key: string; cert: string; server: string }
type Proxy = {
  how: string
  file: string
  configure(text: string, setup: Setup): string
  check(file: string, setup: Setup): string[]
  start(file: string, setup: Setup): string[]
}

const proxies: Record<string, Proxy> = {
  nginx: {
    how: 'Debian: apt-get install nginx-light',
    file: 'nginx/gatehouse.conf',
    configure: (text, { folder, port, plainPort, server }) => `daemon off; worker_processes 1; pid ${folder}/pid;
      error_log stderr notice; events {}
      http { access_log off; client_body_temp_path ${folder}/body; proxy_temp_path ${folder}/proxy;
        fastcgi_temp_path ${folder}/a; uwsgi_temp_path ${folder}/b; scgi_temp_path ${folder}/c;
      ${swap(text, {
        'listen 80;': `listen 127.0.0.1:${plainPort};`,
        'listen 443 ssl http2;': `listen 127.0.0.1:${port} ssl http2;`,
        '/etc/nginx/gatehouse.crt': `${folder}/cert`,
        '/etc/nginx/gatehouse.key': `${folder}/key`,
        '127.0.0.1:8080': server,
      })}}`,
    check: (file) => ['-t', '-c', file],
    start: (file) => ['-c', file],
  },
  haproxy: {
    how: 'Debian: apt-get install haproxy',
    file: 'haproxy/haproxy.cfg',
    configure: (text, { folder, port, plainPort, server }) =>
      swap(text, {
        'bind :80\n': `bind 127.0.0.1:${plainPort}\n`,
        'bind :443': `bind 127.0.0.1:${port}`,
        '/etc/haproxy/gatehouse.pem': `${folder}/pem`,
        '127.0.0.1:8080': server,
      }),
    check: (file) => ['-c', '-f', file],
    start: (file) => ['-db', '-f', file],
  },
  caddy: {
    how: 'Debian: apt-get install caddy',
    file: 'caddy/Caddyfile',
    configure: (text, { folder, port, plainPort, server }) =>
      `{\n\tadmin off\n\thttps_port ${port}\n\thttp_port ${plainPort}\n\tstorage file_system ${folder}/state\n}\n${swap(
        text,
        {
          'gatehouse.example.com {': `gatehouse.example.com {\n\tbind 127.0.0.1\n\ttls ${folder}/cert ${folder}/key`,
          '127.0.0.1:8080': server,
        },
      )}`,
    check: (file) => ['validate', '--adapter', 'caddyfile', '--config', file],
    start: (file) => ['run', '--adapter', 'caddyfile', '--config', file],
  },
}

for (const [name, proxy] of Object.entries(proxies)) {
  test(`${name} takes its sample configuration, and what passes through it arrives as it was sent`, {
    skip: without(name, proxy.how) || withoutOpenssl,
    timeout: 120_000,
  }, async (t) => {
    const { ask, listening } = await start(t, name, proxy)
    await listening
    assert.deepEqual(JSON.parse((await ask('GET', '/api/readiness-check')).body), { status: 'ready' })

    lines.length = 0
    await ask('GET', '/api/health-check', { 'x-forwarded-for': '203.0.113.9' })
    assert.deepEqual(addressesIn(lines), ['127.0.0.1'], 'who asks is not who they say')

    const unknown = JSON.parse((await ask('GET', '/no-such/@scope%2fname')).body)
    assert.equal(unknown.instance, '/no-such/@scope%2fname')
    const metrics = await ask('GET', '/metrics', { authorization: `Bearer ${gatehouse.owner.token}` })
    assert.equal(metrics.status, 404)

    const { deploymentId, token } = gatehouse.owner
    const upload = `/api/scans/v1/deployments/${deploymentId}/scans/raw?repository=proxied/${name}&ref=main&path=log.sarif`
    const log = { version: '2.1.0', runs: [{ tool: { driver: { name: 'x' } }, results: [] }], padding: 'x'.repeat(4e6) }
    const headers = { authorization: `Bearer ${token}`, 'content-type': 'application/octet-stream' }
    const sent = await ask('POST', upload, headers, JSON.stringify(log))
    assert.equal(sent.status, 200, sent.body)

    // A stream never ends, so its beginning arrives only through a proxy that collects nothing.
    const stream = `/api/events/v1/deployments/${deploymentId}/stream`
    const events = await ask('GET', stream, { authorization: `Bearer ${token}` }, undefined, true)
    assert.match(events.headers['content-type'] ?? '', /^text\/event-stream/)
    assert.ok(events.body.length > 0)
  })
}

async function start(t: TestContext, name: string, { file, configure, check, start: command }: Proxy) {
  const folder = mkdtempSync(join(tmpdir(), `gatehouse-${name}-`))
  const { key, cert } = certificateFor(`DNS:${host}`)
  for (const [part, text] of Object.entries({ key, cert, pem: cert + key })) writeFileSync(join(folder, part), text)
  mkdirSync(join(folder, 'state'))
  const [port, plainPort] = await unusedPorts()
  const setup = { folder, port, plainPort, key, cert, server: new URL(gatehouse.url).host }
  const place = join(folder, 'config')
  writeFileSync(place, configure(readFileSync(join(deploy, file), 'utf8'), setup))
  const checked = run(name, check(place, setup), { cwd: folder })
  assert.equal(checked.status, 0, checked.said)

  const child: ChildProcess = spawn(program(name)!, command(place, setup), {
    cwd: folder,
    stdio: 'ignore',
    env: { ...process.env, HOME: folder },
  })
  t.after(async () => {
    const gone = child.exitCode === null && once(child, 'exit')
    child.kill('SIGKILL')
    await gone
    rmSync(folder, { recursive: true, force: true })
  })
  const listening = poll(`${name} listens`, async () => (await listens(port)) || child.exitCode !== null)

  type Answer = { status: number; headers: IncomingMessage['headers']; body: string }
  /** `beginning`: answers with the first of the body and ends the exchange. */
  function ask(
    method: string,
    path: string,
    headers: Record<string, string> = {},
    body?: string,
    beginning = false,
  ): Promise<Answer> {
    return new Promise((resolve, reject) => {
      const options = { host: '127.0.0.1', port, servername: host, ca: cert, method, path, agent: false as const }
      const asked = request({ ...options, headers: { host, ...headers } }, async (response) => {
        const { statusCode: status = 0, headers } = response
        let text = ''
        for await (const chunk of response) {
          text += chunk
          if (beginning) break
        }
        resolve({ status, headers, body: text })
      })
      asked.on('error', reject).end(body)
    })
  }

  return { ask, listening }
}

/** Whatever the test sets differently has to be in the file. */
function swap(text: string, pairs: Record<string, string>): string {
  for (const [from, to] of Object.entries(pairs)) {
    assert.ok(text.includes(from), from)
    text = text.replaceAll(from, to)
  }
  return text
}

function addressesIn(written: string[]): string[] {
  const requests = written.map((line) => JSON.parse(line)).filter(({ route }) => route === '/api/health-check')
  return requests.map(({ address }) => address)
}

function listens(port: number): Promise<boolean> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('connect', () => resolve(true)).on('error', () => resolve(false))
    socket.on('connect', () => socket.destroy())
  })
}

async function unusedPorts(): Promise<[number, number]> {
  const servers = [createServer(), createServer()]
  const ports = await Promise.all(
    servers.map(async (server) => {
      await once(server.listen(0, '127.0.0.1'), 'listening')
      return (server.address() as { port: number }).port
    }),
  )
  await Promise.all(servers.map((server) => once(server.close(), 'close')))
  return ports as [number, number]
}
