import { partBit, signatureBits, type WantedBits } from './signature.ts'

/** How many blocks share their slices. */
export const segmentBlocks = 4_096

/** The slice that every block of a segment is in. */
export const everyBlock = signatureBits

/** Each is one more row of every segment to read, and hardly any block that has so many lacks another. */
const mostSlices = 32

const bitsOfParts = 16

export type Slices = {
  /** Takes the signature of the block at this place. */
  add(place: number, signature: Buffer): void
  /** The slices that some block is in. */
  rows(): { bit: number; blocks: string }[]
}

/** The signatures of a segment, turned by 90 degrees: for each bit, the blocks that have it. */
export function createSlices(): Slices {
  const sliceBytes = segmentBlocks / 8
  const slices = Buffer.alloc((signatureBits + 1) * sliceBytes)

  function add(place: number, signature: Buffer): void {
    const at = place >> 3
    const mark = 0x80 >> (place & 7)
    slices[everyBlock * sliceBytes + at]! |= mark
    for (let byte = 0; byte < signature.length; byte++) {
      for (let bits = signature[byte]!, bit = byte * 8; bits !== 0; bits = (bits << 1) & 0xff, bit++) {
        if (bits & 0x80) slices[bit * sliceBytes + at]! |= mark
      }
    }
  }

  function rows(): { bit: number; blocks: string }[] {
    const found: { bit: number; blocks: string }[] = []
    for (let bit = 0; bit <= everyBlock; bit++) {
      const slice = slices.subarray(bit * sliceBytes, (bit + 1) * sliceBytes)
      if (slice.some((byte) => byte !== 0)) found.push({ bit, blocks: `x${slice.toString('hex')}` })
    }
    return found
  }

  return { add, rows }
}

/** The slices to read: all of `all`, and of each of `any` at least one, have the blocks in question. */
export function slicesFor({ all, any }: WantedBits): WantedBits {
  return { all: [...someOf(all, mostSlices), everyBlock], any }
}

/** The bits to look at within a block. Always as many of `all`, some of them twice, so that it is the same statement. */
export function partBitsFor({ all, any }: WantedBits): WantedBits {
  const some = someOf(all.map(partBit), bitsOfParts)
  const length = some.length > 0 ? bitsOfParts : 0
  return {
    all: Array.from({ length }, (_, n) => some[n % some.length]!),
    any: any.map((choices) => choices.map(partBit)),
  }
}

function someOf(bits: readonly number[], most: number): number[] {
  const distinct = [...new Set(bits)]
  const step = Math.max(1, distinct.length / most)
  return Array.from({ length: Math.min(distinct.length, most) }, (_, n) => distinct[Math.floor(n * step)]!)
}
