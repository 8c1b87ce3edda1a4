import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import { openGatehouse } from '../../../test/gatehouse.ts'
import { sarifLog } from '../findings/test-log.ts'
import { advisoryFolder, semver } from '../vulnerabilities/feeds/test-advisories.ts'
import { type Files, packageLock, packagesOf, upload } from './test-upload.ts'

const gatehouse = await openGatehouse()
const feed = advisoryFolder()
after(async () => {
  await gatehouse.close()
  feed.remove()
})
feed.put({ id: 'GHSA-bad', affected: [{ name: 'bad', ranges: [semver('0', '2.0.0')] }] })
await gatehouse.vulnerabilities.feeds.sync(feed.place)

const bad = packageLock({ bad: '1.0.0' })
const good = packageLock({ good: '1.0.0' })
const log = (...paths: string[]) =>
  sarifLog({ results: paths.map((path) => ({ rule: 'x', path, code: `${path}()`, level: 'error' as const })) })

async function send(scan: object, files: Files) {
  const answer = await upload(gatehouse, scan, files)
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body
}

async function openIn(repository: string, more: object = {}): Promise<string[]> {
  const { deploymentId } = gatehouse.owner
  const filter = { repositories: [repository], triageStates: ['TRIAGE_STATE_OPEN'], ...more }
  const found = await gatehouse.call('POST', `/api/findings/${deploymentId}/findings/search`, { body: { filter } })
  assert.equal(found.status, 200, JSON.stringify(found.body))
  return found.body.findings.map((one: { locations: { path: string }[] }) => one.locations[0]!.path).sort()
}

test('a scan of a part leaves alone what lies outside of it', async () => {
  const repository = 'part/mono'
  const both = { 'a/package-lock.json': bad, 'b/package-lock.json': bad, 'ab/package-lock.json': bad }
  await send({ repository }, both)
  const part = await send({ repository, part: 'a/' }, { 'a/package-lock.json': good })
  assert.equal(part.part, 'a')
  assert.deepEqual([part.removedPaths, part.fixedAdvisoryFindings, part.openAdvisoryFindings], [[], 1, 2])
  assert.deepEqual(await openIn(repository), ['ab/package-lock.json', 'b/package-lock.json'])
  assert.deepEqual(await packagesOf(gatehouse, repository), [
    'a/package-lock.json: good@1.0.0',
    'ab/package-lock.json: bad@1.0.0',
    'b/package-lock.json: bad@1.0.0',
  ])
  // What is gone within the part is gone.
  const emptied = await send({ repository, part: 'b', allowEmpty: true }, {})
  assert.deepEqual([emptied.removedPaths, emptied.fixedAdvisoryFindings], [['b/package-lock.json'], 1])
  assert.deepEqual(await openIn(repository), ['ab/package-lock.json'])
  // And of the whole, all that is gone.
  const whole = await send({ repository }, { 'a/package-lock.json': good })
  assert.deepEqual([whole.removedPaths, whole.fixedAdvisoryFindings], [['ab/package-lock.json'], 1])
  assert.deepEqual(await openIn(repository), [])
})

test('the same files are another scan where they are those of a part', async () => {
  const repository = 'part/same'
  await send({ repository }, { 'a/package-lock.json': good })
  assert.equal((await send({ repository, part: 'a' }, { 'a/package-lock.json': good })).repeated, false)
  assert.equal((await send({ repository, part: 'a' }, { 'a/package-lock.json': good })).repeated, true)
})

test('a log of a part fixes nothing outside of it, however often the part is scanned', async () => {
  const repository = 'part/logs'
  await send({ repository }, { 'log.sarif': log('a/1.js', 'b/2.js') })
  for (const commit of ['1111111', '2222222'])
    await send({ repository, commit, part: 'a' }, { 'a/log.sarif': log('a/3.js') })
  assert.deepEqual(await openIn(repository), ['a/3.js', 'b/2.js'])
  await send({ repository, part: 'b' }, { 'b/log.sarif': log() })
  assert.deepEqual(await openIn(repository), ['a/3.js'])
})

test('a log of a part fixes nothing outside of it, whatever a later upload without a part was about', async () => {
  const repository = 'part/other-tool'
  const semgrep = (...paths: string[]) =>
    sarifLog({ tool: 'semgrep', results: paths.map((path) => ({ rule: 'x', path, code: `${path}()` })) })
  await send({ repository }, { 'semgrep.sarif': semgrep('a/1.js', 'b/2.js') })
  await send({ repository, commit: '1111111' }, { 'a/eslint.sarif': log('a/3.js') })
  await send({ repository, commit: '2222222' }, { 'a/eslint.sarif': log('a/3.js') })
  await send({ repository, part: 'a' }, { 'a/semgrep.sarif': semgrep() })
  assert.deepEqual(await openIn(repository), ['a/3.js', 'b/2.js'])
  // Nor what a scan of the other part told.
  await send({ repository, commit: '3333333', part: 'b' }, { 'b/semgrep.sarif': semgrep('b/2.js') })
  await send({ repository, commit: '4444444' }, { 'a/eslint.sarif': log('a/3.js') })
  await send({ repository, commit: '5555555', part: 'a' }, { 'a/semgrep.sarif': semgrep() })
  assert.deepEqual(await openIn(repository), ['a/3.js', 'b/2.js'])
})

for (const [at, first] of [{ part: 'a' }, {}].entries()) {
  test(`where only the part was ever scanned, its logs may name files from the folder (${at})`, async () => {
    const repository = `part/own-${at}`
    for (const commit of ['0000000', '1111111'])
      await send({ repository, ...first, commit }, { 'a/log.sarif': log('src/1.js', 'src/2.js') })
    for (const commit of ['2222222', '3333333'])
      await send({ repository, commit, part: 'a' }, { 'a/log.sarif': log('src/2.js') })
    assert.deepEqual(await openIn(repository), ['src/2.js'])
  })
}

test('a log of a part says when it names no file in the part', async () => {
  const problems = async (about: { part?: string }, ...paths: string[]) => {
    const { files } = await send({ repository: 'part/told', ...about }, { 'a/log.sarif': log(...paths) })
    return files[0].problems.map((one: { code: string; detail: string }) => [one.code, /'src\/1.js'/.test(one.detail)])
  }
  assert.deepEqual(await problems({ part: 'a' }, 'src/1.js', 'src/2.js'), [['outside-part', true]])
  assert.deepEqual(await problems({ part: 'a' }, 'src/1.js', 'a/src/1.js'), [])
  assert.deepEqual(await problems({ part: 'a' }, 'a/src/1.js'), [])
  assert.deepEqual(await problems({ part: 'a' }), [])
  assert.deepEqual(await problems({}, 'src/1.js'), [])
})

test('a scan of a part of a pull request fixes nothing outside of the part', async () => {
  const repository = 'part/change'
  await send({ repository }, { 'a/package-lock.json': good, 'b/package-lock.json': good })
  const change = { repository, kind: 'SCAN_KIND_PULL_REQUEST', ref: 'change', baseRef: 'main', pullRequest: 1 }
  await send(change, { 'a/package-lock.json': bad, 'b/package-lock.json': bad })
  const part = await send({ ...change, part: 'a' }, { 'a/package-lock.json': good })
  assert.equal(part.fixedAdvisoryFindings, 1)
  assert.deepEqual(await openIn(repository, { pullRequest: 1 }), ['b/package-lock.json'])
  // A file from outside that is sent with it was looked at.
  const sent = await send({ ...change, part: 'a' }, { 'a/package-lock.json': good, 'b/package-lock.json': good })
  assert.equal(sent.fixedAdvisoryFindings, 1)
  assert.deepEqual(await openIn(repository, { pullRequest: 1 }), [])
})

for (const part of ['../a', '/a', 'a//b', 'a\\b']) {
  test(`a part is a folder of the repository: ${part}`, async () => {
    const answer = await upload(gatehouse, { repository: 'part/odd', part }, { 'a/package-lock.json': good })
    assert.equal(answer.status, 400)
    assert.match(JSON.stringify(answer.body.errors), /\/part/)
  })
}
