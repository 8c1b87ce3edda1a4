import assert from 'node:assert/strict'
import { test } from 'node:test'
import { turnsOf } from '../../../../test/turns.ts'
import type { FindingBatch, PackedFindings } from '../ingest/pack.ts'
import type { KnownFinding } from './pairing.ts'
import { recognise } from './recognise.ts'

const count = 120_000
const batchSize = 2_500
const apart = (at: number) => `${String(at).padStart(32, '0')}:0`
const together = (at: number) => `${'0'.repeat(32)}:${at}`

type Upload = { known: Map<string, KnownFinding>; parts: PackedFindings[] }
type Named = (at: number) => string

/** As many results as an upload may have, all of them known already. */
function upload(fingerprint: Named, before: Named = () => '', after: Named = before): Upload {
  const places = [...Array(count).keys()]
  const standing = { start_line: 1, state: 1, decided_by: 0, absent: false }
  const row = (at: number) => ({ id: at, fingerprint: fingerprint(at), context: before(at), ...standing })
  const known = new Map(places.map((at) => [fingerprint(at), row(at)]))
  const batches = places
    .filter((at) => at % batchSize === 0)
    .map((from) => {
      const some = places.slice(from, from + batchSize)
      const heads = { fingerprint: some.map(fingerprint), context: some.map(after), line: some.map(() => 1) }
      return { heads } as unknown as FindingBatch
    })
  return { known, parts: [{ count, rules: [], batches }] }
}

test('very many results are recognised in turns with others', async () => {
  const { known, parts } = upload(apart)
  const { result, longestMs, totalMs } = await turnsOf(() => recognise(known, parts))
  assert.equal(result.hasNew, false)
  assert.equal(result.of(parts[0]!.batches.at(-1)!).rows.at(-1)?.id, count - 1)
  assert.ok(longestMs < totalMs / 3, `${longestMs} ms of ${totalMs} at once`)
})

for (const [what, before, after, isNew] of [
  ['have other code than before', (at: number) => `a${at}.`, (at: number) => `b${at}.`, true],
  ['have the code that they had', (at: number) => `a${at}.`, (at: number) => `a${at}.`, false],
  ['have no code', () => '', () => '', false],
] as const) {
  test(`very many results of one rule and place that ${what} are told apart in turns with others`, async () => {
    const { known, parts } = upload(together, before, after)
    const { result, longestMs, totalMs } = await turnsOf(() => recognise(known, parts))
    assert.equal(result.hasNew, isNew)
    assert.equal(result.of(parts[0]!.batches.at(-1)!).rows.at(-1)?.id, isNew ? undefined : count - 1)
    assert.ok(longestMs < totalMs / 3, `${longestMs} ms of ${totalMs} at once`)
  })
}
