import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnsOf } from '../../../../test/turns.ts'
import type { BillEntry } from '../../inventory/public.ts'
import { mergedItems } from './merged-items.ts'

function entriesOf(count: number): BillEntry[] {
  const same = {
    ecosystem: 'npm',
    version: '1.0.0',
    transitivity: 'T',
    development: false,
    licence: '',
    resolved: '',
  } as const
  return Array.from({ length: count }, (_, ordinal) => ({ ...same, ordinal, name: `p${ordinal}` }))
}

// Each takes many times ten milliseconds; without the pauses it would be one turn.

test('many entries are put together without holding up anybody', async () => {
  const files = [{ graph: Buffer.alloc(0), entries: entriesOf(100_000) }]
  const { result, turns } = await turnsOf(() => mergedItems(files))
  assert.equal(result.length, 100_000)
  assert.ok(turns > 4, `${turns} turns`)
})

test('many edges are put together without holding up anybody', async () => {
  const entries = entriesOf(1_000)
  const pairs = Array.from({ length: 1_000_000 }, (_, at) => [at % 1_000, (at * 7 + 1) % 1_000]).flat()
  const files = [{ graph: Buffer.from(Uint32Array.from(pairs).buffer), entries }]
  const { result, turns } = await turnsOf(() => mergedItems(files))
  assert.deepEqual(result[1]!.dependsOn, ['pkg:npm/p8@1.0.0'])
  assert.ok(turns > 4, `${turns} turns`)
})
