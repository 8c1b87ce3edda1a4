import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, beforeEach, type TestContext, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { openProxyGatehouse, type ProxyGatehouse } from '../../../test/servers/proxy-gatehouse.ts'
import type { Actor } from '../../kernel/access/actor.ts'
import { type MavenRegistrySandbox, startMavenRegistry } from '../../sandbox/registries/maven-registry.ts'
import type { RegistryAnswer } from '../../sandbox/registries/registry-server.ts'
import { collectedBytes } from '../upstream/collect-body.ts'

let gatehouse: TestGatehouse
let repository: MavenRegistrySandbox
let proxy: ProxyGatehouse

before(async () => {
  gatehouse = await openGatehouse()
  repository = await startMavenRegistry()
  for (const version of ['1.0', '1.1']) repository.publish({ group: 'com.acme', artifact: 'left', version })
  repository.publish({ group: 'com.acme', artifact: 'left', version: '1.2', publishedAt: '2026-01-01T00:00:00Z' })
  proxy = await openProxyGatehouse({ upstreams: { maven: repository.url }, egressAllow: '127.0.0.1' }, gatehouse)
})

beforeEach(() => {
  proxy.blocked.clear()
  proxy.events.length = 0
  proxy.control.verdict = undefined
  repository.control.meddle = undefined
})

after(async () => {
  await proxy.close()
  await repository.close()
  await gatehouse.close()
})

const folder = 'maven/com/acme/left'
const jar = (version: string) => `${folder}/${version}/left-${version}.jar`

test('metadata without refused versions, and checksums of what we serve', async () => {
  proxy.blocked.set('maven com.acme:left@1.2', 'MAL-1')
  const text = await (await proxy.get(`${folder}/maven-metadata.xml`)).text()
  assert.ok(!text.includes('1.2'))
  assert.match(text, /<latest>1\.1<\/latest>\s*<release>1\.1<\/release>/)
  for (const algorithm of ['sha1', 'md5', 'sha256', 'sha512']) {
    const sum = await (await proxy.get(`${folder}/maven-metadata.xml.${algorithm}`)).text()
    assert.equal(sum, createHash(algorithm).update(text).digest('hex'))
  }
})

test('a refused version is 403 as POM, jar and checksum; a project without any other, as metadata too', async () => {
  proxy.blocked.set('maven com.acme:left@1.2', 'MAL-1')
  for (const path of [jar('1.2'), `${folder}/1.2/left-1.2.pom`, `${jar('1.2')}.sha1`]) {
    const answer = await proxy.get(path)
    assert.equal(answer.status, 403)
    assert.match(answer.statusText, /com\.acme:left@1\.2.*MAL-1/)
  }
  proxy.blocked.set('maven com.acme:left', 'MAL-2')
  assert.equal((await proxy.get(`${folder}/maven-metadata.xml`)).status, 403)
})

test('artifacts are verified against the checksum, and served with it', async () => {
  repository.control.meddle = (request, honest) =>
    request.path.endsWith('1.1.jar')
      ? { ...honest, body: Buffer.concat([honest.body as Buffer, Buffer.from('x')]) }
      : honest
  assert.equal((await proxy.get(jar('1.1'))).status, 502)
  repository.control.meddle = undefined
  const right = Buffer.from(await (await proxy.get(jar('1.1'))).arrayBuffer())
  assert.deepEqual(right, repository.files.get('com/acme/left/1.1/left-1.1.jar')!.content)
  assert.equal(await (await proxy.get(`${jar('1.1')}.sha1`)).text(), createHash('sha1').update(right).digest('hex'))
  assert.equal(await (await proxy.get(`${jar('1.1')}.sha512`)).text(), createHash('sha512').update(right).digest('hex'))
  assert.deepEqual(
    proxy.events.map(({ name, version }) => [name, version]),
    [['com.acme:left', '1.1']],
  )
})

test("metadata that is not what the repository's own checksum says: 502; without a checksum it is believed", async () => {
  const sums = ['sha1', 'sha256', 'sha512', 'md5']
  for (const [at, offered] of sums.entries()) {
    const artifact = `summed${at}`
    repository.publish({ group: 'com.acme', artifact, version: '1.0' })
    const path = `com/acme/${artifact}/maven-metadata.xml`
    const isLeftOut = (asked: string) => sums.some((sum) => sum !== offered && asked.endsWith(`.${sum}`))
    repository.control.meddle = (request, honest) => {
      if (isLeftOut(request.path)) return { status: 404 }
      return request.path.endsWith('.xml') ? { ...honest, body: `${honest.body}<!-- -->` } : honest
    }
    const answer = await proxy.get(`maven/${path}`)
    assert.equal(answer.status, 502, offered)
    assert.match((await answer.json()).error, /not what its checksum says/)
    repository.control.meddle = undefined
    assert.equal((await proxy.get(`maven/${path}`)).status, 200)
  }
  repository.publish({ group: 'com.acme', artifact: 'unsummed', version: '1.0' })
  repository.control.meddle = (request, honest) => (request.path.endsWith('.xml') ? honest : { status: 404 })
  assert.equal((await proxy.get('maven/com/acme/unsummed/maven-metadata.xml')).status, 200)
})

test('metadata that changes while its checksum is read is read once more', async () => {
  repository.publish({ group: 'com.acme', artifact: 'moving', version: '1.0' })
  let asked = 0
  repository.control.meddle = (request, honest) => {
    if (request.path.endsWith('.xml.sha1') && asked++ === 0) return { body: 'a'.repeat(40) }
    return honest
  }
  assert.equal((await proxy.get('maven/com/acme/moving/maven-metadata.xml')).status, 200)
  assert.equal(asked, 2)
})

test('metadata whose checksum cannot be read gives back the memory that it took', async () => {
  await proxy.proxy.settle()
  const answers = [{ status: 500 }, { status: 403 }, { body: '<html>Sign in</html>' }]
  for (const [at, sum] of answers.entries()) {
    const artifact = `unreadable${at}`
    repository.publish({ group: 'com.acme', artifact, version: '1.0' })
    repository.control.meddle = (request, honest) => (request.path.endsWith('.sha1') ? sum : honest)
    const taken = collectedBytes()
    assert.equal((await proxy.get(`maven/com/acme/${artifact}/maven-metadata.xml`)).status, 502)
    assert.equal(collectedBytes(), taken, JSON.stringify(sum))
  }
})

test('what has no checksum cannot pass, what is not there is 404', async () => {
  repository.put('com/acme/bare/1.0/bare-1.0.jar', 'x')
  repository.control.meddle = (request, honest) => (/\.(sha\d+|md5)$/.test(request.path) ? { status: 404 } : honest)
  assert.equal((await proxy.get('maven/com/acme/bare/1.0/bare-1.0.jar')).status, 502)
  assert.equal((await proxy.get('maven/com/acme/gone/1.0/gone-1.0.jar')).status, 404)
})

test('a signature needs no checksum: clients verify the artifact by it, and that one still needs its own', async () => {
  const stem = 'com/acme/signed/1.0/signed-1.0'
  const endings = ['asc', 'sig', 'sigstore', 'sigstore.json']
  for (const ending of endings) repository.put(`${stem}.jar.${ending}`, `signature ${ending}`)
  for (const file of ['pom', 'jar', 'asc.jar']) repository.put(`${stem}.${file}`, 'x')
  const hasNoSum = (path: string) => /\.(asc|sig|sigstore|json|asc\.jar)\.(sha\d+|md5)$/.test(path)
  repository.control.meddle = (request, honest) => (hasNoSum(request.path) ? { status: 404 } : honest)
  for (const ending of endings) {
    const answer = await proxy.get(`maven/${stem}.jar.${ending}`)
    assert.equal(answer.status, 200, ending)
    assert.equal(await answer.text(), `signature ${ending}`)
    const sum = await (await proxy.get(`maven/${stem}.jar.${ending}.sha1`)).text()
    assert.equal(sum, createHash('sha1').update(`signature ${ending}`).digest('hex'))
  }
  assert.equal((await proxy.get(`maven/${stem}.asc.jar`)).status, 502)
  assert.equal((await proxy.get(`maven/${stem}.pom.asc`)).status, 404)
  proxy.blocked.set('maven com.acme:signed@1.0', 'MAL-4')
  assert.equal((await proxy.get(`maven/${stem}.jar.asc`)).status, 403)
  assert.equal((await proxy.get(`maven/${stem}.jar.asc.sha1`)).status, 403)
})

test('a signature that has a checksum is compared with it, and a large file is not a signature', async () => {
  const stem = 'com/acme/signed/1.1/signed-1.1'
  repository.put(`${stem}.jar.asc`, 'signature')
  repository.put(`${stem}.pom.asc`, 'x'.repeat(300_000))
  repository.control.meddle = (request, honest) =>
    request.path.endsWith('.jar.asc') ? { ...honest, body: 'other' } : honest
  const changed = await proxy.get(`maven/${stem}.jar.asc`)
  assert.equal(changed.status, 502)
  assert.match((await changed.json()).error, /not what its checksum says/)
  repository.control.meddle = undefined
  assert.equal((await proxy.get(`maven/${stem}.jar.asc`)).status, 200)
  assert.equal((await proxy.get(`maven/${stem}.pom.asc`)).status, 502)
})

test('the age gate goes by the time of the POM, the same for metadata and artifacts', async () => {
  proxy.control.verdict = (_name, _version, publishedAt) => {
    if (!publishedAt) return { decision: 'undetermined', refuse: true, reason: 'no time' }
    return publishedAt > new Date('2025-01-01') ? { decision: 'block', refuse: true, reason: 'too young' } : {}
  }
  const text = await (await proxy.get(`${folder}/maven-metadata.xml`)).text()
  assert.deepEqual(
    ['1.0', '1.1', '1.2'].map((version) => text.includes(`<version>${version}</version>`)),
    [true, true, false],
  )
  assert.equal((await proxy.get(jar('1.0'))).status, 200)
  assert.equal((await proxy.get(jar('1.2'))).status, 403)
})

test("a deployment's own repositories are asked first and alone, even for what they have nothing of", async (t) => {
  const own = await startMavenRegistry()
  t.after(() => own.close())
  own.publish({ group: 'com.private', artifact: 'inner', version: '1.0' })
  const additionalConfig = { maven: { repositoryType: 'MAVEN_REPOSITORY_TYPE_RELEASE' } }
  const config = { name: 'Own', url: own.url, ecosystem: 'maven', additionalConfig }
  const body = { packageManagerConfigForInsert: { config, maven: { username: 'u', password: 'p' } } }
  const configs = '/api/agent/deployments/1/packagemanagerauthconfigs'
  const made = await gatehouse.call('POST', configs, { body })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  proxy.expire()
  const asked = repository.seen.length
  const inner = 'maven/com/private/inner'
  assert.equal((await proxy.get(`${inner}/1.0/inner-1.0.jar`)).status, 200)
  assert.equal((await proxy.get(`${inner}/maven-metadata.xml`)).status, 200)
  assert.equal((await proxy.get(`${inner}/2.0-SNAPSHOT/inner-2.0-20260101.120000-1.jar`)).status, 404)
  assert.equal((await proxy.get('maven/com/private/other/1.0/other-1.0.jar')).status, 404)
  assert.equal((await proxy.get(jar('1.0'))).status, 404)
  assert.equal(repository.seen.length, asked)
  const login = `Basic ${Buffer.from('u:p').toString('base64')}`
  assert.ok(own.seen.length > 0 && own.seen.every(({ headers }) => headers.authorization === login))
  await gatehouse.call('DELETE', `${configs}/${made.body.packageManagerConfig.id}`)
  proxy.expire()
})

test('snapshots are read under the time in their name', async () => {
  const place = 'com/acme/left/2.0-SNAPSHOT'
  repository.put(`${place}/left-2.0-20260101.120000-1.jar`, 'snapshot')
  repository.put(`${place}/maven-metadata.xml`, '<metadata><versioning><snapshot/></versioning></metadata>')
  assert.equal((await proxy.get(`maven/${place}/maven-metadata.xml`)).status, 200)
  assert.equal(await (await proxy.get(`maven/${place}/left-2.0-20260101.120000-1.jar`)).text(), 'snapshot')
  proxy.blocked.set('maven com.acme:left@2.0-SNAPSHOT', 'MAL-3')
  assert.equal((await proxy.get(`maven/${place}/left-2.0-20260101.120000-1.jar`)).status, 403)
})

const gate = (_name: string, _version: string, publishedAt?: Date) => {
  if (!publishedAt) return { decision: 'undetermined' as const, refuse: true, reason: 'no time' }
  return publishedAt > new Date('2025-01-01') ? { decision: 'block' as const, refuse: true, reason: 'too young' } : {}
}
const snapshotMetadata = (updated: string) =>
  `<metadata><versioning><snapshot/><lastUpdated>${updated}</lastUpdated></versioning></metadata>`

test('a build of a snapshot is as old as its name says, or as its repository where that is later', async () => {
  const place = 'com/acme/build/3.0-SNAPSHOT'
  const build = (stamp: string) => `${place}/build-3.0-${stamp}.jar`
  repository.put(build('20240101.120000-1'), 'old', '2024-01-01T12:00:05Z')
  repository.put(build('20260101.120000-2'), 'young', '2024-01-01T12:00:05Z')
  repository.put(build('20240101.120000-3'), 'backdated', '2026-01-01T12:00:05Z')
  repository.put(build('20240101.120000-4'), 'timeless')
  repository.control.meddle = ({ path }, honest) => (path.includes('-4.jar') ? { ...honest, headers: {} } : honest)
  proxy.control.verdict = gate
  const statuses: Record<string, number> = {}
  for (const stamp of ['20240101.120000-1', '20260101.120000-2', '20240101.120000-3', '20240101.120000-4'])
    statuses[stamp] = (await proxy.get(`maven/${build(stamp)}`)).status
  assert.deepEqual(statuses, {
    '20240101.120000-1': 200,
    '20260101.120000-2': 403,
    '20240101.120000-3': 403,
    '20240101.120000-4': 200,
  })
})

test('a snapshot that is one file is as old as its metadata says now, not as it was once', async () => {
  const place = 'com/acme/moved/3.0-SNAPSHOT'
  const file = `${place}/moved-3.0-SNAPSHOT.jar`
  proxy.control.verdict = gate
  repository.put('com/acme/moved/maven-metadata.xml', '<metadata><versioning/></metadata>')
  repository.put(file, 'first', '2024-01-01T12:00:00Z')
  repository.put(`${place}/maven-metadata.xml`, snapshotMetadata('20240101120000'))
  assert.equal((await proxy.get(`maven/${file}`)).status, 200)
  repository.put(file, 'second', '2024-01-01T12:00:00Z')
  repository.put(`${place}/maven-metadata.xml`, snapshotMetadata('20260101120000'))
  proxy.expire()
  assert.equal((await proxy.get(`maven/${file}`)).status, 403)
})

test('a snapshot of which nobody says when it was built is refused, and that is said', async () => {
  const file = 'com/acme/ageless/3.0-SNAPSHOT/ageless-3.0-SNAPSHOT.jar'
  repository.put('com/acme/ageless/maven-metadata.xml', '<metadata><versioning/></metadata>')
  repository.put(file, 'x')
  repository.control.meddle = (_request, honest) => ({ ...honest, headers: {} })
  proxy.control.verdict = gate
  const refused = await proxy.get(`maven/${file}`)
  assert.equal(refused.status, 403)
  assert.match(
    (await refused.json()).error,
    /Neither the repository nor a maven-metadata\.xml says when this snapshot was built\./,
  )
})

test('a list keeps the snapshots that are old enough, and what is asked about one is answered', async () => {
  const list = '<versions><version>3.0-SNAPSHOT</version><version>4.0-SNAPSHOT</version></versions>'
  repository.put('com/acme/both/maven-metadata.xml', `<metadata><versioning>${list}</versioning></metadata>`)
  repository.put('com/acme/both/3.0-SNAPSHOT/maven-metadata.xml', snapshotMetadata('20240101120000'))
  repository.put('com/acme/both/4.0-SNAPSHOT/maven-metadata.xml', snapshotMetadata('20260101120000'))
  proxy.control.verdict = gate
  const text = await (await proxy.get('maven/com/acme/both/maven-metadata.xml')).text()
  assert.ok(text.includes('3.0-SNAPSHOT') && !text.includes('4.0-SNAPSHOT'), text)
  const actor = { deploymentId: 1, personId: 1 } as Actor
  const published = (version: string) => proxy.proxy.publicationOf(actor, 'maven', 'com.acme:both', version)
  assert.deepEqual(await published('3.0-SNAPSHOT'), { publishedAt: new Date('2024-01-01T12:00:00Z') })
  assert.equal(await published('5.0-SNAPSHOT'), undefined)
})

const wrongs: [what: string, answer: RegistryAnswer][] = [
  ['is not metadata', { body: '<html>' }],
  ['is an error of the repository', { status: 500, body: '' }],
  ['is forbidden', { status: 403, body: '' }],
  ['leads in circles', { status: 302, headers: { location: 'maven-metadata.xml' } }],
]
for (const [at, [what, answer]] of wrongs.entries()) {
  test(`what ${what} of one snapshot leaves the others in the list, and nothing of that one passes`, async () => {
    const place = `com/acme/wrong${at}`
    const list =
      '<versions><version>1.0</version><version>3.0-SNAPSHOT</version><version>4.0-SNAPSHOT</version></versions>'
    repository.put(`${place}/maven-metadata.xml`, `<metadata><versioning>${list}</versioning></metadata>`)
    repository.put(`${place}/1.0/wrong${at}-1.0.pom`, '<project/>')
    for (const version of ['3.0-SNAPSHOT', '4.0-SNAPSHOT']) {
      repository.put(`${place}/${version}/maven-metadata.xml`, snapshotMetadata('20240101120000'))
      repository.put(`${place}/${version}/wrong${at}-${version}.jar`, 'x')
    }
    repository.control.meddle = ({ path }, honest) =>
      path.includes('/4.0-SNAPSHOT/maven-metadata.xml') ? { headers: {}, ...answer } : honest
    proxy.control.verdict = gate
    const seen = await proxy.get(`maven/${place}/maven-metadata.xml`)
    const text = await seen.text()
    assert.equal(seen.status, 200, text)
    assert.ok(text.includes('1.0') && text.includes('3.0-SNAPSHOT') && !text.includes('4.0-SNAPSHOT'), text)
    const jarOf = (version: string) => `maven/${place}/${version}/wrong${at}-${version}.jar`
    assert.deepEqual(
      [(await proxy.get(jarOf('3.0-SNAPSHOT'))).status, (await proxy.get(jarOf('4.0-SNAPSHOT'))).status],
      [200, 502],
    )
  })
}

test('a list of a repository that refuses us about every version, or cannot be asked any more, is 502', async () => {
  const place = 'com/acme/refusing'
  const list = '<versions><version>1.0</version><version>2.0</version></versions>'
  repository.put(`${place}/maven-metadata.xml`, `<metadata><versioning>${list}</versioning></metadata>`)
  proxy.control.verdict = gate
  const isPom = (path = '') => path.endsWith('.pom')
  repository.control.meddle = ({ path }, honest) => (isPom(path) ? { status: 401 } : honest)
  const refusing = await proxy.get(`maven/${place}/maven-metadata.xml`)
  assert.equal(refusing.status, 502)
  assert.match((await refusing.json()).error, /refuses us \(401\)/)
  repository.control.takeOver = ({ url }, response) => isPom(url) && !!response.destroy()
  const gone = await proxy.get(`maven/${place}/maven-metadata.xml`)
  repository.control.takeOver = undefined
  assert.equal(gone.status, 502)
})

test('what is asked about a snapshot whose time nobody says, or about one of its builds, is answered', async () => {
  const place = 'com/acme/asked'
  const list = '<versions><version>1.0-SNAPSHOT</version><version>2.0-SNAPSHOT</version></versions>'
  repository.put(`${place}/maven-metadata.xml`, `<metadata><versioning>${list}</versioning></metadata>`)
  repository.put(
    `${place}/2.0-SNAPSHOT/maven-metadata.xml`,
    '<metadata><versioning><snapshot/></versioning></metadata>',
  )
  repository.put(`${place}/2.0-SNAPSHOT/asked-2.0-20240101.120000-3.pom`, '<project/>')
  repository.put(`${place}/3.0-SNAPSHOT/asked-3.0-SNAPSHOT.pom`, '<project/>')
  repository.put(`${place}/4.0-20240101.120000-1/asked-4.0-20240101.120000-1.pom`, '<project/>')
  repository.control.meddle = ({ path }, honest) =>
    path.includes('3.0-SNAPSHOT') ? { ...honest, headers: {} } : honest
  const actor = { deploymentId: 1, personId: 1 } as Actor
  const published = (version: string) => proxy.proxy.publicationOf(actor, 'maven', 'com.acme:asked', version)
  for (const version of ['1.0-SNAPSHOT', '2.0-SNAPSHOT', '3.0-SNAPSHOT'])
    assert.deepEqual(await published(version), { publishedAt: undefined }, version)
  assert.deepEqual(await published('2.0-20240101.120000-3'), { publishedAt: new Date('2024-01-01T12:00:00Z') })
  assert.deepEqual(await published('4.0-20240101.120000-1'), { publishedAt: new Date('2020-01-01T00:00:00Z') })
  for (const version of ['5.0-SNAPSHOT', '2.0-20240101.120000-4', '5.0-20240101.120000-1'])
    assert.equal(await published(version), undefined, version)
})

/** As the Gradle plugin portal does: what belongs to a version lies on another host, metadata on its own. */
async function startPortal(t: TestContext) {
  const [portal, store] = [await startMavenRegistry(), await startMavenRegistry()]
  t.after(() => Promise.all([portal.close(), store.close()]))
  store.publish({ group: 'com.acme', artifact: 'plugin', version: '1.0' })
  store.put('com/acme/plugin/1.0/plugin-1.0.jar.asc', 'signature')
  portal.put('com/acme/plugin/maven-metadata.xml', store.files.get('com/acme/plugin/maven-metadata.xml')!.content)
  portal.control.meddle = ({ path }, honest) =>
    path.includes('/1.0/') ? { status: 303, headers: { location: store.url + path } } : honest
  return { portal, store }
}

test('checksums and signatures may be redirected as artifacts may, and get no credentials there', async (t) => {
  const { portal, store } = await startPortal(t)
  const upstreams = { maven: portal.url.replace('//', '//u:p@') }
  const own = await openProxyGatehouse({ upstreams, egressAllow: '127.0.0.1' }, gatehouse)
  t.after(() => own.close())
  for (const file of ['pom', 'jar', 'jar.sha1', 'jar.sha512', 'jar.asc', 'jar.asc.sha1'])
    assert.equal((await own.get(`maven/com/acme/plugin/1.0/plugin-1.0.${file}`)).status, 200, file)
  const jarHere = store.files.get('com/acme/plugin/1.0/plugin-1.0.jar')!.content
  const given = await own.get('maven/com/acme/plugin/1.0/plugin-1.0.jar')
  assert.deepEqual(Buffer.from(await given.arrayBuffer()), jarHere)
  assert.ok(portal.seen.some(({ headers }) => headers.authorization !== undefined))
  assert.ok(store.seen.length > 0 && store.seen.every(({ headers }) => headers.authorization === undefined))
})

test('a checksum is not followed to a private address, in circles, or to what is not one; metadata to no other host', async (t) => {
  const { portal, store } = await startPortal(t)
  const path = 'maven/com/acme/plugin/1.0/plugin-1.0.pom'
  const errorOf = async (proxied: ProxyGatehouse, asked = path) => {
    const answer = await proxied.get(asked)
    assert.equal(answer.status, 502)
    return (await answer.json()).error
  }
  const guarded = await openProxyGatehouse({ upstreams: { maven: portal.url } }, gatehouse)
  t.after(() => guarded.close())
  await errorOf(guarded)
  assert.equal(store.seen.length, 0)

  const open = await openProxyGatehouse({ upstreams: { maven: portal.url }, egressAllow: '127.0.0.1' }, gatehouse)
  t.after(() => open.close())
  store.control.meddle = (request) => ({ status: 302, headers: { location: portal.url + request.path } })
  assert.match(await errorOf(open), /redirects/)
  store.control.meddle = () => ({ body: '<html>Sign in</html>' })
  assert.match(await errorOf(open), /not a sha1 checksum/)
  store.control.meddle = undefined
  assert.equal((await open.get(path)).status, 200)

  open.expire()
  portal.control.meddle = (request) => ({ status: 303, headers: { location: store.url + request.path } })
  const elsewhere = await openProxyGatehouse({ upstreams: { maven: portal.url }, egressAllow: '127.0.0.1' }, gatehouse)
  t.after(() => elsewhere.close())
  assert.match(await errorOf(elsewhere, 'maven/com/acme/plugin/maven-metadata.xml'), /redirects to another host/)
})
