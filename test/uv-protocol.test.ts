import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, beforeEach, test } from 'node:test'
import { type PypiRegistrySandbox, startPypiRegistry } from '../src/sandbox/registries/pypi-registry.ts'
import { openProxyGatehouse, type ProxyGatehouse } from './servers/proxy-gatehouse.ts'

// uv comes as a program that cannot be had everywhere, so its requests are made here, one by one, as uv-client 0.9 makes
// them: `simple_detail_single_index`, `wheel_metadata_registry`, `wheel_metadata_no_pep658` and uv-auth's middleware.
const agent = 'uv/0.9.30 {"installer":{"name":"uv","version":"0.9.30"},"python":"3.12.7"}'
const accept = 'application/vnd.pypi.simple.v1+json, application/vnd.pypi.simple.v1+html;q=0.2, text/html;q=0.01'
const tailBytes = 16_384

let index: PypiRegistrySandbox
let proxy: ProxyGatehouse

before(async () => {
  index = await startPypiRegistry()
  for (const version of ['1.0', '1.1', '1.2']) index.publish({ name: 'left-pad', version })
  index.publish({ name: 'plain', version: '1.0' })
  proxy = await openProxyGatehouse({ upstreams: { pypi: index.indexUrl } })
})

beforeEach(() => {
  proxy.blocked.clear()
  proxy.expire()
  index.control.meddle = undefined
})

after(async () => {
  await proxy.close()
  await index.close()
})

type Sent = { method?: string; headers?: Record<string, string>; login?: string }
type File = {
  filename: string
  url: string
  hashes: { sha256: string }
  yanked: boolean | string
  'core-metadata'?: object
}

/** `login` is what stands before the @ in the address of the index. */
function uv(url: string, { method = 'GET', headers = {}, login = `__token__:${proxy.token}` }: Sent = {}) {
  const signed = login === '' ? {} : { authorization: `Basic ${Buffer.from(login).toString('base64')}` }
  return fetch(url, { method, headers: { 'user-agent': agent, accept: '*/*', ...signed, ...headers } })
}

function page(sent: Sent = {}, project = 'left-pad'): Promise<Response> {
  const url = `${proxy.url}/firewall/1/pypi/simple/${project}/`
  return uv(url, { ...sent, headers: { accept, 'accept-encoding': 'gzip, deflate, zstd', ...sent.headers } })
}

async function filesOf(answer: Response): Promise<File[]> {
  assert.equal(answer.headers.get('content-type'), 'application/vnd.pypi.simple.v1+json')
  return ((await answer.json()) as { files: File[] }).files
}

async function fileOf(version: string, project = 'left-pad'): Promise<File> {
  const files = await filesOf(await page({}, project))
  return files.find(({ filename }) => filename.includes(`-${version}-`))!
}

const identity = { headers: { 'accept-encoding': 'identity' } }

test('uv signs in with a login in the address, or with what netrc or a keyring has after a 401', async () => {
  for (const login of [`__token__:${proxy.token}`, `anybody:${proxy.token}`, `${proxy.token}:`]) {
    assert.equal((await page({ login })).status, 200)
  }
  const first = await page({ login: '' })
  assert.equal(first.status, 401)
  assert.match(first.headers.get('www-authenticate') ?? '', /^Basic /)
})

test('uv takes the page as JSON, and asks whether it still holds with its tag', async () => {
  const first = await page()
  const files = await filesOf(first)
  assert.ok(files.every(({ url }) => url.startsWith(`${proxy.url}/firewall/1/pypi/`)))
  const again = await page({ headers: { 'if-none-match': first.headers.get('etag')! } })
  assert.equal(again.status, 304)
})

test('uv reads metadata beside the wheel, then takes the wheel and compares its hash', async () => {
  const file = await fileOf('1.1')
  assert.ok(file['core-metadata'])
  const metadata = await uv(`${file.url}.metadata`)
  assert.match(await metadata.text(), /^Metadata-Version: .*\nName: left-pad\nVersion: 1\.1\n/)
  const wheel = Buffer.from(await (await uv(file.url, identity)).arrayBuffer())
  assert.equal(createHash('sha256').update(wheel).digest('hex'), file.hashes.sha256)
})

test('uv reads metadata out of the wheel by ranges where the index has none beside it', async () => {
  index.control.meddle = (_request, honest) => ({
    ...honest,
    body: honest.headers?.['content-type']?.includes('json')
      ? String(honest.body).replaceAll('core-metadata', 'nothing')
      : (honest.body ?? ''),
  })
  const file = await fileOf('1.0', 'plain')
  assert.equal(file['core-metadata'], undefined)
  const head = await uv(file.url, { method: 'HEAD', ...identity })
  assert.equal(head.headers.get('accept-ranges'), 'bytes')
  const length = Number(head.headers.get('content-length'))
  const whole = index.projects.get('plain')![0]!.content
  assert.equal(length, whole.length)

  const tail = await rangeOf(file.url, Math.max(0, length - tailBytes), length - 1, length)
  const directory = tail.indexOf('PK\u0001\u0002', 0, 'latin1')
  const name = tail.indexOf('.dist-info/METADATA', directory)
  const entry = tail.lastIndexOf('PK\u0001\u0002', name, 'latin1')
  const offset = tail.readUInt32LE(entry + 42)
  const size = tail.readUInt32LE(entry + 20) + 30 + tail.readUInt16LE(entry + 28)
  const part = await rangeOf(file.url, offset, offset + size - 1, length)
  assert.deepEqual(part, whole.subarray(offset, offset + size))
})

async function rangeOf(url: string, start: number, end: number, length: number): Promise<Buffer> {
  const answer = await uv(url, { headers: { ...identity.headers, range: `bytes=${start}-${end}` } })
  assert.equal(answer.status, 206)
  assert.equal(answer.headers.get('content-range'), `bytes ${start}-${end}/${length}`)
  return Buffer.from(await answer.arrayBuffer())
}

test('uv goes on with a large download where it stopped', async () => {
  const large = Buffer.alloc(3_000_000, 'large')
  const file = index.projects.get('left-pad')![1]!
  const small = file.content
  file.content = large
  proxy.expire()
  const { url } = await fileOf('1.1')
  const rest = await uv(url, { headers: { range: 'bytes=2999990-' } })
  assert.equal(rest.status, 206)
  assert.deepEqual(Buffer.from(await rest.arrayBuffer()), large.subarray(2_999_990))
  assert.equal((await uv(url, { headers: { range: 'bytes=3000000-' } })).status, 416)
  file.content = small
})

test('uv passes over what is refused, and a pin ends with our words as problem details (RFC 9457)', async () => {
  proxy.blocked.set('pypi left-pad@1.2', 'MAL-2026-14')
  const files = await filesOf(await page())
  assert.deepEqual(
    files.map(({ yanked }) => yanked !== false),
    [false, false, true],
  )
  const { url } = files[2]!
  for (const [address, sent] of [
    [`${url}.metadata`, {}],
    [url, { method: 'HEAD', ...identity }],
    [url, { headers: { range: 'bytes=0-9' } }],
    [url, identity],
  ] as [string, Sent][]) {
    const answer = await uv(address, sent)
    assert.equal(answer.status, 403)
    assert.match(answer.statusText, /Gatehouse refuses left-pad@1\.2: .*MAL-2026-14/)
    assert.match(answer.headers.get('content-type') ?? '', /^application\/problem\+json/)
    if (sent.method !== 'HEAD') {
      assert.match(((await answer.json()) as { detail: string }).detail, /Gatehouse refuses left-pad@1\.2/)
    }
  }
})
