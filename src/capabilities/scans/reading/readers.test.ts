import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { inventoryOf, packageLock, upload } from '../test-upload.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

const sca = () => `/api/sca/deployments/${gatehouse.owner.deploymentId}`
const keysOf = async (repository: string) =>
  (await inventoryOf(gatehouse, repository)).map(
    ({ path, ecosystem, name, version }) => `${path} ${ecosystem} ${name}@${version}`,
  )

async function uploaded(repository: string, files: Record<string, string | Uint8Array>, more: object = {}) {
  const answer = await upload(gatehouse, { repository, ...more }, files)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

const image = {
  bomFormat: 'CycloneDX',
  specVersion: '1.6',
  metadata: { component: { type: 'container', 'bom-ref': 'image', name: 'shop/image' } },
  components: [
    { type: 'operating-system', 'bom-ref': 'os', name: 'debian', version: '12' },
    {
      type: 'library',
      'bom-ref': 'curl',
      name: 'curl',
      version: '7.88.1-10',
      purl: 'pkg:deb/debian/curl@7.88.1-10+deb12u5?arch=amd64&distro=debian-12',
    },
    { type: 'library', 'bom-ref': 'bash', name: 'bash', purl: 'pkg:rpm/redhat/bash@5.1.8-6.el9?epoch=1' },
    { type: 'library', 'bom-ref': 'musl', name: 'musl', purl: 'pkg:apk/alpine/musl@1.2.4_git20230717-r4' },
    { type: 'library', 'bom-ref': 'blob', name: 'Vendor Blob', version: '2.0' },
  ],
  dependencies: [
    { ref: 'os', dependsOn: ['curl'] },
    { ref: 'image', dependsOn: ['os'] },
  ],
  vulnerabilities: [
    {
      id: 'CVE-2023-38545',
      analysis: { state: 'not_affected', justification: 'code_not_reachable', detail: 'no \u0000 \ud800 SOCKS' },
      affects: [{ ref: 'curl' }, { ref: 'urn:cdx:x/1#gone' }],
    },
    { id: 'CVE-2024-2', ratings: [{ severity: 'high' }], affects: [{ ref: 'bash' }] },
  ],
}

test('packages of distributions and components of no ecosystem are kept, searched and ordered by their own rules', async () => {
  const { scan, files } = await uploaded('readers/image', { 'image.cdx.json': JSON.stringify(image) })
  assert.equal(scan.dependencyCount, 4)
  assert.equal(files[0].statements, 2)
  const find = async (packageFilter: object, ecosystem?: string[]) => {
    const dependencyFilter = {
      packageFilters: [packageFilter],
      repositoryId: [scan.repositoryId],
      ...(ecosystem && { ecosystem }),
    }
    const answer = await gatehouse.call('POST', `${sca()}/dependencies`, { body: { dependencyFilter } })
    assert.equal(answer.status, 200, JSON.stringify(answer.body))
    return answer.body.dependencies.map((one: { ecosystem: string; name: string }) => `${one.ecosystem} ${one.name}`)
  }
  const exact = { exactNameMatch: true }
  assert.deepEqual(await find({ name: 'curl', ...exact }), ['deb curl'])
  assert.deepEqual(await find({ name: 'debian/curl', ...exact }), ['deb curl'])
  assert.deepEqual(await find({ name: 'curl', ...exact, versionUpperBound: '<7.88.1-10+deb12u6' }), ['deb curl'])
  assert.deepEqual(await find({ name: 'curl', ...exact, versionUpperBound: '<7.88.1-10+deb12u5~1' }), [])
  assert.deepEqual(await find({ name: 'bash', ...exact, versionLowerBound: '>=9.0' }), ['rpm bash'])
  assert.deepEqual(await find({ name: 'musl', versionLowerBound: '>1.2.4' }, ['apk']), ['apk musl'])
  assert.deepEqual(await find({ name: 'vendor blob', ...exact }), ['generic Vendor Blob'])
  assert.deepEqual(await find({ name: 'blob', exactVersion: '2.0' }), ['generic Vendor Blob'])
  assert.deepEqual(await find({ name: 'blob', exactVersion: '2' }), [])
  // Nobody knows the order of its versions, so no bound finds it.
  assert.deepEqual(await find({ name: 'blob', versionUpperBound: '<9' }), [])
  const refused = {
    dependencyFilter: { ecosystem: ['generic'], packageFilters: [{ name: 'blob', versionUpperBound: '<9' }] },
  }
  assert.equal((await gatehouse.call('POST', `${sca()}/repositories`, { body: refused })).status, 422)
})

test('a bill that was read is written with the same packages', async () => {
  const { scan } = await uploaded('readers/again', { 'image.cdx.json': JSON.stringify(image) })
  for (const format of ['cyclonedx', 'spdx']) {
    const { body } = await gatehouse.call('GET', `${sca()}/repositories/${scan.repositoryId}/sbom?format=${format}`)
    await uploaded(`readers/again-${format}`, { 'bom.json': JSON.stringify(body) })
    assert.deepEqual(
      (await keysOf(`readers/again-${format}`)).map((key) => key.replace('bom.json ', '')).sort(),
      (await keysOf('readers/again')).map((key) => key.replace('image.cdx.json ', '')).sort(),
    )
    assert.match(JSON.stringify(body), /pkg:deb\/debian\/curl@7\.88\.1-10%2Bdeb12u5\?arch=amd64&distro=debian-12/)
  }
})

test('what a bill says about vulnerabilities is kept, and goes with the bill', async () => {
  const { scan } = await uploaded('readers/vex', { 'image.cdx.json': JSON.stringify(image) })
  const path = `${sca()}/repositories/${scan.repositoryId}/bill-statements`
  const { body, status } = await gatehouse.call('GET', path)
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(
    body.statements.map(({ id: _, document, ...rest }: { id: number; document: { id: string } }) => [
      document.id,
      rest,
    ]),
    [
      [
        'CVE-2023-38545',
        {
          lockfilePath: 'image.cdx.json',
          vulnerability: 'CVE-2023-38545',
          state: 'not_affected',
          justification: 'code_not_reachable',
          affects: [
            { ref: 'curl', ecosystem: 'deb', name: 'curl', version: '7.88.1-10+deb12u5' },
            { ref: 'urn:cdx:x/1#gone', ecosystem: '', name: '', version: '' },
          ],
        },
      ],
      [
        'CVE-2024-2',
        {
          lockfilePath: 'image.cdx.json',
          vulnerability: 'CVE-2024-2',
          state: '',
          justification: '',
          affects: [{ ref: 'bash', ecosystem: 'rpm', name: 'bash', version: '1:5.1.8-6.el9' }],
        },
      ],
    ],
  )
  assert.equal(body.statements[0].document.analysis.detail, 'no \ufffd \ufffd SOCKS')
  const page = await gatehouse.call('GET', `${path}?pageSize=1`)
  assert.deepEqual([page.body.statements.length, page.body.hasMore], [1, true])
  const next = await gatehouse.call('GET', `${path}?pageSize=1&cursor=${page.body.cursor}`)
  assert.deepEqual([next.body.statements[0].vulnerability, next.body.hasMore], ['CVE-2024-2', false])
  const one = await gatehouse.call('GET', `${path}?vulnerability=CVE-2024-2`)
  assert.equal(one.body.statements.length, 1)
  assert.equal((await gatehouse.call('GET', `${sca()}/repositories/999999/bill-statements`)).status, 404)
  const teams = `/api/permissions/v2/deployments/${gatehouse.owner.deploymentId}/teams`
  for (const team of (await gatehouse.call('GET', teams)).body.teams) {
    const entry = { repositoryId: String(scan.repositoryId), action: 'UPDATE_ACTION_REMOVE' }
    await gatehouse.call('PATCH', `${teams}/${team.id}`, { body: { team: { repositories: [entry] } } })
  }
  const stranger = await gatehouse.addPerson('member')
  assert.equal((await gatehouse.call('GET', path, { as: stranger.token })).status, 404)

  const unchanged = await uploaded('readers/vex', {
    'image.cdx.json': JSON.stringify(image),
    'package-lock.json': packageLock({ a: '1.0.0' }),
  })
  assert.deepEqual(
    unchanged.files.map((file: { status: string; statements: number }) => [file.status, file.statements]),
    [
      ['FILE_STATUS_UNCHANGED', 2],
      ['FILE_STATUS_READ', 0],
    ],
  )
  const { body: lockfiles } = await gatehouse.call('GET', `${sca()}/repositories/${scan.repositoryId}/lockfiles`)
  assert.equal(lockfiles.lockfiles[0].statementCount, 2)
  await uploaded('readers/vex', { 'package-lock.json': packageLock({ a: '1.0.0' }) })
  assert.deepEqual((await gatehouse.call('GET', path)).body, { statements: [], hasMore: false, cursor: '' })
})

test('requirements files are read together: what is included, and what constraints pin', async () => {
  const files = {
    'requirements.txt': '-r requirements/base.txt\n-r names.list\n-c pins.txt\nflask\n',
    'requirements/base.txt': Buffer.from('\ufeffdjango==4.2#why\r\n', 'utf16le'),
    'names.list': 'requests\npytest\n',
    'pins.txt': 'flask==2.0\nunused==1\n',
  }
  const { files: read, scan } = await uploaded('readers/pip', files)
  assert.equal(scan.problemCount, 0, JSON.stringify(read))
  assert.deepEqual(await keysOf('readers/pip'), [
    'names.list pypi requests@',
    'names.list pypi pytest@',
    'requirements.txt pypi flask@2.0',
    'requirements/base.txt pypi django@4.2',
  ])
  // The file itself has not changed, but what it means has.
  const repinned = await uploaded('readers/pip', { ...files, 'pins.txt': 'flask==2.1\n' })
  assert.ok((await keysOf('readers/pip')).includes('requirements.txt pypi flask@2.1'))
  const statuses = repinned.files.map(({ path, status }: { path: string; status: string }) => `${path} ${status}`)
  assert.deepEqual(statuses, [
    'names.list FILE_STATUS_UNCHANGED',
    'pins.txt FILE_STATUS_READ',
    'requirements.txt FILE_STATUS_READ',
    'requirements/base.txt FILE_STATUS_UNCHANGED',
  ])
})

test('a go.sum has what its go.mod selects, and is read again when that changes', async () => {
  const sum = 'a.org/a v1.0.0 h1:x=\na.org/a v1.1.0 h1:x=\nb.org/b v1.0.0 h1:x=\n'
  const files = (version: string) => ({
    'svc/go.mod': `module m\ngo 1.21\nrequire a.org/a ${version}\n`,
    'svc/go.sum': sum,
  })
  await uploaded('readers/go', files('v1.0.0'))
  assert.deepEqual(await keysOf('readers/go'), ['svc/go.mod gomod a.org/a@v1.0.0', 'svc/go.sum gomod a.org/a@v1.0.0'])
  await uploaded('readers/go', files('v1.1.0'))
  assert.deepEqual(await keysOf('readers/go'), ['svc/go.mod gomod a.org/a@v1.1.0', 'svc/go.sum gomod a.org/a@v1.1.0'])
  await uploaded('readers/go', { 'svc/go.sum': sum, 'other/go.mod': 'module m\ngo 1.21\n' })
  assert.equal((await keysOf('readers/go')).length, 3)
})

test('a log whose results are not a list is refused', async () => {
  const log = { version: '2.1.0', runs: [{ tool: { driver: { name: 't' } }, results: {} }] }
  const answer = await upload(gatehouse, { repository: 'readers/sarif' }, { 'a.sarif': JSON.stringify(log) })
  assert.equal(answer.status, 422)
  assert.match(answer.body.errors[0].detail, /'results' of a run must be a list/)
})
