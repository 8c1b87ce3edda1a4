import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageWithSomething } from './pages.ts'

const pages = new Map<unknown, { findings: number[]; hasMore: boolean; cursor: string }>([
  [undefined, { findings: [], hasMore: true, cursor: 'a' }],
  ['a', { findings: [], hasMore: true, cursor: 'b' }],
  ['b', { findings: [7], hasMore: true, cursor: 'c' }],
  ['c', { findings: [], hasMore: false, cursor: '' }],
])

test('a page without anything is passed over while more may follow', async () => {
  const asked: unknown[] = []
  const read = async (cursor: unknown) => {
    asked.push(cursor)
    return pages.get(cursor)!
  }
  assert.deepEqual((await pageWithSomething(undefined, read)).findings, [7])
  assert.deepEqual(await pageWithSomething('c', read), pages.get('c'))
  assert.deepEqual(asked, [undefined, 'a', 'b', 'c'])
})
