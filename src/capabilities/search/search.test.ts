import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import pg from 'pg'
import sql, { type Sql } from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../test/gatehouse.ts'
import { systemActor } from '../../kernel/access/actor.ts'
import { sarifLog } from '../findings/test-log.ts'
import { findByPrefix } from '../inventory/public.ts'
import { packageLock, upload } from '../scans/test-upload.ts'
import { advisoryFolder, semver } from '../vulnerabilities/feeds/test-advisories.ts'

let gatehouse: TestGatehouse
before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
  const { teams } = (await gatehouse.call('GET', '/api/permissions/v2/deployments/1/teams')).body
  await gatehouse.call('PATCH', `/api/permissions/v2/deployments/1/teams/${teams[0].id}/defaults`, {
    body: { isProjectDefault: false },
  })
  const results = [{ rule: 'js.Tainted-sql', path: 'a.js', code: 'zebra(1)', message: 'A zebra reaches a query' }]
  const files = {
    'package-lock.json': packageLock({ lodash: '4.17.20', 'lodash-es': '4.17.20', minimist: '1.2.5' }),
    'requirements.txt': 'typing-extensions==4.0.0\ntyping_inspect==0.9.0\n',
    'log.sarif': sarifLog({ results }),
  }
  assert.equal((await upload(gatehouse, { repository: 'shop/web-Front' }, files)).status, 200)
})
after(() => gatehouse.close())

type Group = { kind: string; hits: { id: string; label: string; detail: string }[] }

async function find(q: string, as = gatehouse.owner.token): Promise<Record<string, string[]>> {
  const address = `/api/search/v1/deployments/1?q=${encodeURIComponent(q)}&withinMs=5000`
  const { status, body } = await gatehouse.call('GET', address, { as })
  assert.equal(status, 200, JSON.stringify(body))
  assert.deepEqual(body.late, [])
  return Object.fromEntries((body.groups as Group[]).map(({ kind, hits }) => [kind, hits.map(({ label }) => label)]))
}

test('everything is found by its name', async () => {
  assert.deepEqual((await find('WEB-fr')).repositories, ['shop/web-Front'])
  assert.deepEqual((await find('Loda')).packages, ['lodash', 'lodash-es'])
  assert.deepEqual((await find('tainted')).rules, ['js.Tainted-sql'])
  assert.equal((await find('zebra')).findings?.length, 1)
  assert.deepEqual((await find(gatehouse.owner.email)).people?.length, 1)
  const { body } = await gatehouse.call('POST', '/api/findings/1/findings/search', { body: {} })
  const id = String(body.findings[0].id)
  const byId = await gatehouse.call('GET', `/api/search/v1/deployments/1?q=${id.padStart(2, '0')}&withinMs=5000`)
  assert.equal(byId.body.groups.find((each: Group) => each.kind === 'findings')?.hits[0].id, id)
  assert.deepEqual(await find('no such thing'), {})
})

test('packages are found by every spelling that their ecosystem takes for the same', async () => {
  for (const q of ['typing_ext', 'Typing.Ext', 'typing-ext'])
    assert.deepEqual((await find(q)).packages, ['typing-extensions'], q)
  assert.deepEqual((await find('typing.')).packages, ['typing-extensions', 'typing_inspect'])
  assert.deepEqual((await find('loda.')).packages, undefined)
})

test('programs are not found as people', async () => {
  const as = await gatehouse.signIn(gatehouse.owner.email, gatehouse.owner.password)
  const body = { name: 'robot-nightly', role: 'member' }
  const made = await gatehouse.call('POST', '/api/service-accounts/v1/deployments/1/service-accounts', { as, body })
  assert.equal(made.status, 200, JSON.stringify(made.body))
  assert.deepEqual(await find('robot-nightly'), {})
})

test('vulnerabilities are found by the beginning of their id, however it is written', async () => {
  const feed = advisoryFolder()
  const of = (name: string) => ({ affected: [{ name, ranges: [semver('0', '99.0.0')] }] })
  feed.put({ id: 'GHSA-jf85-cpcp-j695', ...of('lodash') })
  feed.put({ id: 'GHSA-vh95-rmgr-6w4m', aliases: ['CVE-2020-7598'], ...of('minimist') })
  await gatehouse.vulnerabilities.feeds.sync(feed.place)
  feed.remove()
  const files = { 'package-lock.json': packageLock({ lodash: '4.17.20', minimist: '1.2.5' }) }
  assert.equal((await upload(gatehouse, { repository: 'shop/vulnerable' }, files)).status, 200)
  for (const q of ['GHSA-jf85', 'ghsa-jf85', 'GHSA-JF85-CPCP-J695', 'Ghsa'])
    assert.deepEqual((await find(q)).vulnerabilities, ['GHSA-jf85-cpcp-j695'], q)
  for (const q of ['CVE-2020', 'cve-2020-7598']) assert.deepEqual((await find(q)).vulnerabilities, ['CVE-2020-7598'], q)
})

test('what is wild in a pattern is not wild here', async () => {
  for (const q of ['%o%', '__', 'lod%', "'; --", '\\d', 'l\u{10FFFF}'])
    assert.deepEqual((await find(q)).packages, undefined, q)
})

test('five of each at most', async () => {
  for (let n = 0; n < 7; n++) {
    await gatehouse.call('POST', '/api/repositories/v1/deployments/1/repositories', { body: { name: `many/${n}` } })
  }
  assert.equal((await find('many/')).repositories!.length, 5)
})

test('nobody finds what they may not read or do not see', async () => {
  const member = await gatehouse.addPerson('member')
  for (const q of ['web-front', 'loda', 'tainted', 'zebra']) {
    const { people: _, ...rest } = await find(q, member.token)
    assert.deepEqual(rest, {}, q)
  }
  const narrow = await gatehouse.makeToken(gatehouse.owner.jwt, 1, { scopes: ['deployment:read', 'people:read'] })
  assert.deepEqual(Object.keys(await find('ow', narrow)), ['people'])
  assert.deepEqual(await find('loda', narrow), {})
})

test('what takes too long is named and left out', async () => {
  assert.equal((await gatehouse.call('GET', '/api/search/v1/deployments/1?q=x')).status, 400)
  const admin = new pg.Client(gatehouse.connection)
  await admin.connect()
  try {
    await admin.query('begin; lock table package in access exclusive mode')
    const { body } = await gatehouse.call('GET', '/api/search/v1/deployments/1?q=lodash&withinMs=50')
    assert.ok(body.late.includes('packages'), JSON.stringify(body))
    assert.ok(!body.groups.some((group: Group) => group.kind === 'packages'))
  } finally {
    await admin.end()
  }
  assert.deepEqual((await find('lodash')).packages, ['lodash', 'lodash-es'])
})

test('packages are found by an index, in its order, also without statistics', async () => {
  const statements: Sql[] = []
  const query = async (statement: Sql) => {
    statements.push(statement)
    return []
  }
  await findByPrefix({ deploymentId: 1, query }, systemActor(1, 'test'), 'loda', 5)
  const rows = await gatehouse.db
    .as({ deploymentId: 1 })
    .query<{ 'QUERY PLAN': string }>(sql`explain ${statements[0]!}`)
  const plan = rows.map((row) => row['QUERY PLAN']).join('\n')
  assert.match(plan, /Index (Only )?Scan using package_(prefix|name)/)
  assert.match(plan, /Index Cond: .*name.*>=/)
  assert.doesNotMatch(plan, /Hash|Merge/)
})
