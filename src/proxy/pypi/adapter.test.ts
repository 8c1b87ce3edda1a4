import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { openProxyGatehouse, type ProxyGatehouse } from '../../../test/servers/proxy-gatehouse.ts'
import { type PypiRegistrySandbox, startPypiRegistry } from '../../sandbox/registries/pypi-registry.ts'

let gatehouse: TestGatehouse
let index: PypiRegistrySandbox
let proxy: ProxyGatehouse

before(async () => {
  gatehouse = await openGatehouse()
  index = await startPypiRegistry()
  for (const version of ['1.0', '1.1']) index.publish({ name: 'left-pad', version })
  index.publish({ name: 'left-pad', version: '1.2', publishedAt: '2026-01-01T00:00:00.000Z' })
  proxy = await openProxyGatehouse({ upstreams: { pypi: index.indexUrl }, egressAllow: '127.0.0.1' }, gatehouse)
})

beforeEach(() => {
  proxy.blocked.clear()
  proxy.events.length = 0
  proxy.control.verdict = undefined
  index.control.meddle = undefined
})

after(async () => {
  await proxy.close()
  await index.close()
  await gatehouse.close()
})

const json = { accept: 'application/vnd.pypi.simple.v1+json' }
const fileOf = (version: string) => `left_pad-${version}-py3-none-any.whl`
const pathOf = (version: string) => `pypi/simple/left-pad/${fileOf(version)}`

test('a page in both forms, with files that lead through us', async () => {
  const html = await proxy.get('pypi/simple/left-pad/')
  assert.match(html.headers.get('content-type') ?? '', /^text\/html/)
  assert.match(
    await html.text(),
    /href="http:\/\/127\.0\.0\.1:\d+\/firewall\/1\/pypi\/simple\/left-pad\/left_pad-1\.0-py3/,
  )
  const answer = await proxy.get('pypi/simple/left-pad/', { headers: json })
  const { files, meta } = await answer.json()
  assert.equal(meta['api-version'], '1.1')
  assert.equal(files[0].url, `${proxy.url}/firewall/1/pypi/simple/left-pad/${fileOf('1.0')}`)
  const again = await proxy.get('pypi/simple/left-pad/', {
    headers: { ...json, 'if-none-match': answer.headers.get('etag')! },
  })
  assert.equal(again.status, 304)
})

test('a refused version is yanked with the reason, and 403 as a file and as metadata', async () => {
  proxy.blocked.set('pypi left-pad@1.1', 'MAL-1')
  const { files } = await (await proxy.get('pypi/simple/left-pad/', { headers: json })).json()
  assert.deepEqual(
    files.map(({ yanked }: { yanked: unknown }) => typeof yanked === 'string' && /MAL-1/.test(yanked)),
    [false, true, false],
  )
  for (const path of [pathOf('1.1'), `${pathOf('1.1')}.metadata`]) {
    const answer = await proxy.get(path)
    assert.equal(answer.status, 403)
    assert.match(answer.statusText, /left-pad@1\.1.*MAL-1/)
  }
  assert.equal(proxy.events.filter(({ refused }) => refused).length, 2)
})

test('a project without a file is not there, and refused where a version of it was malicious', async () => {
  const body = JSON.stringify({ meta: { 'api-version': '1.0' }, name: 'emptied', files: [] })
  index.control.meddle = ({ path }, honest) =>
    path === '/simple/emptied/' ? { headers: { 'content-type': json.accept }, body } : honest
  assert.equal((await proxy.get('pypi/simple/emptied/')).status, 404)
  proxy.blocked.set('pypi emptied@1.0', 'MAL-3')
  const answer = await proxy.get('pypi/simple/emptied/')
  assert.equal(answer.status, 403)
  assert.match(answer.statusText, /MAL-3/)
})

test('files and metadata come verified, and only files are counted', async () => {
  const file = await proxy.get(pathOf('1.0'))
  assert.deepEqual(Buffer.from(await file.arrayBuffer()), index.projects.get('left-pad')![0]!.content)
  const metadata = await proxy.get(`${pathOf('1.0')}.metadata`)
  assert.match(await metadata.text(), /^Metadata-Version/)
  assert.deepEqual(
    proxy.events.map(({ version, refused }) => [version, refused]),
    [['1.0', false]],
  )
})

test('a file or metadata with other bytes: 502', async () => {
  index.control.meddle = (request, honest) =>
    request.path.startsWith('/files')
      ? { ...honest, body: Buffer.concat([Buffer.from(honest.body!), Buffer.from('x')]) }
      : honest
  assert.equal((await proxy.get(pathOf('1.1'))).status, 502)
  assert.equal((await proxy.get(`${pathOf('1.1')}.metadata`)).status, 502)
  index.control.meddle = undefined
  assert.equal((await proxy.get(pathOf('1.1'))).status, 200)
})

test('a file at another host is not asked for there', async () => {
  const elsewhere = await startPypiRegistry()
  index.publish({ name: 'away', version: '1.0' })
  const { port } = new URL(elsewhere.url)
  index.control.meddle = (_request, honest) => ({
    ...honest,
    body: String(honest.body).replaceAll('../../files', `http://localhost:${port}/files`),
  })
  const answer = await proxy.get('pypi/simple/away/away-1.0-py3-none-any.whl')
  assert.equal(answer.status, 502)
  assert.match((await answer.json()).error, /localhost.*not one of its own hosts/)
  assert.equal(elsewhere.seen.length, 0)
  await elsewhere.close()
})

test('the age gate looks at each file', async () => {
  proxy.control.verdict = (_name, _version, publishedAt) => {
    if (!publishedAt) return { decision: 'undetermined', refuse: true, reason: 'no time' }
    return publishedAt > new Date('2025-01-01') ? { decision: 'block', refuse: true, reason: 'too young' } : {}
  }
  const { files } = await (await proxy.get('pypi/simple/left-pad/', { headers: json })).json()
  assert.deepEqual(
    files.map(({ yanked }: { yanked: unknown }) => typeof yanked),
    ['boolean', 'boolean', 'string'],
  )
  assert.equal((await proxy.get(pathOf('1.2'))).status, 403)
  assert.equal((await proxy.get(pathOf('1.0'))).status, 200)
})

test("a deployment's own index is asked with its login, first and alone", async () => {
  const own = await startPypiRegistry()
  own.publish({ name: 'inner', version: '1.0' })
  const config = {
    config: { name: 'Own', url: `${own.url}/simple`, ecosystem: 'pypi' },
    pypi: { username: 'u', password: 'p' },
  }
  const configs = '/api/agent/deployments/1/packagemanagerauthconfigs'
  const made = await gatehouse.call('POST', configs, { body: { packageManagerConfigForInsert: config } })
  proxy.expire()
  const asked = index.seen.length
  assert.equal((await proxy.get('pypi/simple/inner/')).status, 200)
  assert.equal((await proxy.get('pypi/simple/left-pad/')).status, 404)
  assert.equal(index.seen.length, asked)
  const login = `Basic ${Buffer.from('u:p').toString('base64')}`
  assert.ok(own.seen.length > 0 && own.seen.every(({ headers }) => headers.authorization === login))
  await gatehouse.call('DELETE', `${configs}/${made.body.packageManagerConfig.id}`)
  proxy.expire()
  assert.equal((await proxy.get('pypi/simple/left-pad/')).status, 200)
  await own.close()
})
