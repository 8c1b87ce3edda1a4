import { afterNumbers, createKey } from '../order-key.ts'
import { alphanumericSegments, withoutTrailingZeros } from '../segments.ts'
import { unreadableKey } from '../unreadable-key.ts'

const end = 0x01
const prerelease = 0x10
const release = 0x20
const word = afterNumbers

/**
 * Pod::Version: RubyGems' segments in SemVer's order. The numbers up to the first word are the release, trailing zeros left
 * out; the rest is the pre-release, numbers before words, a shorter row first. Metadata after `+` does not count.
 */
export function podKey(version: string): Uint8Array {
  const plus = version.indexOf('+')
  const segments = alphanumericSegments(plus === -1 ? version : version.slice(0, plus))
  const firstWord = segments.findIndex((segment) => !segment.numeric)
  if (segments.length === 0 || firstWord === 0) return unreadableKey(version)
  const numbers = firstWord === -1 ? segments : segments.slice(0, firstWord)
  const key = createKey()
  for (const number of withoutTrailingZeros(numbers.map((segment) => segment.text))) key.number(number)
  if (firstWord === -1) {
    key.mark(release)
    return key.bytes()
  }
  key.mark(prerelease)
  for (const segment of segments.slice(firstWord)) {
    if (segment.numeric) key.number(segment.text)
    else {
      key.mark(word)
      key.text(segment.text)
    }
  }
  key.mark(end)
  return key.bytes()
}
