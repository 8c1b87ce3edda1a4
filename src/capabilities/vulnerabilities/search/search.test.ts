import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { packageLock, upload } from '../../scans/test-upload.ts'
import { advisoryFolder, semver } from '../feeds/test-advisories.ts'
import type { VulnerabilityMatch } from './search-contract.ts'

const gatehouse = await openGatehouse()
const { deploymentId } = gatehouse.owner
const base = `/api/sca/deployments/${deploymentId}/vulnerabilities/search`
const feed = advisoryFolder()
after(async () => {
  await gatehouse.close()
  feed.remove()
})

const critical = [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }]
const low = [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:L/AC:H/PR:H/UI:R/S:U/C:L/I:N/A:N' }]
feed.put(
  {
    id: 'GHSA-1',
    aliases: ['CVE-2026-1'],
    summary: 'Prototype Pollution',
    published: '2026-03-01T00:00:00Z',
    severity: critical,
    affected: [{ name: 'a', ranges: [semver('0')] }],
  },
  {
    id: 'GHSA-2',
    summary: 'Slow',
    published: '2025-01-01T00:00:00Z',
    affected: [{ name: 'b', ranges: [semver('0')] }],
  },
  {
    id: 'GHSA-3',
    summary: 'Small',
    published: '2026-02-01T00:00:00Z',
    severity: low,
    affected: [
      { name: 'b', ranges: [semver('0')] },
      { name: 'flask', ecosystem: 'PyPI', ranges: [semver('0')] },
    ],
  },
  { id: 'GHSA-4', summary: 'Nowhere', affected: [{ name: 'unused', ranges: [semver('0')] }] },
)
await gatehouse.vulnerabilities.feeds.sync(feed.place)
const lock = (packages: Record<string, string>) => ({ 'package-lock.json': packageLock(packages) })
const one = await upload(gatehouse, { repository: 's/one' }, lock({ a: '1.0.0', b: '1.0.0' }))
await upload(gatehouse, { repository: 's/two' }, lock({ b: '1.0.0' }))
await upload(gatehouse, { repository: 's/three' }, { 'requirements.txt': 'flask==1.0.0\n' })

const everyone = `/api/permissions/v2/deployments/${deploymentId}/teams`
const [team] = (await gatehouse.call('GET', everyone)).body.teams
await gatehouse.call('PATCH', `${everyone}/${team.id}/defaults`, { body: { isProjectDefault: false } })
await upload(gatehouse, { repository: 's/hidden' }, lock({ a: '1.0.0', b: '1.0.0' }))
const member = (await gatehouse.addPerson('member')).token

async function search(body: object = {}, as = gatehouse.owner.token): Promise<VulnerabilityMatch[]> {
  const found: VulnerabilityMatch[] = []
  for (let cursor = ''; ; ) {
    const answer = await gatehouse.call('POST', base, { as, body: { pageSize: 1, ...body, cursor } })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    found.push(...answer.body.vulnerabilities)
    if (!answer.body.hasMore) {
      assert.equal(found.length, answer.body.vulnerabilities.length === 0 ? 0 : answer.body.total)
      return found
    }
    cursor = answer.body.cursor
  }
}
const idsOf = async (body: object, as?: string) => (await search(body, as)).map(({ id }) => id)

test('each vulnerability comes with what it hits, since when it is known, and in which packages', async () => {
  assert.deepEqual(await search(), [
    {
      id: 'CVE-2026-1',
      title: 'Prototype Pollution',
      severity: 'SEVERITY_CRITICAL',
      exploited: false,
      findingCount: 2,
      repositoryCount: 2,
      publishedAt: '2026-03-01T00:00:00.000Z',
      packages: [{ ecosystem: 'npm', name: 'a' }],
    },
    {
      id: 'GHSA-2',
      title: 'Slow',
      severity: 'SEVERITY_MEDIUM',
      exploited: false,
      findingCount: 3,
      repositoryCount: 3,
      publishedAt: '2025-01-01T00:00:00.000Z',
      packages: [{ ecosystem: 'npm', name: 'b' }],
    },
    {
      id: 'GHSA-3',
      title: 'Small',
      severity: 'SEVERITY_LOW',
      exploited: false,
      findingCount: 4,
      repositoryCount: 4,
      publishedAt: '2026-02-01T00:00:00.000Z',
      packages: [
        { ecosystem: 'npm', name: 'b' },
        { ecosystem: 'pypi', name: 'flask' },
      ],
    },
  ])
})

const all = ['CVE-2026-1', 'GHSA-2', 'GHSA-3']
const filters: [string, object, string[]][] = [
  ['text of a title', { text: 'pOLLUtion' }, ['CVE-2026-1']],
  ['text of an id', { text: 'cve-' }, ['CVE-2026-1']],
  ['text of an alias', { text: 'ghsa-1' }, ['CVE-2026-1']],
  ['wildcards are text', { text: '%' }, []],
  ['severity', { severities: ['SEVERITY_LOW', 'SEVERITY_CRITICAL'] }, ['CVE-2026-1', 'GHSA-3']],
  ['ecosystem', { ecosystems: ['pypi'] }, ['GHSA-3']],
  ['package', { package: 'B' }, ['GHSA-2', 'GHSA-3']],
  ['package of another ecosystem', { package: 'b', ecosystems: ['pypi'] }, []],
  ['published since', { publishedSince: '2026-02-01T00:00:00Z' }, ['CVE-2026-1', 'GHSA-3']],
  ['repository', { repositoryId: one.body.scan.repositoryId }, all],
  ['a repository that is not there', { repositoryId: 4_711 }, []],
  [
    'all at once',
    { text: 's', package: 'b', severities: ['SEVERITY_LOW'], publishedSince: '2026-01-01T00:00:00Z' },
    ['GHSA-3'],
  ],
]
for (const [name, filter, found] of filters) {
  test(`filter: ${name}`, async () => assert.deepEqual(await idsOf({ filter }), found))
}

const sorts: [object, string[]][] = [
  [{ by: 'severity', direction: 'asc' }, ['GHSA-3', 'GHSA-2', 'CVE-2026-1']],
  [{ by: 'repositories' }, ['GHSA-3', 'GHSA-2', 'CVE-2026-1']],
  [{ by: 'findings', direction: 'asc' }, ['CVE-2026-1', 'GHSA-2', 'GHSA-3']],
  [{ by: 'published' }, ['CVE-2026-1', 'GHSA-3', 'GHSA-2']],
  [{ by: 'id' }, all],
  [{ by: 'id', direction: 'desc' }, all.toReversed()],
]
test('sorted as asked for, page by page', async () => {
  for (const [sort, found] of sorts) assert.deepEqual(await idsOf({ sort }), found, JSON.stringify(sort))
})

test('people see what hits the repositories of their teams, and count no other', async () => {
  assert.deepEqual(
    (await search({}, member)).map(({ id, repositoryCount }) => [id, repositoryCount]),
    [
      ['CVE-2026-1', 1],
      ['GHSA-2', 2],
      ['GHSA-3', 3],
    ],
  )
})

test('what is fixed is not listed any more', async () => {
  await upload(gatehouse, { repository: 's/three' }, { 'requirements.txt': 'other==1.0.0\n' })
  assert.deepEqual(await idsOf({ filter: { ecosystems: ['pypi'] } }), [])
})

test('a cursor goes on with its own question alone, and bad input is refused', async () => {
  const { cursor } = (await gatehouse.call('POST', base, { body: { pageSize: 1 } })).body
  for (const other of [{ sort: { by: 'id' } }, { filter: { text: 'a' } }, { cursor: `${cursor.slice(0, -2)}AA` }]) {
    const answer = await gatehouse.call('POST', base, { body: { pageSize: 1, cursor, ...other } })
    assert.deepEqual([answer.status, answer.body.errors?.[0].pointer], [400, '/cursor'])
  }
  for (const filter of [{ severities: ['LOUD'] }, { publishedSince: 'yesterday' }, { ecosystems: [] }, { other: 1 }]) {
    assert.equal((await gatehouse.call('POST', base, { body: { filter } })).status, 400, JSON.stringify(filter))
  }
})
