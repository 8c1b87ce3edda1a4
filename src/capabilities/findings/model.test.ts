import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import sql from 'sql-template-tag'
import { openHouse, type TestHouse } from '../../../test/house.ts'
import type { Actor } from '../../kernel/actor.ts'
import { permitted } from '../../kernel/permission.ts'
import * as codes from './codes.ts'
import { guardrailsInForce } from './guardrails.ts'
import { recount } from './ledger.ts'
import * as names from './names.ts'
import { type Observed, observe } from './observed.ts'
import { createReconcile } from './reconcile.ts'
import { createModel, type Mode, type ModelFinding, type Place } from './test-model.ts'
import { createFindingTriage } from './triage.ts'

/** A few in every run of the tests; thousands with GATEHOUSE_MODEL_RUNS. */
const runs = Number(process.env.GATEHOUSE_MODEL_RUNS ?? 25)

let house: TestHouse
let actor: Actor
let policyId: string
let steps = 0
before(async () => {
  house = await openHouse()
  actor = {
    deploymentId: 1,
    personId: 1,
    tokenId: 0,
    role: 'owner',
    permissions: permitted('owner', undefined),
    requestId: 'model',
  }
  const { body } = await house.call('GET', '/api/policies/v1/deployments/1')
  policyId = body.policies.find((one: { productType: string }) => one.productType === 'PRODUCT_TYPE_SAST').id
})
after(() => house.close())

const observed: fc.Arbitrary<Observed> = fc
  .record({
    fingerprint: fc.constantFrom('f1', 'f2', 'f3', 'f4', 'f5'),
    product: fc.constantFrom('code', 'sca', 'secrets', 'ai'),
    severity: fc.constantFrom('critical', 'high', 'medium', 'info'),
    confidence: fc.constantFrom('high', 'low', ''),
    reachability: fc.constantFrom('reachable', 'unreachable', 'unknown', ''),
    validity: fc.constantFrom('valid', 'invalid', ''),
    category: fc.constantFrom('security', 'style', ''),
    ruleId: fc.constantFrom('r1', 'r2'),
    suppressed: fc.boolean(),
  })
  .map((told) => observe({ ...told, title: 'A flaw', message: 'There is a flaw.' } as Parameters<typeof observe>[0]))

const place: fc.Arbitrary<Place> = fc.record({
  repository: fc.constantFrom(0, 1),
  target: fc.constantFrom<Place['target'][]>('main', 'dev', 1, 2),
  source: fc.constantFrom('a', 'b'),
})
const chosen = fc.array(fc.nat(30), { minLength: 1, maxLength: 5 })
const anyState = fc.constantFrom(...codes.state.words)

const operation = fc.oneof(
  {
    weight: 6,
    arbitrary: fc.record({
      op: fc.constant('upload' as const),
      place,
      complete: fc.boolean(),
      observed: fc.uniqueArray(observed, { selector: (one) => one.fingerprint, maxLength: 5 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      op: fc.constant('triage' as const),
      chosen,
      state: anyState,
      reason: fc.constantFrom(...codes.reason.words),
    }),
  },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('automate' as const), chosen, state: anyState }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('expose' as const), repository: fc.constantFrom(0, 1) }) },
  { weight: 1, arbitrary: fc.record({ op: fc.constant('remove' as const), repository: fc.constantFrom(0, 1) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      op: fc.constant('mode' as const),
      mode: fc.constantFrom<Mode[]>('monitor', 'comment', 'disabled'),
    }),
  },
)
type Operation = typeof operation extends fc.Arbitrary<infer T> ? T : never

test('after every step of any story, findings, histories and reports are what a slow model says', async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(operation, { minLength: 1, maxLength: 14 }), async (story) => {
      const world = await openWorld()
      try {
        for (const one of story) await world.play(one)
      } finally {
        await world.close()
      }
    }),
    { numRuns: runs, endOnFailure: runs < 1_000 },
  )
  assert.ok(steps >= runs)
})

const { reconcile } = createReconcile(guardrailsInForce)

async function openWorld() {
  const model = createModel()
  const triages = createFindingTriage(house.db)
  const repositories: number[] = [await makeRepository(), await makeRepository()]
  await setMode('monitor')

  async function play(one: Operation): Promise<void> {
    steps++
    if (one.op === 'upload') {
      const pullRequest = typeof one.place.target === 'number' ? one.place.target : 0
      const about = {
        repositoryId: repositories[one.place.repository]!,
        ref: pullRequest ? 'change' : String(one.place.target),
        pullRequest,
        source: `sarif:${one.place.source}`,
        scanId: 1,
        complete: one.complete,
      }
      await house.db.transaction(actor, (tx) => reconcile(tx, { ...about, observed: one.observed }))
      model.upload(one.place, one.observed, one.complete)
    } else if (one.op === 'triage') {
      const { ids, findings } = await choose(one.chosen)
      if (ids.length === 0) return
      const triageState = names.stateNames.ofCode(codes.state.code(one.state))
      const triageReason = names.reasonNames.ofCode(codes.reason.code(one.reason))
      await triages.triageMany(actor, { findingIds: ids.map(String), triageState, triageReason })
      model.triage(findings, one.state, one.reason)
    } else if (one.op === 'automate') {
      const { ids, findings } = await choose(one.chosen)
      const triageState = names.stateNames.ofCode(codes.state.code(one.state))
      await house.db.transaction(actor, (tx) =>
        triages.decree(tx, { by: 'automation', deciderId: 9, findingIds: ids, triageState, note: '' }),
      )
      model.automate(findings, one.state)
    } else if (one.op === 'expose') {
      const id = repositories[one.repository]!
      await write(
        sql`update repository set publicly_exposed = not publicly_exposed where deployment_id = 1 and id = ${id}`,
      )
      model.expose(one.repository)
    } else if (one.op === 'remove') {
      await write(sql`delete from repository where deployment_id = 1 and id = ${repositories[one.repository]!}`)
      repositories[one.repository] = await makeRepository()
      model.remove(one.repository)
    } else {
      await setMode(one.mode)
      model.setMode(one.mode)
    }
    await compare()
  }

  /** Some of what there is, the same in both worlds. */
  async function choose(at: readonly number[]): Promise<{ ids: number[]; findings: ModelFinding[] }> {
    const rows = await readRows()
    const findings = sorted(model.all())
    const places = [...new Set(at.map((one) => one % Math.max(1, rows.length)))].filter((one) => one < rows.length)
    return { ids: places.map((one) => rows[one]!.id), findings: places.map((one) => findings[one]!) }
  }

  type Row = { id: number; key: string; shown: string; changes: number; last: number | null; lines: number }
  async function readRows(): Promise<Row[]> {
    const order = sql`array_position(${repositories}::bigint[], f.repository_id) - 1`
    return house.db.as(actor).query(sql`select f.id,
        concat_ws('|', ${order}, case when f.pull_request > 0 then f.pull_request::text else s.ref end, s.source, f.fingerprint)
          collate "C" as key,
        concat_ws('|', f.state, f.reason, f.silenced, f.severity, f.product, case when f.decided_by > 2 then f.decided_by end)
          as shown,
        f.change_count as changes, history.last, history.lines
      from finding f join finding_stream s on s.deployment_id = f.deployment_id and s.id = f.stream_id
      cross join lateral (select max(h.seq) as last, count(*) as lines from finding_history h
        where h.deployment_id = f.deployment_id and h.finding_id = f.id) history
      where f.deployment_id = 1 and f.repository_id = any(${repositories}::bigint[]) order by key`)
  }

  async function compare(): Promise<void> {
    const rows = await readRows()
    assert.deepEqual(
      rows.map(({ key, shown, changes }) => `${key} ${shown} ${changes}`),
      sorted(model.all()).map((one) => `${keyOf(one)} ${shownAs(one)} ${one.changes}`),
    )
    for (const row of rows) assert.deepEqual([row.last ?? 0, row.lines], [row.changes, row.changes], row.key)
    assert.deepEqual(await recount(house.db.as(actor)), [])
    for (const [index, id] of [undefined, 0, 1].entries()) {
      const scope = id === undefined ? 0 : repositories[id]!
      const of = id === undefined ? model.all() : model.all().filter((one) => one.place.repository === id)
      for (const grain of ['d', 'w', 'm'])
        assert.deepEqual(await kept(scope, grain), model.reports(of), `${index} ${grain}`)
    }
  }

  async function close(): Promise<void> {
    await write(sql`delete from repository where deployment_id = 1 and id = any(${repositories}::bigint[])`)
  }

  return { play, close }
}

/** The counters of a repository, or of all, without those that are 0. */
async function kept(repositoryId: number, grain: string): Promise<Record<string, number>> {
  const rows = await house.db.as(actor).query<{ name: string; sum: number }>(sql`
    select name, sum(value::integer) as sum from finding_count c, jsonb_each_text(to_jsonb(c)
      - '{deployment_id,repository_id,rule_id,category,grain,starts_at}'::text[]) as cell (name, value)
    where c.deployment_id = 1 and c.repository_id = ${repositoryId} and c.rule_id = 0 and c.category = -1
      and c.grain = ${grain} group by name having sum(value::integer) <> 0`)
  return Object.fromEntries(rows.map(({ name, sum }) => [name, sum]))
}

function keyOf({ place, seen }: ModelFinding): string {
  return [place.repository, place.target, `sarif:${place.source}`, seen.fingerprint].join('|')
}

function sorted(findings: readonly ModelFinding[]): ModelFinding[] {
  return findings.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
}

function shownAs({ state, reason, silenced, seen, by }: ModelFinding): string {
  const decider = by === 'person' ? ['4'] : by === 'automation' ? ['3'] : []
  const numbers = [codes.severity.code(seen.severity), codes.product.code(seen.product)]
  return [
    codes.state.code(state as 'open'),
    codes.reason.code(reason as ''),
    silenced ? 't' : 'f',
    ...numbers,
    ...decider,
  ].join('|')
}

let made = 0
async function makeRepository(): Promise<number> {
  const [row] = await write<{ id: number }>(sql`insert into repository (deployment_id, name, default_branch)
    values (1, ${`model/${++made}`}, 'main') returning id`)
  return row!.id
}

async function setMode(mode: Mode): Promise<void> {
  await write(sql`delete from policy_rule where deployment_id = 1 and policy_id = ${Number(policyId)}`)
  await write(
    sql`insert into policy_rule (deployment_id, policy_id, rule, mode) values (1, ${Number(policyId)}, '*', ${mode})`,
  )
}

function write<Row>(statement: ReturnType<typeof sql>): Promise<Row[]> {
  return house.db.transaction(actor, (tx) => tx.query<Row>(statement))
}
