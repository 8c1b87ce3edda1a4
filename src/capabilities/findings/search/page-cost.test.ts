import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { after, test } from 'node:test'
import pg from 'pg'
import sql from 'sql-template-tag'
import { isDeep } from '../../../../test/depth.ts'
import { openGatehouse } from '../../../../test/gatehouse.ts'
import { countRows } from '../../../../test/watching/rows-read.ts'
import { type Actor, systemActor } from '../../../kernel/access/actor.ts'
import { createCursorSeal } from '../../../vault/cursor-seal.ts'
import { findingsPath, sendLog } from '../test-findings.ts'
import { createWordIndexing } from '../word-index/indexing.ts'
import { count } from './count-store.ts'
import type { FindingFilter } from './filter.ts'
import type { Order, Position } from './order.ts'
import { readFilter } from './read-filter.ts'
import { createFindingSearch } from './search.ts'
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
const teams = '/api/permissions/v2/deployments/1/teams'
const everyone = (await gatehouse.call('GET', teams)).body.teams[0].id
await gatehouse.call('PATCH', `${teams}/${everyone}/defaults`, { body: { isProjectDefault: false } })
await sendLog(gatehouse, 'large/one', results.slice(0, 2_000))
const { body: scanned } = await sendLog(gatehouse, 'large/two', results.slice(2_000))
/** Sees one of the repositories, with a third of the findings. */
const member = await memberWith(scanned.scan.repositoryId)

async function memberWith(repositoryId: string): Promise<Actor> {
  const person = await gatehouse.addPerson('member')
  const made = await gatehouse.call('POST', teams, { body: { team: { name: 'Ours' } } })
  const team = {
    users: [{ userId: person.id, action: 'UPDATE_ACTION_ADD' }],
    repositories: [{ repositoryId, action: 'UPDATE_ACTION_ADD' }],
  }
  const filled = await gatehouse.call('PATCH', `${teams}/${made.body.team.id}`, { body: { team } })
  assert.equal(filled.status, 200, JSON.stringify(filled.body))
  return { ...owner, role: 'member', personId: Number(person.id) }
}

/** That path, said so that no index knows it. */
const asked: FindingFilter = { not: { pathPrefix: 'src/f' } }
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
    const { rows, read } = await pageOf(asked, order)
    assert.equal(rows.length, 51)
    // Where the first look ends is found along the index alone: so many entries of it.
    assert.ok(read < 2_000 + 400, `${read} findings by ${order.by}, ${order.direction}`)
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

/** So few that pages of what is rare end early. */
const few = { first: 100, further: 300 }
const pageSize = 50

const orders = (['raisedAt', 'severity', 'stateChangedAt', 'path'] as const).flatMap((by) =>
  (['desc', 'asc'] as const).map((direction): Order => ({ by, direction })),
)

/** Page after page to the end, with how many findings each of them read. */
async function allPages(actor: Actor, filter: FindingFilter, order: Order) {
  const ids: number[] = []
  const read: number[] = []
  for (let after: Position | undefined, more = true; more; ) {
    const counting = countRows(gatehouse.db.as(actor))
    const found = await search(counting, actor, readFilter(actor, filter), { order, after, limit: pageSize + 1 }, few)
    const shown = found.rows.slice(0, pageSize)
    ids.push(...shown.map(({ id }) => id))
    read.push(counting.rowsOf('finding'))
    const last = shown.at(-1)
    more = found.rows.length > pageSize || found.lookedUpTo !== undefined
    after =
      found.rows.length > pageSize
        ? { severity: last!.severity, at: last!.raised_at, stateAt: last!.state_at, path: last!.path, id: last!.id }
        : found.lookedUpTo
  }
  return { ids, read }
}

test('of what no index leads to, pages look at a bounded number of findings and follow each other to the end', async () => {
  const questions: [Actor, FindingFilter, number][] = [
    [owner, { dependency: { name: 'lodash' } }, 0],
    [owner, { not: { sources: ['sarif:tester'] } }, 0],
    [owner, asked, 600],
    [owner, { ...asked, repositories: ['large/one', 'large/two'] }, 600],
    [member, asked, 200],
    [member, { dependency: { name: 'lodash' } }, 0],
  ]
  for (const [at, [actor, filter, expected]] of questions.entries()) {
    // Each order with half of the questions.
    for (const order of orders.filter((_, n) => isDeep || (n + Math.floor(n / 2) + at) % 2 === 0)) {
      const { ids, read } = await allPages(actor, filter, order)
      const told = `${JSON.stringify(filter)} by ${order.by}, ${order.direction}`
      assert.equal(new Set(ids).size, expected, told)
      assert.equal(ids.length, expected, told)
      // No index has the paths, or the last changes, of one repository in their order, so those are sorted.
      const isBounded = order.by === 'raisedAt' || order.by === 'severity'
      if (isBounded) assert.ok(Math.max(...read) < 1_000, `${Math.max(...read)} findings for a page, ${told}`)
    }
  }
})

test('the cursor of a page that ends at a finding that is not shown tells nothing of it', async () => {
  const { search } = createFindingSearch(
    gatehouse.db,
    createCursorSeal(() => randomBytes(32).fill(7)),
    few,
  )
  const request = { filter: { dependency: { name: 'lodash' } }, sort: { by: 'path' as const } }
  const { findings, hasMore, cursor } = await search(owner, request)
  assert.deepEqual([findings, hasMore], [[], true])
  assert.doesNotMatch(Buffer.from(cursor, 'base64url').toString('latin1'), /src\//)
  assert.equal((await search(owner, { ...request, cursor })).findings.length, 0)
})

async function analyse(): Promise<void> {
  const client = new pg.Client(gatehouse.connection)
  await client.connect()
  await client.query('analyze')
  await client.end()
}

test('what few have is found at once, by its kind, its branch, or when it was fixed or changed', async () => {
  const { body } = await gatehouse.call('POST', `${findingsPath()}/search`, {
    body: { filter: { paths: ['src/f7.js'] } },
  })
  const [{ id }] = body.findings
  // Statistics of a time when all were of one kind.
  await analyse()
  const decision = { triageState: 'TRIAGE_STATE_IGNORED', triageReason: 'TRIAGE_REASON_NO_TIME' }
  assert.equal((await gatehouse.call('POST', `${findingsPath()}/${id}`, { body: decision })).status, 200)
  const filters: [FindingFilter, number[]][] = [
    [{ triageReasons: ['TRIAGE_REASON_NO_TIME'] }, [Number(id)]],
    [{ triageReasons: ['TRIAGE_REASON_NO_TIME'], decidedBy: ['DECIDER_PERSON'] }, [Number(id)]],
    [{ triageReasons: ['TRIAGE_REASON_FALSE_POSITIVE'] }, []],
    [{ malicious: true }, []],
    [{ not: { once: true } }, []],
    [{ refs: ['gone'] }, []],
    [{ sources: ['sarif:other'] }, []],
    [{ pullRequest: 7 }, []],
    [{ fixedAt: { since: '2020-01-01T00:00:00Z' } }, []],
    [{ happened: 'ignored' }, [Number(id)]],
    [{ happened: 'reopened' }, []],
  ]
  for (const [filter, expected] of filters) {
    for (const order of [newest, gravest]) {
      const { ids, read } = await allPages(owner, filter, order)
      assert.deepEqual(ids, expected, JSON.stringify(filter))
      assert.equal(read.length, 1, JSON.stringify(filter))
      assert.ok(read[0]! < 400, `${read[0]} findings for ${JSON.stringify(filter)}`)
    }
    const counting = countRows(gatehouse.db.as(owner))
    const { rows, atLeast } = await count(counting, owner, readFilter(owner, filter), 100)
    const total = rows.reduce((sum, row) => sum + row.count, 0)
    assert.deepEqual([total, atLeast], [expected.length, false], JSON.stringify(filter))
    assert.ok(counting.rowsOf('finding') < 200, `${counting.rowsOf('finding')} findings for ${JSON.stringify(filter)}`)
  }
})

test('a count looks at a bounded number of findings, and says so where there may be more', async () => {
  const filter = { not: { paths: ['src/asked.js'] } }
  for (const [actor, all] of [
    [owner, 2_400],
    [member, 800],
  ] as const) {
    const counted = async (most: number) => {
      const counting = countRows(gatehouse.db.as(actor))
      const { rows, atLeast } = await count(counting, actor, readFilter(actor, filter), most)
      return { total: rows.reduce((sum, row) => sum + row.count, 0), atLeast, read: counting.rowsOf('finding') }
    }
    const whole = await counted(5_000)
    assert.deepEqual([whole.total, whole.atLeast], [all, false])
    const part = await counted(500)
    assert.ok(part.atLeast && part.total > 300 && part.total <= 501, `at least ${part.total}`)
    assert.ok(part.read < 600, `${part.read} findings`)
  }
})

test('counts of each thing once do not read what was counted on another branch until it was fixed', async () => {
  const repository = 'large/branches'
  const results = Array.from({ length: 500 }, (_, n) => ({ code: `b${n}`, path: `src/b${n}.js` }))
  for (const ref of ['main', 'release']) await sendLog(gatehouse, repository, results, { ref })
  for (const ref of ['release', 'main']) await sendLog(gatehouse, repository, results.slice(0, 20), { ref })
  const counted = async (more: FindingFilter) => {
    const counting = countRows(gatehouse.db.as(owner))
    const filter: FindingFilter = { pullRequests: 'none', once: true, ...more }
    const { rows } = await count(counting, owner, readFilter(owner, filter))
    // Rows are told as their average over the repositories.
    const read = Math.round(counting.rowsOf('finding'))
    return { total: rows.reduce((sum, row) => sum + row.count, 0), read }
  }
  const open: FindingFilter = { triageStates: ['TRIAGE_STATE_OPEN', 'TRIAGE_STATE_REOPENED'] }
  const fixed: FindingFilter = { triageStates: ['TRIAGE_STATE_FIXED'] }
  for (const isAnalysed of [false, true]) {
    if (isAnalysed) await analyse()
    const here = { repositories: [repository] }
    assert.deepEqual(await counted({ ...here, ...open }), { total: 20, read: 20 })
    assert.equal((await counted(open)).read, 20)
    assert.deepEqual(await counted({ ...here, ...fixed }), { total: 480, read: 480 })
    assert.deepEqual(await counted(here), { total: 500, read: 500 })
  }
})
