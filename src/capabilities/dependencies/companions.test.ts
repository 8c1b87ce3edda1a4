import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { bill, uploadInventory } from '../../../test/inventory-fixture.ts'
import { cyclonedxJson } from '../../formats/cyclonedx-json/reader.ts'
import type { InventoryItem } from '../../formats/format.ts'
import { spdxJson } from '../../formats/spdx-json/reader.ts'

let gatehouse: TestGatehouse
let base: string
let ids: { front: number; back: number }

const graph = bill([
  { name: 'app', version: '1.0.0', licence: 'MIT', direct: true, dependsOn: ['middle@1.0.0', 'deep@2.0.0'] },
  { name: 'tool', version: '1.0.0', direct: true, dependsOn: ['middle@1.0.0'] },
  { name: 'alone', version: '3.0.0', licence: 'Our own licence', direct: true },
  { name: 'middle', version: '1.0.0', licence: 'MIT OR Apache-2.0', dependsOn: ['deep@1.0.0', 'app@1.0.0'] },
  { name: 'deep', version: '1.0.0' },
  { name: 'deep', version: '2.0.0' },
])

before(async () => {
  gatehouse = await openGatehouse()
  base = `/api/sca/deployments/${gatehouse.owner.deploymentId}`
  ids = {
    front: await uploadInventory(gatehouse, 'shop/front', {
      'web/bom.json': graph,
      'requirements.txt': 'Django==4.2\n',
    }),
    back: await uploadInventory(gatehouse, 'shop/back', {
      'bom.json': bill([{ name: 'app', version: '1.0.0', licence: 'MIT' }]),
    }),
  }
})
after(() => gatehouse.close())

async function pathsTo(question: object): Promise<string[]> {
  const answer = await gatehouse.call('POST', `${base}/repositories/${ids.front}/dependency-paths`, { body: question })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  type Path = { lockfilePath: string; steps: { name: string; version: string }[] }
  return answer.body.paths.map((path: Path) => path.steps.map(({ name, version }) => `${name}@${version}`).join(' > '))
}

test('paths lead from each direct dependency to the package, shortest first', async () => {
  const cases: [object, string[]][] = [
    [{ name: 'deep' }, ['app@1.0.0 > deep@2.0.0', 'tool@1.0.0 > middle@1.0.0 > deep@1.0.0']],
    [
      { name: 'deep', version: '1.0.0' },
      ['app@1.0.0 > middle@1.0.0 > deep@1.0.0', 'tool@1.0.0 > middle@1.0.0 > deep@1.0.0'],
    ],
    [{ name: 'deep', version: '2' }, ['app@1.0.0 > deep@2.0.0', 'tool@1.0.0 > middle@1.0.0 > app@1.0.0 > deep@2.0.0']],
    [{ name: 'alone' }, ['alone@3.0.0']],
    [{ name: 'deep', ecosystem: 'npm', lockfilePath: 'web/bom.json', limit: 1 }, ['app@1.0.0 > deep@2.0.0']],
    [{ name: 'deep', ecosystem: 'pypi' }, []],
    [{ name: 'deep', lockfilePath: 'requirements.txt' }, []],
    [{ name: 'dee' }, []],
  ]
  for (const [question, expected] of cases)
    assert.deepEqual(await pathsTo(question), expected, JSON.stringify(question))
  const body = { name: 'deep', limit: 1 }
  const { truncated } = (await gatehouse.call('POST', `${base}/repositories/${ids.front}/dependency-paths`, { body }))
    .body
  assert.equal(truncated, true)
})

test('the files of a repository are listed by path', async () => {
  const { body } = await gatehouse.call('GET', `${base}/repositories/${ids.front}/lockfiles`)
  const [first] = body.lockfiles
  assert.ok(first.scanId > 0 && first.bytes > 0)
  const told = (one: Record<string, unknown>) => [
    one.path,
    one.format,
    one.dependencyCount,
    one.problemCount,
    one.hasDependencyPaths,
  ]
  assert.deepEqual(body.lockfiles.map(told), [
    ['requirements.txt', 'requirements', 1, 0, false],
    ['web/bom.json', 'cyclonedx-json', 6, 0, true],
  ])
})

test('licences are counted over dependencies and repositories', async () => {
  const { body } = await gatehouse.call('GET', `${base}/licences`)
  assert.deepEqual(body, {
    licences: [
      { spdxId: 'MIT', dependencyCount: 3, repositoryCount: 2 },
      { spdxId: 'Apache-2.0', dependencyCount: 1, repositoryCount: 1 },
    ],
    unrecognised: 1,
    withoutLicence: 4,
  })
})

test('every licence that is counted is found, and so are those without one', async () => {
  const search = async (dependencyFilter: object) => {
    const { body } = await gatehouse.call('POST', `${base}/dependencies`, { body: { dependencyFilter } })
    const counted = await gatehouse.call('POST', `${base}/dependencies/counts`, { body: { dependencyFilter } })
    const { body: found } = await gatehouse.call('POST', `${base}/repositories`, { body: { dependencyFilter } })
    const inAll = found.repositorySummaries.reduce(
      (sum: number, one: { numDependencies: number }) => sum + one.numDependencies,
      0,
    )
    return [body.dependencies.length, counted.body.dependencyCount, inAll]
  }
  const cases: [filter: object, count: number][] = [
    [{ license: ['MIT'] }, 3],
    [{ license: ['NOASSERTION'] }, 4],
    [{ license: ['other'] }, 1],
    [{ license: ['Apache-2.0', 'noassertion', 'OTHER'] }, 6],
    [{ name: 'django', license: ['NOASSERTION'] }, 1],
    [{ name: 'django', license: ['OTHER', 'MIT'] }, 0],
  ]
  for (const [filter, count] of cases)
    assert.deepEqual(await search(filter), [count, count, count], JSON.stringify(filter))
})

const readers = { cyclonedx: cyclonedxJson, spdx: spdxJson }

for (const [format, reader] of Object.entries(readers)) {
  test(`a bill of materials in ${format} is read back as it is, and uploaded again changes nothing`, async () => {
    const exported = await gatehouse.call('GET', `${base}/repositories/${ids.front}/sbom?format=${format}`)
    assert.equal(exported.status, 200)
    assert.match(
      exported.headers.get('content-type')!,
      format === 'spdx' ? /^application\/spdx\+json/ : /^application\/vnd.cyclonedx\+json/,
    )
    assert.match(exported.headers.get('content-disposition')!, /^attachment; filename="shop-front\.(cdx|spdx)\.json"$/)
    const text = JSON.stringify(exported.body)
    const { items, problems } = reader.read([Buffer.from(text)], '')
    assert.deepEqual(problems, [])
    const names = new Map(items.map((item) => [item.key, `${item.name}@${item.version}`]))
    const told = ({ name, version, transitivity, licence, dependsOn }: InventoryItem) =>
      [
        name,
        version,
        transitivity,
        licence,
        dependsOn
          .map((key) => names.get(key))
          .sort()
          .join(' '),
      ].join(' | ')
    assert.deepEqual(items.map(told).sort(), [
      'alone | 3.0.0 | DIRECT | Our own licence | ',
      'app | 1.0.0 | DIRECT | MIT | deep@2.0.0 middle@1.0.0',
      'deep | 1.0.0 | TRANSITIVE |  | ',
      'deep | 2.0.0 | TRANSITIVE |  | ',
      'django | 4.2 | UNKNOWN |  | ',
      'middle | 1.0.0 | TRANSITIVE | MIT OR Apache-2.0 | app@1.0.0 deep@1.0.0',
      'tool | 1.0.0 | DIRECT |  | middle@1.0.0',
    ])
    const copy = await uploadInventory(gatehouse, `copy-${format}`, { 'bom.json': text })
    const again = await gatehouse.call('GET', `${base}/repositories/${copy}/sbom?format=${format}`)
    const copied = reader.read([Buffer.from(JSON.stringify(again.body))], '')
    assert.deepEqual(copied.items.map(told).sort(), items.map(told).sort())
  })
}

test('a repository that was never scanned has an empty bill, no files and no paths', async () => {
  const path = `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories`
  const { id } = (await gatehouse.call('POST', path, { body: { name: 'new' } })).body.repository
  assert.deepEqual((await gatehouse.call('GET', `${base}/repositories/${id}/sbom`)).body.components, [])
  assert.deepEqual((await gatehouse.call('GET', `${base}/repositories/${id}/lockfiles`)).body.lockfiles, [])
  const asked = await gatehouse.call('POST', `${base}/repositories/${id}/dependency-paths`, { body: { name: 'deep' } })
  assert.deepEqual(asked.body, { paths: [], truncated: false })
})

test('people see the dependencies of the repositories of their teams, and of no other', async () => {
  const teams = `/api/permissions/v2/deployments/${gatehouse.owner.deploymentId}/teams`
  const team = (await gatehouse.call('POST', teams, { body: { team: { name: 'Front' } } })).body.team.id
  const everyone = (await gatehouse.call('GET', teams)).body.teams.find(
    (one: { isProjectDefault: boolean }) => one.isProjectDefault,
  )
  const person = await gatehouse.addPerson('member')
  const leave = { team: { users: [{ userId: person.id, action: 'UPDATE_ACTION_REMOVE' }] } }
  if (everyone) await gatehouse.call('PATCH', `${teams}/${everyone.id}`, { body: leave })
  const ask = async (list: string, dependencyFilter: object) =>
    (await gatehouse.call('POST', `${base}/${list}`, { as: person.token, body: { dependencyFilter } })).body
  const filters = [
    {},
    { name: 'app' },
    { packageFilters: [{ name: 'app', exactNameMatch: true }] },
    { license: ['MIT'] },
    { repositoryId: [ids.front, ids.back] },
    { transitivity: ['DIRECT', 'UNKNOWN_TRANSITIVITY'] },
  ]
  const seen = async () => {
    const repositories = new Set<number>()
    for (const filter of filters) {
      for (const one of (await ask('repositories', filter)).repositorySummaries) repositories.add(one.id)
      for (const one of (await ask('dependencies', filter)).dependencies) repositories.add(one.repositoryId)
    }
    return [...repositories]
  }
  const statuses = async (id: number) => {
    const of = (method: string, rest: string, body?: object) =>
      gatehouse.call(method, `${base}/repositories/${id}/${rest}`, { as: person.token, ...(body && { body }) })
    const answers = [
      await of('GET', 'lockfiles'),
      await of('GET', 'sbom'),
      await of('POST', 'dependency-paths', { name: 'deep' }),
    ]
    return answers.map((answer) => answer.status)
  }
  assert.deepEqual(await seen(), [])
  assert.deepEqual(await statuses(ids.front), [404, 404, 404])
  const join = {
    users: [{ userId: person.id, action: 'UPDATE_ACTION_ADD' }],
    repositories: [{ repositoryId: String(ids.front), action: 'UPDATE_ACTION_ADD' }],
  }
  assert.equal((await gatehouse.call('PATCH', `${teams}/${team}`, { body: { team: join } })).status, 200)
  assert.deepEqual(await seen(), [ids.front])
  assert.deepEqual(await statuses(ids.front), [200, 200, 200])
  assert.deepEqual(await statuses(ids.back), [404, 404, 404])
  const licences = (await gatehouse.call('GET', `${base}/licences`, { as: person.token })).body.licences
  assert.deepEqual(licences[0], { spdxId: 'MIT', dependencyCount: 2, repositoryCount: 1 })
})
