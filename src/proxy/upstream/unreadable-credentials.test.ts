import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { type Ecosystem, openTwo, placesOf } from '../../../test/outside/two-registries.ts'
import { openProxyGatehouse, type ProxyGatehouse, toldBy } from '../../../test/servers/proxy-gatehouse.ts'
import { proxiedEcosystemIds } from '../../ecosystems/ecosystem.ts'

const configs = '/api/agent/deployments/1/packagemanagerauthconfigs'
const groups: Partial<Record<Ecosystem, string>> = { maven: 'com.corp:', gomod: 'corp.example/' }

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

for (const ecosystem of proxiedEcosystemIds) describe(ecosystem, () => swappedCredentials(ecosystem))

/** A private registry, a public one, and an entry for another ecosystem whose credentials are put into the row of the private one. */
function swappedCredentials(ecosystem: Ecosystem): void {
  const elsewhere = ecosystem === 'pypi' ? 'npm' : 'pypi'
  const name = `${groups[ecosystem] ?? ''}secret-${ecosystem}`
  const apart = `apart-from-${ecosystem}`
  let two: Awaited<ReturnType<typeof openTwo>>
  let others: Awaited<ReturnType<typeof openTwo>>
  let proxy: ProxyGatehouse
  let ownId: number

  before(async () => {
    two = await openTwo(ecosystem)
    others = await openTwo(elsewhere)
    const upstreams = { [ecosystem]: two.open.url, [elsewhere]: others.open.url }
    proxy = await openProxyGatehouse({ upstreams, egressAllow: '127.0.0.1', goSumdb: 'sum.golang.org' }, gatehouse)
    ownId = await enter(two.entry)
    const otherId = await enter(others.entry)
    two.own.publish(name, '1.0.0')
    two.open.publish(name, '9.9.9')
    others.own.publish(apart, '1.0.0')
    await put(ownId, otherId)
  })

  after(async () => {
    for (const { config } of (await gatehouse.call('GET', configs)).body.packageManagerConfigsWithCredentials) {
      await gatehouse.call('DELETE', `${configs}/${config.id}`)
    }
    await proxy.close()
    await two.close()
    await others.close()
  })

  async function enter(packageManagerConfigForInsert: object): Promise<number> {
    const made = await gatehouse.call('POST', configs, { body: { packageManagerConfigForInsert } })
    assert.equal(made.status, 200, JSON.stringify(made.body))
    return made.body.packageManagerConfig.id
  }

  test('a registry whose credentials were swapped in the database is not asked, nor is anybody else', async () => {
    for (const version of ['1.0.0', '9.9.9']) {
      const { metadata, artifact } = placesOf(ecosystem, name, version)
      for (const path of [metadata, artifact]) {
        const answer = await proxy.get(path)
        assert.equal(answer.status, 500)
        const told = await toldBy(answer)
        assert.match(told, new RegExp(`package-manager-config:${ownId} in deployment 1 cannot be opened`))
        assert.doesNotMatch(told, /reader|right/)
      }
    }
    assert.ok(!two.wasTold(name))
    assert.deepEqual(two.own.server.seen, [])
  })

  test('other registries of the deployment go on', async () => {
    assert.equal((await proxy.get(placesOf(elsewhere, apart, '1.0.0').metadata)).status, 200)
  })
}

async function put(into: number, from: number): Promise<void> {
  const client = new pg.Client(gatehouse.connection)
  await client.connect()
  await client.query(
    `update package_manager_config held set credentials = other.credentials from package_manager_config other
     where held.id = $1 and other.id = $2`,
    [into, from],
  )
  await client.end()
}
