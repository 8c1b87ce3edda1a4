import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnsOf } from '../../../../test/turns.ts'
import type { FindingBatch, PackedFindings } from '../ingest/pack.ts'
import type { KnownFinding } from './pairing.ts'
import { recognise } from './recognise.ts'

const count = 120_000
const batchSize = 2_500
const fingerprint = (at: number) => `${String(at).padStart(32, '0')}:0`

/** As many results as an upload may have, all of them known already. */
function upload(): { known: Map<string, KnownFinding>; parts: PackedFindings[] } {
  const places = [...Array(count).keys()]
  const standing = { context: '', start_line: 1, state: 1, decided_by: 0, absent: false }
  const known = new Map(places.map((at) => [fingerprint(at), { id: at, fingerprint: fingerprint(at), ...standing }]))
  const batches = places
    .filter((at) => at % batchSize === 0)
    .map((from) => {
      const some = places.slice(from, from + batchSize)
      const heads = { fingerprint: some.map(fingerprint), context: some.map(() => ''), line: some.map(() => 1) }
      return { heads } as unknown as FindingBatch
    })
  return { known, parts: [{ count, rules: [], batches }] }
}

test('very many results are recognised in turns with others', async () => {
  const { known, parts } = upload()
  const { result, longestMs, totalMs } = await turnsOf(() => recognise(known, parts))
  assert.equal(result.hasNew, false)
  assert.equal(result.of(parts[0]!.batches.at(-1)!).rows.at(-1)?.id, count - 1)
  assert.ok(longestMs < totalMs / 3, `${longestMs} ms of ${totalMs} at once`)
})
