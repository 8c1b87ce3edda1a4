import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { countRows } from '../../../../test/watching/rows-read.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { rowsNotCopied } from '../../../kernel/database/given-rows.ts'
import { findingsPath, searchAll, sendLog } from '../test-findings.ts'
import { everyBlock, segmentBlocks } from './bit-slices.ts'
import { createWordIndexing } from './indexing.ts'
import { narrowed } from './narrowing.ts'

const gatehouse = await openGatehouse({ jobs: false })
const view = gatehouse.db.as(gatehouse.owner)
const signing = createWordIndexing(gatehouse.db)
after(() => gatehouse.close())

/** Where signatures tell nothing. */
const wholeRange = [{ first: 0, last: Number.MAX_SAFE_INTEGER }]
const everything = { share: 1, atLeast: 0, atMost: 1_000_000 }
const unwanted = {
  pathPrefix: undefined,
  paths: undefined,
  text: undefined,
  cwes: undefined,
  vulnerabilityIds: undefined,
  firstVulnerabilityIds: undefined,
}
const result = (n: number, message = `Request ${n} reaches a sink`) => ({
  code: `c${n}`,
  path: `src/m${n % 9}/f${n}.js`,
  message,
})
const logs = Array.from({ length: 5 }, (_, at) => Array.from({ length: 200 }, (_, n) => result(at * 200 + n)))
for (const [at, results] of logs.entries()) await sendLog(gatehouse, `signed/r${at}`, results)

/** Transactions of other databases on this server are waited for as well. */
async function signAll(): Promise<void> {
  do await signing.run()
  while ((await view.query(sql`select from finding_block where signature is null`)).length > 0)
}

async function idsOf(filter: object): Promise<string[]> {
  const found = await searchAll(gatehouse, { filter, pageSize: 100 })
  const counts = await gatehouse.call('POST', `${findingsPath()}/counts`, { body: { filter } })
  assert.equal(counts.body.total, found.length)
  return found.map((one) => one.id)
}

/** How many findings a search has to look at. */
async function looksAt(wanted: object): Promise<number> {
  const ranges = (await narrowed(view, { ...unwanted, ...wanted }, everything)) ?? wholeRange
  const rows = await view.query<{ count: number }>(sql`select count(*) as count from finding f
    join unnest(${ranges.map((one) => one.first)}::bigint[], ${ranges.map((one) => one.last)}::bigint[]) as r (first, last)
      on f.id between r.first and r.last where f.deployment_id = ${view.deploymentId}`)
  return rows[0]!.count
}

const wordsOf = ({ repositories, severities, ...words }: Record<string, unknown>) => words

const filters: Record<string, unknown>[] = [
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
  await signAll()
  const afterwards: string[][] = []
  for (const filter of filters) afterwards.push(await idsOf(filter))
  assert.deepEqual(afterwards, before)
  // The last findings are in no block, because it would not be full.
  assert.ok((await looksAt({ text: 'no such thing' })) < 64)
  assert.ok((await looksAt({ pathPrefix: 'lib/' })) < 64)
  assert.ok((await looksAt({ vulnerabilityIds: ['CVE-2021-44228'] })) < 64)
  // Of the blocks that may have it, one finding.
  assert.ok((await looksAt({ text: 'request 777 ' })) < 66)
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
  await signAll()
})

/** Segments of four blocks, so that a thousand findings are several. */
const segmentSize = 4
const slicing = createWordIndexing(gatehouse.db, segmentSize)
const segments = () =>
  view.query<{ segment: number; blocks: number }>(sql`select s.segment, (select count(*) from finding_block b
      where b.deployment_id = s.deployment_id and b.segment = s.segment) as blocks
    from finding_slice s where s.bit = ${everyBlock} order by s.segment`)

test('slices find the same as signatures do, and look at the same findings', async () => {
  const before: unknown[] = []
  for (const filter of filters) before.push([await idsOf(filter), await looksAt(wordsOf(filter))])
  await slicing.run()
  assert.ok((await segments()).length >= 4)
  const afterwards: unknown[] = []
  for (const filter of filters) afterwards.push([await idsOf(filter), await looksAt(wordsOf(filter))])
  assert.deepEqual(afterwards, before)
})

test('a block of a segment whose findings changed is found by what they say now', async () => {
  const [first, ...others] = logs[1]!
  await sendLog(gatehouse, 'signed/r1', [{ ...first!, message: 'Quite unexpected' }, ...others])
  for (const _ of ['not signed again', 'signed again', 'and some of a segment again']) {
    assert.equal((await idsOf({ text: 'quite unexpected' })).length, 1)
    assert.equal((await idsOf({ text: 'REQUEST 777 ' })).length, 1)
    await slicing.run()
  }
})

test('a block whose signature an older process took is read, and is signed by none of them', async () => {
  const { deploymentId } = gatehouse.owner
  const [block] = await view.query<{ first: number; last: number }>(sql`select first_id as first, last_id as last
    from finding_block where segment is not null order by last_id limit 1`)
  const looksAtBlock = async () => {
    const ranges = await narrowed(view, { ...unwanted, text: 'no such thing' }, everything)
    return ranges!.some(({ first, last }) => first <= block!.first && last >= block!.last)
  }
  assert.equal(await looksAtBlock(), false)
  const left = await gatehouse.db.transaction(systemActor(deploymentId, 'older'), (tx) =>
    tx.query(sql`update finding_block b set signature = null
      where b.deployment_id = ${deploymentId} and b.last_id = ${block!.last} returning b.horizon::text as horizon`),
  )
  // Older processes sign what no transaction is under way from before its horizon.
  assert.deepEqual(left, [{ horizon: String(2n ** 63n - 1n) }])
  assert.equal(await looksAtBlock(), true)
  await signing.run()
  assert.equal(await looksAtBlock(), false)
})

test('a block that comes from another server, by a backup or a move, is signed though its horizon is far away', async () => {
  const [block] = await gatehouse.db.transaction(systemActor(gatehouse.owner.deploymentId, 'test'), (tx) =>
    tx.query<{ last: number }>(sql`update finding_block set signature = null, segment = null, place = null,
        horizon = pg_snapshot_xmax(pg_current_snapshot())::text::bigint + 1000000
      where deployment_id = ${tx.deploymentId} and last_id = (select max(last_id) from finding_block
        where deployment_id = ${tx.deploymentId}) returning last_id as last`),
  )
  await signing.run()
  assert.deepEqual(
    await view.query(sql`select signature is null as unsigned from finding_block where last_id = ${block!.last}`),
    [{ unsigned: false }],
  )
})

test('a segment that most blocks have left is dissolved, and those that are left join another one', async () => {
  const [oldest] = await segments()
  const blocks = await view.query<{ last: number }>(sql`select last_id as last from finding_block
    where segment = ${oldest!.segment} order by place limit ${segmentSize - 1}`)
  const texts = filters.filter((filter) => 'text' in filter)
  const before: unknown[] = []
  for (const filter of texts) before.push(await idsOf(filter))
  await gatehouse.db.transaction(systemActor(gatehouse.owner.deploymentId, 'changed'), (tx) =>
    tx.query(
      sql`insert into finding_unsigned select ${tx.deploymentId}::bigint, unnest(${blocks.map(({ last }) => last)}::bigint[])
        ${rowsNotCopied}`,
    ),
  )
  for (let round = 0; round < 3; round++) await slicing.run()
  const now = await segments()
  assert.ok(now.every(({ segment }) => segment !== oldest!.segment))
  assert.ok(now.every((one) => one.blocks >= segmentSize / 2))
  assert.deepEqual(await view.query(sql`select from finding_slice where segment = ${oldest!.segment}`), [])
  const afterwards: unknown[] = []
  for (const filter of texts) afterwards.push(await idsOf(filter))
  assert.deepEqual(afterwards, before)
})

test('a search reads few rows however many blocks there are, and stops at a frequent word', async () => {
  const other = await gatehouse.addDeployment()
  const actor = systemActor(other.id, 'many')
  const reader = gatehouse.db.as(actor)
  const lookFor = async (text: string, most: typeof everything) => {
    const counting = countRows(reader)
    return { ranges: await narrowed(counting, { ...unwanted, text }, most), rows: counting.rowsOf() }
  }
  const fill = async (from: number) => {
    // Half of the bits of each.
    await gatehouse.db.transaction(actor, (tx) =>
      tx.query(sql`insert into finding_block (deployment_id, first_id, last_id, horizon, signature, part_bits)
        select ${other.id}::bigint, n * 64 - 63, n * 64, 0, half, repeat('1', 16384)::bit(16384)
        from generate_series(${from}::bigint, ${from + segmentBlocks - 1}::bigint) n,
          lateral (select ('x' || repeat(md5(n::text), 64))::bit(8192)) as bits (half) ${rowsNotCopied}`),
    )
    const before = await lookFor('a text of', everything)
    const lone = sql`select from finding_block where segment is null`
    do await signing.run()
    while ((await reader.query(lone)).length > 0)
    return { before, after: await lookFor('a text of', everything) }
  }
  const first = await fill(1)
  assert.ok(first.before.rows > segmentBlocks)
  assert.ok(first.after.ranges!.length > 10)
  assert.deepEqual(first.after.ranges, first.before.ranges)
  assert.ok(first.after.rows < 200, `${first.after.rows} rows`)
  const second = await fill(segmentBlocks + 1)
  assert.deepEqual(second.after.ranges, second.before.ranges)
  assert.ok(second.after.rows < 400, `${second.after.rows} rows`)
  const frequent = await lookFor('abc', { share: 0.1, atLeast: 300, atMost: 6_500 })
  assert.equal(frequent.ranges, undefined)
  assert.ok(frequent.rows < 10, `${frequent.rows} rows`)
})
