import { createKey } from '../order-key.ts'
import { alphanumericSegments, isZero, type Segment } from '../segments.ts'
import { unreadableKey } from '../unreadable-key.ts'

/** Below a zero at the same place, the zero itself when a word decides later, all zeros, the zero when a number does. */
const word = 0x10
const zeroBeforeWord = 0x11
const end = 0x12
const zeroBeforeNumber = 0x13

/**
 * Gem::Version: a missing segment is a zero and words come before numbers, so what follows a zero decides on which side of
 * the version's end it lies (`1.a < 1.0.1.a`, `1.0.b < 1 < 1.0.1`). Each zero is therefore written by what comes after it.
 */
export function gemKey(version: string): Uint8Array {
  const segments = canonicalSegments(alphanumericSegments(withoutPlatform(version).replaceAll('-', '.pre.')))
  if (!segments) return unreadableKey(version)
  const key = createKey()
  let zeros = 0
  for (const segment of segments) {
    if (segment.numeric && isZero(segment.text)) {
      zeros++
      continue
    }
    for (; zeros > 0; zeros--) key.mark(segment.numeric ? zeroBeforeNumber : zeroBeforeWord)
    if (segment.numeric) key.number(segment.text)
    else {
      key.mark(word)
      key.text(segment.text)
    }
  }
  key.mark(end)
  return key.bytes()
}

/** Gem::Version#canonical_segments drops the zeros right before the first word: `1.0.a` is `1.a`. */
function canonicalSegments(segments: Segment[]): Segment[] | undefined {
  const firstWord = segments.findIndex((segment) => !segment.numeric)
  if (segments.length === 0 || firstWord === 0) return undefined
  if (firstWord === -1) return segments
  let end = firstWord
  while (end > 0 && isZero(segments[end - 1]!.text)) end--
  return [...segments.slice(0, end), ...segments.slice(firstWord)]
}

const platform =
  /-(?:java|jruby|ruby|mswin|mingw|dalvik|dotnet|macruby|universal|x86|x64|i[3-6]86|arm|aarch64|powerpc|ppc|s390|riscv|sparc)/

/** Lockfiles write the platform of a binary gem behind its version (`1.13.3-x86_64-linux`); it is not a pre-release. */
function withoutPlatform(version: string): string {
  const found = platform.exec(version)
  return found ? version.slice(0, found.index) : version
}
