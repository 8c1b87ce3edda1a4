import assert from 'node:assert/strict'
import { rmSync } from 'node:fs'
import { after, before, test } from 'node:test'
import { pathToFileURL } from 'node:url'
import { sarifLog } from '../src/capabilities/findings/test-log.ts'
import { packagesOf } from '../src/capabilities/scans/test-upload.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'
import { clientFromNpm, makeProject, runClient } from './package-clients.ts'

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
