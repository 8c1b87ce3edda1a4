import assert from 'node:assert/strict'
import { after, before, beforeEach, describe, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { type Ecosystem, openTwo, placesOf, type State } from '../../../test/outside/two-registries.ts'
import { openProxyGatehouse, type ProxyGatehouse, toldBy } from '../../../test/servers/proxy-gatehouse.ts'
import { proxiedEcosystemIds } from '../../ecosystems/ecosystem.ts'

const configs = '/api/agent/deployments/1/packagemanagerauthconfigs'
const api = '/api/firewall/v1/deployments/1'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

for (const ecosystem of proxiedEcosystemIds) describe(ecosystem, () => testAdapter(ecosystem))

const groups: Partial<Record<Ecosystem, string>> = { maven: 'com.corp:', gomod: 'corp.example/' }
const claimedStarts: Partial<Record<Ecosystem, string>> = {
  npm: 'claimed-npm-',
  pypi: 'claimed-pypi-',
  cargo: 'claimed-cargo-',
  gomod: 'claimed.example/',
}

function testAdapter(ecosystem: Ecosystem): void {
  let two: Awaited<ReturnType<typeof openTwo>>
  let proxy: ProxyGatehouse
  let ownId: number
  let count = 0

  before(async () => {
    two = await openTwo(ecosystem)
    proxy = await openProxyGatehouse(
      { upstreams: { [ecosystem]: two.open.url }, egressAllow: '127.0.0.1', goSumdb: 'sum.golang.org' },
      gatehouse,
    )
    // The public one first: it is asked last all the same.
    await enter(two.openEntry)
    ownId = await enter(two.entry)
  })

  beforeEach(() => {
    Object.assign(two.control, { manner: 'turns away', state: 'well' })
    proxy.expire()
  })

  after(async () => {
    for (const { config } of (await gatehouse.call('GET', configs)).body.packageManagerConfigsWithCredentials) {
      await gatehouse.call('DELETE', `${configs}/${config.id}`)
    }
    await proxy.close()
    await two.close()
  })

  async function enter(packageManagerConfigForInsert: object): Promise<number> {
    const made = await gatehouse.call('POST', configs, { body: { packageManagerConfigForInsert } })
    assert.equal(made.status, 200, JSON.stringify(made.body))
    proxy.expire()
    return made.body.packageManagerConfig.id
  }

  /** A name that nobody has asked for yet. */
  function freshName(): string {
    return `${groups[ecosystem] ?? ''}inner-${ecosystem}-${count++}`
  }

  /** Private in version 1.0.0; a stranger has published 9.9.9 by the same name. */
  function confused(): string {
    const name = freshName()
    two.own.publish(name, '1.0.0')
    two.open.publish(name, '9.9.9')
    return name
  }

  const places = (name: string, version = '1.0.0') => placesOf(ecosystem, name, version)
  const statusOf = async (path: string) => (await proxy.get(path)).status

  test('a private name has the versions of its own registry, whatever a stranger has published', async () => {
    const name = confused()
    const text = await (await proxy.get(places(name).metadata)).text()
    assert.match(text, /1\.0\.0/)
    assert.doesNotMatch(text, /9\.9\.9/)
    assert.equal(await statusOf(places(name).artifact), 200)
    assert.equal(await statusOf(places(name, '9.9.9').artifact), 404)
    assert.ok(!two.wasTold(name))
  })

  test('it does not matter what of it is asked for first', async () => {
    const name = confused()
    assert.equal(await statusOf(places(name, '9.9.9').artifact), 404)
    assert.equal(await statusOf(places(name).artifact), 200)
    assert.ok(!two.wasTold(name))
  })

  test('another spelling is not a way out', async () => {
    const name = confused()
    assert.equal(await statusOf(places(name).metadata), 200)
    proxy.expire()
    const shouted = name.replace('inner', 'INNER')
    await proxy.get(places(shouted, '9.9.9').metadata)
    await proxy.get(places(shouted, '9.9.9').artifact)
    assert.ok(!two.wasTold(name))
  })

  const troubles: State[] = ['token expired', 'forbidden', 'down', 'gone']
  for (const manner of ['turns away', 'hides'] as const) {
    for (const state of troubles) {
      test(`a registry that ${manner} strangers, ${state}: nobody else is asked for a name never seen before`, async () => {
        const name = confused()
        Object.assign(two.control, { manner, state })
        for (const path of [places(name).metadata, places(name, '9.9.9').metadata, places(name, '9.9.9').artifact]) {
          const answer = await proxy.get(path)
          assert.ok([502, 503].includes(answer.status), `${answer.status} for ${path}`)
          assert.ok((await toldBy(answer)).length > 20)
        }
        assert.ok(!two.wasTold(name))
      })
    }
  }

  for (const state of [...troubles, 'empty'] as const) {
    test(`a name that its registry had belongs to it, ${state}`, async () => {
      const name = confused()
      assert.equal(await statusOf(places(name).metadata), 200)
      proxy.expire()
      Object.assign(two.control, { manner: 'hides', state })
      for (const path of [places(name).metadata, places(name, '9.9.9').artifact]) await proxy.get(path)
      proxy.expire()
      assert.notEqual(await statusOf(places(name, '9.9.9').artifact), 200)
      assert.ok(!two.wasTold(name))
    })
  }

  test('a refusal serves nothing from before it; an outage does', async () => {
    const name = confused()
    const { metadata, artifact } = places(name)
    for (const path of [metadata, artifact]) assert.equal(await statusOf(path), 200)
    two.control.state = 'down'
    proxy.expire()
    for (const path of [metadata, artifact]) assert.equal(await statusOf(path), 200, `${path} while it is down`)
    two.control.state = 'forbidden'
    proxy.expire()
    for (const path of [metadata, artifact]) assert.equal(await statusOf(path), 502, `${path} while it refuses`)
    // Nothing of it comes back with an outage after that.
    two.control.state = 'down'
    proxy.expire()
    for (const path of [metadata, artifact]) assert.equal(await statusOf(path), 502, `${path} after it refused`)
  })

  test('what only the public registry has comes from there, once the private one has said that it is not its', async () => {
    const name = freshName()
    two.open.publish(name, '2.0.0')
    assert.equal(await statusOf(places(name, '2.0.0').artifact), 200)
    assert.equal(await statusOf(places(name, '2.0.0').metadata), 200)
    // A registry that hides what it has says it to those whom it has shown something.
    two.control.manner = 'hides'
    const other = freshName()
    two.open.publish(other, '2.0.0')
    assert.equal(await statusOf(places(other, '2.0.0').metadata), 200)
  })

  test('a package that becomes private later is private ten minutes after that', async () => {
    const name = freshName()
    two.open.publish(name, '9.9.9')
    assert.equal(await statusOf(places(name, '9.9.9').metadata), 200)
    two.own.publish(name, '1.0.0')
    proxy.clock.ahead += 60_000
    assert.match(await (await proxy.get(places(name).metadata)).text(), /9\.9\.9/)
    // While the private one is down, what it said last counts.
    two.control.state = 'down'
    proxy.expire()
    assert.equal(await statusOf(places(name, '9.9.9').metadata), 200)
    two.control.state = 'well'
    proxy.expire()
    const text = await (await proxy.get(places(name).metadata)).text()
    assert.match(text, /1\.0\.0/)
    assert.doesNotMatch(text, /9\.9\.9/)
    assert.equal(await statusOf(places(name, '9.9.9').artifact), 404)
  })

  test('while the private registry is not heard for a day, nothing it might have by now comes from elsewhere', async () => {
    const name = freshName()
    two.open.publish(name, '9.9.9')
    assert.equal(await statusOf(places(name, '9.9.9').metadata), 200)
    two.control.state = 'down'
    proxy.clock.ahead += 25 * 3_600_000
    assert.equal(await statusOf(places(name, '9.9.9').metadata), 502)
  })

  test('another process knows whose a name is', async (t) => {
    const name = confused()
    const other = await openProxyGatehouse(
      { upstreams: { [ecosystem]: two.open.url }, egressAllow: '127.0.0.1', goSumdb: 'sum.golang.org' },
      gatehouse,
    )
    t.after(() => other.close())
    assert.equal(await statusOf(places(name).metadata), 200)
    two.control.state = 'empty'
    assert.equal((await other.get(places(name, '9.9.9').artifact)).status, 404)
    assert.ok(!two.wasTold(name))
  })

  test('many at once remember a name once', async () => {
    const name = confused()
    const { metadata } = places(name)
    const answers = await Promise.all(Array.from({ length: 20 }, () => statusOf(metadata)))
    assert.deepEqual([...new Set(answers)], [200])
    const { body } = await gatehouse.call('GET', `${api}/package-names`)
    assert.equal(body.names.filter((one: { name: string }) => one.name === name).length, 1)
  })

  test('a name outlives the entry of its registry, comes back with it, and can be released', async () => {
    const name = confused()
    assert.equal(await statusOf(places(name).metadata), 200)
    await gatehouse.call('DELETE', `${configs}/${ownId}`)
    proxy.expire()
    for (const path of [places(name).metadata, places(name, '9.9.9').artifact]) {
      const orphan = await proxy.get(path)
      assert.equal(orphan.status, 403)
      assert.match(await toldBy(orphan), /no longer entered.*release the name/)
    }
    assert.ok(!two.wasTold(name))
    ownId = await enter(two.entry)
    assert.equal(await statusOf(places(name).metadata), 200)

    const released = await gatehouse.call('POST', `${api}/package-names/release`, {
      body: { ecosystem, name: name.toUpperCase(), reason: 'it is open now' },
    })
    assert.deepEqual([released.status, released.body], [200, { released: 1 }])
    two.control.state = 'empty'
    proxy.expire()
    assert.match(await (await proxy.get(places(name).metadata)).text(), /9\.9\.9/)
  })

  test('an entry that is changed to a public registry takes no names there', async () => {
    const name = confused()
    assert.equal(await statusOf(places(name).metadata), 200)
    const config = { url: two.open.url, requiresAuth: false }
    const path = `${configs}/${ownId}`
    const changed = await gatehouse.call('PATCH', path, { body: { packageManagerConfigForInsert: { config } } })
    assert.equal(changed.status, 200)
    proxy.expire()
    assert.equal(await statusOf(places(name, '9.9.9').artifact), 403)
    assert.ok(!two.wasTold(name))
    await gatehouse.call('PATCH', path, { body: { packageManagerConfigForInsert: two.entry } })
    proxy.expire()
  })

  test('claimed names are asked of the registry that is named for them and of nobody else', async () => {
    const pattern = ecosystem === 'maven' ? 'com.claimed.*' : `${claimedStarts[ecosystem]}*`
    const nameOf = (word: string) =>
      ecosystem === 'maven' ? `com.claimed.deep:${word}` : `${claimedStarts[ecosystem]}${word}`
    const claim = { ecosystem, pattern, reason: 'ours', packageManagerConfigId: ownId }
    const made = await gatehouse.call('POST', `${api}/package-claims`, { body: claim })
    assert.equal(made.status, 200, JSON.stringify(made.body))
    const name = nameOf('thing')
    two.open.publish(name, '9.9.9')
    proxy.expire()
    assert.equal(await statusOf(places(name, '9.9.9').metadata), 404)
    assert.equal(await statusOf(places(name, '9.9.9').artifact), 404)
    two.own.publish(name, '1.0.0')
    proxy.expire()
    assert.equal(await statusOf(places(name).artifact), 200)

    const exact = { ecosystem, pattern: nameOf('nowhere'), reason: 'not given out' }
    assert.equal((await gatehouse.call('POST', `${api}/package-claims`, { body: exact })).status, 200)
    proxy.expire()
    const refused = await proxy.get(places(nameOf('nowhere'), '9.9.9').artifact)
    assert.equal(refused.status, 403)
    assert.match(await toldBy(refused), /claimed .*no registry is named/)
    assert.ok(!two.wasTold('claimed'))
    await gatehouse.call('DELETE', `${api}/package-claims/${made.body.claim.id}`)
  })
}
