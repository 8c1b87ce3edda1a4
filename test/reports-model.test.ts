import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import fc from 'fast-check'
import { recount } from '../src/capabilities/findings/public.ts'
import * as codes from '../src/domain/finding-codes.ts'
import { often } from './depth.ts'
import { duplicates, type ModelFinding } from './findings/findings-model.ts'
import {
  type FindingQuestion,
  findingFilter,
  findingQuestion,
  isAskedFor,
  type ReportQuestion,
  reportFilters,
  reportQuestion,
  slowCounts,
} from './findings/findings-questions.ts'
import { type Row, readFindings } from './findings/findings-rows.ts'
import { action } from './findings/findings-story.ts'
import { keyOf, openWorld, type World } from './findings/findings-world.ts'
import { openGatehouse, type TestGatehouse } from './gatehouse.ts'
import { activityHolds, backlogHolds, reportsHold } from './reports/report-answers.ts'
import type { Changed } from './reports/report-recount.ts'
import type { Raised } from './reports/report-world.ts'

const runs = often(4, 80)

let gatehouse: TestGatehouse
before(async () => {
  // The stories are of years ago, and a branch that nobody scans for long would end in the middle of one.
  gatehouse = await openGatehouse({ env: { GATEHOUSE_BRANCH_DAYS: '36500' } })
})
after(() => gatehouse.close())

const story = fc.array(fc.record({ action, report: reportQuestion, finding: findingQuestion }), {
  minLength: 10,
  maxLength: 30,
  size: 'max',
})

test('after every step of any story, findings, histories, counts and reports are what a slow recount says', async (t) => {
  let steps = 0
  let most = 0
  await fc.assert(
    fc.asyncProperty(story, async (plan) => {
      const world = await openWorld(gatehouse)
      try {
        for (const step of plan) {
          await world.play(step.action)
          await compare(world, step)
          steps++
          most = Math.max(most, world.model.findings().length)
        }
      } finally {
        await world.close()
      }
      assert.deepEqual(await readFindings(gatehouse), [], 'nothing is left of deleted repositories')
      assert.deepEqual(await recount(gatehouse.db.as({ deploymentId: 1 })), [])
    }),
    { numRuns: runs, endOnFailure: runs < 1_000 },
  )
  t.diagnostic(`${runs} stories, ${steps} steps, up to ${most} findings`)
  assert.ok(most > 0)
})

type Questions = { report: ReportQuestion; finding: FindingQuestion }

async function compare({ model, ...world }: World, questions: Questions): Promise<void> {
  const rows = await readFindings(gatehouse)
  const findings = model.findings()
  assert.deepEqual(rows.map(shown), findings.map(expected).sort())
  for (const row of rows) assert.deepEqual([row.last, row.lines], [row.changes, row.changes], row.key)
  assert.deepEqual(await recount(gatehouse.db.as({ deploymentId: 1 })), [])

  const twice = duplicates(findings)
  const raised = findings.map(
    (one, id): Raised => ({
      ...toRaised(one, id, world, model.repositories),
      duplicate: twice.has(one),
    }),
  )
  const history = findings.flatMap((one, id) => one.history.map((change) => toChanged(change, id)))
  const always = {
    timePeriod: { since: '2024-01-01T00:00:00Z', until: new Date(Date.now() + 86_400_000).toISOString() },
  }
  for (const filters of [always, reportFilters(questions.report, world.repositories)]) {
    await Promise.all([
      reportsHold(gatehouse, raised, filters),
      backlogHolds(gatehouse, raised, filters),
      activityHolds(gatehouse, raised, history, filters),
    ])
  }
  for (const filter of [undefined, findingFilter(questions.finding, world.repositories)]) {
    const asked = findings.filter(
      (one) => !filter || isAskedFor(one, model.repositories.get(one.place.repository)!, filter),
    )
    const answer = await gatehouse.call('POST', '/api/findings/1/findings/counts', { body: filter ? { filter } : {} })
    assert.deepEqual([answer.status, answer.body], [200, slowCounts(asked)], JSON.stringify(filter))
  }
}

function shown(row: Row): string {
  const by = codes.decider.word(row.decided_by)
  const decider = by === 'rule' ? codes.cause.word(row.decider_id) : by === 'memory' ? row.decider_id : ''
  const words = [codes.state.word(row.state), codes.reason.word(row.reason), by, decider]
  const signs = [codes.product.word(row.product), codes.category.word(row.category), codes.severity.word(row.severity)]
  return [row.key, ...words, ...signs, row.silenced, row.raised_at.toISOString(), row.changes].join(' | ')
}

function expected(one: ModelFinding): string {
  const { seen, state, reason, by, decider, silenced, raisedAt, history } = one
  const signs = [seen.product, seen.category, seen.severity]
  return [keyOf(one), state, reason, by, decider, ...signs, silenced, raisedAt.toISOString(), history.length].join(
    ' | ',
  )
}

function toRaised(
  { place, seen, silenced, state, raisedAt }: ModelFinding,
  id: number,
  { ids }: Pick<World, 'ids'>,
  repositories: World['model']['repositories'],
): Raised {
  const { exposed, tags } = repositories.get(place.repository)!
  return {
    ...{ id, repository_id: ids.get(place.repository)!, repository: place.repository, rule: seen.rule, silenced },
    ...{ duplicate: false, malicious: false },
    product: codes.product.code(seen.product),
    category: codes.category.code(seen.category),
    severity: codes.severity.code(seen.severity),
    confidence: codes.confidence.code(seen.confidence),
    reachability: codes.reachability.code(seen.reachability),
    validity: codes.validity.code(seen.validity),
    state: codes.state.code(state),
    pull_request: typeof place.target === 'number' ? place.target : 0,
    raised_at: raisedAt,
    ...{ publicly_exposed: exposed, tags, teams: [] },
  }
}

function toChanged({ at, from, to }: ModelFinding['history'][number], id: number): Changed {
  return { finding_id: id, at, from_state: codes.state.code(from), to_state: codes.state.code(to) }
}
