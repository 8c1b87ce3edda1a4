import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { packageLock, packagesOf, upload } from '../../capabilities/scans/test-upload.ts'
import { advisoryFolder, semver } from '../../capabilities/vulnerabilities/feeds/test-advisories.ts'
import { findingsOf, settled } from '../../capabilities/vulnerabilities/test-vulnerabilities.ts'
import { bill, dtrackClient, inBase64 } from './test-client.ts'

const critical = [{ type: 'CVSS_V3', score: 'CVSS:3.1/AV:N/AC:L/PR:N/UI:N/S:U/C:H/I:H/A:H' }]
const feed = advisoryFolder()
let gatehouse: TestGatehouse
let client: ReturnType<typeof dtrackClient>
before(async () => {
  gatehouse = await openGatehouse({ env: { GATEHOUSE_NEW_PEOPLE_SEE: 'teams' } })
  client = dtrackClient(gatehouse)
  feed.put({
    id: 'GHSA-35jh-r3h4-6jhm',
    aliases: ['CVE-2021-23337'],
    summary: 'Command injection',
    severity: critical,
    affected: [{ name: 'lodash', ranges: [semver('0', '4.17.21')] }],
  })
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
})
after(async () => {
  await gatehouse.close()
  feed.remove()
})

const vulnerable = { lodash: '4.17.20', 'left-pad': '1.3.0' }
const clean = { lodash: '4.17.21' }
const idsIn = (answer: { body: { vulnerability: { vulnId: string } }[] }) =>
  answer.body.map(({ vulnerability }) => vulnerability.vulnId)

test('a bill of the default branch is the inventory, and is found again', async () => {
  const sent = await client.putBom(vulnerable, { projectName: 'acme/web', projectVersion: 'main', autoCreate: 'true' })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  const { token, projectUuid } = sent.body
  assert.deepEqual(await packagesOf(gatehouse, 'acme/web'), [
    '@dependency-track/bom.json: lodash@4.17.20',
    '@dependency-track/bom.json: left-pad@1.3.0',
  ])
  assert.equal((await findingsOf(gatehouse, 'acme/web')).length, 1)
  for (const path of [`/v1/event/token/${token}`, `/v1/bom/token/${token}`, '/v1/event/token/unknown'])
    assert.deepEqual((await client.get(path)).body, { processing: false })

  const looked = await client.get('/v1/project/lookup?name=acme/web&version=main')
  assert.equal(looked.body.uuid, projectUuid)
  for (const path of [`/v1/project/${projectUuid}`, '/v1/project/latest/acme%2Fweb']) {
    assert.deepEqual((await client.get(path)).body, looked.body, path)
  }
  const listed = await client.get(
    '/v1/project?name=acme/web&pageNumber=1&pageSize=500&sortName=name&excludeInactive=true',
  )
  assert.deepEqual(listed.body, [looked.body])
  assert.equal(listed.headers.get('x-total-count'), '1')
  assert.ok(listed.headers.get('x-powered-by'))
  const beyond = await client.get('/v1/project?name=acme/web&pageNumber=2&pageSize=1')
  assert.deepEqual([beyond.body, beyond.headers.get('x-total-count')], [[], '1'])
})

test('findings and metrics are those of what was uploaded', async () => {
  const sent = await client.putBom(vulnerable, { projectName: 'read/back', projectVersion: 'main', autoCreate: true })
  const { projectUuid } = sent.body
  const found = await client.get(`/v1/finding/project/${projectUuid}?suppressed=false`)
  const [{ component, vulnerability, analysis, matrix }] = found.body
  assert.deepEqual(
    [component.name, component.version, component.purl, component.projectName, component.projectVersion],
    ['lodash', '4.17.20', 'pkg:npm/lodash@4.17.20', 'read/back', 'main'],
  )
  assert.deepEqual(
    [vulnerability.vulnId, vulnerability.source, vulnerability.severity, vulnerability.severityRank],
    ['CVE-2021-23337', 'NVD', 'CRITICAL', 0],
  )
  assert.equal(vulnerability.cvssV3BaseScore, 9.8)
  assert.deepEqual(vulnerability.aliases, [{ cveId: 'CVE-2021-23337', ghsaId: 'GHSA-35jh-r3h4-6jhm' }])
  assert.equal(vulnerability.recommendation, 'Update to 4.17.21.')
  assert.deepEqual(analysis, { state: 'NOT_SET', isSuppressed: false })
  assert.equal(matrix, `${projectUuid}:${component.uuid}:${vulnerability.uuid}`)
  assert.equal(found.headers.get('x-total-count'), '1')
  const metrics = (await client.get(`/v1/metrics/project/${projectUuid}/current`)).body
  const { critical, high, vulnerabilities, components, vulnerableComponents, inheritedRiskScore } = metrics
  assert.deepEqual(
    { critical, high, vulnerabilities, components, vulnerableComponents, inheritedRiskScore },
    { critical: 1, high: 0, vulnerabilities: 1, components: 2, vulnerableComponents: 1, inheritedRiskScore: 10 },
  )
  assert.equal((await client.get(`/v1/metrics/project/${projectUuid}/refresh`)).status, 200)
  assert.deepEqual((await client.get(`/v1/violation/project/${projectUuid}`)).body, [])
  const none = await client.get(`/v1/finding/project/${projectUuid}?source=OSV`)
  assert.deepEqual(none.body, [])
  assert.deepEqual((await client.get(`/v1/finding/project/${projectUuid}?pageNumber=2&pageSize=1`)).body, [])
  const refused = await client.get(`/v1/finding/project/${projectUuid}?isKev=true`)
  assert.equal(refused.status, 400)
  assert.match(refused.body.detail, /'isKev'/)
})

test('every version has findings of its own, as advisories are today, and the inventory stays', async () => {
  const send = (version: string, packages: object, more = {}) =>
    client.putBom(packages as Record<string, string>, {
      projectName: 'versions/app',
      projectVersion: version,
      autoCreate: true,
      ...more,
    })
  await send('main', clean)
  const old = (await send('1.0.0', vulnerable)).body.projectUuid
  const newer = (await send('1.1.0', clean)).body.projectUuid
  assert.deepEqual(await packagesOf(gatehouse, 'versions/app'), ['@dependency-track/bom.json: lodash@4.17.21'])
  assert.deepEqual(await findingsOf(gatehouse, 'versions/app'), [])
  assert.deepEqual(idsIn(await client.get(`/v1/finding/project/${old}`)), ['CVE-2021-23337'])
  assert.equal((await client.get(`/v1/metrics/project/${old}/current`)).body.critical, 1)
  assert.equal((await client.get(`/v1/metrics/project/${old}/current`)).body.components, 2)
  assert.deepEqual(idsIn(await client.get(`/v1/finding/project/${newer}`)), [])

  feed.put({ id: 'GHSA-later', affected: [{ name: 'left-pad', ranges: [semver('0')] }] })
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
  await settled(gatehouse)
  assert.deepEqual(idsIn(await client.get(`/v1/finding/project/${old}`)).sort(), ['CVE-2021-23337', 'GHSA-later'])

  await send('1.0.0', clean)
  assert.deepEqual(idsIn(await client.get(`/v1/finding/project/${old}`)), [], 'a bill replaces the one before')
  const listed = await client.get('/v1/project?name=versions/app')
  assert.deepEqual(
    listed.body.map((one: { version: string; isLatest: boolean }) => `${one.version} ${one.isLatest}`),
    ['1.0.0 false', '1.1.0 false', 'main true'],
  )
})

test('what is called the latest becomes the inventory, and is kept as a version', async () => {
  const about = { projectName: 'latest/app', autoCreate: true }
  await client.putBom(clean, { ...about, projectVersion: 'main' })
  const sent = await client.putBom(vulnerable, { ...about, projectVersion: '2.0.0', isLatest: true })
  assert.equal((await packagesOf(gatehouse, 'latest/app')).length, 2)
  assert.equal((await findingsOf(gatehouse, 'latest/app')).length, 2)
  const latest = await client.get('/v1/project/latest/latest%2Fapp')
  assert.deepEqual([latest.body.version, latest.body.uuid], ['2.0.0', sent.body.projectUuid])
  await client.putBom(clean, { ...about, projectVersion: '2.1.0', isLatest: 'true' })
  assert.equal((await client.get('/v1/project/latest/latest%2Fapp')).body.version, '2.1.0')
  assert.equal(idsIn(await client.get(`/v1/finding/project/${sent.body.projectUuid}`)).length, 2)
  await client.putBom(clean, { ...about, projectVersion: 'main', isLatest: 'true' })
  assert.equal((await client.get('/v1/project/latest/latest%2Fapp')).body.version, 'main')
})

test('a lockfile beside the bill is not wiped, and what both have counts once', async () => {
  await upload(gatehouse, { repository: 'both/app' }, { 'package-lock.json': packageLock(vulnerable) })
  const sent = await client.putBom(vulnerable, { projectName: 'both/app', projectVersion: 'main' })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  assert.equal((await packagesOf(gatehouse, 'both/app')).length, 4)
  const metrics = (await client.get(`/v1/metrics/project/${sent.body.projectUuid}/current`)).body
  assert.deepEqual([metrics.components, metrics.critical], [2, 1])
})

test('a form is taken too, with tags and a bill in XML', async () => {
  const xml = `<?xml version="1.0"?><bom xmlns="http://cyclonedx.org/schema/bom/1.5" version="1"><components>
    <component type="library"><name>lodash</name><version>4.17.20</version><purl>pkg:npm/lodash@4.17.20</purl></component>
    </components></bom>`
  const fields = {
    projectName: 'acme:form',
    projectVersion: 'main',
    autoCreate: 'true',
    projectTags: 'pci, web',
    bom: xml,
  }
  const sent = await client.post('/bom', fields)
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
  const project = (await client.get('/v1/project/lookup?name=acme:form&version=main')).body
  assert.deepEqual([project.name, project.tags], ['acme/form', [{ name: 'pci' }, { name: 'web' }]])
  assert.deepEqual(idsIn(await client.get(`/v1/finding/project/${sent.body.projectUuid}`)), ['CVE-2021-23337'])
  const again = await client.post('/bom', { project: sent.body.projectUuid, bom: bill(clean) })
  assert.equal(again.body.projectUuid, sent.body.projectUuid)
  assert.deepEqual(idsIn(await client.get(`/v1/finding/project/${sent.body.projectUuid}`)), [])
})

test('a repeated upload has one effect', async () => {
  const body = { projectName: 'repeated/app', projectVersion: '1.0', autoCreate: true }
  const [first, second] = [await client.putBom(vulnerable, body), await client.putBom(vulnerable, body)]
  assert.deepEqual(first.body, second.body)
  const { deploymentId } = gatehouse.owner
  const scans = await gatehouse.call('GET', `/api/scans/v1/deployments/${deploymentId}/scans?pageSize=100`)
  assert.equal(scans.body.scans.filter((scan: { repository: string }) => scan.repository === 'repeated/app').length, 1)
})

test('a byte order mark before a bill is passed over', async () => {
  const marked = Buffer.concat([Buffer.from([0xef, 0xbb, 0xbf]), Buffer.from(bill(clean))]).toString('base64')
  const sent = await client.put('/bom', {
    projectName: 'marked/app',
    projectVersion: 'main',
    autoCreate: true,
    bom: marked,
  })
  assert.equal(sent.status, 200, JSON.stringify(sent.body))
})

test('what is wrong is said in the shape that clients show', async () => {
  const cases: [why: string, body: object, status: number, detail: RegExp][] = [
    ['no such project', { projectName: 'no/such', projectVersion: '1', bom: inBase64(bill(clean)) }, 404, /'no\/such'/],
    ['no such id', { project: '00000000-0000-8000-8000-000000000000', bom: inBase64(bill(clean)) }, 404, /No project/],
    [
      'no bill',
      { projectName: 'a', projectVersion: '1', autoCreate: true, bom: inBase64('{"a":1}') },
      400,
      /None of the/,
    ],
    ['no file', { projectName: 'a', projectVersion: '1', autoCreate: true }, 400, /'bom'/],
    ['no name', { bom: inBase64(bill(clean)) }, 400, /projectName/],
  ]
  for (const [why, body, status, detail] of cases) {
    const answer = await client.put('/bom', body)
    assert.deepEqual([answer.status, answer.body.status], [status, status], `${why} ${JSON.stringify(answer.body)}`)
    assert.match(answer.body.detail, detail, why)
    assert.match(String(answer.headers.get('content-type')), /^application\/problem\+json/, why)
  }
  const invalid = await client.put('/bom', { projectName: 'a', autoCreate: true, bom: inBase64('{"bomFormat":"X"}') })
  assert.equal(invalid.body.title, 'The uploaded BOM is invalid')
  assert.equal(typeof invalid.body.errors[0], 'string')
  assert.equal((await dtrackClient(gatehouse, 'gth_wrong').get('/v1/project')).status, 401)
  assert.equal((await client.get('/v1/project/00000000-0000-8000-8000-000000000000')).status, 404)
  assert.equal((await client.get('/v1/nowhere')).body.status, 404)
  const wrongMethod = await gatehouse.call('DELETE', '/api/v1/bom', { as: '', headers: { 'x-api-key': 'x' } })
  assert.deepEqual([wrongMethod.status, wrongMethod.body.status], [405, 405])
})

test('another deployment, and whoever does not see the repository, finds nothing', async () => {
  const sent = await client.putBom(vulnerable, { projectName: 'hidden/app', projectVersion: '1.0', autoCreate: true })
  const outsider = dtrackClient(gatehouse, (await gatehouse.addDeployment()).as)
  const member = dtrackClient(gatehouse, (await gatehouse.addPerson('member')).token)
  for (const other of [outsider, member]) {
    for (const path of ['project', 'finding/project', 'violation/project', 'bom/cyclonedx/project'])
      assert.equal((await other.get(`/v1/${path}/${sent.body.projectUuid}`)).status, 404, path)
    assert.equal((await other.get('/v1/project/lookup?name=hidden/app&version=1.0')).status, 404)
    assert.deepEqual((await other.get('/v1/project')).body, [])
    assert.equal((await other.put('/bom', { project: sent.body.projectUuid, bom: inBase64(bill(clean)) })).status, 404)
  }
  assert.equal((await outsider.send('PATCH', `/project/${sent.body.projectUuid}`, { tags: [] })).status, 404)
})

test('a token that may only upload sets no tags', async () => {
  const { jwt, deploymentId } = gatehouse.owner
  const uploader = dtrackClient(gatehouse, await gatehouse.makeToken(jwt, deploymentId, { scopes: ['scans:write'] }))
  const about = { projectName: 'tagged/app', projectVersion: 'main', autoCreate: true, projectTags: [{ name: 'pci' }] }
  assert.equal((await uploader.putBom(clean, about)).status, 200)
  assert.deepEqual((await client.get('/v1/project/lookup?name=tagged/app')).body.tags, [])
  await client.putBom(vulnerable, about)
  assert.deepEqual((await client.get('/v1/project/lookup?name=tagged/app')).body.tags, [{ name: 'pci' }])
})

test('connection tests are told what the token may do, and a version', async () => {
  const version = (await client.get('/version')).body
  assert.deepEqual([version.application, version.version], ['Gatehouse', '4.13.0'])
  const names = (answer: { body: { permissions: { name: string }[] } }) =>
    answer.body.permissions.map(({ name }) => name)
  const all = names(await client.get('/v1/team/self'))
  for (const name of ['BOM_UPLOAD', 'VIEW_PORTFOLIO', 'VULNERABILITY_ANALYSIS', 'PROJECT_CREATION_UPLOAD'])
    assert.ok(all.includes(name), name)
  const readonly = await gatehouse.addPerson('readonly')
  assert.equal((await dtrackClient(gatehouse, readonly.token).get('/v1/team/self')).status, 403)
})

const vex = (vulnerabilities: object[]) =>
  JSON.stringify({
    bomFormat: 'CycloneDX',
    specVersion: '1.6',
    version: 1,
    metadata: { component: { type: 'application', name: 'x', 'bom-ref': 'root' } },
    vulnerabilities,
  })
const statement = (state: string, refs: string[], id = 'CVE-2021-23337') => ({
  id,
  analysis: { state, justification: 'code_not_reachable', detail: 'Never called' },
  affects: refs.map((ref) => ({ ref })),
})

test('analyses become decisions, also for other versions that have the same, and what is not taken is said', async () => {
  const about = { projectName: 'vex/app', autoCreate: true }
  const { projectUuid } = (await client.putBom({ lodash: '4.17.20' }, { ...about, projectVersion: 'main' })).body
  const release = (await client.putBom({ lodash: '4.17.20' }, { ...about, projectVersion: '1.0' })).body.projectUuid
  const taken = await client.put('/vex', {
    project: projectUuid,
    vex: inBase64(
      vex([
        statement('not_affected', ['pkg:npm/lodash@4.17.20']),
        statement('resolved', ['root']),
        statement('not_affected', ['root'], 'CVE-1999-1'),
        statement('not_affected', ['urn:cdx:other#x']),
      ]),
    ),
  })
  assert.equal(taken.status, 200, JSON.stringify(taken.body))
  assert.equal(taken.body.decided, 1)
  assert.deepEqual(taken.body.notTaken, [
    "CVE-2021-23337: the state 'resolved' decides nothing here.",
    'CVE-1999-1: nothing stands here that it is about.',
    "CVE-2021-23337: 'urn:cdx:other#x' is no component of the document and no package URL.",
  ])
  const [finding] = await findingsOf(gatehouse, 'vex/app')
  assert.equal(finding.triageState, 'TRIAGE_STATE_IGNORED')
  for (const uuid of [projectUuid, release]) {
    assert.deepEqual((await client.get(`/v1/finding/project/${uuid}?suppressed=false`)).body, [])
    const [all] = (await client.get(`/v1/finding/project/${uuid}?suppressed=true`)).body
    assert.deepEqual(all.analysis, { state: 'NOT_AFFECTED', isSuppressed: true })
    const { suppressed, critical } = (await client.get(`/v1/metrics/project/${uuid}/current`)).body
    assert.deepEqual([suppressed, critical], [1, 0])
  }
  const again = await client.post('/vex', {
    ...about,
    autoCreate: '',
    projectVersion: 'main',
    vex: vex([statement('exploitable', ['root'])]),
  })
  assert.equal(again.body.decided, 1)
  assert.equal((await client.put('/vex', { project: release, vex: inBase64(vex([])) })).status, 400)
  assert.equal((await client.put('/vex', { project: projectUuid, vex: inBase64('<bom/>') })).status, 400)
  const member = await gatehouse.addPerson('readonly')
  const refused = await dtrackClient(gatehouse, member.token).put('/vex', {
    project: projectUuid,
    vex: inBase64(vex([])),
  })
  assert.equal(refused.status, 403)
})

test('an analysis that does not say what it is about decides nothing', async () => {
  const about = { projectName: 'vex/nameless', autoCreate: true, projectVersion: 'main' }
  const { projectUuid } = (await client.putBom({ lodash: '4.17.20' }, about)).body
  const components = [{ type: 'library', name: 'lodash', purl: 'pkg:npm/lodash@4.17.20' }]
  const affected = [[{}], [{ ref: 7 }], [{ ref: '' }], { ref: 'pkg:npm/lodash@4.17.20' }]
  for (const affects of affected) {
    const vulnerabilities = [{ id: 'CVE-2021-23337', analysis: { state: 'not_affected' }, affects }]
    const document = JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', components, vulnerabilities })
    const taken = await client.put('/vex', { project: projectUuid, vex: inBase64(document) })
    assert.deepEqual([taken.status, taken.body.decided, taken.body.notTaken.length], [200, 0, 1])
  }
})

test('what was decided about a version of a package says nothing about another version of it', async () => {
  const about = { projectName: 'vex/versions', autoCreate: true }
  const { projectUuid } = (await client.putBom({ lodash: '4.17.20' }, { ...about, projectVersion: 'main' })).body
  const older = (await client.putBom({ lodash: '4.17.15' }, { ...about, projectVersion: '1.0' })).body.projectUuid
  const decide = (ref: string) =>
    client.put('/vex', { project: projectUuid, vex: inBase64(vex([statement('not_affected', [ref])])) })
  assert.deepEqual((await decide('pkg:npm/lodash@4.17.15')).body.notTaken, [
    'CVE-2021-23337: it is about another version of lodash than 4.17.20, which stands here.',
  ])
  const listed = async (uuid: string) => (await client.get(`/v1/finding/project/${uuid}?suppressed=false`)).body.length
  assert.deepEqual([await listed(projectUuid), await listed(older)], [1, 1])
  assert.equal((await decide('pkg:npm/lodash@4.17.20')).body.decided, 1)
  assert.deepEqual([await listed(projectUuid), await listed(older)], [0, 1])
})

test('what Trivy wrote of a Go module has its advisories, and an analysis may name it by its package URL', async () => {
  feed.put({
    id: 'GHSA-xg2h-wx96-xgxr',
    aliases: ['CVE-2021-4238'],
    severity: critical,
    affected: [{ ecosystem: 'Go', name: 'github.com/Masterminds/goutils', ranges: [semver('0', '1.1.1')] }],
  })
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
  const purl = 'pkg:golang/github.com/masterminds/goutils@v1.1.0'
  const name = 'github.com/Masterminds/goutils'
  const properties = [
    { name: 'aquasecurity:trivy:PkgID', value: `${name}@v1.1.0` },
    { name: 'aquasecurity:trivy:PkgType', value: 'gomod' },
  ]
  const components = [{ 'bom-ref': purl, type: 'library', name, version: 'v1.1.0', purl, properties }]
  const bom = inBase64(JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', version: 1, components }))
  const about = { projectName: 'vex/go', projectVersion: 'main', autoCreate: true }
  const { projectUuid } = (await client.put('/bom', { bom, ...about })).body
  assert.equal((await findingsOf(gatehouse, 'vex/go')).length, 1)
  const said = vex([statement('not_affected', [purl], 'CVE-2021-4238')])
  assert.equal((await client.put('/vex', { project: projectUuid, vex: inBase64(said) })).body.decided, 1)
})

test('tags and activity are changed, and what an upload alone can say is refused', async () => {
  const about = { projectName: 'patch/app', projectVersion: 'main', autoCreate: true }
  const { projectUuid } = (await client.putBom(clean, about)).body
  const path = `/project/${projectUuid}`
  const tagged = await client.send('PATCH', path, {
    tags: [{ name: 'PCI' }, { name: 'web' }],
    group: 'com.acme',
    parent: { uuid: projectUuid },
    isLatest: true,
  })
  assert.equal(tagged.status, 200, JSON.stringify(tagged.body))
  assert.deepEqual((await client.get(`/v1${path}`)).body, tagged.body)
  assert.deepEqual(tagged.body.tags, [{ name: 'pci' }, { name: 'web' }])
  const untouched = await client.send('PATCH', path, { description: 'x' })
  assert.deepEqual(untouched.body, tagged.body)
  const whole = { ...tagged.body, tags: [{ name: 'web' }], active: false }
  const updated = await client.send('POST', '/project', whole)
  assert.deepEqual([updated.status, updated.body], [200, whole])
  assert.equal((await client.get(`/v1${path}`)).body.active, false)

  const other = (await client.putBom(clean, { ...about, projectVersion: '1.0.0' })).body.projectUuid
  for (const [changes, says] of [
    [{ name: 'patch/renamed' }, /renaming its repository/],
    [{ version: '2.0.0' }, /upload the bill again/],
    [{ isLatest: true }, /isLatest with the upload/],
  ] as const) {
    const refused = await client.send('PATCH', `/project/${other}`, changes)
    assert.equal(refused.status, 400)
    assert.match(refused.body.detail, says)
  }
  const unknown = '00000000-ffff-8000-8000-000000000000'
  assert.equal((await client.send('PATCH', `/project/${unknown}`, { tags: [] })).status, 404)
})

test('whoever may only upload changes no project', async () => {
  const { projectUuid } = (await client.putBom(clean, { projectName: 'patch/held', autoCreate: true })).body
  const { jwt, deploymentId } = gatehouse.owner
  const uploader = dtrackClient(gatehouse, await gatehouse.makeToken(jwt, deploymentId, { scopes: ['scans:write'] }))
  assert.equal((await uploader.send('PATCH', `/project/${projectUuid}`, { tags: [] })).status, 403)
})

test('a bill is exported with vulnerabilities, and as a report of what is affected', async () => {
  const about = { projectName: 'export/found', autoCreate: true, projectVersion: 'main' }
  const { projectUuid } = (await client.putBom({ lodash: '4.17.20', 'is-odd': '3.0.1' }, about)).body
  const vulnerabilities = [{ id: 'CVE-2021-23337', analysis: { state: 'not_affected', detail: 'Never called' } }]
  const vex = inBase64(JSON.stringify({ bomFormat: 'CycloneDX', specVersion: '1.6', vulnerabilities }))
  assert.equal((await client.put('/vex', { project: projectUuid, vex })).body.decided, 1)
  const path = `/v1/bom/cyclonedx/project/${projectUuid}`
  const exported = async (variant: string) => (await client.get(`${path}?format=json&variant=${variant}`)).body
  const purls = ({ components }: { components: { purl: string }[] }) => components.map(({ purl }) => purl).sort()

  const whole = await exported('withVulnerabilities')
  assert.deepEqual(purls(whole), ['pkg:npm/is-odd@3.0.1', 'pkg:npm/lodash@4.17.20'])
  const [found] = whole.vulnerabilities
  assert.deepEqual(
    [found.id, found.source.name, found.ratings, found.analysis],
    [
      'CVE-2021-23337',
      'NVD',
      [{ score: 9.8, severity: 'critical', method: 'CVSSv31', vector: critical[0]!.score }],
      undefined,
    ],
  )
  const affected = whole.components.find(({ purl }: { purl: string }) => purl === 'pkg:npm/lodash@4.17.20')
  assert.deepEqual(found.affects, [{ ref: affected['bom-ref'] }])

  const report = await exported('vdr')
  assert.deepEqual(purls(report), ['pkg:npm/lodash@4.17.20'])
  assert.deepEqual(report.vulnerabilities[0].analysis, { state: 'not_affected' })
  assert.notEqual(report.serialNumber, whole.serialNumber)
  assert.equal((await exported('inventory')).vulnerabilities, undefined)

  const { jwt, deploymentId } = gatehouse.owner
  const scopes = ['dependencies:read']
  const narrow = dtrackClient(gatehouse, await gatehouse.makeToken(jwt, deploymentId, { scopes }))
  assert.equal((await narrow.get(path)).status, 200)
  assert.equal((await narrow.get(`${path}?variant=vdr`)).status, 403)
})

test('the bill of a version is exported, also of one that is not the inventory', async () => {
  const about = { projectName: 'export/app', autoCreate: true }
  const main = (await client.putBom(clean, { ...about, projectVersion: 'main' })).body.projectUuid
  const old = (await client.putBom(vulnerable, { ...about, projectVersion: '1.0.0' })).body.projectUuid
  const path = (uuid: string) => `/v1/bom/cyclonedx/project/${uuid}`
  const exported = async (uuid: string) => {
    const { status, headers, body } = await client.get(`${path(uuid)}?format=json&variant=inventory&download=true`)
    assert.equal(status, 200, JSON.stringify(body))
    assert.match(headers.get('content-type') ?? '', /^application\/vnd\.cyclonedx\+json/)
    return body.components.map(({ purl }: { purl: string }) => purl).sort()
  }
  assert.deepEqual(await exported(main), ['pkg:npm/lodash@4.17.21'])
  assert.deepEqual(await exported(old), ['pkg:npm/left-pad@1.3.0', 'pkg:npm/lodash@4.17.20'])
  for (const [query, said] of [
    ['format=xml', /json/],
    ['variant=everything', /inventory/],
  ] as const) {
    const refused = await client.get(`${path(main)}?${query}`)
    assert.deepEqual([refused.status, said.test(refused.body.detail)], [400, true])
  }
})
