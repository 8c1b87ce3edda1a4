import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { spansOf } from './spans.ts'

const hourMs = 3_600_000

test('the spans follow each other, fill the period and begin and end where their length does', () => {
  const moment = fc.date({ min: new Date('1960-01-01'), max: new Date('2090-01-01'), noInvalidDate: true })
  const length = fc.oneof(fc.nat(3 * hourMs), fc.nat(100 * 86_400_000), fc.nat(20 * 365 * 86_400_000))
  fc.assert(
    fc.property(moment, length, (since, ms) => {
      const spans = spansOf({ since, until: new Date(since.getTime() + ms) })
      let at = since.getTime()
      for (const { hours, since: start, until } of spans) {
        assert.equal(start.getTime(), at)
        at = until.getTime()
        assert.ok(at > start.getTime())
        if (hours === 0) assert.ok(at - start.getTime() < hourMs)
        else assert.deepEqual([start.getTime() % (hours * hourMs), at % (hours * hourMs)].map(Math.abs), [0, 0])
        if (hours > 0 && hours < 1024) assert.ok((at - start.getTime()) / (hours * hourMs) <= 6)
      }
      assert.equal(at, since.getTime() + ms)
    }),
  )
})
