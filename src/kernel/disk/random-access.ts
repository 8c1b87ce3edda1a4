import { readPiece } from './file-range.ts'

const windowBytes = 1024 * 1024

/** An open file, read from anywhere. What is read mostly lies one after the other, so a larger piece is fetched and served from. */
export function readAnywhere(descriptor: number, size: number) {
  const file = { held: descriptor, start: 0, bytes: size }
  let window: Uint8Array = new Uint8Array()
  let start = 0

  function read(offset: number, length: number): Uint8Array {
    if (offset < start || offset + length > start + window.length) {
      window = readPiece(file, offset, Math.max(length, windowBytes))
      start = offset
    }
    return window.subarray(offset - start, offset - start + length)
  }

  return { size, read }
}
