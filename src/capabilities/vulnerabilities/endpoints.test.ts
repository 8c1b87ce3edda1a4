import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../test/gatehouse.ts'
import { packageLock, upload } from '../scans/test-upload.ts'
import { advisoryFolder, semver } from './feeds/test-advisories.ts'

const gatehouse = await openGatehouse()
const { deploymentId } = gatehouse.owner
const base = `/api/sca/deployments/${deploymentId}`
const feed = advisoryFolder()
after(async () => {
  await gatehouse.close()
  feed.remove()
})

const lock = (packages: Record<string, string>) => ({ 'package-lock.json': packageLock(packages) })

feed.put(
  {
    id: 'GHSA-1',
    aliases: ['CVE-2026-1'],
    summary: 'Bad',
    affected: [{ name: 'a', ranges: [semver('0', '2.0.0')], versions: ['3.0.0'] }],
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
  },
  {
    id: 'PYSEC-1',
    aliases: ['CVE-2026-1'],
    withdrawn: '2026-02-02T00:00:00Z',
    affected: [{ name: 'a', ecosystem: 'PyPI' }],
  },
  { id: 'GHSA-2', affected: [{ name: 'b', ranges: [semver('0')] }] },
)
await gatehouse.vulnerabilities.feeds.sync(feed.place)
const ids: number[] = []
for (const [name, packages] of Object.entries({
  one: { a: '1.0.0' },
  two: { a: '3.0.0', b: '1.0.0' },
  three: { a: '2.0.0' },
})) {
  const sent = await upload(gatehouse, { repository: `e/${name}` }, lock(packages))
  ids.push(sent.body.scan.repositoryId)
}

test('vulnerabilities are listed with what they hit, for all and for one repository, page by page', async () => {
  const all = await gatehouse.call('GET', `${base}/vulnerabilities`)
  assert.deepEqual(all.body.vulnerabilities, [
    {
      id: 'CVE-2026-1',
      title: 'Bad',
      severity: 'SEVERITY_CRITICAL',
      exploited: false,
      findingCount: 2,
      repositoryCount: 2,
    },
    {
      id: 'GHSA-2',
      title: 'About GHSA-2',
      severity: 'SEVERITY_MEDIUM',
      exploited: false,
      findingCount: 1,
      repositoryCount: 1,
    },
  ])
  assert.equal(all.body.hasMore, false)
  const first = await gatehouse.call('GET', `${base}/vulnerabilities?pageSize=1`)
  assert.deepEqual([first.body.vulnerabilities.length, first.body.hasMore], [1, true])
  const second = await gatehouse.call('GET', `${base}/vulnerabilities?pageSize=1&cursor=${first.body.cursor}`)
  assert.deepEqual(second.body.vulnerabilities, all.body.vulnerabilities.slice(1))
  const one = await gatehouse.call('GET', `${base}/vulnerabilities?repositoryId=${ids[0]}`)
  assert.partialDeepStrictEqual(one.body.vulnerabilities, [{ id: 'CVE-2026-1', findingCount: 1, repositoryCount: 1 }])
  assert.equal(one.body.vulnerabilities.length, 1)
  assert.deepEqual(
    (await gatehouse.call('GET', `${base}/vulnerabilities?repositoryId=${ids[2]}`)).body.vulnerabilities,
    [],
  )
})

test('a vulnerability is found by any of its ids, with what every database says', async () => {
  for (const id of ['CVE-2026-1', 'GHSA-1', 'PYSEC-1']) {
    const { status, body } = await gatehouse.call('GET', `${base}/vulnerabilities/${id}`)
    assert.equal(status, 200, id)
    assert.deepEqual(
      [body.vulnerability.id, body.vulnerability.ids],
      ['CVE-2026-1', ['CVE-2026-1', 'GHSA-1', 'PYSEC-1']],
    )
    const [ghsa, pysec] = body.vulnerability.records
    assert.partialDeepStrictEqual(ghsa, {
      id: 'GHSA-1',
      aliases: ['CVE-2026-1'],
      cvssScore: 9.8,
      withdrawnAt: null,
      listed: true,
    })
    assert.deepEqual(ghsa.affected, [
      {
        ecosystem: 'npm',
        name: 'a',
        ranges: [
          {
            type: 'SEMVER',
            events: [
              { introduced: '0', fixed: '', lastAffected: '', limit: '' },
              { introduced: '', fixed: '2.0.0', lastAffected: '', limit: '' },
            ],
          },
        ],
        versions: ['3.0.0'],
      },
    ])
    assert.equal(pysec.withdrawnAt, '2026-02-02T00:00:00.000Z')
  }
  assert.equal((await gatehouse.call('GET', `${base}/vulnerabilities/CVE-2026`)).status, 404)
})

test('the list counts the repositories that do not ignore it, and the repositories of each say which do', async () => {
  const path = `/api/findings/${deploymentId}/findings`
  const search = { filter: { vulnerabilityIds: ['GHSA-1'] } }
  const { findings } = (await gatehouse.call('POST', `${path}/search`, { body: search })).body
  const counts = async () => {
    const listed = (await gatehouse.call('GET', `${base}/vulnerabilities`)).body.vulnerabilities
    const found = (await gatehouse.call('POST', `${base}/vulnerabilities/search`, { body: {} })).body.vulnerabilities
    const { repositories } = (await gatehouse.call('GET', `${base}/vulnerabilities/GHSA-1/repositories`)).body
    return {
      counted: [listed, found].map((all) => {
        const own = all.find(({ id }: { id: string }) => id === 'CVE-2026-1')
        return own && [own.findingCount, own.repositoryCount]
      }),
      ignored: repositories.map((one: { repository: string; ignored: boolean }) => [one.repository, one.ignored]),
    }
  }
  const decide = async (repository: string, triageState: string) => {
    const finding = findings.find((one: { repository: string }) => one.repository === repository)
    const body = { triageState, triageReason: 'TRIAGE_REASON_UNSPECIFIED' }
    assert.equal((await gatehouse.call('POST', `${path}/${finding.id}`, { body })).status, 200)
  }
  const both = (one: number[] | undefined) => [one, one]
  const repositories = (one: boolean, two: boolean) => [
    ['e/one', one],
    ['e/two', two],
  ]
  assert.deepEqual(await counts(), { counted: both([2, 2]), ignored: repositories(false, false) })
  await decide('e/one', 'TRIAGE_STATE_IGNORED')
  assert.deepEqual(await counts(), { counted: both([1, 1]), ignored: repositories(true, false) })
  await decide('e/two', 'TRIAGE_STATE_FIXED')
  assert.deepEqual(await counts(), { counted: both(undefined), ignored: repositories(true, true) })
  // What is ignored stays so when it is gone, and is not there any more.
  await upload(gatehouse, { repository: 'e/one' }, lock({ a: '2.0.0' }))
  assert.deepEqual((await counts()).ignored, [['e/two', true]])
  await upload(gatehouse, { repository: 'e/one' }, lock({ a: '1.0.0' }))
  await decide('e/one', 'TRIAGE_STATE_OPEN')
  await decide('e/two', 'TRIAGE_STATE_OPEN')
  assert.deepEqual(await counts(), { counted: both([2, 2]), ignored: repositories(false, false) })
})

test('the repositories a vulnerability hits are told from the inventories, and members see only their own', async () => {
  const { body } = await gatehouse.call('GET', `${base}/vulnerabilities/CVE-2026-1/repositories`)
  const told = body.repositories.map(
    (one: { repository: string; dependencies: { name: string; version: string; line: number }[] }) => [
      one.repository,
      one.dependencies.map(({ name, version, line }) => `${name} ${version} ${line > 0}`),
    ],
  )
  assert.deepEqual(told, [
    ['e/one', ['a 1.0.0 true']],
    ['e/two', ['a 3.0.0 true']],
  ])
  const first = await gatehouse.call('GET', `${base}/vulnerabilities/GHSA-1/repositories?pageSize=1`)
  assert.deepEqual([first.body.repositories.length, first.body.hasMore, first.body.cursor], [1, true, String(ids[0])])
  const member = await gatehouse.addPerson('member')
  const teams = `/api/permissions/v2/deployments/${deploymentId}/teams`
  const everyone = (await gatehouse.call('GET', teams)).body.teams.find(
    (one: { isProjectDefault: boolean }) => one.isProjectDefault,
  )
  const seen = await gatehouse.call('GET', `${base}/vulnerabilities/GHSA-1/repositories`, { as: member.token })
  assert.equal(seen.body.repositories.length, 2)
  const leave = { team: { users: [{ userId: member.id, action: 'UPDATE_ACTION_REMOVE' }] } }
  await gatehouse.call('PATCH', `${teams}/${everyone.id}`, { body: leave })
  const hidden = await gatehouse.call('GET', `${base}/vulnerabilities/GHSA-1/repositories`, { as: member.token })
  assert.deepEqual(hidden.body.repositories, [])
  const listed = await gatehouse.call('GET', `${base}/vulnerabilities`, { as: member.token })
  assert.deepEqual(listed.body.vulnerabilities, [])
  const other = await gatehouse.addDeployment()
  const theirs = await gatehouse.call('GET', `/api/sca/deployments/${other.id}/vulnerabilities/GHSA-1/repositories`, {
    as: other.as,
  })
  assert.deepEqual([theirs.status, theirs.body.repositories], [200, []])
})
