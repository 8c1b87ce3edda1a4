import assert from 'node:assert/strict'
import { test } from 'node:test'
import { pageWithSomething, passedPages } from './pages.ts'

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

test('a search says how often it went on, and nothing once it is over, however it ends', async () => {
  const told: number[] = []
  const end = passedPages.subscribe(() => told.push(passedPages.of('search')))
  const tell = (passed: number) => passedPages.tell('search', passed)
  await pageWithSomething(undefined, async (cursor) => pages.get(cursor)!, tell)
  assert.deepEqual(told, [1, 2, 0])
  await assert.rejects(pageWithSomething('a', () => Promise.reject(new Error('gone')), tell))
  assert.deepEqual(told, [1, 2, 0, 0])
  end()
  tell(1)
  assert.equal(told.length, 4)
})
