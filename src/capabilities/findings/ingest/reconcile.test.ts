import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import type { Actor } from '../../../kernel/access/actor.ts'
import { permitted } from '../../../kernel/access/permission.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import { recount } from '../counters/recount.ts'
import { guardrailsInForce } from '../lifecycle/guardrails.ts'
import { type Observation, observe } from './observation.ts'
import { createReconcile, type ObservationSource } from './reconcile.ts'

let gatehouse: TestGatehouse
let actor: Actor
const { reconcile } = createReconcile(guardrailsInForce)

before(async () => {
  gatehouse = await openGatehouse()
  const { deploymentId } = gatehouse.owner
  actor = {
    deploymentId,
    personId: 1,
    tokenId: 0,
    role: 'owner',
    permissions: permitted('owner', undefined),
    requestId: 'test',
  }
})
after(() => gatehouse.close())

async function newRepository(name: string, publiclyExposed = false): Promise<number> {
  const path = `/api/repositories/v1/deployments/${gatehouse.owner.deploymentId}/repositories`
  const answer = await gatehouse.call('POST', path, { body: { name, publiclyExposed } })
  assert.equal(answer.status, 200, JSON.stringify(answer.body))
  return answer.body.repository.id
}

function flaw(fingerprint: string, more: Partial<Observation> = {}): Observation {
  const told = { ruleId: 'injection', title: 'Injection', message: 'Text reaches a query.' }
  return observe({ fingerprint, product: 'code', severity: 'high', confidence: 'high', ...told, ...more })
}

function look(repositoryId: number, observed: Observation[], more: Partial<ObservationSource> = {}) {
  const about = { ref: 'main', pullRequest: 0, source: 'sarif:tester', scanId: 1, complete: true }
  return gatehouse.db.transaction(actor, (tx) => reconcile(tx, { repositoryId, ...about, ...more, observed }))
}

type Row = { fingerprint: string; state: number; reason: number; change_count: number; cell: number }
async function rowsOf(repositoryId: number): Promise<Row[]> {
  return gatehouse.db.as(actor).query(sql`select fingerprint, state, reason, change_count, cell from finding
    where deployment_id = ${actor.deploymentId} and repository_id = ${repositoryId} order by fingerprint, id`)
}
const statesOf = async (repositoryId: number) =>
  (await rowsOf(repositoryId)).map((row) => `${row.fingerprint} ${row.state}`)

test('findings are raised, seen again, fixed and reopened, and the counters follow', async () => {
  const repository = await newRepository('group/lifecycle')
  const first = await look(repository, [flaw('a'), flaw('b'), flaw('c', { suppressed: true })])
  assert.deepEqual([first.raised, first.reopened, first.fixed, first.newIds.length], [3, 0, 0, 3])
  assert.deepEqual(await statesOf(repository), ['a 1', 'b 1', 'c 5'])
  const again = await look(repository, [flaw('c', { suppressed: true }), flaw('a'), flaw('b')])
  assert.deepEqual([again.raised, again.reopened, again.fixed, again.newIds], [0, 0, 0, []])
  const less = await look(repository, [flaw('b')])
  assert.deepEqual([less.raised, less.fixed], [0, 2])
  assert.deepEqual(await statesOf(repository), ['a 7', 'b 1', 'c 7'])
  const back = await look(repository, [flaw('a'), flaw('b')])
  assert.deepEqual([back.raised, back.reopened, back.fixed], [0, 1, 0])
  assert.deepEqual(await statesOf(repository), ['a 2', 'b 1', 'c 7'])
  assert.deepEqual(await recount(gatehouse.db.as(actor)), [])
})

test('an observation that is not complete fixes nothing', async () => {
  const repository = await newRepository('group/partial')
  await look(repository, [flaw('a'), flaw('b')])
  const partial = await look(repository, [flaw('b')], { complete: false })
  assert.equal(partial.fixed, 0)
  assert.deepEqual(await statesOf(repository), ['a 1', 'b 1'])
})

test('sources, refs and pull requests leave each other alone', async () => {
  const repository = await newRepository('group/streams')
  await look(repository, [flaw('a')])
  await look(repository, [], { source: 'sarif:other' })
  await look(repository, [], { ref: 'develop' })
  await look(repository, [flaw('a'), flaw('b')], { ref: 'feature', pullRequest: 7 })
  assert.deepEqual(await statesOf(repository), ['a 1', 'a 1', 'b 1'])
  const next = await look(repository, [flaw('b')], { ref: 'feature-renamed', pullRequest: 7 })
  assert.equal(next.fixed, 1)
  assert.deepEqual(await statesOf(repository), ['a 1', 'a 7', 'b 1'])
  assert.deepEqual(await recount(gatehouse.db.as(actor)), [])
})

test('what changes about a finding is taken over without a line of history', async () => {
  const repository = await newRepository('group/changes')
  await look(repository, [flaw('a')])
  const [before] = await rowsOf(repository)
  await look(repository, [flaw('a', { severity: 'low', category: 'style' })])
  const [after] = await rowsOf(repository)
  assert.deepEqual([before!.change_count, after!.change_count], [0, 0])
  assert.deepEqual(await recount(gatehouse.db.as(actor)), [])
})

test('exposing a repository and deleting it keep the counters right', async () => {
  const repository = await newRepository('group/exposed')
  await look(repository, [flaw('a'), flaw('b', { confidence: 'low' })])
  const path = `/api/repositories/v1/deployments/${actor.deploymentId}/repositories/${repository}`
  assert.deepEqual(
    (await rowsOf(repository)).map((row) => row.cell >> 5),
    [2, 2],
  )
  const exposed = await gatehouse.call('PATCH', path, { body: { publiclyExposed: true } })
  assert.equal(exposed.status, 200, JSON.stringify(exposed.body))
  assert.deepEqual(
    (await rowsOf(repository)).map((row) => row.cell >> 5),
    [4, 3],
  )
  assert.deepEqual(await recount(gatehouse.db.as(actor)), [])
  assert.equal((await gatehouse.call('DELETE', path)).status, 200)
  assert.deepEqual(await rowsOf(repository), [])
  assert.deepEqual(await recount(gatehouse.db.as(actor)), [])
  const left = await gatehouse.db.as(actor).query(sql`select from finding_count
    where deployment_id = ${actor.deploymentId} and repository_id = ${repository}`)
  assert.equal(left.length, 0)
})

test('texts that PostgreSQL cannot hold are stored without what it cannot', async () => {
  const repository = await newRepository('group/texts')
  const message = 'zero \0, half \ud800, escape \\u0000, quote " and \\'
  const locations = [{ path: message, startLine: 3e9, startColumn: 1, endLine: 1, endColumn: 1, snippet: message }]
  await look(repository, [flaw('x', { message, title: message, ruleId: `\0${'r'.repeat(5_000)}`, locations })])
  assert.deepEqual(await statesOf(repository), ['x 1'])
})

test('a large log of another branch is compared in statements of a bounded size, and each thing counts once', async () => {
  const repository = await newRepository('group/large')
  // Of each thing there are two, further apart than one statement reaches.
  const things = 6_000
  const fingerprints = [0, 1].flatMap((place) =>
    Array.from({ length: things }, (_, at) => `${String(at).padStart(32, '0')}:${place}`),
  )
  const log = fingerprints.map((fingerprint) => flaw(fingerprint))
  const longest = { ids: 0 }
  const countIds = (tx: Transaction): Transaction => ({
    ...tx,
    query: (statement) => {
      const lists = statement.text.includes('finding_thing') ? statement.values.filter(Array.isArray) : []
      longest.ids = Math.max(longest.ids, ...lists.map((list) => list.length))
      return tx.query(statement)
    },
  })
  for (const ref of ['main', 'dev']) {
    const about = { ref, pullRequest: 0, source: 'sarif:tester', scanId: 1, complete: true }
    await gatehouse.db.transaction(actor, (tx) =>
      reconcile(countIds(tx), { repositoryId: repository, ...about, observed: log }),
    )
  }
  assert.deepEqual(await recount(gatehouse.db.as(actor)), [])
  assert.ok(longest.ids > 0 && longest.ids <= 5_000, `${longest.ids} at once`)
})
