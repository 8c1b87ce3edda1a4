import assert from 'node:assert/strict'
import { test } from 'node:test'
import fc from 'fast-check'
import { createSlices, everyBlock, partBitsFor, segmentBlocks, slicesFor } from './bit-slices.ts'
import { partBit, partBits, signatureBits } from './signature.ts'

/** Few enough that signatures often share some. */
const bit = fc.integer({ min: 0, max: 60 }).map((n) => (n * 137) % signatureBits)
const someBits = fc.array(bit, { maxLength: 40 })

function signatureWith(bits: readonly number[]): Buffer {
  const signature = Buffer.alloc(signatureBits / 8)
  for (const one of bits) signature[one >> 3]! |= 0x80 >> (one & 7)
  return signature
}

/** By place, the bits that slices say a block has. */
function turnedBack(rows: readonly { bit: number; blocks: string }[], places: number): Set<number>[] {
  const found = Array.from({ length: places }, () => new Set<number>())
  for (const row of rows) {
    const slice = Buffer.from(row.blocks.slice(1), 'hex')
    assert.equal(slice.length, segmentBlocks / 8)
    for (const [place, bits] of found.entries()) if (slice[place >> 3]! & (0x80 >> (place & 7))) bits.add(row.bit)
  }
  return found
}

test('slices say of every block what its signature says', () => {
  fc.assert(
    fc.property(fc.array(someBits, { minLength: 1, maxLength: 40 }), (blocks) => {
      const slices = createSlices()
      for (const [place, bits] of blocks.entries()) slices.add(place, signatureWith(bits))
      const expected = blocks.map((bits) => new Set([...bits, everyBlock]))
      assert.deepEqual(
        turnedBack(slices.rows(), blocks.length).map((bits) => [...bits].sort()),
        expected.map((bits) => [...bits].sort()),
      )
    }),
    { numRuns: 20 },
  )
})

test('the last block of a full segment has its place', () => {
  const slices = createSlices()
  slices.add(segmentBlocks - 1, signatureWith([0, signatureBits - 1]))
  const last = `x${'00'.repeat(segmentBlocks / 8 - 1)}01`
  assert.deepEqual(
    slices.rows(),
    [0, signatureBits - 1, everyBlock].map((one) => ({ bit: one, blocks: last })),
  )
})

test('of many bits only some are read, each once, and always those of every block', () => {
  const many = Array.from({ length: 500 }, (_, n) => n * 3)
  const { all, any } = slicesFor({ all: [...many, ...many], any: [[1, 2]] })
  assert.equal(all.length, 33)
  assert.equal(new Set(all).size, 33)
  assert.ok(all.every((one) => many.includes(one) || one === everyBlock))
  assert.deepEqual(any, [[1, 2]])
  assert.deepEqual(slicesFor({ all: [5, 7, 5], any: [] }).all, [5, 7, everyBlock])
  assert.deepEqual(slicesFor({ all: [], any: [] }).all, [everyBlock])
})

test('within a block always as many bits are looked at, and none that is not wanted', () => {
  for (const wanted of [[5], [5, 5 + partBits, 7], Array.from({ length: 100 }, (_, n) => n * 3)]) {
    const { all, any } = partBitsFor({ all: wanted, any: [[1, partBits + 2]] })
    assert.equal(all.length, 16)
    const folded = wanted.map(partBit)
    assert.ok(all.every((one) => folded.includes(one)))
    assert.equal(new Set(all).size, Math.min(16, new Set(folded).size))
    assert.deepEqual(any, [[1, 2]])
  }
  assert.deepEqual(partBitsFor({ all: [], any: [[3]] }), { all: [], any: [[3]] })
})
