import assert from 'node:assert/strict'
import { test } from 'node:test'
import type { InventoryItem } from '../../../formats/format.ts'
import { packColumns } from './column-batches.ts'

function item(more: Partial<InventoryItem>): InventoryItem {
  const plain = { ecosystem: 'npm', name: 'a', version: '1.0.0', transitivity: 'UNKNOWN', development: false } as const
  return { key: more.name ?? 'a', licence: '', resolved: '', dependsOn: [], line: 0, ...plain, ...more }
}

test('what the database cannot hold is left out and said', () => {
  const bad = [
    { name: '' },
    { name: 'x'.repeat(501) },
    { name: 'a\0b' },
    { version: '\ud800' },
    { version: '1'.repeat(201) },
  ]
  const leftOut: InventoryItem[] = []
  const { count, batches } = packColumns([item({}), ...bad.map(item)], (one) => leftOut.push(one))
  assert.deepEqual([count, batches[0]!.size, batches[0]!.name], [1, 1, '{"a"}'])
  assert.deepEqual(leftOut, bad.map(item))
})

test('columns are written so that PostgreSQL reads them back', () => {
  const names = ['say "hi"', 'back\\slash', '{a,b}', 'null', 'größe']
  const [batch] = packColumns(
    names.map((name) => item({ name })),
    () => {},
  ).batches
  assert.equal(batch!.shownName, '{"say \\"hi\\"","back\\\\slash","{a,b}","null","größe"}')
  assert.equal(batch!.ordinal, '{0,1,2,3,4}')
})

test('batches are bounded, ordinals go on', () => {
  const { batches, count } = packColumns(
    Array.from({ length: 4_100 }, (_, at) => item({ name: `p${at}` })),
    () => {},
  )
  assert.deepEqual([count, batches.map((batch) => batch.size)], [4_100, [2_000, 2_000, 100]])
  assert.ok(batches[1]!.ordinal.startsWith('{2000,2001,'))
})

test('each licence once, by its place from 1; none is 0', () => {
  const texts = ['MIT', '', 'ISC', ' MIT ', 'x'.repeat(10_001)]
  const { batches, licences } = packColumns(
    texts.map((licence) => item({ licence })),
    () => {},
  )
  assert.deepEqual(licences, [
    { expression: 'MIT', ids: ['MIT'] },
    { expression: 'ISC', ids: ['ISC'] },
  ])
  assert.equal(batches[0]!.licence, '{1,0,2,1,0}')
})

test('edges lead between items that are there', () => {
  const items = [
    item({ name: 'a', dependsOn: ['c', 'gone', ''] }),
    item({ name: '' }),
    item({ name: 'c', dependsOn: ['a'] }),
  ]
  const { graph } = packColumns(items, () => {})
  assert.deepEqual([...new Uint32Array(Uint8Array.from(graph).buffer)], [0, 1, 1, 0])
})

test('the search text has the written name beside the normalised one', () => {
  const [batch] = packColumns(
    [item({ ecosystem: 'pypi', name: 'Zope.Interface' }), item({ name: 'React' })],
    () => {},
  ).batches
  assert.equal(batch!.name, '{"zope-interface","React"}')
  assert.equal(batch!.searchText, '{"zope-interface\nzope.interface","react"}')
})
