import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { packageLock, packagesOf } from '../src/capabilities/scans/test-upload.ts'
import { advisoryFolder, semver } from '../src/capabilities/vulnerabilities/feeds/test-advisories.ts'
import { findingsOf } from '../src/capabilities/vulnerabilities/test-vulnerabilities.ts'
import { bill } from '../src/protocols/dependency-track/test-client.ts'
import {
  clientFolder,
  clientFromNpm,
  isInstalled,
  makeProject,
  type Ran,
  runClient,
} from './clients/package-clients.ts'
import { deepOnly } from './depth.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'

/** Clients of Dependency-Track as they are: their address and their key are ours, and nothing else is. */
const versions = { cdxgen: '12.8.4', ghUploadSbom: 'v4.1.0', maven: '1.10.0' }
const vulnerable = { lodash: '4.17.20', 'left-pad': '1.3.0' }
const folders: string[] = []
let gatehouse: TestGatehouse

before(async () => {
  gatehouse = await openGatehouse()
  const feed = advisoryFolder()
  feed.put({ id: 'GHSA-35jh-r3h4-6jhm', affected: [{ name: 'lodash', ranges: [semver('0', '4.17.21')] }] })
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
  feed.remove()
})
after(async () => {
  await gatehouse.close()
  for (const folder of folders) rmSync(folder, { recursive: true, force: true })
})

function project(files: Record<string, string>): string {
  const folder = makeProject(files)
  folders.push(folder)
  return folder
}

const skipLarge = deepOnly('installing cdxgen takes a minute')

test('cdxgen submits what it has found', { skip: skipLarge }, async (t) => {
  const flags = ['--prefer-offline', '--ignore-scripts', '--omit=optional']
  const cdxgen = await clientFromNpm('@cyclonedx/cdxgen', versions.cdxgen, 'bin/cdxgen.js', flags)
  if (!cdxgen) return t.skip('cdxgen cannot be installed: the npm registry is out of reach')
  const folder = project({
    'package.json': JSON.stringify({ name: 'web', version: '1.0.0', dependencies: vulnerable }),
    'package-lock.json': packageLock(vulnerable),
  })
  const submit = (token: string, ...more: string[]) =>
    runClient(
      process.execPath,
      [
        cdxgen,
        '-t',
        'js',
        '--no-install-deps',
        '-o',
        'bom.json',
        '--server-url',
        gatehouse.url,
        '--api-key',
        token,
      ].concat(['--project-name', 'clients/cdxgen', ...more, '.']),
      { folder },
    )
  await submit(gatehouse.owner.token)
  assert.deepEqual(await packagesOf(gatehouse, 'clients/cdxgen'), [
    '@dependency-track/bom.json: lodash@4.17.20',
    '@dependency-track/bom.json: left-pad@1.3.0',
  ])
  assert.equal((await findingsOf(gatehouse, 'clients/cdxgen')).length, 1)
  await submit(gatehouse.owner.token, '--project-version', '1.0.0')
  assert.deepEqual(await versionsOf('clients/cdxgen'), ['1.0.0', 'main'])
  const refused = await submit('gth_wrong')
  assert.match(refused.output, /Check the API key/, refused.output)
})

test('gh-upload-sbom uploads, and has the id of the project', async (t) => {
  const folder = project({ 'bom.json': bill(vulnerable), outputs: '' })
  const address = 'https://github.com/DependencyTrack/gh-upload-sbom'
  const { GIT_CONFIG_COUNT = '0', ...inherited } = process.env
  const given = Object.entries(inherited).filter(([name]) => name.startsWith('GIT_CONFIG_'))
  const env = { GIT_CONFIG_COUNT, ...(Object.fromEntries(given) as Record<string, string>) }
  const clone = ['clone', '--quiet', '--depth', '1', '--branch', versions.ghUploadSbom, address, 'action']
  if ((await runClient('git', clone, { folder, env })).code !== 0) {
    return t.skip('gh-upload-sbom cannot be fetched: its repository is out of reach')
  }
  const { hostname, port } = new URL(gatehouse.url)
  const inputs = { SERVERHOSTNAME: hostname, PORT: port, PROTOCOL: 'http', APIKEY: gatehouse.owner.token }
  const run = (more: Record<string, string>): Promise<Ran> => {
    const all = Object.entries({ ...inputs, BOMFILENAME: 'bom.json', ISLATEST: 'false', ...more })
    const named = Object.fromEntries(all.map(([name, value]) => [`INPUT_${name}`, value]))
    return runClient(process.execPath, ['action/dist/index.js'], {
      folder,
      env: { ...named, GITHUB_OUTPUT: join(folder, 'outputs') },
    })
  }
  const about = { PROJECTNAME: 'clients/action', PROJECTVERSION: 'main', AUTOCREATE: 'true', PROJECTTAGS: 'web,pci' }
  const ran = await run(about)
  assert.equal(ran.code, 0, ran.output)
  assert.equal((await packagesOf(gatehouse, 'clients/action')).length, 2)
  const uuid = /projectUuid[^\n]*\n([0-9a-f-]{36})/.exec(readFileSync(join(folder, 'outputs'), 'utf8'))?.[1]
  assert.ok(uuid, 'the action has no output projectUuid')
  writeFileSync(join(folder, 'bom.json'), bill({ 'left-pad': '1.3.0' }))
  const again = await run({ PROJECT: uuid, AUTOCREATE: 'false' })
  assert.equal(again.code, 0, again.output)
  assert.deepEqual(await packagesOf(gatehouse, 'clients/action'), ['@dependency-track/bom.json: left-pad@1.3.0'])
  const refused = await run({ ...about, APIKEY: 'gth_wrong' })
  assert.notEqual(refused.code, 0)
  assert.match(refused.output, /401/)
})

const skip = deepOnly('seven runs of Maven take a minute')

test('the Maven plug-in uploads, and breaks the build by findings, metrics and violations', { skip }, async (t) => {
  if (!isInstalled('mvn')) return t.skip('Maven is not installed')
  const component = { type: 'application', group: 'com.acme', name: 'web', version: '1.0.0', description: 'A shop' }
  const folder = project({
    // The plug-in takes what it tells of the project from here.
    'bom.json': JSON.stringify({ ...JSON.parse(bill(vulnerable)), metadata: { component } }),
    'pom.xml': `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
      <groupId>com.acme</groupId><artifactId>web</artifactId><version>1.0.0</version></project>`,
  })
  const local = `-Dmaven.repo.local=${clientFolder(`maven-${versions.maven}`)}`
  const goal = (name: string, settings: Record<string, string>): Promise<Ran> => {
    const all = { dependencyTrackBaseUrl: gatehouse.url, apiKey: gatehouse.owner.token, ...settings }
    const set = Object.entries(all).map(([key, value]) => `-Ddependency-track.${key}=${value}`)
    const plugin = `io.github.pmckeown:dependency-track-maven-plugin:${versions.maven}:${name}`
    return runClient('mvn', ['-B', '-e', local, ...set, plugin], { folder })
  }
  const about = { projectName: 'clients/maven', projectVersion: '1.0.0', bomLocation: join(folder, 'bom.json') }
  const sent = await goal('upload-bom', { ...about, isLatest: 'true' })
  if (/Could not (transfer|find) artifact|Unknown host|PKIX/.test(sent.output)) {
    return t.skip('the Maven plug-in cannot be had: Maven Central is out of reach')
  }
  assert.equal(sent.code, 0, sent.output)
  assert.equal((await packagesOf(gatehouse, 'clients/maven')).length, 2)
  const found = await goal('findings', about)
  assert.equal(found.code, 0, found.output)
  assert.match(found.output, /lodash/)
  const scored = await goal('score', about)
  assert.equal(scored.code, 0, scored.output)
  const tagged = await goal('upload-bom', { ...about, isLatest: 'true', updateProjectInfo: 'true', projectTags: 'pci' })
  assert.equal(tagged.code, 0, tagged.output)
  assert.doesNotMatch(tagged.output, /Failed to update project info/)
  const metrics = await goal('metrics', about)
  assert.equal(metrics.code, 0, metrics.output)
  const violations = await goal('policy-violations', about)
  assert.equal(violations.code, 0, violations.output)
  const refused = await goal('upload-bom', { ...about, apiKey: 'gth_wrong', failOnError: 'true' })
  assert.notEqual(refused.code, 0)
})

async function versionsOf(name: string): Promise<string[]> {
  const headers = { 'x-api-key': gatehouse.owner.token }
  const answer = await gatehouse.call('GET', `/api/v1/project?name=${name}`, { as: '', headers })
  return answer.body.map((one: { version: string }) => one.version)
}
