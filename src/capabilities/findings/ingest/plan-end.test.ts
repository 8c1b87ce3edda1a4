import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnsOf } from '../../../../test/turns.ts'
import * as codes from '../../../domain/finding-codes.ts'
import { byNote, listReturned, planArrivals, planFixes, sortUnseen } from './plan-end.ts'
import type { StoredFindingRow } from './reconcile-store.ts'

// Many times as many as a log may have, so that doing it in one go could not be missed.
const count = 1_500_000
const row = (id: number, more: object = {}) => {
  const decided = { state: codes.state.code('open'), decided_by: codes.decider.code('observation'), decider_id: 0 }
  return { id, fingerprint: `finding-${id}`, absent: false, ...decided, ...more } as StoredFindingRow
}
const rows = Array.from({ length: count }, (_, id) => row(id))

for (const [what, work] of Object.entries({
  'what is not named': async () => assert.equal((await sortUnseen(rows, new Set(), () => false)).unseen.length, count),
  'what stands on the base': async () => assert.ok((await planArrivals(rows)).length > 0),
  'what is fixed': async () => assert.equal((await planFixes(rows, undefined)).fixes.length, count),
  'what is back': async () => assert.equal((await listReturned(rows, [])).length, 0),
  'what is noted': async () => assert.ok((await byNote(rows.map(({ id }) => ({ id, note: '' }) as never))).has('')),
})) {
  test(`${what} is found in turns with others, however much there is`, async () => {
    const { turns } = await turnsOf(work)
    // One at most where it is done in one go.
    assert.ok(turns > 1, `others had ${turns} turns`)
  })
}

test('who is away and back, fixed, or keeps what a person decided, is told apart', async () => {
  const away = row(1, { absent: true })
  const moved = row(2, { absent: true })
  assert.deepEqual(await listReturned([away, moved, row(3)], [{ id: 2 } as never]), [1])
  const fixed = row(5, { state: codes.state.code('fixed'), absent: true })
  const { fixes, kept } = await planFixes([row(4), fixed], new Map([['finding-4', 'It was taken out.']]))
  assert.deepEqual([fixes.map(({ id, note }) => [id, note]), kept], [[[4, 'It was taken out.']], []])
})
