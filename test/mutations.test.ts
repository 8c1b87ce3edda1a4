import assert from 'node:assert/strict'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { test } from 'node:test'
import { readMutations } from './mutation-lists.ts'

const root = join(import.meta.dirname, '..')
const mutations = await readMutations()

/** The rows of the threat model: who, what they try, the protection with its id, the tests. */
function threatModel(): { id: string; tests: string[] }[] {
  const lines = readFileSync(join(root, 'docs', 'threat-model.md'), 'utf8').split('\n')
  const cells = lines.filter((line) => line.startsWith('| ')).map((line) => line.split(/(?<!\\)\|/).slice(1, -1))
  const ticked = (cell: string) => [...cell.matchAll(/`([^`]+)`/g)].map(([, text]) => text!)
  return cells.flatMap(([, , protection = '', tests = '']) =>
    ticked(protection).map((id) => ({ id, tests: ticked(tests) })),
  )
}

test('every mutation can be made: its text occurs once, and takes something out', () => {
  const wrong = mutations.filter(({ file, find, replace }) => {
    const text = existsSync(join(root, file)) ? readFileSync(join(root, file), 'utf8') : ''
    return find === replace || text.split(find).length !== 2
  })
  assert.deepEqual(
    wrong.map(({ id, list }) => `${list}: ${id}`),
    [],
  )
})

test('every mutation has an id of its own and tests that exist', () => {
  const ids = mutations.map(({ id }) => id)
  assert.deepEqual([...new Set(ids)], ids)
  assert.deepEqual(
    ids.filter((id) => !/^[a-z0-9]+(-[a-z0-9]+)*$/.test(id)),
    [],
  )
  const missing = mutations.flatMap(({ tests }) => tests).filter((file) => !existsSync(join(root, file)))
  assert.deepEqual(missing, [])
  assert.ok(mutations.every(({ tests }) => tests.length > 0 && tests.every((file) => file.endsWith('.test.ts'))))
})

test('the threat model names every protection that is listed, with its tests, and no other', () => {
  const rows = threatModel()
  const byId = <T extends { id: string }>(list: T[]) => list.toSorted((a, b) => (a.id < b.id ? -1 : 1))
  assert.deepEqual(byId(rows), byId(mutations.map(({ id, tests }) => ({ id, tests }))))
})
