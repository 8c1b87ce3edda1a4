import { createKey, type KeyWriter } from '../order-key.ts'
import { unreadableKey } from '../unreadable-key.ts'

/** What may come next, the least first: a suffix of a pre-release, what cannot be read, nothing, and what goes on. */
const before = 0x10
const invalid = 0x11
const end = 0x12
const revision = 0x13
const hash = 0x14
const suffixNumber = 0x15
const after = 0x16
const letter = 0x17
const digits = 0x18
/** Numbers with leading zeros are ordered by their characters, before all others. */
const leadingZero = 0x01

const suffixes = ['alpha', 'beta', 'pre', 'rc', '', 'cvs', 'svn', 'git', 'hg', 'p']
const released = suffixes.indexOf('')

/** digit{.digit}...{letter{digit}}{_suffix{number}}...{~hash}{-r#}, which apk-package(5) describes. */
const next = /\.([0-9]+|(?=\.))|([a-z])|_([a-z]*)([0-9]*)|~([0-9a-f]+)|-r(?![a-z])([0-9]*)|([0-9]+)/y
/** How far a version has come: each part may only follow parts of its own or an earlier stage. */
const stages = { digits: 0, letter: 1, letterNumber: 2, suffix: 3, hash: 4, revision: 5 }

/**
 * apk's order (apk-tools, version.c): part by part, and what goes on is greater than what ends, unless it goes on with the
 * suffix of a pre-release. What follows a part that cannot be read does not count.
 */
export function apkKey(version: string): Uint8Array {
  const text = version.trim()
  const [first] = /^[0-9]+/.exec(text) ?? []
  if (first === undefined) return unreadableKey(version)
  const key = createKey()
  key.number(first)
  let stage = stages.digits
  let at = first.length
  while (at < text.length) {
    next.lastIndex = at
    const found = next.exec(text)
    const reached = found ? write(key, found, stage) : undefined
    if (reached === undefined) {
      key.mark(invalid)
      return key.bytes()
    }
    stage = reached
    at = next.lastIndex
  }
  key.mark(end)
  return key.bytes()
}

/** The stage that it leads to, undefined where it cannot stand there; then nothing was written. */
function write(key: KeyWriter, found: RegExpExecArray, stage: number): number | undefined {
  const [, number, word, suffix, suffixDigits, commit, revisionDigits, bare] = found
  if (number !== undefined) {
    if (stage > stages.digits) return undefined
    writeDigits(key, number)
    return stages.digits
  }
  if (word !== undefined) {
    if (stage > stages.digits) return undefined
    key.mark(letter)
    key.mark(word.charCodeAt(0))
    return stages.letter
  }
  if (bare !== undefined) {
    if (stage !== stages.letter) return undefined
    writeDigits(key, bare)
    return stages.letterNumber
  }
  if (suffix !== undefined) {
    const rank = suffixes.indexOf(suffix)
    if (stage > stages.suffix || rank === -1 || rank === released) return undefined
    key.mark(rank < released ? before : after)
    key.mark(rank + 1)
    if (suffixDigits !== '') {
      key.mark(suffixNumber)
      key.number(suffixDigits!)
    }
    return stages.suffix
  }
  if (commit !== undefined) {
    if (stage >= stages.hash) return undefined
    key.mark(hash)
    key.text(commit)
    return stages.hash
  }
  if (stage >= stages.revision) return undefined
  key.mark(revision)
  key.number(revisionDigits!)
  return stages.revision
}

function writeDigits(key: KeyWriter, written: string): void {
  key.mark(digits)
  if (!written.startsWith('0')) key.number(written)
  else {
    key.mark(leadingZero)
    key.text(written)
  }
}
