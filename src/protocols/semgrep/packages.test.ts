import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { inventoryOf, packageLock, upload } from '../../capabilities/scans/test-upload.ts'
import { advisoryFolder, semver } from '../../capabilities/vulnerabilities/feeds/test-advisories.ts'
import { findingsOf } from '../../capabilities/vulnerabilities/test-vulnerabilities.ts'
import { semgrepFinding } from '../../formats/semgrep-results/test-results.ts'
import { semgrepOf } from './test-run.ts'

let gatehouse: TestGatehouse
const feed = advisoryFolder()
before(async () => {
  gatehouse = await openGatehouse()
  feed.put({ id: 'GHSA-1', summary: 'Bad', affected: [{ name: 'bad', ranges: [semver('0', '2.0.0')] }] })
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
})
after(async () => {
  await gatehouse.close()
  feed.remove()
})

const entry = (name: string, version: string) => ({
  package: name,
  version,
  ecosystem: 'npm',
  allowed_hashes: {},
  transitivity: 'direct',
  line_number: 3,
})
/** Those made from advisories. */
const ids = ({ rules }: { rules: { rules: { id: string }[] } }) =>
  rules.rules.map(({ id }) => id).filter((id) => !id.startsWith('gatehouse.advisory.lockfiles.'))

async function packages(repository: string): Promise<string[]> {
  return (await inventoryOf(gatehouse, repository)).map(({ path, name, version }) => `${path} ${name}@${version}`)
}

test('the packages of a run become an inventory, and what advisories say of them is found once', async () => {
  const { run, config } = semgrepOf(gatehouse, 'semgrep/packages')
  assert.deepEqual(ids(await config()), [])
  const found = semgrepFinding({ check_id: 'gatehouse.advisory.GHSA-1.npm.bad', path: 'package-lock.json' })
  const dependencies = { 'package-lock.json': [entry('bad', '1.0.0'), entry('good', '1.0.0')] }
  await run({ findings: [found], completion: { dependencies } })
  assert.deepEqual(await packages('semgrep/packages'), [
    '@semgrep/package-lock.json bad@1.0.0',
    '@semgrep/package-lock.json good@1.0.0',
  ])
  const findings = await findingsOf(gatehouse, 'semgrep/packages')
  assert.deepEqual(
    findings.map(({ ruleId }) => ruleId),
    ['GHSA-1'],
  )
  const rules = ids(await config())
  assert.deepEqual(rules, ['gatehouse.advisory.GHSA-1.npm.bad'])
  const all = await gatehouse.call('POST', '/api/findings/1/findings/search', {
    body: { filter: { repositories: ['semgrep/packages'] } },
  })
  assert.equal(all.body.findings.length, 1)
})

test('a lockfile that Semgrep could not read stays as it was; one that is gone is gone', async () => {
  const { run } = semgrepOf(gatehouse, 'semgrep/unread')
  const dependencies = {
    'a/package-lock.json': [entry('a', '1.0.0')],
    'b/package-lock.json': [entry('b', '1.0.0')],
    'c/package-lock.json': [entry('c', '1.0.0')],
  }
  await run({ completion: { dependencies } })
  await run({
    completion: {
      dependencies: { 'a/package-lock.json': [entry('a', '1.1.0')] },
      dependency_parser_errors: [{ path: 'b/package-lock.json', parser: 'package_lock_v3', reason: 'broken' }],
    },
  })
  assert.deepEqual(await packages('semgrep/unread'), [
    '@semgrep/a/package-lock.json a@1.1.0',
    '@semgrep/b/package-lock.json b@1.0.0',
  ])
})

test('what our own upload told of stays', async () => {
  const { run } = semgrepOf(gatehouse, 'semgrep/both')
  await upload(gatehouse, { repository: 'semgrep/both' }, { 'package-lock.json': packageLock({ bad: '1.0.0' }) })
  await run({ completion: { dependencies: { 'package-lock.json': [entry('bad', '1.0.0'), entry('more', '1.0.0')] } } })
  assert.deepEqual(await packages('semgrep/both'), [
    '@semgrep/package-lock.json bad@1.0.0',
    '@semgrep/package-lock.json more@1.0.0',
    'package-lock.json bad@1.0.0',
  ])
  assert.equal((await findingsOf(gatehouse, 'semgrep/both')).length, 1)
})

test('a vulnerable package that a pull request brings in is found in the pull request', async () => {
  const { run } = semgrepOf(gatehouse, 'semgrep/brings')
  await run({ completion: { dependencies: { 'package-lock.json': [entry('good', '1.0.0')] } } })
  const project = { branch: 'change', pull_request_id: '9', is_full_scan: false }
  await run({
    project,
    ran: { searched: [] },
    completion: { dependencies: { 'package-lock.json': [entry('good', '1.0.0'), entry('bad', '1.0.0')] } },
  })
  assert.equal((await findingsOf(gatehouse, 'semgrep/brings', { pullRequest: 9 })).length, 1)
  assert.deepEqual(await findingsOf(gatehouse, 'semgrep/brings', { pullRequests: 'none' }), [])
})
