import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { openProxyGatehouse, type ProxyGatehouse } from '../../../test/servers/proxy-gatehouse.ts'
import { type NpmRegistrySandbox, startNpmRegistry } from '../../sandbox/registries/npm-registry.ts'

let gatehouse: TestGatehouse
let proxy: ProxyGatehouse
let ours: NpmRegistrySandbox
let theirs: NpmRegistrySandbox
let other: { id: number; as: string }

before(async () => {
  gatehouse = await openGatehouse()
  ours = await startNpmRegistry()
  theirs = await startNpmRegistry()
  proxy = await openProxyGatehouse({ egressAllow: '127.0.0.1' }, gatehouse)
  other = await gatehouse.addDeployment()
  await enter(1, gatehouse.owner.token, ours.url)
  await enter(other.id, other.as, theirs.url)
})

after(async () => {
  await proxy.close()
  await ours.close()
  await theirs.close()
  await gatehouse.close()
})

async function enter(deployment: number, as: string, url: string): Promise<void> {
  const body = { packageManagerConfigForInsert: { config: { name: 'Own', url, ecosystem: 'npm' } } }
  const path = `/api/agent/deployments/${deployment}/packagemanagerauthconfigs`
  assert.equal((await gatehouse.call('POST', path, { as, body })).status, 200)
}

const secret = 'secret/-/secret-1.0.0.tgz'
const asOther = (path: string) =>
  fetch(`${proxy.url}/firewall/${other.id}/npm/${path}`, { headers: { authorization: `Bearer ${other.as}` } })

for (const large of [false, true]) {
  test(`who knows the hash of somebody's ${large ? 'large' : 'small'} package gets nothing by it`, async () => {
    const files = large ? { 'package/large': 'x'.repeat(700_000) + Math.random() } : {}
    ours.publish({ name: 'secret', version: '1.0.0', files })
    // Larger than is held in memory, so that it is looked for on disk.
    if (large) ours.tarballs.set(`/${secret}`, Buffer.concat([ours.tarballs.get(`/${secret}`)!, Buffer.alloc(600_000)]))
    const { dist } = ours.packages.get('secret')!.versions.get('1.0.0')!
    if (large) dist.integrity = integrityOf(ours.tarballs.get(`/${secret}`)!)
    proxy.expire()
    const content = Buffer.from(await (await proxy.get(`npm/${secret}`)).arrayBuffer())
    assert.deepEqual(content, ours.tarballs.get(`/${secret}`))
    await proxy.proxy.settle()

    // Their registry says that it has the very same, and has nothing.
    theirs.publish({ name: 'secret', version: '1.0.0' })
    theirs.packages.get('secret')!.versions.get('1.0.0')!.dist.integrity = dist.integrity
    theirs.tarballs.delete(`/${secret}`)
    const answer = await asOther(secret)
    assert.equal(answer.status, 404)
  })
}

test('metadata of one registry is not shown to whoever asks another', async () => {
  ours.publish({ name: 'both', version: '1.0.0' })
  theirs.publish({ name: 'both', version: '2.0.0' })
  assert.deepEqual(Object.keys((await (await proxy.get('npm/both')).json()).versions), ['1.0.0'])
  const { versions } = (await (await asOther('both')).json()) as { versions: object }
  assert.deepEqual(Object.keys(versions), ['2.0.0'])
})

test('nor is it to the same deployment when its entry leads elsewhere', async () => {
  const path = '/api/agent/deployments/1/packagemanagerauthconfigs'
  const { body } = await gatehouse.call('GET', path)
  const { id } = body.packageManagerConfigsWithCredentials[0].config
  const changed = { packageManagerConfigForInsert: { config: { url: theirs.url } } }
  assert.equal((await gatehouse.call('PATCH', `${path}/${id}`, { body: changed })).status, 200)
  proxy.clock.ahead += 1_000
  assert.deepEqual(Object.keys((await (await proxy.get('npm/both')).json()).versions), ['2.0.0'])
})

function integrityOf(content: Buffer): string {
  return `sha512-${createHash('sha512').update(content).digest('base64')}`
}
