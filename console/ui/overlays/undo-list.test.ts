import assert from 'node:assert/strict'
import { beforeEach, test } from 'node:test'
import { createUndoList } from './undo-list.ts'

let clock = 0
let list: ReturnType<typeof createUndoList>
beforeEach(() => {
  clock = 0
  list = createUndoList(() => clock)
})
const undo = () => undefined

test('changes are taken back from the last to the first, each for half a minute', () => {
  for (const text of ['one', 'two', 'three', 'four', 'five']) {
    list.note(text, undo)
    clock += 10_000
  }
  const taken: string[] = []
  for (let change = list.last(); change; change = list.last()) {
    taken.push(change.text)
    list.drop(change)
  }
  assert.deepEqual(taken, ['five', 'four'])
})

test('nothing is taken back past a change that stays, as long as that is the last one', () => {
  list.note('one', undo)
  const stays = list.note('two', 'no undo')
  assert.equal(list.last(), stays)
  const three = list.note('three', undo)
  assert.equal(list.last(), three)
  list.drop(three)
  assert.equal(list.last(), stays)
  clock = 30_000
  assert.equal(list.last(), undefined)
})
