import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { readZip } from '../../../test/read-zip.ts'
import { testFeed } from '../../capabilities/firewall/advisories/test-feed.ts'
import { advisoryFolder, semver } from '../../capabilities/vulnerabilities/feeds/test-advisories.ts'

const malware = testFeed()
const advisories = advisoryFolder()
let gatehouse: TestGatehouse

before(async () => {
  // What has ended is cleared away later: here it stays.
  gatehouse = await openGatehouse({ jobs: false })
  malware.add(
    { id: 'MAL-1', name: 'evil' },
    { id: 'MAL-2', name: 'left', versions: ['1.1.0'], modified: '2026-05-05T00:00:00Z' },
  )
  await gatehouse.firewall.feeds.sync(malware.place)
  await gatehouse.firewall.refresh()
  advisories.put(
    {
      id: 'GHSA-1',
      aliases: ['CVE-2026-1'],
      summary: 'Left turns right',
      severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
      database_specific: { cwe_ids: ['CWE-79'] },
      affected: [{ name: 'left', ranges: [semver('0', '1.1.0')] }],
    },
    { id: 'GHSA-2', affected: [{ name: 'left', ranges: [semver('0', '1.2.0')] }], modified: '2026-03-03T00:00:00Z' },
    { id: 'GHSA-3', withdrawn: '2026-02-02T00:00:00Z', affected: [{ name: 'left', ranges: [semver('0')] }] },
    { id: 'PYSEC-1', affected: [{ name: 'My.Package', ecosystem: 'PyPI', versions: ['1.0'] }] },
    { id: 'a%2f..%2fescape', affected: [{ name: 'odd', ranges: [semver('0')] }] },
  )
  await gatehouse.vulnerabilities.feeds.sync(advisories.place)
})
after(async () => {
  await gatehouse.close()
  malware.remove()
  advisories.remove()
})

const post = async (path: string, body: object, as?: string) =>
  gatehouse.call('POST', `/osv/v1/${path}`, { body, ...(as !== undefined && { as }) })
const left = (version?: string) => ({ package: { name: 'left', ecosystem: 'npm' }, ...(version && { version }) })
// biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
const idsIn = (body: any) => (body.vulns ?? []).map(({ id }: { id: string }) => id)

for (const [what, query, ids] of [
  ['a version that two name', left('1.0.0'), ['GHSA-1', 'GHSA-2']],
  ['a version that is malicious, too', left('1.1.0'), ['GHSA-2', 'MAL-2']],
  ['a version that none names', left('1.2.0'), []],
  ['a package, whatever the version', left(), ['GHSA-1', 'GHSA-2', 'MAL-2']],
  ['a purl with a version', { package: { purl: 'pkg:npm/left@1.0.0' } }, ['GHSA-1', 'GHSA-2']],
  ['a purl and a version', { package: { purl: 'pkg:npm/left' }, version: '1.1.0' }, ['GHSA-2', 'MAL-2']],
  ['a name spelled another way', { package: { name: 'my_package', ecosystem: 'PyPI' }, version: '1.0.0' }, ['PYSEC-1']],
  ['an ecosystem that nobody knows', { package: { name: 'left', ecosystem: 'Elsewhere' } }, []],
  ['a field that nobody knows', { ...left('1.2.0'), more: true }, []],
] as const) {
  test(`query: ${what}`, async () => {
    const { status, body } = await post('query', query)
    assert.equal(status, 200, JSON.stringify(body))
    assert.deepEqual(idsIn(body), ids)
    if (ids.length === 0) assert.deepEqual(body, {})
  })
}

for (const [what, query] of [
  ['nothing', {}],
  ['a name without an ecosystem', { package: { name: 'left' } }],
  ['a commit', { commit: 'abc' }],
  ['two versions', { package: { purl: 'pkg:npm/left@1.0.0' }, version: '1.0.0' }],
  ['a purl and a name', { package: { purl: 'pkg:npm/left', name: 'left' } }],
  ['a version that is a number', { ...left(), version: 1 }],
] as const) {
  test(`query: ${what} is refused in the words of OSV`, async () => {
    const { status, body } = await post('query', query)
    assert.deepEqual([status, body.code, typeof body.message], [400, 3, 'string'])
  })
}

test('a record has what its database said', async () => {
  const { body } = await gatehouse.call('GET', '/osv/v1/vulns/GHSA-1')
  assert.deepEqual(body, {
    schema_version: '1.7.0',
    id: 'GHSA-1',
    modified: '2026-01-01T00:00:00.000Z',
    published: '2026-01-01T00:00:00.000Z',
    aliases: ['CVE-2026-1'],
    summary: 'Left turns right',
    details: '',
    severity: [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }],
    affected: [
      {
        package: { ecosystem: 'npm', name: 'left', purl: 'pkg:npm/left' },
        ranges: [{ type: 'SEMVER', events: [{ introduced: '0' }, { fixed: '1.1.0' }] }],
        versions: [],
      },
    ],
    references: [],
    database_specific: { severity: 'CRITICAL', cwe_ids: ['CWE-79'] },
  })
  assert.equal((await gatehouse.call('GET', '/osv/v1/vulns/GHSA-3')).body.withdrawn, '2026-02-02T00:00:00.000Z')
  assert.equal((await gatehouse.call('GET', '/osv/v1/vulns/MAL-2')).body.affected[0].versions[0], '1.1.0')
  const missing = await gatehouse.call('GET', '/osv/v1/vulns/GHSA-9')
  assert.deepEqual([missing.status, missing.body], [404, { code: 5, message: 'Bug not found.' }])
})

test('a batch is answered in its order, equal questions too', async () => {
  const elsewhere = { package: { name: 'x', ecosystem: 'Elsewhere' } }
  const queries = [left('1.1.0'), elsewhere, left('1.2.0'), left('1.1.0'), { package: { purl: 'pkg:npm/evil@9.9.9' } }]
  const { body } = await post('querybatch', { queries })
  assert.deepEqual(body.results.map(idsIn), [['GHSA-2', 'MAL-2'], [], [], ['GHSA-2', 'MAL-2'], ['MAL-1']])
  assert.deepEqual(body.results[0].vulns[0], { id: 'GHSA-2', modified: '2026-03-03T00:00:00.000Z' })
  assert.deepEqual(body.results[1], {})
  const many = Array.from({ length: 1_000 }, (_, at) => left(`0.0.${at}`))
  assert.equal((await post('querybatch', { queries: many })).body.results.length, 1_000)
  assert.equal((await post('querybatch', { queries: [...many, left()] })).status, 400)
})

test('a page begins after the token of the one before', async () => {
  const { body } = await post('query', { ...left(), page_token: 'GHSA-1' })
  assert.deepEqual(idsIn(body), ['GHSA-2', 'MAL-2'])
})

const fetched = (path: string, headers: Record<string, string> = {}, method = 'GET') =>
  fetch(gatehouse.url + path, { method, headers: { authorization: `Bearer ${gatehouse.owner.token}`, ...headers } })

test('the archive of an ecosystem has each record as a file, and nothing that leads out of a folder', async () => {
  const answer = await fetched('/osv/npm/all.zip')
  assert.deepEqual([answer.status, answer.headers.get('content-type')], [200, 'application/zip'])
  const files = readZip(Buffer.from(await answer.arrayBuffer()))
  assert.deepEqual([...files.keys()].sort(), [
    'GHSA-1.json',
    'GHSA-2.json',
    'GHSA-3.json',
    'MAL-1.json',
    'MAL-2.json',
    'a_2f.._2fescape.json',
  ])
  const { body } = await gatehouse.call('GET', '/osv/v1/vulns/GHSA-2')
  assert.deepEqual(JSON.parse(files.get('GHSA-2.json')!.toString()), body)
  const python = readZip(Buffer.from(await (await fetched('/osv/PyPI/all.zip')).arrayBuffer()))
  assert.deepEqual([...python.keys()], ['PYSEC-1.json'])
  assert.equal(readZip(Buffer.from(await (await fetched('/osv/Hex/all.zip')).arrayBuffer())).size, 0)
  assert.equal((await fetched('/osv/Elsewhere/all.zip')).status, 404)
})

test('what was changed last comes first, of vulnerable and malicious packages together', async () => {
  const lines = (await (await fetched('/osv/npm/modified_id.csv')).text()).trim().split('\n')
  assert.deepEqual(lines.slice(0, 2), ['2026-05-05T00:00:00.000000Z,MAL-2', '2026-03-03T00:00:00.000000Z,GHSA-2'])
  assert.equal(lines.length, 6)
  assert.match(await (await fetched('/osv/ecosystems.txt')).text(), /^Go\nHex\n/)
})

test('whoever has the current archive is told so, until something changes', async () => {
  const head = await fetched('/osv/npm/all.zip', {}, 'HEAD')
  const etag = head.headers.get('etag')!
  assert.deepEqual([head.status, await head.text()], [200, ''])
  assert.equal((await fetched('/osv/npm/all.zip', { 'if-none-match': etag })).status, 304)
  advisories.put({ id: 'GHSA-4', affected: [{ name: 'other', ranges: [semver('0')] }] })
  await gatehouse.vulnerabilities.feeds.sync(advisories.place)
  assert.equal((await fetched('/osv/npm/all.zip', { 'if-none-match': etag })).status, 200)
})

test('a record that its feed no longer has is gone', async () => {
  const query = { package: { name: 'brief', ecosystem: 'npm' }, version: '1.0.0' }
  advisories.put({ id: 'GHSA-5', affected: [{ name: 'brief', ranges: [semver('0')] }] })
  await gatehouse.vulnerabilities.feeds.sync(advisories.place)
  assert.deepEqual(idsIn((await post('query', query)).body), ['GHSA-5'])
  advisories.drop('GHSA-5')
  advisories.put()
  await gatehouse.vulnerabilities.feeds.sync(advisories.place, { force: true })
  assert.deepEqual((await post('querybatch', { queries: [query] })).body.results, [{}])
  assert.equal((await gatehouse.call('GET', '/osv/v1/vulns/GHSA-5')).status, 404)
})

test('a token is needed, as a bearer or as a password, and one that may read dependencies', async () => {
  const { owner } = gatehouse
  const paths = ['/osv/v1/vulns/GHSA-1', '/osv/npm/all.zip', '/osv/npm/modified_id.csv', '/osv/ecosystems.txt']
  const narrow = await gatehouse.makeToken(owner.jwt, owner.deploymentId, { scopes: ['findings:read'] })
  for (const path of paths) {
    const refused = await fetch(gatehouse.url + path)
    assert.deepEqual([refused.status, ((await refused.json()) as { code: number }).code], [401, 16], path)
    assert.equal((await fetched(path, { authorization: `Bearer ${narrow}` })).status, 403, path)
    const basic = Buffer.from(`__token__:${owner.token}`).toString('base64')
    const allowed = await fetched(path, { authorization: `Basic ${basic}` })
    assert.equal(allowed.status, 200, path)
    await allowed.arrayBuffer()
  }
})

test('where the operator says so it is open, and has nothing of a deployment', async () => {
  const open = await openGatehouse({ env: { GATEHOUSE_OPEN_OSV: 'true' } })
  try {
    await open.vulnerabilities.feeds.sync(advisories.place)
    const found = await open.call('POST', '/osv/v1/query', { as: '', body: left('1.0.0') })
    assert.deepEqual([found.status, idsIn(found.body)], [200, ['GHSA-1', 'GHSA-2']])
    const archive = await fetch(`${open.url}/osv/npm/all.zip`)
    assert.equal(archive.status, 200)
    assert.ok(readZip(Buffer.from(await archive.arrayBuffer())).size > 0)
    assert.match(archive.headers.get('ratelimit') ?? '', /r=\d+/)
    assert.equal((await open.call('GET', '/api/findings/1/findings/1', { as: '' })).status, 401)
  } finally {
    await open.close()
  }
})
