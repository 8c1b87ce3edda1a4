import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { often } from '../../../../test/depth.ts'
import { eventsIn, lineOf } from './journal-line.ts'

const event = fc.record(
  {
    at: fc.date({ min: new Date(0), max: new Date('2100-01-01'), noInvalidDate: true }),
    deploymentId: fc.integer({ min: 1 }),
    ecosystem: fc.constantFrom('npm', 'pypi', 'maven'),
    // Line breaks, quotes, half characters: what clients ask for may be anything.
    name: fc.string({ unit: 'binary' }),
    version: fc.oneof(fc.string({ unit: 'binary' }), fc.constantFrom('1.0.0\n', '\ud800', '"')),
    refused: fc.constant(false),
    advisoryId: fc.constant(''),
    personId: fc.nat(),
    tokenId: fc.nat(),
  },
  { noNullPrototype: true },
)
const written = fc.array(event, { maxLength: 8 }).map((events) => ({ events, lines: events.map(lineOf) }))
const spoilt = fc.record({
  where: fc.double({ min: 0, max: 1, maxExcluded: true, noNaN: true }),
  by: fc.integer({ min: 1, max: 255 }),
})

/** How many lines end within so many bytes. */
function whole(lines: string[], length: number): number {
  return lines.filter((_, index) => Buffer.byteLength(lines.slice(0, index + 1).join('')) <= length).length
}

test('cut off at any byte, the whole events before the cut are read and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(written, async ({ events, lines }) => {
      const bytes = Buffer.from(lines.join(''))
      for (let cut = 0; cut <= bytes.length; cut++) {
        assert.deepEqual(await eventsIn(bytes.subarray(0, cut)), events.slice(0, whole(lines, cut)))
      }
    }),
    { numRuns: often(50) },
  )
})

test('with any byte spoilt, the events before that one are read and nothing else', async () => {
  await fc.assert(
    fc.asyncProperty(written, spoilt, async ({ events, lines }, { where, by }) => {
      const bytes = Buffer.from(lines.join(''))
      if (bytes.length === 0) return
      const at = Math.floor(where * bytes.length)
      bytes[at] = bytes[at]! ^ by
      assert.deepEqual(await eventsIn(bytes), events.slice(0, whole(lines, at)))
    }),
  )
})

test('pages of zeros, as a machine that lost its power leaves them, are not events', async () => {
  assert.deepEqual(await eventsIn(Buffer.alloc(8192)), [])
  assert.deepEqual(await eventsIn(Buffer.alloc(8192, '\n')), [])
})
