import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import sql from 'sql-template-tag'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { type Actor, systemActor } from '../../../kernel/access/actor.ts'
import type { Transaction } from '../../../kernel/database/database.ts'
import { guardrailsInForce } from '../lifecycle/guardrails.ts'
import { type Observation, observe } from './observation.ts'
import { createReconcile } from './reconcile.ts'

let gatehouse: TestGatehouse
let actor: Actor
const { reconcile } = createReconcile(guardrailsInForce)

before(async () => {
  gatehouse = await openGatehouse({ jobs: false })
  actor = systemActor(gatehouse.owner.deploymentId, 'test')
})
after(() => gatehouse.close())

async function newRepository(name: string, on = gatehouse): Promise<number> {
  const path = `/api/repositories/v1/deployments/${on.owner.deploymentId}/repositories`
  return (await on.call('POST', path, { body: { name } })).body.repository.id
}

const told = { ruleId: 'injection', title: 'Injection', message: 'Text reaches a query.' } as const
const signs = { product: 'code', severity: 'high', confidence: 'high' } as const

const flaws = (from: number, to: number): Observation[] =>
  Array.from({ length: to - from }, (_, at) => observe({ fingerprint: `flaw-${from + at}`, ...told, ...signs }))

/** How many findings PostgreSQL read for what one source says, by its own count. */
function look(repositoryId: number, observed: Observation[], on = gatehouse): Promise<number> {
  const about = { ref: 'main', pullRequest: 0, source: 'sarif:tester', scanId: 1, complete: true }
  return on.db.transaction(actor, async (tx) => {
    const before = await readSoFar(tx)
    await reconcile(tx, { repositoryId, ...about, observed })
    return (await readSoFar(tx)) - before
  })
}

async function readSoFar(tx: Transaction): Promise<number> {
  const [row] = await tx.query<{
    read: number
  }>(sql`select coalesce(seq_tup_read, 0) + coalesce(idx_tup_fetch, 0) as read
    from pg_stat_xact_user_tables where relname = 'finding'`)
  return row?.read ?? 0
}

test('what was fixed is not read again: an upload costs what stands and what it names', async () => {
  const old = await newRepository('old')
  await look(old, flaws(100, 3_100))
  await look(old, [])
  await look(old, flaws(0, 20))
  const read = await look(old, flaws(10, 30))
  assert.ok(read > 0 && read < 200, `${read} findings`)
})

test('what was fixed and is named again is the same finding, by itself and in its group', async () => {
  const repository = await newRepository('back')
  const group = (ordinal: number) => ({ ...flaws(0, 1)[0]!, fingerprint: `${'a'.repeat(32)}:${ordinal}` })
  await look(repository, [...flaws(0, 2), group(1), group(2)])
  await look(repository, [])
  await look(repository, [...flaws(1, 2), group(1)])
  const rows = await gatehouse.db.as(actor).query(sql`select fingerprint, change_count as changes from finding
    where deployment_id = ${actor.deploymentId} and repository_id = ${repository} order by fingerprint`)
  assert.deepEqual(rows, [
    { fingerprint: `${'a'.repeat(32)}:1`, changes: 2 },
    { fingerprint: `${'a'.repeat(32)}:2`, changes: 1 },
    { fingerprint: 'flaw-0', changes: 1 },
    { fingerprint: 'flaw-1', changes: 2 },
  ])
})

test('a plan of the first uploads does not read everything for each result of a later one', async (t) => {
  const fresh = await openGatehouse({ jobs: false })
  t.after(() => fresh.close())
  const repository = await newRepository('first', fresh)
  // More often than PostgreSQL plans for the values before it keeps a plan.
  for (let round = 0; round < 8; round++) await look(repository, flaws(round * 5, round * 5 + 20), fresh)
  const many = 3_000
  await look(repository, flaws(100, 100 + many), fresh)
  await look(repository, flaws(0, 20), fresh)
  const read = await look(repository, flaws(5, 25), fresh)
  assert.ok(read < 6 * many, `${read} findings were read for 20 among ${many}`)
})
