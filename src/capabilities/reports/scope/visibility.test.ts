import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { openGatehouse, type TestGatehouse } from '../../../../test/gatehouse.ts'
import { ask, askAll, reportsHold } from '../../../../test/reports/report-answers.ts'
import { whole } from '../../../../test/reports/report-cases.ts'
import { depthOf } from '../../../../test/reports/report-recount.ts'
import {
  buildWorld,
  changeTeam,
  type Raised,
  raisedFindings,
  reportsPath,
  type World,
} from '../../../../test/reports/report-world.ts'

let gatehouse: TestGatehouse
let world: World
let findings: Raised[]

before(async () => {
  gatehouse = await openGatehouse()
  world = await buildWorld(gatehouse)
  findings = await raisedFindings(gatehouse)
})
after(() => gatehouse.close())

async function personIn(...teams: string[]): Promise<string> {
  const person = await gatehouse.addPerson('member')
  for (const team of teams) {
    const users = [{ userId: person.id, action: 'UPDATE_ACTION_ADD' }]
    await changeTeam(gatehouse, world.teamIds.get(team)!, { users })
  }
  return person.token
}

const people: { teams: string[]; sees: string[] }[] = [
  { teams: [], sees: [] },
  { teams: ['Payments'], sees: ['bank/core'] },
  { teams: ['Checkout'], sees: ['bank/core', 'shop/api'] },
  // More than half, so that it is counted as all but the others.
  { teams: ['Commerce', 'Laboratory'], sees: ['bank/core', 'lab/trial', 'old/attic', 'shop/api', 'shop/web'] },
]
const questions = [
  {},
  { ruleIds: ['injection'] },
  { findingCategories: ['security' as const] },
  { tags: ['pci'] },
  { teams: ['Commerce'] },
]
const cut = { timePeriod: { since: '2026-03-08T11:11:11Z', until: '2026-05-03T22:22:22Z' } }

for (const { teams, sees } of people) {
  test(`who is in ${teams.join(' and ') || 'no team'} is told about ${sees.length} repositories, in every report`, async () => {
    const as = await personIn(...teams)
    const seen = findings.filter((one) => sees.includes(one.repository))
    // To whoever sees no repository with a tag there is no such tag.
    for (const question of questions.filter((one) => !one.tags || sees.length > 0)) {
      for (const period of [whole, cut]) await reportsHold(gatehouse, seen, { ...period, ...question }, as)
    }
    const standing = seen.filter((one) => depthOf(one) > 0)
    const ids = await askAll(gatehouse, 'funnel/findings', { filters: whole, stage: 'allFindings' }, as)
    assert.deepEqual(
      ids,
      standing.map((one) => one.id),
    )
    assert.equal((await ask(gatehouse, 'backlog', { filters: whole }, as)).total, standing.length)
    const { buckets } = await ask(gatehouse, 'activity', { filters: whole }, as)
    const opened = buckets.reduce((sum: number, bucket: { opened: number }) => sum + bucket.opened, 0)
    assert.equal(opened, seen.length)
  })
}

test('a repository that one does not see is as unknown as one that there is not', async () => {
  const as = await personIn('Payments')
  for (const filters of [{ projects: ['shop/web'] }, { projectIds: [String(world.ids.get('shop/web'))] }]) {
    for (const path of ['guardrails-activity', 'funnel', 'activity', 'backlog']) {
      const answer = await gatehouse.call('POST', `${reportsPath}/${path}`, { as, body: { filters } })
      assert.deepEqual([answer.status, answer.body.code], [422, 'unknown_repository'])
    }
  }
})

test('a tag that only repositories carry that one does not see is as unknown as one that there is not', async () => {
  const as = await personIn('Payments')
  for (const path of ['guardrails-activity', 'funnel', 'activity', 'backlog']) {
    const answer = await gatehouse.call('POST', `${reportsPath}/${path}`, {
      as,
      body: { filters: { tags: ['pci', 'web'] } },
    })
    assert.deepEqual([answer.status, answer.body.detail], [422, "There is no tag 'web'."])
    await ask(gatehouse, path, { filters: { tags: ['pci', 'web'] } })
  }
})

test('another team makes other numbers at once', async () => {
  const person = await gatehouse.addPerson('member')
  const total = async () => (await ask(gatehouse, 'funnel', { filters: whole }, person.token)).allFindings
  assert.equal(await total(), 0)
  await changeTeam(gatehouse, world.teamIds.get('Commerce')!, {
    users: [{ userId: person.id, action: 'UPDATE_ACTION_ADD' }],
  })
  assert.ok((await total()) > 0)
  await changeTeam(gatehouse, world.teamIds.get('Commerce')!, {
    users: [{ userId: person.id, action: 'UPDATE_ACTION_REMOVE' }],
  })
  assert.equal(await total(), 0)
})
