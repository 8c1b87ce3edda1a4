import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { FieldError } from '../../kernel/contract/fault.ts'
import type { UpdateAction } from './contract.ts'
import { readListChange } from './list-change.ts'

type Entry = { id: number; action?: UpdateAction }

const at = { list: '/users', id: 'userId' }
const add = (id: number): Entry => ({ id, action: 'UPDATE_ACTION_ADD' })
const change = (id: number): Entry => ({ id, action: 'UPDATE_ACTION_UPDATE' })
const drop = (id: number): Entry => ({ id, action: 'UPDATE_ACTION_REMOVE' })

const readable: [string, Entry[] | undefined, object][] = [
  ['left out', undefined, { kind: 'none' }],
  ['empty', [], { kind: 'replace', entries: [] }],
  ['no actions', [{ id: 2 }, { id: 1 }], { kind: 'replace', entries: [{ id: 2 }, { id: 1 }] }],
  ['one action', [add(1)], { kind: 'each', add: [add(1)], update: [], remove: [] }],
  [
    'all actions',
    [drop(3), add(1), change(2), add(4)],
    { kind: 'each', add: [add(1), add(4)], update: [change(2)], remove: [drop(3)] },
  ],
]

test('a list replaces the whole, or changes its entries', () => {
  for (const [name, entries, expected] of readable) {
    const errors: FieldError[] = []
    assert.deepEqual(readListChange(entries, at, errors), expected, name)
    assert.deepEqual(errors, [], name)
  }
})

const refused: [string, Entry[], string[]][] = [
  ['an id twice', [{ id: 1 }, { id: 2 }, { id: 1 }], ['/users/2/userId']],
  ['an id three times', [{ id: 1 }, { id: 1 }, { id: 1 }], ['/users/1/userId', '/users/2/userId']],
  ['an id twice with two actions', [add(1), drop(1)], ['/users/1/userId']],
  ['with and without action', [add(1), { id: 2 }], ['/users/1']],
  ['both faults', [{ id: 2 }, add(1), add(1)], ['/users/2/userId', '/users/0']],
]

test('ids stand once, and actions in all entries or none', () => {
  for (const [name, entries, pointers] of refused) {
    const errors: FieldError[] = []
    readListChange(entries, at, errors)
    assert.deepEqual(
      errors.map((error) => error.pointer),
      pointers,
      name,
    )
  }
})
