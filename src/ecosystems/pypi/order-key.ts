import { afterNumbers, createKey, type KeyWriter } from '../order-key.ts'
import { isAllDigits, withoutTrailingZeros } from '../segments.ts'
import { unreadableKey } from '../unreadable-key.ts'
import { type Pep440, parsePep440 } from './version.ts'

/** What follows the release, in the order of PEP 440, "Summary of permitted suffixes and relative ordering". */
const onlyDev = 0x10
const phaseMarks = { a: 0x11, b: 0x12, rc: 0x13 }
const noPre = 0x14
const noPost = 0x10
const noDev = afterNumbers
const noLocal = 0x10
const local = 0x11
const afterLocal = 0x12
const endOfLocal = 0x01
const localWord = 0x02

/** PEP 440; what it does not allow is unreadable and comes first, as in pip before it refused such versions. */
export function pep440Key(text: string): Uint8Array {
  const version = parsePep440(text)
  return version ? keyOf(version, noLocal) : unreadableKey(text)
}

/**
 * `1.0+cu118` comes after `1.0`, and is a build of it: it is what `<=1.0` and `==1.0` take (PEP 440, "Inclusive ordered comparison" and
 * "Version matching", which leave local versions out of what they compare). One that is named with its local version is that alone.
 */
export function lastLocalKey(text: string): Uint8Array {
  const version = parsePep440(text)
  return version ? keyOf(version, afterLocal) : unreadableKey(text)
}

function keyOf(version: Pep440, withoutLocal: number): Uint8Array {
  const key = createKey()
  key.number(version.epoch)
  for (const number of withoutTrailingZeros(version.release)) key.number(number)
  writePre(key, version)
  if (version.post === undefined) key.mark(noPost)
  else key.number(version.post)
  if (version.dev === undefined) key.mark(noDev)
  else key.number(version.dev)
  if (version.local) writeLocal(key, version.local)
  else key.mark(withoutLocal)
  return key.bytes()
}

/** `1.0.dev1` comes before `1.0a1.dev1`, though neither has what the other has. */
function writePre(key: KeyWriter, { pre, post, dev }: Pep440): void {
  if (pre) {
    key.mark(phaseMarks[pre.phase])
    key.number(pre.number)
  } else key.mark(post === undefined && dev !== undefined ? onlyDev : noPre)
}

/** Words before numbers, a shorter row first (PEP 440, "Local version identifiers"). */
function writeLocal(key: KeyWriter, segments: readonly string[]): void {
  key.mark(local)
  for (const segment of segments) {
    if (isAllDigits(segment)) key.number(segment)
    else {
      key.mark(localWord)
      key.text(segment)
    }
  }
  key.mark(endOfLocal)
}
