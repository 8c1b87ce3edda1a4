import assert from 'node:assert/strict'
import { EventEmitter, once } from 'node:events'
import { after, before, test } from 'node:test'
import { often } from '../../../../test/depth.ts'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { bill, uploadInventory } from '../../../../test/inventory-fixture.ts'

const steadyRepositories = 12
const passingRepositories = 7
const writers = 4
/** In the deep run it is as if ten pages a second were read while a hundred uploads a second come in. */
const uploadsPerPage = often(3, 10)

let gatehouse: TestGatehouse
let base: string
before(async () => {
  gatehouse = await openGatehouse({ env: { GATEHOUSE_REQUESTS_PER_MINUTE: '1000000' } })
  base = `/api/sca/deployments/${gatehouse.owner.deploymentId}`
  for (let n = 0; n < steadyRepositories; n++) await upload(`steady-${n}`, 0)
})
after(() => gatehouse.close())

const kept = [
  { name: 'kept', version: '1.0.0', licence: 'MIT' },
  { name: 'kept', version: '2.0.0', licence: 'MIT' },
  { name: 'kept-too', version: '1.0.0', licence: 'MIT' },
]

/** Each round has another file with other packages around those that stay. */
function upload(repository: string, round: number): Promise<number> {
  const others = Array.from({ length: round % 4 }, (_, n) => ({ name: `other-${round}-${n}`, version: '1.0.0' }))
  return uploadInventory(gatehouse, repository, {
    'bom.json': bill([...others, ...kept]),
    [`${round}.json`]: bill(others),
  })
}

/** Repositories change, come and go for as long as `work` takes; `change` waits until they have. */
async function whileUploading(work: (change: () => Promise<void>) => Promise<void>): Promise<void> {
  let working = true
  const uploaded = new EventEmitter()
  const repositories = `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories`
  const writer = async (start: number) => {
    for (let round = start; working; round += writers) {
      await upload(`steady-${round % steadyRepositories}`, round)
      uploaded.emit('one')
      const passing = await upload(`passing-${round % passingRepositories}`, round)
      uploaded.emit('one')
      if (round % 9 === 0) await gatehouse.call('DELETE', `${repositories}/${passing}`)
    }
  }
  const writing = Promise.all(Array.from({ length: writers }, (_, n) => writer(n + 1)))
  try {
    await work(async () => {
      for (let n = 0; n < uploadsPerPage; n++) await once(uploaded, 'one')
    })
  } finally {
    working = false
    await writing
  }
}

async function allPages(
  list: string,
  entries: string,
  body: object,
  betweenPages = async () => {},
): Promise<Record<string, unknown>[]> {
  const all: Record<string, unknown>[] = []
  for (let cursor: unknown; ; ) {
    const page = await gatehouse.call('POST', `${base}/${list}`, { body: { ...body, ...(cursor ? { cursor } : {}) } })
    assert.equal(page.status, 200, JSON.stringify(page.body))
    all.push(...page.body[entries])
    if (!page.body.hasMore) return all
    cursor = page.body.cursor
    await betweenPages()
  }
}

const filters = [
  {},
  { name: 'kept' },
  { packageFilters: [{ name: 'kept', exactNameMatch: true, versionLowerBound: '1', versionUpperBound: '<3' }] },
  { license: ['MIT'] },
  { transitivity: ['UNKNOWN_TRANSITIVITY'] },
]

test('every repository that stays is seen exactly once, whatever is uploaded between the pages', async () => {
  await whileUploading(async (change) => {
    for (const dependencyFilter of filters) {
      const all = await allPages('repositories', 'repositorySummaries', { dependencyFilter, pageSize: 3 }, change)
      const steady = all.map((one) => String(one.name)).filter((name) => name.startsWith('steady'))
      const expected = Array.from({ length: steadyRepositories }, (_, n) => `steady-${n}`)
      assert.deepEqual(steady.sort(), expected.sort(), JSON.stringify(dependencyFilter))
    }
  })
})

test('every dependency that stays is seen exactly once, whatever is uploaded between the pages', async () => {
  await whileUploading(async (change) => {
    for (const dependencyFilter of filters) {
      const all = await allPages('dependencies', 'dependencies', { dependencyFilter, pageSize: 10 }, change)
      const seen = all
        .filter((one) => String(one.repositoryName).startsWith('steady') && String(one.name).startsWith('kept'))
        .map((one) => `${one.repositoryName} ${one.name} ${one.version}`)
      assert.equal(new Set(seen).size, seen.length, `twice, with ${JSON.stringify(dependencyFilter)}`)
      const wanted = 'packageFilters' in dependencyFilter ? 2 : 3
      assert.equal(seen.length, steadyRepositories * wanted, JSON.stringify(dependencyFilter))
    }
  })
})

test('pages of any size come to the same list', async () => {
  for (const dependencyFilter of filters) {
    const whole = await allPages('dependencies', 'dependencies', { dependencyFilter })
    for (const pageSize of [5, 33]) {
      assert.deepEqual(await allPages('dependencies', 'dependencies', { dependencyFilter, pageSize }), whole)
    }
  }
})

test('a cursor that is not ours is refused', async () => {
  const encoded = (value: unknown) => Buffer.from(JSON.stringify(value)).toString('base64url')
  const wrong = [
    'x',
    encoded(null),
    encoded([1, 2, 3]),
    encoded([1, 2, '\0', 4]),
    encoded([-1, 0, '', 0]),
    encoded([1, 2, 'a', 2 ** 40]),
  ]
  for (const cursor of wrong) {
    const answer = await gatehouse.call('POST', `${base}/dependencies`, { body: { cursor } })
    assert.deepEqual([answer.status, answer.body.errors?.[0].pointer], [400, '/cursor'], cursor)
  }
})
