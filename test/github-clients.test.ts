import assert from 'node:assert/strict'
import { readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { searchAll } from '../src/capabilities/findings/test-findings.ts'
import { sarifLog } from '../src/capabilities/findings/test-log.ts'
import { packagesOf, upload } from '../src/capabilities/scans/test-upload.ts'
import { clientFromNpm, isInstalled, makeProject, runClient, sourceFromGit } from './clients/package-clients.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse()
})
after(() => gatehouse.close())

const sha = 'b'.repeat(40)

const octokitScript = `
import { readFileSync } from 'node:fs'
import { gzipSync } from 'node:zlib'
const { Octokit } = await import(process.env.CLIENT)
const octokit = new Octokit({ auth: process.env.TOKEN, baseUrl: process.env.API })
const where = { owner: 'group', repo: 'octokit' }
const sarif = (text) => gzipSync(text).toString('base64')
const sent = { ...where, commit_sha: '${sha}', ref: 'refs/heads/main', checkout_uri: 'file:///work' }
const { status, data } = await octokit.rest.codeScanning.uploadSarif({ ...sent, sarif: sarif(readFileSync('results.sarif')) })
const told = await octokit.rest.codeScanning.getSarif({ ...where, sarif_id: data.id })
let refused
try {
  await octokit.rest.codeScanning.uploadSarif({ ...sent, sarif: sarif('{}') })
} catch (error) {
  refused = { status: error.status, message: error.message }
}
console.log(JSON.stringify({ status, told: told.data, refused }))
`

test('Octokit uploads a log and asks for its status', async (t) => {
  const client = await clientFromNpm('@octokit/rest', '22.0.1', 'dist-src/index.js')
  if (!client) return t.skip('@octokit/rest 22.0.1 cannot be had from npm here')
  const log = sarifLog({ tool: 'Tester', category: 'js', results: [{ path: '/work/src/a.js', code: 'a' }] })
  const folder = makeProject({ 'upload.mjs': octokitScript, 'results.sarif': log })
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const env = {
    CLIENT: pathToFileURL(client).href,
    TOKEN: gatehouse.owner.token,
    API: `${gatehouse.url}/api/v3`,
  }
  const { code, output } = await runClient(process.execPath, ['upload.mjs'], { folder, env })
  assert.equal(code, 0, output)
  const { status, told, refused } = JSON.parse(
    output
      .trim()
      .split('\n')
      .find((line) => line.startsWith('{'))!,
  )
  assert.deepEqual([status, told.processing_status], [202, 'complete'])
  assert.equal(refused.status, 400)
  assert.match(refused.message, /None of the files can be read/)
  const path = `/api/findings/${gatehouse.owner.deploymentId}/findings/search`
  const { body } = await gatehouse.call('POST', path, { body: { filter: {} } })
  assert.deepEqual(
    body.findings.map((one: { repository: string; path: string }) => `${one.repository} ${one.path}`),
    ['group/octokit src/a.js'],
  )
})

const toolkitScript = `
const { Snapshot, Manifest, PackageCache, submitSnapshot } = await import(process.env.CLIENT)
const cache = new PackageCache()
const lodash = cache.package('pkg:npm/lodash@4.17.21')
const express = cache.package('pkg:npm/express@4.18.2').dependsOn(lodash)
const manifest = new Manifest('package-lock.json', 'package-lock.json')
manifest.addDirectDependency(express)
manifest.addIndirectDependency(lodash)
const context = { sha: '${sha}', ref: process.env.GITHUB_REF, job: 'build', workflow: 'ci', runId: 7, eventName: 'push', payload: {} }
const detector = { name: 'our-detector', version: '1.0.0', url: 'https://detector.example' }
const snapshot = new Snapshot(detector, context, { correlator: 'ci_build', id: '7' })
snapshot.addManifest(manifest)
await submitSnapshot(snapshot, { ...context, repo: { owner: 'group', repo: 'toolkit' } })
`

test('the dependency submission toolkit submits a snapshot', async (t) => {
  const client = await clientFromNpm('@github/dependency-submission-toolkit', '2.0.5', 'dist/index.js')
  if (!client) return t.skip('@github/dependency-submission-toolkit 2.0.5 cannot be had from npm here')
  const folder = makeProject({ 'submit.mjs': toolkitScript })
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const env = {
    CLIENT: pathToFileURL(client).href,
    INPUT_TOKEN: gatehouse.owner.token,
    GITHUB_API_URL: `${gatehouse.url}/api/v3`,
    GITHUB_REPOSITORY: 'group/toolkit',
    GITHUB_SHA: sha,
    GITHUB_REF: 'refs/heads/main',
  }
  const { code, output } = await runClient(process.execPath, ['submit.mjs'], { folder, env })
  assert.equal(code, 0, output)
  assert.match(output, /Snapshot successfully created/i)
  const packages = (await packagesOf(gatehouse, 'group/toolkit')).map((one) => one.replace(/^.*: /, ''))
  assert.deepEqual(packages.sort(), ['express@4.18.2', 'lodash@4.17.21'])
})

const action = { version: 'v4.35.4', program: 'lib/upload-sarif-action.js' }

test('upload-sarif of codeql-action uploads a log, and what is gone from the next is fixed', async (t) => {
  const source = await sourceFromGit('github/codeql-action', action.version, [action.program, 'package.json'])
  if (!source) return t.skip(`github/codeql-action ${action.version} cannot be fetched here`)
  const folder = makeProject({
    'event.json': '{}',
    'src/a.js': 'eval(a)\n',
    'src/b.js': 'eval(b)\n',
    output: '',
    env: '',
  })
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  // As a runner sets it, but for the address of the API and the token.
  const env = {
    GITHUB_ACTIONS: 'true',
    GITHUB_API_URL: `${gatehouse.url}/api/v3`,
    GITHUB_SERVER_URL: gatehouse.url,
    GITHUB_REPOSITORY: 'group/action',
    GITHUB_SHA: sha,
    GITHUB_REF: 'refs/heads/main',
    GITHUB_EVENT_NAME: 'push',
    GITHUB_EVENT_PATH: join(folder, 'event.json'),
    GITHUB_WORKSPACE: folder,
    GITHUB_WORKFLOW: 'Scan',
    GITHUB_JOB: 'lint',
    GITHUB_RUN_ID: '7',
    GITHUB_RUN_ATTEMPT: '1',
    GITHUB_ACTION: '__upload',
    GITHUB_ACTION_REPOSITORY: 'github/codeql-action',
    GITHUB_ACTION_REF: action.version,
    GITHUB_OUTPUT: join(folder, 'output'),
    GITHUB_ENV: join(folder, 'env'),
    RUNNER_OS: 'Linux',
    RUNNER_ARCH: 'X64',
    RUNNER_NAME: 'runner',
    RUNNER_ENVIRONMENT: 'self-hosted',
    RUNNER_TEMP: folder,
    RUNNER_TOOL_CACHE: folder,
    INPUT_SARIF_FILE: 'results.sarif',
    INPUT_CHECKOUT_PATH: folder,
    INPUT_MATRIX: 'null',
    'INPUT_WAIT-FOR-PROCESSING': 'true',
  }
  const send = (paths: string[], token = gatehouse.owner.token) => {
    const results = paths.map((path) => ({ path: `file://${folder}/${path}`, code: path }))
    writeFileSync(join(folder, 'results.sarif'), sarifLog({ tool: 'Tester', results }))
    return runClient(process.execPath, [join(source, action.program)], { folder, env: { ...env, INPUT_TOKEN: token } })
  }
  const first = await send(['src/a.js', 'src/b.js'])
  assert.equal(first.code, 0, first.output)
  assert.match(first.output, /Analysis upload status is complete/)
  assert.doesNotMatch(first.output, /::(warning|error)::/, first.output)
  const second = await send(['src/b.js'])
  assert.equal(second.code, 0, second.output)
  assert.deepEqual(await statesOf('group/action'), ['src/a.js FIXED', 'src/b.js OPEN'])
  const refused = await send(['src/b.js'], 'gth_wrong')
  assert.notEqual(refused.code, 0)
})

async function statesOf(repository: string): Promise<string[]> {
  const found = await searchAll(gatehouse, { filter: { repositories: [repository] } })
  return found.map(({ path, triageState }) => `${path} ${triageState.slice('TRIAGE_STATE_'.length)}`).sort()
}

const trivy = { version: 'v0.74.0', report: 'integration/testdata/alpine-310.gsbom.golden' }

/** Its own tests compare its output with this. */
test('a report that Trivy wrote for GitHub is read as a file and as a snapshot', async (t) => {
  const source = await sourceFromGit('aquasecurity/trivy', trivy.version, [trivy.report])
  if (!source) return t.skip(`the reports of Trivy ${trivy.version} cannot be fetched here`)
  const report = readFileSync(join(source, trivy.report), 'utf8')
  const listed = Object.values<{ resolved: Record<string, { package_url: string }> }>(JSON.parse(report).manifests)
  const packages = listed.flatMap(({ resolved }) => Object.values(resolved)).length
  await upload(gatehouse, { repository: 'group/trivy-file' }, { 'trivy.json': report })
  assert.equal((await packagesOf(gatehouse, 'group/trivy-file')).length, packages)
  // The ref that its tests set is none that GitHub takes either.
  const sent = { ...JSON.parse(report), ref: 'refs/heads/main' }
  const headers = { authorization: `token ${gatehouse.owner.token}` }
  const path = '/api/v3/repos/group/trivy/dependency-graph/snapshots'
  const { status, body } = await gatehouse.call('POST', path, { as: '', headers, body: sent })
  assert.deepEqual([status, body.result], [201, 'SUCCESS'], JSON.stringify(body))
  const named = (one: string) => one.replace(/^.*: /, '')
  assert.deepEqual(
    (await packagesOf(gatehouse, 'group/trivy')).map(named).sort(),
    (await packagesOf(gatehouse, 'group/trivy-file')).map(named).sort(),
  )
})

const lockfile = {
  name: 'shop',
  version: '1.0.0',
  lockfileVersion: 3,
  packages: {
    '': { name: 'shop', version: '1.0.0', dependencies: { minimist: '1.2.5' }, devDependencies: { ms: '2.1.3' } },
    'node_modules/minimist': { version: '1.2.5' },
    'node_modules/ms': { version: '2.1.3', dev: true },
  },
}

test('Trivy lists a project: its snapshot, which curl sends, and its bill of materials tell the same packages', async (t) => {
  for (const program of ['trivy', 'curl']) if (!isInstalled(program)) return t.skip(`${program} is not installed here`)
  const folder = makeProject({ 'package-lock.json': JSON.stringify(lockfile) })
  t.after(() => rmSync(folder, { recursive: true, force: true }))
  const env = {
    GITHUB_REF: 'refs/heads/main',
    GITHUB_SHA: sha,
    GITHUB_WORKFLOW: 'ci',
    GITHUB_JOB: 'scan',
    GITHUB_RUN_ID: '7',
  }
  // Licences need no database from elsewhere.
  const offline = ['--quiet', '--offline-scan', '--skip-db-update', '--scanners', 'license', '--include-dev-deps']
  for (const format of ['github', 'cyclonedx']) {
    const ran = await runClient('trivy', ['fs', ...offline, '--format', format, '--output', `${format}.json`, '.'], {
      folder,
      env,
    })
    assert.equal(ran.code, 0, ran.output)
  }
  const address = `${gatehouse.url}/api/v3/repos/group/trivy-run/dependency-graph/snapshots`
  // As trivy-action does, which says no media type.
  const headers = ['Accept: application/vnd.github+json', `Authorization: token ${gatehouse.owner.token}`]
  const args = ['-sS', '--fail-with-body', ...headers.flatMap((one) => ['-H', one]), '-d', '@github.json', address]
  const sent = await runClient('curl', args, { folder })
  assert.equal(sent.code, 0, sent.output)
  await upload(
    gatehouse,
    { repository: 'group/trivy-bill' },
    { 'bom.json': readFileSync(join(folder, 'cyclonedx.json'), 'utf8') },
  )
  for (const repository of ['group/trivy-run', 'group/trivy-bill']) {
    const packages = await packagesOf(gatehouse, repository)
    assert.deepEqual(packages.map((one) => one.replace(/^.*: /, '')).sort(), ['minimist@1.2.5', 'ms@2.1.3'], repository)
  }
})
