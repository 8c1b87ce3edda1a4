import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { inventoryOf, packageLock, packagesOf, scansPath, send, upload } from './test-upload.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

const goMod = (version: string) => `module example.com/a\n\nrequire golang.org/x/text ${version}\n`

test('the answer is a receipt of what was read from each file, and the receipt can be read again', async () => {
  const files = {
    'web/package-lock.json': packageLock({ lodash: '4.17.21', react: '18.2.0' }),
    'go.mod': goMod('v0.3.0'),
  }
  const scan = { repository: 'receipt/a', commit: 'abcdef1', tool: 'test/1' }
  const answer = await upload(gatehouse, scan, files)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  const { id, repositoryId, createdAt, performedAt, ...rest } = answer.body.scan
  assert.deepEqual(rest, {
    repository: 'receipt/a',
    kind: 'SCAN_KIND_FULL',
    ref: 'main',
    commit: 'abcdef1',
    pullRequest: 0,
    baseRef: '',
    tool: 'test/1',
    source: 'gatehouse',
    isInventory: true,
    fileCount: 2,
    dependencyCount: 3,
    findingCount: 0,
    raisedCount: 0,
    fixedCount: 0,
    problemCount: 0,
    blocked: false,
  })
  assert.equal(performedAt, createdAt)
  const findings = { total: 0, raised: 0, reopened: 0, fixed: 0, inherited: 0, undetermined: 0, complete: true }
  const file = {
    status: 'FILE_STATUS_READ',
    findings,
    statements: 0,
    keptPrevious: false,
    problems: [],
    problemCount: 0,
  }
  assert.deepEqual(answer.body.files, [
    { ...file, path: 'go.mod', format: 'go-mod', bytes: files['go.mod'].length, dependencies: 1 },
    {
      ...file,
      path: 'web/package-lock.json',
      format: 'package-lock',
      bytes: files['web/package-lock.json'].length,
      dependencies: 2,
    },
  ])
  const path = scansPath(gatehouse.owner.deploymentId)
  assert.deepEqual((await gatehouse.call('GET', `${path}/${id}/receipt`)).body, answer.body)
  assert.deepEqual((await gatehouse.call('GET', `${path}/${id}`)).body, { scan: answer.body.scan })
})

test('a dependency is stored with everything the file says of it', async () => {
  const lock = `{
  "lockfileVersion": 3,
  "packages": {
    "": { "dependencies": { "Direct": "1" } },
    "node_modules/Direct": {
      "version": "1.0.0-beta.1",
      "resolved": "https://registry.example/direct.tgz",
      "license": "(MIT OR Apache-2.0)",
      "dependencies": { "needed": "2" }
    },
    "node_modules/needed": { "version": "2.0.0", "dev": true, "license": "\\"see\\\\{file}\\"" }
  }
}`
  await upload(gatehouse, { repository: 'stored/a' }, { 'package-lock.json': lock })
  const rows = await gatehouse.db
    .as(gatehouse.owner)
    .query(sql`select p.name, p.shown_name, p.search_text, v.version, d.ordinal,
      d.line, d.transitivity, d.development, d.resolved, l.expression, l.spdx_ids, f.has_graph, f.graph
    from dependency d
    join package p on p.deployment_id = d.deployment_id and p.id = d.package_id
    join package_version v on v.deployment_id = d.deployment_id and v.id = d.package_version_id
    join lockfile f on f.deployment_id = d.deployment_id and f.repository_id = d.repository_id and f.id = d.lockfile_id
    left join licence l on l.deployment_id = d.deployment_id and l.id = d.licence_id
    join repository r on r.deployment_id = d.deployment_id and r.id = d.repository_id
    where r.name = 'stored/a' order by d.ordinal`)
  const common = { has_graph: true, graph: Buffer.from([0, 0, 0, 0, 1, 0, 0, 0]) }
  assert.deepEqual(rows, [
    {
      name: 'Direct',
      shown_name: 'Direct',
      search_text: 'direct',
      version: '1.0.0-beta.1',
      ordinal: 0,
      line: 5,
      transitivity: 'D',
      development: false,
      resolved: 'https://registry.example/direct.tgz',
      expression: '(MIT OR Apache-2.0)',
      spdx_ids: ['Apache-2.0', 'MIT'],
      ...common,
    },
    {
      name: 'needed',
      shown_name: 'needed',
      search_text: 'needed',
      version: '2.0.0',
      ordinal: 1,
      line: 11,
      transitivity: 'T',
      development: true,
      resolved: '',
      expression: '"see\\{file}"',
      spdx_ids: [],
      ...common,
    },
  ])
})

test('a full scan of the default branch is the new inventory; what did not change keeps its rows', async () => {
  const repository = 'replace/a'
  const lock = packageLock({ a: '1.0.0' })
  await upload(
    gatehouse,
    { repository, commit: '1111111' },
    { 'a/package-lock.json': lock, 'b/go.mod': goMod('v0.1.0') },
  )
  const ids = async () => {
    const rows = await gatehouse.db
      .as(gatehouse.owner)
      .query<{ path: string; id: number }>(sql`select f.path, f.id from lockfile f
      join repository r on r.deployment_id = f.deployment_id and r.id = f.repository_id where r.name = ${repository}`)
    return Object.fromEntries(rows.map((row) => [row.path, row.id]))
  }
  const before = await ids()
  const answer = await upload(
    gatehouse,
    { repository, commit: '2222222' },
    { 'a/package-lock.json': lock, 'c/go.mod': goMod('v0.2.0') },
  )
  assert.deepEqual(answer.body.removedPaths, ['b/go.mod'])
  const [a, c] = answer.body.files
  assert.deepEqual([a.status, a.format, a.dependencies], ['FILE_STATUS_UNCHANGED', 'package-lock', 1])
  assert.deepEqual([c.status, c.dependencies], ['FILE_STATUS_READ', 1])
  assert.deepEqual(await packagesOf(gatehouse, repository), [
    'a/package-lock.json: a@1.0.0',
    'c/go.mod: golang.org/x/text@v0.2.0',
  ])
  assert.equal((await ids())['a/package-lock.json'], before['a/package-lock.json'])
  const [sums] = await gatehouse.db
    .as(gatehouse.owner)
    .query(sql`select i.lockfile_count, i.dependency_count, i.has_graph, i.scan_id
    from inventory i join repository r on r.deployment_id = i.deployment_id and r.id = i.repository_id
    where r.name = ${repository}`)
  assert.deepEqual(sums, { lockfile_count: 2, dependency_count: 2, has_graph: false, scan_id: answer.body.scan.id })
})

test('a file that cannot be read does not take its former dependencies away, and the receipt says so', async () => {
  const repository = 'kept/a'
  await upload(
    gatehouse,
    { repository },
    { 'package-lock.json': packageLock({ a: '1.0.0' }), 'go.mod': goMod('v0.1.0') },
  )
  const before = await packagesOf(gatehouse, repository)
  const broken = '{\n "lockfileVersion": 3,\n "packages": {'
  const answer = await upload(
    gatehouse,
    { repository },
    { 'package-lock.json': broken, 'go.mod': goMod('v0.1.0'), 'x.bin': '\0\0' },
  )
  const [, lock, unknown] = answer.body.files
  assert.deepEqual([lock.status, lock.keptPrevious, lock.problemCount], ['FILE_STATUS_UNREADABLE', true, 1])
  assert.deepEqual([lock.problems[0].code, lock.problems[0].line, lock.problems[0].fatal], ['truncated', 3, true])
  assert.deepEqual([unknown.status, unknown.keptPrevious, unknown.format], ['FILE_STATUS_UNRECOGNISED', false, ''])
  assert.match(unknown.problems[0].detail, /CycloneDX.*package-lock\.json/s)
  assert.deepEqual(await packagesOf(gatehouse, repository), before)
})

test('an upload of which no file can be read changes nothing and names each problem', async () => {
  const repository = 'none/a'
  const files = { 'a/package-lock.json': '{', notes: 'Dear all,\nhello.\n', 'report.json': '[]\n' }
  const answer = await upload(gatehouse, { repository }, files)
  assert.deepEqual([answer.status, answer.body.code], [422, 'unprocessable'])
  const pointers = answer.body.errors.map((error: { pointer: string }) => error.pointer)
  assert.deepEqual(pointers, ['/a~1package-lock.json', '/notes', '/report.json'])
  assert.match(answer.body.errors[2].detail, /does not say which tool wrote it.*gitleaks\.json/)
  const listed = await gatehouse.call(
    'GET',
    `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories?name=none/a`,
  )
  assert.deepEqual(listed.body.repositories, [])
})

test('an empty scan has to be meant', async () => {
  const repository = 'empty/a'
  await upload(gatehouse, { repository }, { 'go.mod': goMod('v0.1.0') })
  assert.equal((await upload(gatehouse, { repository }, {})).status, 422)
  assert.equal((await packagesOf(gatehouse, repository)).length, 1)
  const answer = await upload(gatehouse, { repository, allowEmpty: true }, {})
  assert.deepEqual([answer.status, answer.body.removedPaths], [200, ['go.mod']])
  assert.deepEqual(await packagesOf(gatehouse, repository), [])
})

test('an upload that another one for the same commit has replaced is taken again, one of an older commit is not', async () => {
  const whole = {
    'package-lock.json': packageLock({ a: '1.0.0' }),
    'web/package-lock.json': packageLock({ b: '1.0.0' }),
  }
  const scan = { repository: 'repeated/c', commit: '1111111' }
  await upload(gatehouse, scan, whole)
  await upload(gatehouse, scan, { 'package-lock.json': packageLock({ a: '1.0.0' }) })
  const again = await upload(gatehouse, scan, whole)
  assert.equal(again.body.repeated, false)
  assert.equal((await packagesOf(gatehouse, 'repeated/c')).length, 2)
  await upload(gatehouse, { ...scan, commit: '2222222' }, { 'package-lock.json': packageLock({ a: '2.0.0' }) })
  const late = await upload(gatehouse, scan, whole)
  assert.equal(late.body.repeated, true)
  assert.deepEqual(await packagesOf(gatehouse, 'repeated/c'), ['package-lock.json: a@2.0.0'])
})

test('a branch that is set back to a commit has what that commit has, and a job that is run again changes nothing', async () => {
  const scan = { repository: 'repeated/d', commit: '1111111', run: 'first' }
  const one = { 'go.mod': goMod('v0.1.0') }
  const next = { ...scan, commit: '2222222', run: 'second' }
  await upload(gatehouse, scan, one)
  await upload(gatehouse, next, { 'go.mod': goMod('v0.2.0') })
  const again = await upload(gatehouse, scan, one)
  assert.equal(again.body.repeated, true)
  assert.deepEqual(await packagesOf(gatehouse, scan.repository), ['go.mod: golang.org/x/text@v0.2.0'])
  const setBack = await upload(gatehouse, { ...scan, run: 'third' }, one)
  assert.deepEqual([setBack.body.repeated, setBack.body.scan.isInventory], [false, true])
  assert.deepEqual(await packagesOf(gatehouse, scan.repository), ['go.mod: golang.org/x/text@v0.1.0'])
  const nightly = await upload(gatehouse, { ...scan, run: 'fourth' }, one)
  assert.deepEqual([nightly.body.repeated, nightly.body.scan.id], [true, setBack.body.scan.id])
})

test('a repeated upload is recognised and changes nothing', async () => {
  const scan = { repository: 'repeated/a', commit: '1111111' }
  const files = { 'go.mod': goMod('v0.1.0') }
  const first = await upload(gatehouse, scan, files)
  await upload(gatehouse, { ...scan, commit: '2222222' }, { 'go.mod': goMod('v0.2.0') })
  const again = await upload(gatehouse, scan, files)
  assert.deepEqual(again.body, { ...first.body, repeated: true })
  assert.deepEqual(await packagesOf(gatehouse, scan.repository), ['go.mod: golang.org/x/text@v0.2.0'])
})

test('without a commit, files that were changed and changed back are not a repetition', async () => {
  const scan = { repository: 'repeated/b' }
  const one = { 'go.mod': goMod('v0.1.0') }
  const first = await upload(gatehouse, scan, one)
  assert.equal((await upload(gatehouse, scan, one)).body.scan.id, first.body.scan.id)
  await upload(gatehouse, scan, { 'go.mod': goMod('v0.2.0') })
  const back = await upload(gatehouse, scan, one)
  assert.deepEqual([back.body.repeated, back.body.scan.id === first.body.scan.id], [false, false])
  assert.deepEqual(await packagesOf(gatehouse, scan.repository), ['go.mod: golang.org/x/text@v0.1.0'])
})

test('scans of other refs and of pull requests are recorded and leave the inventory alone', async () => {
  const repository = 'refs/a'
  await upload(gatehouse, { repository, ref: 'refs/heads/trunk' }, { 'go.mod': goMod('v0.1.0') })
  const other = { 'go.mod': goMod('v0.9.0') }
  const branch = await upload(gatehouse, { repository, ref: 'feature' }, other)
  const pull = await upload(
    gatehouse,
    { repository, ref: 'feature', kind: 'SCAN_KIND_PULL_REQUEST', pullRequest: 7, baseRef: 'trunk' },
    other,
  )
  assert.deepEqual([branch.body.scan.isInventory, pull.body.scan.isInventory], [false, false])
  assert.deepEqual([pull.body.scan.pullRequest, pull.body.scan.baseRef], [7, 'trunk'])
  assert.deepEqual(await packagesOf(gatehouse, repository), ['go.mod: golang.org/x/text@v0.1.0'])

  // Once the branch is the default one, the same upload is not a repetition of the one that was only recorded.
  const { repositoryId } = branch.body.scan
  const path = `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories/${repositoryId}`
  await gatehouse.call('PATCH', path, { body: { defaultBranch: 'feature' } })
  const now = await upload(gatehouse, { repository, ref: 'feature' }, other)
  assert.deepEqual([now.body.repeated, now.body.scan.isInventory], [false, true])
  assert.deepEqual(await packagesOf(gatehouse, repository), ['go.mod: golang.org/x/text@v0.9.0'])
})

const wrong: [why: string, scan: object, files: Record<string, string>, pointer: string][] = [
  ['a pull request without a number', { kind: 'SCAN_KIND_PULL_REQUEST', baseRef: 'main' }, {}, '/pullRequest'],
  ['a base without a pull request', { baseRef: 'main' }, {}, '/baseRef'],
  ['an unknown field', { branch: 'main' }, {}, '/branch'],
  ['a commit that is none', { commit: 'HEAD' }, {}, '/commit'],
  ['a name that leads out', {}, { '../../etc/passwd': 'x' }, '/..~1..~1etc~1passwd'],
  ['a name from the root', {}, { '/etc/passwd': 'x' }, '/~1etc~1passwd'],
  ['a name with a break in it', {}, { 'a%0Ab': 'x' }, '/a\nb'],
  ['a name twice', {}, { 'go.mod': goMod('v0.1.0'), './go.mod': goMod('v0.1.0') }, '/.~1go.mod'],
]

for (const [why, scan, files, pointer] of wrong) {
  test(`refused: ${why}`, async () => {
    const answer = await upload(gatehouse, { repository: 'wrong/a', ...scan }, { ok: goMod('v0.1.0'), ...files })
    assert.deepEqual(
      [answer.status, answer.body.code, answer.body.errors?.[0].pointer],
      [400, 'validation_failed', pointer],
    )
  })
}

test('one document can be sent as it is', async () => {
  const how = { path: '/raw?repository=raw/a&ref=main&path=deep/go.mod', headers: { 'content-type': 'text/plain' } }
  const answer = await send(gatehouse, Buffer.from(goMod('v0.5.0')), how)
  assert.deepEqual([answer.status, answer.body.files[0].path], [200, 'deep/go.mod'])
  assert.deepEqual(await packagesOf(gatehouse, 'raw/a'), ['deep/go.mod: golang.org/x/text@v0.5.0'])
  const outside = await send(gatehouse, Buffer.from('x'), { ...how, path: '/raw?repository=raw/a&ref=main&path=../x' })
  assert.deepEqual([outside.status, outside.body.code], [400, 'validation_failed'])
  const strict = await send(gatehouse, Buffer.from('x'), {
    ...how,
    path: '/raw?repository=raw/z&ref=main&path=x&createRepository=false',
  })
  assert.deepEqual([strict.status, strict.body.code], [422, 'unprocessable'])
})

test('an upload with an Idempotency-Key happens once; the key does not fit another upload', async () => {
  const scan = { repository: 'once/a' }
  const how = { headers: { 'idempotency-key': 'scan-1' } }
  const first = await upload(gatehouse, scan, { 'go.mod': goMod('v0.1.0') }, how)
  await upload(gatehouse, scan, { 'go.mod': goMod('v0.2.0') })
  const again = await upload(gatehouse, scan, { 'go.mod': goMod('v0.1.0') }, how)
  assert.deepEqual(again.body, first.body)
  assert.deepEqual(await packagesOf(gatehouse, scan.repository), ['go.mod: golang.org/x/text@v0.2.0'])
  const other = await upload(gatehouse, scan, { 'go.mod': goMod('v0.3.0') }, how)
  assert.deepEqual([other.status, other.body.code], [422, 'idempotency_mismatch'])
})

test('scans are listed newest first, page by page, and by repository and kind', async () => {
  const ids: number[] = []
  for (const commit of ['1111111', '2222222', '3333333']) {
    ids.push((await upload(gatehouse, { repository: 'list/a', commit }, { 'go.mod': goMod('v0.1.0') })).body.scan.id)
  }
  const pull = { kind: 'SCAN_KIND_PULL_REQUEST', pullRequest: 1, baseRef: 'main', ref: 'x' }
  const pulled = (await upload(gatehouse, { repository: 'list/a', ...pull }, { 'go.mod': goMod('v0.1.0') })).body.scan
  const path = `${scansPath(gatehouse.owner.deploymentId)}?repositoryId=${pulled.repositoryId}`
  const list = async (query: string) => {
    const { body } = await gatehouse.call('GET', path + query)
    return { ids: body.scans.map((scan: { id: number }) => scan.id), hasMore: body.hasMore, cursor: body.cursor }
  }
  const [one, two, three] = ids as [number, number, number]
  assert.deepEqual(await list('&pageSize=2'), { ids: [pulled.id, three], hasMore: true, cursor: String(three) })
  assert.deepEqual(await list(`&pageSize=2&cursor=${three}`), { ids: [two, one], hasMore: false, cursor: '' })
  assert.deepEqual((await list('&kind=SCAN_KIND_FULL')).ids, [three, two, one])
  assert.deepEqual((await list('&kind=SCAN_KIND_PULL_REQUEST')).ids, [pulled.id])
})

test('an inventory goes with its repository', async () => {
  const answer = await upload(gatehouse, { repository: 'gone/a' }, { 'go.mod': goMod('v0.1.0') })
  const { repositoryId } = answer.body.scan
  const path = `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories/${repositoryId}`
  assert.equal((await gatehouse.call('DELETE', path)).status, 200)
  const [left] = await gatehouse.db
    .as(gatehouse.owner)
    .query(sql`select count(*) from dependency where repository_id = ${repositoryId}`)
  assert.deepEqual(left, { count: 0 })
  assert.deepEqual(await inventoryOf(gatehouse, 'gone/a'), [])
})
