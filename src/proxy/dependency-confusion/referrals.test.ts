import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { type Ecosystem, openTwo, placesOf } from '../../../test/outside/two-registries.ts'
import { openProxyGatehouse, type ProxyGatehouse, toldBy } from '../../../test/servers/proxy-gatehouse.ts'
import { systemActor } from '../../kernel/access/actor.ts'

const configs = '/api/agent/deployments/1/packagemanagerauthconfigs'
const names = '/api/firewall/v1/deployments/1/package-names'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

/** Where GitLab refers to for what is not in its own registry. */
const referrals: Partial<Record<Ecosystem, string>> = {
  npm: 'https://registry.npmjs.org/some-name',
  pypi: 'https://pypi.org/simple/some-name/',
  maven: 'https://repo.maven.apache.org/maven2/some/name',
  gomod: 'https://proxy.golang.org/some/name',
}

for (const ecosystem of Object.keys(referrals) as Ecosystem[]) describe(ecosystem, () => testReferrals(ecosystem))

function testReferrals(ecosystem: Ecosystem): void {
  let two: Awaited<ReturnType<typeof openTwo>>
  let proxy: ProxyGatehouse
  let count = 0

  before(async () => {
    two = await openTwo(ecosystem)
    const upstreams = { [ecosystem]: two.open.url }
    proxy = await openProxyGatehouse({ upstreams, egressAllow: '127.0.0.1', goSumdb: 'sum.golang.org' }, gatehouse)
  })
  after(async () => {
    await proxy.close()
    await two.close()
  })

  /** Only these, of which the private one refers to `target` for what it does not have, and strangers for everything. */
  async function enter(entries: object[], target: string | undefined = referrals[ecosystem]): Promise<void> {
    await gatehouse.db.transaction(systemActor(1, 'test'), async (tx) => {
      for (const table of [sql`package_manager_config`, sql`owned_package`, sql`package_owner`])
        await tx.query(sql`delete from ${table}`)
    })
    for (const packageManagerConfigForInsert of entries) {
      const made = await gatehouse.call('POST', configs, { body: { packageManagerConfigForInsert } })
      assert.equal(made.status, 200, JSON.stringify(made.body))
    }
    const isOpen = !entries.includes(two.entry)
    two.own.server.control.meddle = ({ headers }, honest) => {
      const isKnown = isOpen || headers.authorization !== undefined
      return isKnown && honest.status !== 404 ? honest : { status: 302, headers: { location: target! } }
    }
    proxy.expire()
  }

  const withoutLogin = () => ({ config: { name: 'Own', url: two.own.url, ecosystem, requiresAuth: false } })
  const freshName = () => `${{ maven: 'com.corp:', gomod: 'corp.example/' }[ecosystem as string] ?? ''}inner-${count++}`
  const places = (name: string, version = '1.0.0') => placesOf(ecosystem, name, version)
  const statusOf = async (path: string) => (await proxy.get(path)).status
  const owned = async () => JSON.stringify((await gatehouse.call('GET', names)).body)

  test('what a private registry refers to a public one is not there', async () => {
    await enter([withoutLogin()])
    const name = freshName()
    assert.equal(await statusOf(places(name).metadata), 404)
    assert.equal(await statusOf(places(name).artifact), 404)
    assert.ok(!(await owned()).includes(name), 'so it does not belong to it either')
  })

  test('the next registry is asked for it, and what the private one has stays its own', async () => {
    await enter([withoutLogin(), two.openEntry])
    const [own, common] = [freshName(), freshName()]
    two.own.publish(own, '1.0.0')
    for (const name of [own, common]) two.open.publish(name, '9.9.9')
    assert.equal(await statusOf(places(common).metadata), 200)
    assert.equal(await statusOf(places(own).metadata), 200)
    assert.equal(await statusOf(places(own).artifact), 200)
    proxy.expire()
    assert.equal(await statusOf(places(own, '9.9.9').artifact), 404)
    assert.ok(!two.wasTold(own))
    assert.ok(!(await owned()).includes(common))
  })

  test('one that refers us as it refers strangers is not believed, until it shows us what it hides from them', async () => {
    await enter([two.entry, two.openEntry])
    const [own, common] = [freshName(), freshName()]
    two.own.publish(own, '1.0.0')
    two.open.publish(common, '9.9.9')
    const doubted = await proxy.get(places(common).metadata)
    assert.equal(doubted.status, 502)
    assert.match(await toldBy(doubted), /as it would answer a stranger/)
    assert.ok(!two.wasTold(common))
    assert.equal(await statusOf(places(own).metadata), 200)
    proxy.expire()
    assert.equal(await statusOf(places(common).metadata), 200)
  })

  test('a redirect to any other host says nothing about who has it', async () => {
    await enter([withoutLogin(), two.openEntry], 'https://sign-in.example.com/')
    const name = freshName()
    two.open.publish(name, '9.9.9')
    for (const path of [places(name).metadata, places(name, '9.9.9').artifact])
      assert.equal(await statusOf(path), 502, path)
    assert.ok(!two.wasTold(name))
  })
}
