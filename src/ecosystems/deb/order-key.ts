import { afterNumbers, createKey, type KeyWriter } from '../order-key.ts'
import { isAllDigits, isDigit, isZero } from '../segments.ts'
import { unreadableKey } from '../unreadable-key.ts'

/** What may come next: a tilde, the end, a number that ends the text before it, a letter, any other character. */
const tilde = 0x10
const end = 0x11
const letter = afterNumbers
const other = afterNumbers + 1
/** Outweighs whatever a version without one can begin with. */
const epochMark = afterNumbers + 2

/**
 * deb-version(7): `[epoch:]upstream[-revision]`. Upstream and revision are read in turns as text and as number; in texts
 * a tilde comes before the end, the end before letters, letters before all else. No epoch and no revision are zero.
 */
export function debKey(version: string): Uint8Array {
  const written = version.trim()
  const colon = written.indexOf(':')
  const epoch = colon === -1 ? '0' : written.slice(0, colon)
  const rest = written.slice(colon + 1)
  if (rest === '' || !isAllDigits(epoch)) return unreadableKey(version)
  const hyphen = rest.lastIndexOf('-')
  const key = createKey()
  if (!isZero(epoch)) {
    key.mark(epochMark)
    key.number(epoch)
  }
  writePart(key, hyphen === -1 ? rest : rest.slice(0, hyphen))
  writePart(key, hyphen === -1 ? '' : rest.slice(hyphen + 1))
  return key.bytes()
}

/** A text that ends without a number has a zero there. */
function writePart(key: KeyWriter, part: string): void {
  const bytes = Buffer.from(part, 'utf8')
  let at = 0
  do {
    for (; at < bytes.length && !isDigit(bytes[at]!); at++) writeCharacter(key, bytes[at]!)
    const start = at
    while (at < bytes.length && isDigit(bytes[at]!)) at++
    key.number(bytes.toString('latin1', start, at))
  } while (at < bytes.length)
  key.mark(end)
}

function writeCharacter(key: KeyWriter, byte: number): void {
  if (byte === 0x7e) {
    key.mark(tilde)
    return
  }
  const isLetter = (byte >= 0x41 && byte <= 0x5a) || (byte >= 0x61 && byte <= 0x7a)
  key.mark(isLetter ? letter : other)
  key.mark(byte)
}
