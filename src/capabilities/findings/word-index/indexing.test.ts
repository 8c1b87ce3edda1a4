import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { findingsPath, searchAll, sendLog } from '../test-findings.ts'
import { narrowed } from './block-store.ts'
import { createWordIndexing } from './indexing.ts'

const gatehouse = await openGatehouse({ jobs: false })
const view = gatehouse.db.as(gatehouse.owner)
const signing = createWordIndexing(gatehouse.db)
after(() => gatehouse.close())

const everything = { share: 1, atLeast: 0 }
const unwanted = { pathPrefix: undefined, text: undefined, cwes: undefined, vulnerabilityIds: undefined }
const result = (n: number, message = `Request ${n} reaches a sink`) => ({
  code: `c${n}`,
  path: `src/m${n % 9}/f${n}.js`,
  message,
})
const logs = Array.from({ length: 5 }, (_, at) => Array.from({ length: 200 }, (_, n) => result(at * 200 + n)))
for (const [at, results] of logs.entries()) await sendLog(gatehouse, `signed/r${at}`, results)

async function idsOf(filter: object): Promise<string[]> {
  const found = await searchAll(gatehouse, { filter, pageSize: 100 })
  const counts = await gatehouse.call('POST', `${findingsPath()}/counts`, { body: { filter } })
  assert.equal(counts.body.total, found.length)
  return found.map((one) => one.id)
}

/** How many findings a search has to look at. */
async function looksAt(wanted: object): Promise<number> {
  const ranges = (await narrowed(view, { ...unwanted, ...wanted }, everything))!
  const rows = await view.query<{ count: number }>(sql`select count(*) as count from finding f
    join unnest(${ranges.map((one) => one.first)}::bigint[], ${ranges.map((one) => one.last)}::bigint[]) as r (first, last)
      on f.id between r.first and r.last where f.deployment_id = ${view.deploymentId}`)
  return rows[0]!.count
}

const filters: object[] = [
  { text: 'REQUEST 777 ' },
  { text: 'request 77' },
  { text: 'no such thing' },
  { text: 'a' },
  { pathPrefix: 'src/m3/f12' },
  { pathPrefix: 'src/m3/f' },
  { pathPrefix: 'lib/' },
  { cwes: ['CWE-79'] },
  { cwes: ['CWE-1'] },
  { vulnerabilityIds: ['CVE-2021-44228'] },
  { text: 'request', repositories: ['signed/r2'], severities: ['SEVERITY_HIGH'] },
]

test('signed findings are found like those that are not, without looking at all of them', async () => {
  const before: string[][] = []
  for (const filter of filters) before.push(await idsOf(filter))
  assert.deepEqual(before.map((ids) => ids.length).slice(0, 4), [1, 11, 0, 1_000])
  await signing.run()
  const afterwards: string[][] = []
  for (const filter of filters) afterwards.push(await idsOf(filter))
  assert.deepEqual(afterwards, before)
  // The last findings are in no block, because it would not be full.
  assert.ok((await looksAt({ text: 'no such thing' })) < 64)
  assert.ok((await looksAt({ pathPrefix: 'lib/' })) < 64)
  assert.ok((await looksAt({ vulnerabilityIds: ['CVE-2021-44228'] })) < 64)
  assert.ok((await looksAt({ text: 'request 777 ' })) < 256)
})

test('a finding that says something else is found by that at once, and once its block is signed again', async () => {
  const [first, ...others] = logs[0]!
  await sendLog(gatehouse, 'signed/r0', [{ ...first!, message: 'Entirely otherwise' }, ...others])
  assert.equal((await idsOf({ text: 'entirely otherwise' })).length, 1)
  await signing.run()
  assert.deepEqual(await view.query(sql`select finding_id from finding_unsigned`), [])
  assert.equal((await idsOf({ text: 'entirely otherwise' })).length, 1)
})

test('what was numbered early and is committed late is in no signature before, and found afterwards', {
  timeout: 60_000,
}, async () => {
  const late = await gatehouse.db.transaction(systemActor(gatehouse.owner.deploymentId, 'late'), async (tx) => {
    const [row] = await tx.query<{
      id: number
    }>(sql`insert into finding (deployment_id, repository_id, stream_id, rule_id,
        fingerprint, pull_request, product, category, severity, confidence, reachability, validity, verdict, malicious, silenced,
        exposed, raised_at, state_at, scan_id, start_line, path, title, message, cwes, vulnerability_ids, content, digest)
      select deployment_id, repository_id, stream_id, rule_id, 'late', 0, 1, 0, 1, 0, 0, 0, 0, false, false, false, now(), now(),
        0, 0, 'late.js', 'Late', 'Committed late', '{}', '{}', content, '' from finding
      where deployment_id = ${tx.deploymentId} order by id limit 1 returning id`)
    await sendLog(
      gatehouse,
      'signed/late',
      Array.from({ length: 200 }, (_, n) => result(5_000 + n)),
    )
    await signing.run()
    return row!.id
  })
  const unsigned = await view.query(sql`select from finding_block where signature is null`)
  assert.ok(unsigned.length > 0)
  for (const _ of ['unsigned', 'signed']) {
    const found = await searchAll(gatehouse, { filter: { text: 'committed late' } })
    assert.deepEqual(
      found.map((one) => one.id),
      [String(late)],
    )
    await signing.run()
  }
  // Transactions of other databases on this server are waited for as well.
  while ((await view.query(sql`select from finding_block where signature is null`)).length > 0) await signing.run()
})
