import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { type Grain, splitPeriod } from './split-period.ts'

function shown(since: string, until: string, grain?: Grain): string[] {
  const pieces = splitPeriod({ since: new Date(since), until: new Date(until) }, grain)
  return pieces.map((piece) => `${piece.grain} ${piece.since.toISOString()} ${piece.until.toISOString()}`)
}

test('a period is cut into months, days, hours, minutes and the rest', () => {
  assert.deepEqual(shown('2026-01-30T22:59:59.999Z', '2026-03-02T01:00:00.001Z'), [
    'cut 2026-01-30T22:59:59.999Z 2026-01-30T23:00:00.000Z',
    'h 2026-01-30T23:00:00.000Z 2026-01-31T00:00:00.000Z',
    'd 2026-01-31T00:00:00.000Z 2026-02-01T00:00:00.000Z',
    'm 2026-02-01T00:00:00.000Z 2026-03-01T00:00:00.000Z',
    'd 2026-03-01T00:00:00.000Z 2026-03-02T00:00:00.000Z',
    'h 2026-03-02T00:00:00.000Z 2026-03-02T01:00:00.000Z',
    'cut 2026-03-02T01:00:00.000Z 2026-03-02T01:00:00.001Z',
  ])
  assert.deepEqual(shown('2026-01-01T00:00:00Z', '2026-03-01T00:00:00Z', 'd'), [
    'd 2026-01-01T00:00:00.000Z 2026-03-01T00:00:00.000Z',
  ])
  assert.deepEqual(shown('2026-01-01T00:10:00Z', '2026-01-01T00:50:00Z'), [
    'n 2026-01-01T00:10:00.000Z 2026-01-01T00:50:00.000Z',
  ])
  assert.deepEqual(shown('2026-01-01T23:30:00Z', '2026-01-02T00:30:00Z'), [
    'n 2026-01-01T23:30:00.000Z 2026-01-02T00:00:00.000Z',
    'n 2026-01-02T00:00:00.000Z 2026-01-02T00:30:00.000Z',
  ])
  assert.deepEqual(shown('2026-01-01T00:00:00Z', '2026-01-01T00:00:00Z'), [])
})

test('the pieces follow each other, fill the period and begin and end where their unit does', () => {
  const moment = fc.date({ min: new Date('2000-01-01'), max: new Date('2040-01-01'), noInvalidDate: true })
  const starts = { m: /-01T00:00:00.000Z$/, d: /T00:00:00.000Z$/, h: /:00:00.000Z$/, n: /:00.000Z$/, cut: /Z$/ }
  fc.assert(
    fc.property(moment, fc.oneof(fc.nat(2 * 365 * 86_400_000), fc.nat(3 * 3_600_000)), (since, length) => {
      const until = new Date(since.getTime() + length)
      const pieces = splitPeriod({ since, until })
      assert.ok(pieces.length <= 9)
      let at = since.getTime()
      for (const piece of pieces) {
        assert.equal(piece.since.getTime(), at)
        assert.ok(piece.until > piece.since)
        assert.match(piece.since.toISOString(), starts[piece.grain])
        assert.match(piece.until.toISOString(), starts[piece.grain])
        if (piece.grain === 'cut') assert.ok(piece.until.getTime() - at < 60_000)
        at = piece.until.getTime()
      }
      assert.equal(at, until.getTime())
    }),
  )
})
