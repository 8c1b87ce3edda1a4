import assert from 'node:assert/strict'
import { request as httpRequest } from 'node:http'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { openProxyGatehouse } from '../../../test/servers/proxy-gatehouse.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../../sandbox/registries/npm-registry.ts'

let gatehouse: TestGatehouse
let registry: NpmRegistrySandbox

before(async () => {
  gatehouse = await openGatehouse()
  registry = await startNpmRegistry()
  registry.publish({ name: 'left', version: '1.0.0' })
})

after(async () => {
  await gatehouse.close()
  await registry.close()
})

/** With a Host of one's own, which fetch does not let through. */
function getAs(url: string, host: string, token: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    const asked = httpRequest(`${url}/firewall/1/npm/left`, { headers: { host, authorization: `Bearer ${token}` } })
    asked.on('error', reject).on('response', async (response) => {
      const chunks: Buffer[] = []
      for await (const chunk of response) chunks.push(chunk)
      resolve({ status: response.statusCode!, body: Buffer.concat(chunks).toString() })
    })
    asked.end()
  })
}

test('metadata sends clients back to where they found us, and only to what can be a host', async (t) => {
  const proxy = await openProxyGatehouse({ upstreams: { npm: registry.url } }, gatehouse)
  t.after(() => proxy.close())
  const good = await getAs(proxy.url, 'packages.example.com:8443', proxy.token)
  assert.equal(good.status, 200)
  assert.match(good.body, /"http:\/\/packages\.example\.com:8443\/firewall\/1\/npm\/left\/-\/left-1\.0\.0\.tgz"/)
  for (const host of [
    'evil.example/x',
    'evil.example?x=',
    'evil.example#',
    'user@evil.example',
    'a b',
    'a"b',
    '<x>',
    'a\\b',
  ]) {
    const answer = await getAs(proxy.url, host, proxy.token)
    assert.equal(answer.status, 400, host)
    assert.doesNotMatch(answer.body, /tarball/)
  }
})

test('a token that asks too often is told to wait, in the words of clients; another token is not', async (t) => {
  const proxy = await openProxyGatehouse({ upstreams: { npm: registry.url }, perMinute: 5 }, gatehouse)
  t.after(() => proxy.close())
  const other = await gatehouse.makeToken(gatehouse.owner.jwt, 1)
  for (let at = 0; at < 5; at++) assert.equal((await proxy.get('npm/left')).status, 200)
  const refused = await proxy.get('npm/left')
  assert.equal(refused.status, 429)
  assert.ok(Number(refused.headers.get('retry-after')) > 0)
  const { error, code } = await refused.json()
  assert.equal(code, 'too_many_requests')
  assert.equal(refused.statusText, error)
  assert.equal((await proxy.get('npm/left', { as: other })).status, 200)
})

test('all tokens of a deployment together have a limit, which others do not feel', async (t) => {
  const proxy = await openProxyGatehouse({ upstreams: { npm: registry.url }, perMinute: 2 }, gatehouse)
  t.after(() => proxy.close())
  const statuses: number[] = []
  for (let token = 0; token < 9; token++) {
    const as = await gatehouse.makeToken(gatehouse.owner.jwt, 1)
    for (let at = 0; at < 2; at++) statuses.push((await proxy.get('npm/left', { as })).status)
  }
  assert.deepEqual(statuses, [...Array(16).fill(200), 429, 429])
  const deployment = await gatehouse.addDeployment()
  const headers = { authorization: `Bearer ${deployment.as}` }
  assert.equal((await fetch(`${proxy.url}/firewall/${deployment.id}/npm/left`, { headers })).status, 200)
})

test('who guesses tokens is told to wait; who has one at the same address is not', async (t) => {
  const proxy = await openProxyGatehouse({ upstreams: { npm: registry.url }, perMinute: 40 }, gatehouse)
  t.after(() => proxy.close())
  const guess = async (at: number) => (await proxy.get('npm/left', { as: `gth_guess${at}` })).status
  assert.deepEqual([await guess(1), await guess(2), await guess(3)], [401, 401, 429])
  assert.equal((await proxy.get('npm/left')).status, 200)
})

test('nobody is counted for asking without a token first, as clients do', async (t) => {
  const proxy = await openProxyGatehouse({ upstreams: { npm: registry.url }, perMinute: 20 }, gatehouse)
  t.after(() => proxy.close())
  for (let at = 0; at < 5; at++) assert.equal((await proxy.get('npm/left', { as: '' })).status, 401)
})
