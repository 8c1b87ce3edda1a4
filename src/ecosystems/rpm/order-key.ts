import { createKey, type KeyWriter } from '../order-key.ts'
import { isAllDigits } from '../segments.ts'
import { unreadableKey } from '../unreadable-key.ts'

/** A tilde comes before the end, a caret after it, then words, then numbers (rpm, rpmvercmp). */
const noRelease = 0x0f
const tilde = 0x10
const end = 0x11
const caret = 0x12
const word = 0x13

/** What rpm tells apart; all else only separates. */
const token = /~|\^|[0-9]+|[A-Za-z]+/g

/**
 * `[epoch:]version[-release]`, each part by rpmvercmp. Without an epoch it is zero; a version without a release comes
 * before all that have one. What stands before a colon and is not a number is part of the version (rpm, parseEVR).
 */
export function rpmKey(version: string): Uint8Array {
  const written = version.trim().replace(/^\(none\):/, '')
  const colon = written.indexOf(':')
  const epoch = isAllDigits(written.slice(0, Math.max(0, colon))) ? written.slice(0, colon) : ''
  const rest = epoch === '' ? written : written.slice(colon + 1)
  if (rest === '') return unreadableKey(version)
  const hyphen = rest.lastIndexOf('-')
  const key = createKey()
  key.number(epoch)
  writePart(key, hyphen === -1 ? rest : rest.slice(0, hyphen))
  if (hyphen === -1) key.mark(noRelease)
  else writePart(key, rest.slice(hyphen + 1))
  return key.bytes()
}

function writePart(key: KeyWriter, part: string): void {
  for (const [text] of part.matchAll(token)) {
    if (text === '~') key.mark(tilde)
    else if (text === '^') key.mark(caret)
    else if (isAllDigits(text)) key.number(text)
    else {
      key.mark(word)
      key.text(text)
    }
  }
  key.mark(end)
}
