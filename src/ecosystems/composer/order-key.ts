import { afterNumbers, createKey } from '../order-key.ts'
import { alphanumericSegments } from '../segments.ts'

/** PHP's version_compare: any other word < dev < alpha < beta < RC < the version's end < numbers < pl. */
const otherWord = 0x10
const knownWords: readonly (readonly [prefix: string, mark: number])[] = [
  ['dev', 0x11],
  ['a', 0x12],
  ['b', 0x13],
  ['RC', 0x14],
  ['rc', 0x14],
  ['p', afterNumbers],
]
const end = 0x20

/**
 * PHP's version_compare after the leading `v`, as OSV orders Packagist: it knows words by how they start, and `1.0` comes
 * before `1.0.0`. Every string has a place in it, so nothing is unreadable.
 */
export function composerKey(version: string): Uint8Array {
  const text = version.trim()
  const key = createKey()
  for (const segment of alphanumericSegments(/^v/i.test(text) ? text.slice(1) : text)) {
    if (segment.numeric) key.number(segment.text)
    else key.mark(markOf(segment.text))
  }
  key.mark(end)
  return key.bytes()
}

function markOf(word: string): number {
  return knownWords.find(([prefix]) => word.startsWith(prefix))?.[1] ?? otherWord
}
