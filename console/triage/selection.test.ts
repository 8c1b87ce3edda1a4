import assert from 'node:assert/strict'
import { test } from 'node:test'
import { countOf, targetsAmong, tooMany, withoutBrokenGroups } from './selection.ts'

const rows = ['1', '2', '3'].map((id) => ({ id, triageState: 'TRIAGE_STATE_OPEN', triageReason: '' }))
const groups = [
  { key: 'group a', total: 20, filter: { ruleIds: ['a'] }, ids: ['1', '2'] },
  { key: 'group b', total: 5, filter: { ruleIds: ['b'] } },
]

test('a row whose group is selected too counts once', () => {
  const all = targetsAmong(new Set(['group a', '1', '2', 'group b', '3']), rows, groups)
  assert.deepEqual([all.rows, all.groups, countOf(all)], [[rows[2]], groups, 26])
  const some = targetsAmong(new Set(['1', '3', 'group b']), rows, groups)
  assert.deepEqual([some.rows, some.groups, countOf(some)], [[rows[0], rows[2]], [groups[1]], 7])
})

test('a group is not selected any more when one of its rows is taken out', () => {
  const before = new Set(['group a', '1', '2', 'group b', '3'])
  const left = (...keys: string[]) => [...withoutBrokenGroups(before, new Set(keys), groups)]
  assert.deepEqual(left('group a', '2', 'group b', '3'), ['2', 'group b', '3'])
  assert.deepEqual(left('group a', '1', '2', 'group b'), ['group a', '1', '2', 'group b'])
  assert.deepEqual([...withoutBrokenGroups(new Set(), new Set(['group a']), groups)], ['group a'])
})

test('more than the server takes at once is said before, and with the number', () => {
  const group = (total: number) => ({ rows, groups: [groups[0]!, { key: 'whole', total, filter: {} }] })
  assert.equal(tooMany(group(10_000), 'finding'), undefined)
  assert.match(tooMany(group(30_000), 'finding')!, /^Not done: 30,000 findings are selected, and at most 10,000/)
})
