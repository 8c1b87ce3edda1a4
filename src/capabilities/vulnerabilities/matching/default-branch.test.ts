import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { recount } from '../../findings/public.ts'
import { findingsPath, searchAll, sendLog } from '../../findings/test-findings.ts'
import { testFeed } from '../../firewall/advisories/test-feed.ts'
import { watchExposure } from '../../firewall/exposure/test-exposure.ts'
import { packageLock, upload } from '../../scans/test-upload.ts'
import { advisoryFolder, semver } from '../feeds/test-advisories.ts'
import { settled } from '../test-vulnerabilities.ts'

let gatehouse: TestGatehouse
const feed = advisoryFolder()
const malware = testFeed()
const about = (name: string) => ({ id: `GHSA-${name}`, affected: [{ name, ranges: [semver('0', '2.0.0')] }] })

before(async () => {
  gatehouse = await openGatehouse()
  feed.put(...['ignored', 'open', 'gone'].map(about))
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
  malware.add({ id: 'MAL-1', name: 'evil', versions: ['1.0.0'] })
  await gatehouse.firewall.feeds.sync(malware.place)
  await gatehouse.firewall.refresh()
})
after(async () => {
  const miscounted = await recount(gatehouse.db.as(gatehouse.owner))
  await gatehouse.close()
  feed.remove()
  malware.remove()
  assert.deepEqual(miscounted, [])
})

const everything = { ignored: '1.0.0', open: '1.0.0', gone: '1.0.0', evil: '1.0.0' }
const repositoriesPath = '/api/repositories/v1/deployments/1/repositories'
let commits = 1_000_000

async function scan(repository: string, ref: string, packages: Record<string, string>): Promise<number> {
  const scan = { repository, ref, commit: String(commits++) }
  const answer = await upload(gatehouse, scan, { 'package-lock.json': packageLock(packages) })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.scan.repositoryId
}

async function setDefault(repositoryId: number, defaultBranch: string): Promise<void> {
  assert.equal(
    (await gatehouse.call('PATCH', `${repositoriesPath}/${repositoryId}`, { body: { defaultBranch } })).status,
    200,
  )
}

async function ignore(id: string): Promise<void> {
  const body = { triageState: 'TRIAGE_STATE_IGNORED', triageReason: 'TRIAGE_REASON_ACCEPTABLE_RISK' }
  assert.equal((await gatehouse.call('POST', `${findingsPath()}/${id}`, { body })).status, 200)
}

async function stands(repository: string): Promise<Record<string, string>> {
  const found = await searchAll(gatehouse, { filter: { repositories: [repository] } })
  const lines = found.map((one) => [`${one.ruleId} on ${one.ref}`, one.triageState.replace('TRIAGE_STATE_', '')])
  assert.equal(new Set(lines.map(([key]) => key)).size, lines.length)
  return Object.fromEntries(lines.sort())
}

const ids = async (repository: string) =>
  new Map((await searchAll(gatehouse, { filter: { repositories: [repository] } })).map((one) => [one.ruleId, one.id]))

test('findings of advisories and malware follow the default branch, with what was decided about them', async () => {
  const repository = 'branch/renamed'
  const repositoryId = await scan(repository, 'master', everything)
  const before = await ids(repository)
  await ignore(before.get('GHSA-ignored')!)

  await setDefault(repositoryId, 'main')
  assert.deepEqual(await stands(repository), {
    'GHSA-gone on main': 'OPEN',
    'GHSA-ignored on main': 'IGNORED',
    'GHSA-open on main': 'OPEN',
    'MAL-1 on main': 'OPEN',
  })
  const { gone: _, ...left } = everything
  await scan(repository, 'main', left)
  const now = {
    'GHSA-gone on main': 'FIXED',
    'GHSA-ignored on main': 'IGNORED',
    'GHSA-open on main': 'OPEN',
    'MAL-1 on main': 'OPEN',
  }
  assert.deepEqual(await stands(repository), now)
  assert.deepEqual(await ids(repository), before)
  // What is still scanned of the former branch is no inventory.
  await scan(repository, 'master', everything)
  assert.deepEqual(await stands(repository), now)

  await setDefault(repositoryId, 'master')
  await scan(repository, 'master', {})
  assert.deepEqual(await stands(repository), {
    'GHSA-gone on master': 'FIXED',
    'GHSA-ignored on master': 'IGNORED',
    'GHSA-open on master': 'FIXED',
    'MAL-1 on master': 'FIXED',
  })
  assert.deepEqual(await ids(repository), before)
})

test('advisories that come before the new default branch is scanned are about it', async () => {
  const repository = 'branch/between'
  const repositoryId = await scan(repository, 'master', { open: '1.0.0', late: '1.0.0' })
  await setDefault(repositoryId, 'main')
  feed.put(about('late'))
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
  await settled(gatehouse)
  assert.deepEqual(await stands(repository), { 'GHSA-late on main': 'OPEN', 'GHSA-open on main': 'OPEN' })
})

test('what releases before left on former default branches ends, and what people ignored there stays', async () => {
  const repository = 'branch/left'
  const repositoryId = await scan(repository, 'master', everything)
  await ignore((await ids(repository)).get('GHSA-ignored')!)
  // They began another stream.
  const streams = (from: string, to: string) =>
    gatehouse.db.transaction(systemActor(1, 'test'), (tx) =>
      tx.query(sql`update finding_stream set source = ${to} || substr(source, ${from.length + 1}::integer)
        where deployment_id = 1 and repository_id = ${repositoryId} and starts_with(source, ${from})`),
    )
  await streams('', 'former-')
  await setDefault(repositoryId, 'main')
  await scan(repository, 'main', everything)
  await streams('former-', '')
  assert.equal((await stands(repository))['GHSA-gone on master'], 'OPEN')
  const { gone: _, ...left } = everything
  await scan(repository, 'main', left)
  const onMain = {
    'GHSA-gone on main': 'FIXED',
    'GHSA-ignored on main': 'IGNORED',
    'GHSA-open on main': 'OPEN',
    'MAL-1 on main': 'OPEN',
  }
  const onMaster = {
    'GHSA-gone on master': 'ENDED',
    'GHSA-ignored on master': 'IGNORED',
    'GHSA-open on master': 'ENDED',
    'MAL-1 on master': 'ENDED',
  }
  assert.deepEqual(await stands(repository), { ...onMain, ...onMaster })
  await setDefault(repositoryId, 'master')
  const otherWay = (found: object) =>
    Object.entries(found).map(([key, state]) => [
      key.endsWith('main') ? key.replace('main', 'master') : key.replace('master', 'main'),
      state,
    ])
  assert.deepEqual(await stands(repository), Object.fromEntries(otherWay({ ...onMain, ...onMaster })))
})

test('advisories that come after an earlier release has changed the default branch are about it', async () => {
  const repository = 'branch/before'
  const repositoryId = await scan(repository, 'master', {
    ignored: '1.0.0',
    latest: '1.0.0',
    evil: '1.0.0',
    worse: '1.0.0',
  })
  const before = await ids(repository)
  await ignore(before.get('GHSA-ignored')!)
  await gatehouse.db.transaction(systemActor(1, 'test'), (tx) =>
    tx.query(sql`update repository set default_branch = 'main' where deployment_id = 1 and id = ${repositoryId}`),
  )
  feed.put(about('latest'))
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
  await settled(gatehouse)
  malware.add({ id: 'MAL-2', name: 'worse', versions: ['1.0.0'] })
  await gatehouse.firewall.feeds.sync(malware.place)
  await watchExposure(gatehouse).lookNow()
  assert.deepEqual(await stands(repository), {
    'GHSA-ignored on main': 'IGNORED',
    'GHSA-latest on main': 'OPEN',
    'MAL-1 on main': 'OPEN',
    'MAL-2 on main': 'OPEN',
  })
  const now = await ids(repository)
  for (const [rule, id] of before) assert.equal(now.get(rule), id)
})

test('of what stands on several branches that of the new default branch counts', async () => {
  const repository = 'branch/counted'
  for (const ref of ['master', 'main']) await sendLog(gatehouse, repository, [{ rule: 'one' }], { ref })
  const counted = async () => {
    const filter = { repositories: [repository], stage: 'allFindings' }
    return (await searchAll(gatehouse, { filter })).map((one) => one.ref)
  }
  assert.deepEqual(await counted(), ['master'])
  const { repositories } = (await gatehouse.call('GET', `${repositoriesPath}?name=${repository}`)).body
  await setDefault(repositories[0].id, 'main')
  assert.deepEqual(await counted(), ['main'])
})
