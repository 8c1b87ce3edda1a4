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
  let buffer = new Uint8Array(32)
  let length = 0
  function push(byte: number): void {
    if (length === buffer.length) {
      const larger = new Uint8Array(length * 2)
      larger.set(buffer)
      buffer = larger
    }
    buffer[length++] = byte
  }

  return {
    mark: push,
    number: (digits) => {
      let start = 0
      while (start < digits.length && digits.charCodeAt(start) === 0x30) start++
      const significant = digits.length - start
      if (significant <= longestPlainLength) push(numberBase + significant)
      else for (const byte of longLength(significant)) push(byte)
      for (let i = start; i < digits.length; i++) push(digits.charCodeAt(i))
    },
    text: (value) => {
      // UTF-8 never uses the byte 0xff, so shifting all bytes by one frees 0x00 for the end.
      const utf8 = Buffer.from(value, 'utf8')
      for (let i = 0; i < utf8.length; i++) push(utf8[i]! + 1)
      push(0x00)
    },
    bytes: () => buffer.slice(0, length),
  }
}

/** More digits make a greater number, so the length goes first: one byte for all that occur in practice, these for longer ones. */
function longLength(length: number): number[] {
  const big: number[] = []
  for (let rest = length; rest > 0; rest = Math.floor(rest / 256)) big.unshift(rest % 256)
  return [longNumberBase + big.length, ...big]
}
