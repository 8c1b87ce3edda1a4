import { readSync } from 'node:fs'

const windowBytes = 1024 * 1024

/** An open file, read from anywhere. What is read mostly lies one after the other, so a larger piece is fetched and served from. */
export function readAnywhere(descriptor: number, size: number) {
  let window: Uint8Array = new Uint8Array()
  let start = 0

  function read(offset: number, length: number): Uint8Array {
    if (offset < start || offset + length > start + window.length) {
      window = fetch(offset, Math.max(length, windowBytes))
      start = offset
    }
    return window.subarray(offset - start, offset - start + length)
  }

  /** Less than asked for only at the end of the file. */
  function fetch(offset: number, length: number): Uint8Array {
    const wanted = Math.max(0, Math.min(length, size - offset))
    const bytes = new Uint8Array(wanted)
    let filled = 0
    while (filled < wanted) {
      const count = readSync(descriptor, bytes, filled, wanted - filled, offset + filled)
      if (count === 0) break
      filled += count
    }
    return bytes.subarray(0, filled)
  }

  return { size, read }
}
