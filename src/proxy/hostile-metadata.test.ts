import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import fastify from 'fastify'
import { openGatehouse, type TestGatehouse } from '../../test/gatehouse.ts'
import { openProxyGatehouse, type ProxyGatehouse } from '../../test/servers/proxy-gatehouse.ts'
import { watchStalls } from '../../test/watching/stall-watch.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../sandbox/registries/npm-registry.ts'
import { startRegistryServer } from '../sandbox/registries/registry-server.ts'

let gatehouse: TestGatehouse
let registry: NpmRegistrySandbox
let other: Awaited<ReturnType<typeof startRegistryServer>>
let proxy: ProxyGatehouse
const bodies = new Map<string, { type: string; body: Buffer }>()

before(async () => {
  gatehouse = await openGatehouse()
  registry = await startNpmRegistry()
  registry.publish({ name: 'honest', version: '1.0.0' })
  registry.control.meddle = ({ path }, honest) => packed(path) ?? honest
  other = await startRegistryServer(({ path }) => packed(path) ?? { status: 404 })
  const upstreams = { npm: registry.url, pypi: other.url, maven: other.url }
  proxy = await openProxyGatehouse({ upstreams, egressAllow: '127.0.0.1,::1' }, gatehouse)
})

after(async () => {
  await proxy.close()
  await registry.close()
  await other.close()
  await gatehouse.close()
})

function packed(path: string) {
  const found = bodies.get(decodeURIComponent(path))
  return found && { headers: { 'content-type': found.type, 'content-encoding': 'gzip' }, body: found.body }
}

/** Asks while the event loop is watched. */
async function ask(path: string, at: string, text: string, type = 'application/json') {
  bodies.set(at, { type, body: gzipSync(text, { level: 1 }) })
  const watch = watchStalls(fastify())
  const answer = await proxy.get(path)
  const body = Buffer.from(await answer.arrayBuffer())
  watch.stop()
  return { status: answer.status, body }
}

const mebibyte = 1024 * 1024
const version = '"1.0.0":{"version":"1.0.0","dist":{"tarball":"https://r.example/a.tgz"}}'

test('a packument with much in it is read and rewritten while others are answered', async () => {
  const text = `{"name":"much","versions":{${version}},"x":[${'[1,"abcdef"],'.repeat(mebibyte / 4)}0]}`
  const { status, body } = await ask('npm/much', '/much', text)
  assert.equal(status, 200)
  assert.ok(body.includes(`${proxy.url}/firewall/1/npm/much/-/much-1.0.0.tgz`))
  const one = await proxy.get('npm/much/1.0.0')
  assert.equal((await one.json()).version, '1.0.0')
})

test('one that unpacks to more than a document may have is refused', async () => {
  const text = `{"name":"bomb","versions":{${version}},"x":"${'a'.repeat(70 * mebibyte)}"}`
  const { status, body } = await ask('npm/bomb', '/bomb', text)
  assert.equal(status, 502)
  assert.match(body.toString(), /larger than/)
})

test('one that would take more memory to read than there is is refused, and the next is served', async () => {
  const text = `{"name":"greedy","versions":{${version}},"x":[${'{},'.repeat(20 * mebibyte)}0]}`
  const { status, body } = await ask('npm/greedy', '/greedy', text)
  assert.equal(status, 502)
  assert.match(body.toString(), /more in it/)
  assert.equal((await proxy.get('npm/honest')).status, 200)
})

test('one that lists more versions than any package has is refused', async () => {
  const text = `{"name":"long","versions":{${Array.from({ length: 100_001 }, (_, at) => `"${at}.0.0":{}`).join()}}}`
  const { status, body } = await ask('npm/long', '/long', text)
  assert.equal(status, 502)
  assert.match(body.toString(), /more than 100000/)
})

test('a page of many files is read and written while others are answered', async () => {
  const link = (at: number) => `<a href="many-${at}.0.tar.gz#sha256=${'a'.repeat(64)}">many-${at}.0.tar.gz</a>`
  const text = `<!DOCTYPE html><html><body>${Array.from({ length: 50_000 }, (_, at) => link(at)).join('\n')}</body></html>`
  const { status, body } = await ask('pypi/simple/many/', '/many/', text, 'text/html')
  assert.equal(status, 200)
  assert.ok(body.includes('many-49999.0.tar.gz'))
})

test('metadata of Maven that is made to take long is rewritten all the same', async () => {
  proxy.blocked.set('maven g:a@1.0', 'M-1')
  const hostile = `<latest>${' '.repeat(64_000)}<release>${'\t'.repeat(64_000)}x</release></latest>`
  const versions = '<versions><version>1.0</version><version>2.0</version></versions>'
  const text = `<metadata><versioning>${versions}${hostile}</versioning></metadata>`
  const { status, body } = await ask('maven/g/a/maven-metadata.xml', '/g/a/maven-metadata.xml', text, 'text/xml')
  assert.equal(status, 200)
  assert.match(body.toString(), /<versions><version>2\.0<\/version><\/versions>/)
})
