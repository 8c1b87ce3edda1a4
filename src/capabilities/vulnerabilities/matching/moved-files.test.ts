import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { recount } from '../../findings/public.ts'
import { findingsPath } from '../../findings/test-findings.ts'
import { type Files, packageLock, upload } from '../../scans/test-upload.ts'
import { advisoryFolder, semver } from '../feeds/test-advisories.ts'
import { findingsOf, settled } from '../test-vulnerabilities.ts'

let gatehouse: TestGatehouse
const feed = advisoryFolder()
before(async () => {
  gatehouse = await openGatehouse()
  await announce('moved')
})
after(async () => {
  const miscounted = await recount(gatehouse.db.as(gatehouse.owner))
  await gatehouse.close()
  feed.remove()
  assert.deepEqual(miscounted, [])
})

async function announce(name: string): Promise<void> {
  feed.put({ id: `GHSA-${name}`, affected: [{ name, ranges: [semver('0', '2.0.0')] }] })
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
  await settled(gatehouse)
}

const lock = packageLock({ moved: '1.0.0', other: '1.0.0' })
const former = { 'web/package-lock.json': lock }

/** What stands when somebody ignored the finding of one scan, and these files come after it. */
async function next(
  repository: string,
  files: Files,
  part = '',
): Promise<{ id: string; fixed: number; found: string[] }> {
  await send(repository, former)
  const [{ id }] = await findingsOf(gatehouse, repository)
  const body = { triageState: 'TRIAGE_STATE_IGNORED', triageReason: 'TRIAGE_REASON_ACCEPTABLE_RISK' }
  assert.equal((await gatehouse.call('POST', `${findingsPath()}/${id}`, { body })).status, 200)
  const { fixedAdvisoryFindings: fixed } = await send(repository, files, part === '' ? {} : { part })
  const all = await findingsOf(gatehouse, repository)
  const found = all.map((one) => `${one.path} ${one.triageState.slice('TRIAGE_STATE_'.length)}`).sort()
  return { id, fixed, found }
}

async function send(repository: string, files: Files, more: object = {}) {
  const { status, body } = await upload(gatehouse, { repository, ...more }, files)
  assert.equal(status, 200, JSON.stringify(body))
  return body
}

test('a finding goes along with a lockfile that lies elsewhere and is the same to the byte', async () => {
  const { id, fixed, found } = await next('moved/file', { 'apps/web/package-lock.json': lock })
  assert.deepEqual([fixed, found], [0, ['apps/web/package-lock.json IGNORED']])
  assert.equal((await findingsOf(gatehouse, 'moved/file'))[0].id, id)
})

const others: [what: string, files: Files, found: string[]][] = [
  [
    'was changed',
    { 'apps/web/package-lock.json': packageLock({ moved: '1.0.0' }) },
    ['apps/web/package-lock.json OPEN', 'web/package-lock.json IGNORED'],
  ],
  [
    'was copied',
    { ...former, 'b/package-lock.json': lock },
    ['b/package-lock.json OPEN', 'web/package-lock.json IGNORED'],
  ],
  [
    'lies in two places',
    { 'a/package-lock.json': lock, 'b/package-lock.json': lock },
    ['a/package-lock.json OPEN', 'b/package-lock.json OPEN', 'web/package-lock.json IGNORED'],
  ],
]

for (const [what, files, expected] of others) {
  test(`a decision does not go to a lockfile that ${what}`, async () => {
    assert.deepEqual((await next(`moved/${what.replaceAll(' ', '-')}`, files)).found, expected)
  })
}

test('nor out of a part that was not looked at', async () => {
  const { found } = await next('moved/part', { 'apps/web/package-lock.json': lock }, 'apps')
  assert.deepEqual(found, ['apps/web/package-lock.json OPEN', 'web/package-lock.json IGNORED'])
})

test('a pull request that moves a lockfile brings in nothing by that', async () => {
  const repository = 'moved/pull-request'
  await send(repository, former)
  const change = { kind: 'SCAN_KIND_PULL_REQUEST', pullRequest: 4, baseRef: 'main', ref: 'move' }
  const brought = async () => (await findingsOf(gatehouse, repository, { pullRequest: 4 })).map(({ path }) => path)
  await send(repository, { 'apps/web/package-lock.json': lock }, change)
  assert.deepEqual(await brought(), [])
  // Sent again, it is compared with what is known since.
  await announce('other')
  assert.equal((await send(repository, { 'apps/web/package-lock.json': lock }, change)).repeated, true)
  assert.deepEqual(await brought(), [])
  await send(repository, { ...former, 'apps/web/package-lock.json': lock }, change)
  assert.deepEqual(await brought(), ['apps/web/package-lock.json', 'apps/web/package-lock.json'])
})
