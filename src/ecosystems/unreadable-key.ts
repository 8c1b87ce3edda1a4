import { createKey, unreadable } from './order-key.ts'
import { digitSegments } from './segments.ts'

const end = 0x01
const word = 0x02

/**
 * The place of what an ecosystem cannot read as a version (`latest`, a commit hash, garbage): before every version it can
 * read, so that "below the fixed version" includes it, and among its like in the order a person expects, numbers by value.
 */
export function unreadableKey(version: string): Uint8Array {
  const key = createKey()
  key.mark(unreadable)
  for (const segment of digitSegments(version)) {
    if (segment.numeric) key.number(segment.text)
    else {
      key.mark(word)
      key.text(segment.text)
    }
  }
  key.mark(end)
  return key.bytes()
}
