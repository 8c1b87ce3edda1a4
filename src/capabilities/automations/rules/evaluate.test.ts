import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import type { Occasion, Subject } from '../../../domain/trigger-event.ts'
import { createChooser } from './choose-subjects.ts'
import { type ConditionType, conditionTypeNames, ruleFor } from './condition-types.ts'
import { type Condition, compileFilters, type Filters, type Mode, modes } from './evaluate.ts'

const occasion: Occasion = {
  source: 'TRIGGER_SOURCE_SCAN',
  repository: { id: 12, name: 'group/project', tags: ['production', 'pci'] },
  ref: 'release/1.2',
  scanId: 7,
  pullRequest: 0,
}
const subject: Subject = {
  kind: 'finding',
  id: '1',
  title: 'SQL injection',
  path: 'src/web/login.ts',
  severity: 'SEVERITY_HIGH',
  confidence: 'CONFIDENCE_MEDIUM',
  product: 'PRODUCT_TYPE_SAST',
  reachability: 'REACHABILITY_UNSPECIFIED',
  ruleId: 'javascript.express.sql-injection',
  category: 'security',
  cwes: ['CWE-89', 'CWE-079'],
  malicious: false,
  triageState: 'TRIAGE_STATE_OPEN',
  isNew: true,
}

/** Type, then which values it has in each mode. */
const conditions: [ConditionType, string[], Record<Mode, boolean>][] = [
  ['CONDITION_TYPE_REPOSITORY_ID', ['12'], { MODE_ALL: true, MODE_ANY: true, MODE_NONE: false }],
  ['CONDITION_TYPE_REPOSITORY_ID', ['12', '13'], { MODE_ALL: false, MODE_ANY: true, MODE_NONE: false }],
  ['CONDITION_TYPE_REPOSITORY_ID', ['1'], { MODE_ALL: false, MODE_ANY: false, MODE_NONE: true }],
  ['CONDITION_TYPE_REPOSITORY_TAG', ['pci', 'production'], { MODE_ALL: true, MODE_ANY: true, MODE_NONE: false }],
  ['CONDITION_TYPE_REPOSITORY_TAG', ['pci', 'internal'], { MODE_ALL: false, MODE_ANY: true, MODE_NONE: false }],
  ['CONDITION_TYPE_PATH', ['src'], { MODE_ALL: true, MODE_ANY: true, MODE_NONE: false }],
  ['CONDITION_TYPE_PATH', ['src/web/'], { MODE_ALL: true, MODE_ANY: true, MODE_NONE: false }],
  ['CONDITION_TYPE_PATH', ['src/w', 'web', 'login.ts'], { MODE_ALL: false, MODE_ANY: false, MODE_NONE: true }],
  ['CONDITION_TYPE_PATH', ['**/login.ts', 'src/*/login.*'], { MODE_ALL: true, MODE_ANY: true, MODE_NONE: false }],
  ['CONDITION_TYPE_PATH', ['*.ts', 'src/*'], { MODE_ALL: false, MODE_ANY: false, MODE_NONE: true }],
  ['CONDITION_TYPE_REF', ['release/*'], { MODE_ALL: true, MODE_ANY: true, MODE_NONE: false }],
  ['CONDITION_TYPE_REF', ['release', 'main'], { MODE_ALL: false, MODE_ANY: false, MODE_NONE: true }],
  ['CONDITION_TYPE_SEVERITY', ['SEVERITY_HIGH', 'SEVERITY_LOW'], { MODE_ALL: false, MODE_ANY: true, MODE_NONE: false }],
  ['CONDITION_TYPE_CONFIDENCE', ['CONFIDENCE_HIGH'], { MODE_ALL: false, MODE_ANY: false, MODE_NONE: true }],
  ['CONDITION_TYPE_PRODUCT', ['PRODUCT_TYPE_SAST'], { MODE_ALL: true, MODE_ANY: true, MODE_NONE: false }],
  ['CONDITION_TYPE_REACHABILITY', ['REACHABILITY_REACHABLE'], { MODE_ALL: false, MODE_ANY: false, MODE_NONE: true }],
  ['CONDITION_TYPE_RULE', ['javascript.express.*'], { MODE_ALL: true, MODE_ANY: true, MODE_NONE: false }],
  ['CONDITION_TYPE_RULE', ['javascript'], { MODE_ALL: false, MODE_ANY: false, MODE_NONE: true }],
  ['CONDITION_TYPE_CATEGORY', ['security', 'style'], { MODE_ALL: false, MODE_ANY: true, MODE_NONE: false }],
  ['CONDITION_TYPE_CWE', ['CWE-79', 'cwe-0089'], { MODE_ALL: true, MODE_ANY: true, MODE_NONE: false }],
  ['CONDITION_TYPE_CWE', ['CWE-7', 'CWE-890'], { MODE_ALL: false, MODE_ANY: false, MODE_NONE: true }],
  ['CONDITION_TYPE_MALICIOUS_DEPENDENCY', ['true'], { MODE_ALL: false, MODE_ANY: false, MODE_NONE: true }],
  ['CONDITION_TYPE_TRIAGE_STATE', ['TRIAGE_STATE_OPEN'], { MODE_ALL: true, MODE_ANY: true, MODE_NONE: false }],
]
for (const [type, values, expected] of conditions) {
  test(`${type} ${values.join(' ')}`, () => {
    for (const mode of modes) {
      const filters: Filters = { mode: 'MODE_ALL', conditions: [{ mode, type, values }] }
      assert.equal(compileFilters(filters)(subject, occasion), expected[mode], mode)
    }
  })
}

test('every type of condition is in the table', () => {
  const tried = new Set<string>(conditions.map(([type]) => type))
  assert.deepEqual(
    conditionTypeNames.filter((name) => !tried.has(name)),
    [],
  )
})

test('an issue is of each of its repositories', () => {
  const repositories = [
    { id: 1, name: 'a', tags: ['x'] },
    { id: 2, name: 'b', tags: ['y'] },
  ]
  const both: Condition = { mode: 'MODE_ALL', type: 'CONDITION_TYPE_REPOSITORY_ID', values: ['1', '2'] }
  const issue = { ...subject, repositories }
  const holds = compileFilters({ mode: 'MODE_ALL', conditions: [both] })
  assert.equal(holds(issue, { ...occasion, repository: null }), true)
})

const condition = fc.constantFrom(...conditionTypeNames).chain((type) =>
  fc.record<Condition>({
    type: fc.constant(type),
    mode: fc.constantFrom(...modes),
    values: fc.array(fc.constantFrom(...valuesFor(type)), { minLength: 1, maxLength: 3 }),
  }),
)
const someConditions = fc.array(condition, { maxLength: 5 })

function valuesFor(type: ConditionType): string[] {
  const has = ruleFor(type).of(subject, occasion)
  return [...has, ...(ruleFor(type).values ?? ['other', '1'])]
}

function truth(mode: Mode, conditions: Condition[]): boolean {
  return compileFilters({ mode, conditions })(subject, occasion)
}

test('modes are what logic says: of all, of any, of none', () => {
  fc.assert(
    fc.property(someConditions, (conditions) => {
      const each = conditions.map((one) => truth('MODE_ALL', [one]))
      assert.equal(truth('MODE_ALL', conditions), !each.includes(false))
      assert.equal(truth('MODE_ANY', conditions), each.includes(true))
      assert.equal(truth('MODE_NONE', conditions), !each.includes(true))
    }),
  )
})

test('one more condition never widens ALL and never narrows ANY; their order does not matter', () => {
  fc.assert(
    fc.property(someConditions, condition, (conditions, more) => {
      if (truth('MODE_ALL', [...conditions, more])) assert.equal(truth('MODE_ALL', conditions), true)
      if (truth('MODE_ANY', conditions)) assert.equal(truth('MODE_ANY', [...conditions, more]), true)
      for (const mode of modes) assert.equal(truth(mode, conditions), truth(mode, conditions.toReversed()))
    }),
  )
})

const everything: Filters = { mode: 'MODE_ALL', conditions: [] }
const seenAgain = { ...subject, id: '2', isNew: false }
const ignored = { ...subject, id: '3', triageState: 'TRIAGE_STATE_IGNORED' }
const choices: [Occasion['source'], 'ACTION_TYPE_BLOCK' | 'ACTION_TYPE_WEBHOOK', string[]][] = [
  ['TRIGGER_SOURCE_SCAN', 'ACTION_TYPE_BLOCK', ['1', '2']],
  ['TRIGGER_SOURCE_SCAN', 'ACTION_TYPE_WEBHOOK', ['1']],
  ['TRIGGER_SOURCE_SUPPLY_CHAIN_INCIDENT', 'ACTION_TYPE_WEBHOOK', ['1']],
  ['TRIGGER_SOURCE_ISSUE_TRIAGED', 'ACTION_TYPE_WEBHOOK', ['1', '2', '3']],
  ['TRIGGER_SOURCE_MANUAL', 'ACTION_TYPE_WEBHOOK', ['1', '2', '3']],
]
for (const [source, type, expected] of choices) {
  test(`${type} after ${source} is about ${expected.join(', ')}`, async () => {
    const chosen = await createChooser({ ...occasion, source })(type, everything, [subject, seenAgain, ignored])
    assert.deepEqual(
      chosen.map(({ id }) => id),
      expected,
    )
  })
}

test('what takes too long to decide is given up, and others have their turn meanwhile', async () => {
  const values = Array.from({ length: 50 }, (_, at) => `${'*a?'.repeat(60)}x${at}*`)
  const path = { mode: 'MODE_ANY', type: 'CONDITION_TYPE_PATH', values } as const
  const filters: Filters = { mode: 'MODE_ANY', conditions: [path] }
  const many = Array.from({ length: 20_000 }, (_, at) => ({ ...subject, path: `${'a'.repeat(800)}${at}` }))
  let turns = 0
  const turn = setInterval(() => turns++, 1).unref()
  const chosen = createChooser(occasion, 0.3)('ACTION_TYPE_BLOCK', filters, many)
  await assert.rejects(chosen, { code: 'unprocessable' })
  clearInterval(turn)
  assert.ok(turns > 3, `${turns} turns`)
})
