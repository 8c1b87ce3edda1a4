import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { Sort } from '../../../src/capabilities/findings/search/filter.ts'
import { sortOf, sortWord } from './sort.ts'

const sorts: Required<Sort>['by'][] = ['severity', 'raisedAt', 'stateChangedAt', 'repository', 'rule', 'path']

test('every sort is in the address, and the usual one is left out', () => {
  for (const by of sorts) {
    for (const direction of ['asc', 'desc'] as const)
      assert.deepEqual(sortOf(sortWord({ by, direction })[0]), { by, direction })
  }
  assert.deepEqual(sortWord({ by: 'severity', direction: 'desc' }), [])
  assert.deepEqual(sortOf('no-such'), { by: 'severity', direction: 'desc' })
})
