import assert from 'node:assert/strict'
import { after, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { countRows } from '../../../../test/watching/rows-read.ts'
import { systemActor } from '../../../kernel/access/actor.ts'
import { findingsPath, sendLog } from '../test-findings.ts'
import { createWordIndexing } from '../word-index/indexing.ts'
import { count } from './count-store.ts'
import type { FindingFilter } from './filter.ts'
import type { Order } from './order.ts'
import { readFilter } from './read-filter.ts'
import { search } from './search-store.ts'

const gatehouse = await openGatehouse({ jobs: false })
after(() => gatehouse.close())
const owner = systemActor(gatehouse.owner.deploymentId, 'test')
const levels = ['error', 'warning', 'note'] as const
const perLevel = 1_000

/** One finding in five has the path, as many of each severity; two say something of their own. */
const results = Array.from({ length: perLevel * levels.length }, (_, n) => ({
  code: `c${n}`,
  path: n % 5 === 0 ? 'src/asked.js' : `src/f${n}.js`,
  level: levels[Math.floor(n / 5) % levels.length]!,
  message: n % 1_500 === 7 ? 'Quite unexpected' : `Request ${n} reaches a sink`,
}))
await sendLog(gatehouse, 'large/one', results.slice(0, 2_000))
await sendLog(gatehouse, 'large/two', results.slice(2_000))

const newest: Order = { by: 'raisedAt', direction: 'desc' }
const gravest: Order = { by: 'severity', direction: 'desc' }

async function pageOf(filter: FindingFilter, order: Order) {
  const counting = countRows(gatehouse.db.as(owner))
  const { rows } = await search(counting, owner, readFilter(owner, filter), { order, after: undefined, limit: 51 })
  // What is shown is read once more, with what belongs to it.
  return { rows, read: counting.rowsOf('finding') - rows.length }
}

test('a page of what one finding in five has reads some hundred findings, whatever it is sorted by', async () => {
  const orders: Order[] = [
    newest,
    gravest,
    { by: 'severity', direction: 'asc' },
    { by: 'stateChangedAt', direction: 'asc' },
  ]
  for (const order of orders) {
    const { rows, read } = await pageOf({ paths: ['src/asked.js'] }, order)
    assert.equal(rows.length, 51)
    assert.ok(read < 400, `${read} findings by ${order.by}, ${order.direction}`)
  }
})

test('pages by severity follow each other through all of them, and none is left out or shown twice', async () => {
  for (const direction of ['asc', 'desc'] as const) {
    const seen: { id: string; severity: string }[] = []
    for (let cursor = ''; ; ) {
      const body = {
        filter: { paths: ['src/asked.js'] },
        sort: { by: 'severity', direction },
        pageSize: 100,
        ...(cursor && { cursor }),
      }
      const answer = await gatehouse.call('POST', `${findingsPath()}/search`, { body })
      assert.equal(answer.status, 200, JSON.stringify(answer.body))
      seen.push(...answer.body.findings)
      cursor = answer.body.cursor
      if (!answer.body.hasMore) break
    }
    assert.equal(new Set(seen.map(({ id }) => id)).size, 600)
    assert.equal(seen.length, 600)
    const severities = seen.map(({ severity }) => severity)
    assert.equal(severities.filter((one, at) => one !== severities[at - 1]).length, levels.length)
  }
})

test('what counters or settings know not to be there is not looked for', async () => {
  for (const filter of [
    { overdue: true },
    { products: ['PRODUCT_TYPE_SECRETS' as const], paths: ['src/asked.js'] },
    { pullRequests: 'only' as const, paths: ['src/asked.js'] },
  ]) {
    const page = await pageOf(filter, gravest)
    assert.deepEqual([page.rows, page.read], [[], 0], JSON.stringify(filter))
    const counting = countRows(gatehouse.db.as(owner))
    assert.deepEqual(await count(counting, owner, readFilter(owner, filter)), { rows: [], atLeast: false })
    assert.equal(counting.rowsOf('finding'), 0, JSON.stringify(filter))
  }
})

test('a rare text within many findings of some repositories is read by the word index', async () => {
  const signing = createWordIndexing(gatehouse.db)
  const view = gatehouse.db.as(owner)
  // Transactions of other databases on this server are waited for as well.
  do await signing.run()
  while ((await view.query(sql`select from finding_block where part_bits is null`)).length > 0)
  const repositories = ['large/one', 'large/two']
  const { rows, read } = await pageOf({ text: 'quite unexpected', repositories }, newest)
  assert.equal(rows.length, 2)
  assert.ok(read < 100, `${read} findings`)
})
