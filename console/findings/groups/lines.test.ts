import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Finding } from '../../../src/capabilities/findings/finding.ts'
import type { FindingGroup } from '../../../src/capabilities/findings/search/group-contract.ts'
import { filterOfGroup, groupingOf, groupSortOf, linesOf, wordOfGroup } from './lines.ts'

const group = (value: string, total: number, label = ''): FindingGroup => ({
  value,
  label,
  filter: { ruleIds: [value] },
  total,
  worstSeverity: 'SEVERITY_HIGH',
  bySeverity: {},
  byTriageState: {},
  repositories: 1,
  oldestRaisedAt: '2026-01-01T00:00:00.000Z',
})
const findings = (...ids: string[]) => ids.map((id) => ({ id }) as Finding)

test('an open group is followed by its findings, and by how many are left', () => {
  const groups = [group('a', 2), group('b', 3), group('c', 1)]
  const members = new Map([
    ['a', { findings: findings('1', '2'), isPending: false }],
    ['b', { findings: findings('3'), isPending: false }],
  ])
  const lines = linesOf('rule', groups, new Set(['a', 'b']), members)
  assert.deepEqual(
    lines.map((line) => line.key),
    ['group a', '1', '2', 'group b', '3', 'more b', 'group c'],
  )
  assert.deepEqual(lines[5], { key: 'more b', kind: 'more', word: 'b', left: 2 })
  const waiting = linesOf('rule', groups, new Set(['a']), new Map([['a', { findings: [], isPending: true }]]))
  assert.deepEqual(
    waiting.map((line) => line.key),
    ['group a', 'group b', 'group c'],
  )
})

test('packages of one name are told apart by their ecosystem', () => {
  assert.equal(wordOfGroup('package', group('left-pad', 1, 'npm')), 'npm:left-pad')
  assert.equal(wordOfGroup('rule', group('left-pad', 1, 'A title')), 'left-pad')
})

test('the filter of a group is that of the list and what its findings have in common', () => {
  const asked = { severities: ['SEVERITY_HIGH' as const], ruleIds: ['a', 'b'], dependency: { name: 'x', version: '1' } }
  assert.deepEqual(filterOfGroup(asked, { ruleIds: ['a'] }), { ...asked, ruleIds: ['a'] })
  assert.deepEqual(filterOfGroup(asked, { dependency: { name: 'x', ecosystem: 'npm' } }).dependency, {
    name: 'x',
    version: '1',
    ecosystem: 'npm',
  })
})

test('another word for a grouping or its order is none', () => {
  assert.deepEqual([groupingOf('path'), groupingOf('colour'), groupingOf(undefined)], ['path', undefined, undefined])
  assert.deepEqual(
    [groupSortOf('count'), groupSortOf('raised'), groupSortOf(undefined)],
    ['count', 'severity', 'severity'],
  )
})
