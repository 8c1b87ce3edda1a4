/**
 * Order keys are written as a row of parts whose first bytes keep them apart:
 *
 *   0x00          ends a text, and marks a version that its ecosystem cannot read
 *   0x01 .. 0x7f  marks, given their meaning by each ecosystem
 *   0x80 .. 0xf7  numbers
 *   0xf8 .. 0xff  marks that come after every number
 *
 * Every part says itself where it ends, so no key is cut short by another one's content: bytewise order is order part by part.
 */
export type KeyWriter = {
  mark(byte: number): void
  /** ASCII digits of any length. Leading zeros do not count. */
  number(digits: string): void
  /** Ordered by code point; a text comes before every longer text that starts with it. */
  text(value: string): void
  bytes(): Uint8Array
}

/** The mark of what sorts before every readable version. */
export const unreadable = 0x00
/** The lowest mark after all numbers. */
export const afterNumbers = 0xf8

const numberBase = 0x80
const longestPlainLength = 0x6f
const longNumberBase = 0xf0

export function createKey(): KeyWriter {
  const bytes: number[] = []
  return {
    mark: (byte) => {
      bytes.push(byte)
    },
    number: (digits) => {
      let start = 0
      while (start < digits.length && digits.charCodeAt(start) === 0x30) start++
      pushLength(bytes, digits.length - start)
      for (let i = start; i < digits.length; i++) bytes.push(digits.charCodeAt(i))
    },
    text: (value) => {
      // UTF-8 never uses the byte 0xff, so shifting all bytes by one frees 0x00 for the end.
      for (const byte of Buffer.from(value, 'utf8')) bytes.push(byte + 1)
      bytes.push(0x00)
    },
    bytes: () => Uint8Array.from(bytes),
  }
}

/** More digits make a greater number, so the length goes first; one byte for all lengths that occur in practice. */
function pushLength(bytes: number[], length: number): void {
  if (length <= longestPlainLength) {
    bytes.push(numberBase + length)
    return
  }
  const big: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) big.unshift(rest % 256)
  bytes.push(longNumberBase + big.length, ...big)
}
