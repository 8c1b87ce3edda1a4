import { readFileSync } from 'node:fs'
import { Fault } from '../../../kernel/contract/fault.ts'

/** What a password must not be made of: anybody who guesses tries it first. */
export type About = { email: string; name: string }

// A password that falls into so few pieces is among the first that programs try.
const fewestPieces = 4
const fewestCharacters = 5
const longestPiece = 40
// More of it need not be looked at: what comes after cannot make it weaker than its beginning.
const longestLook = 256

const rows = [
  'abcdefghijklmnopqrstuvwxyz',
  '01234567890123456789',
  'qwertyuiop',
  'qwertzuiop',
  'azertyuiop',
  'asdfghjkl',
  'zxcvbnm',
  'yxcvbnm',
  '!@#$%^&*()',
  'qazwsxedcrfvtgbyhnujmikolp',
  '1qaz2wsx3edc4rfv5tgb6yhn7ujm8ik9ol0p',
  'zaq1xsw2cde3vfr4bgt5nhy6mju7',
  '1q2w3e4r5t6y7u8i9o0p',
  'q1w2e3r4t5y6u7i8o9p0',
  'qweasdzxc',
  '147258369',
]

/**
 * The 10,000 most frequent passwords of published leaks, and all with twelve characters among the first 50,000, in the order
 * of their frequency; from the word lists of zxcvbn-ts (MIT).
 */
const common = new Set(
  readFileSync(new URL('common-passwords.txt', import.meta.url), 'utf8')
    .trimEnd()
    .split('\n'),
)
const sequences = new Set(rows.flatMap((row) => [...partsOf(row), ...partsOf([...row].reverse().join(''))]))

/** The one rule for every place where a password is set. `pointer` says where it stands in the request. */
export function refuseWeakPassword(password: string, about: About, pointer: string): void {
  if (!isWeak(password, about)) return
  throw new Fault('validation_failed', 'This password is among the first that would be guessed. Choose another one.', {
    errors: [{ pointer, detail: weakness }],
  })
}

export const weakness =
  'must not be a common password, a row of keys, a repetition, or your own name or address, even with digits around it'

/** Few different characters, or few pieces, each a common password, a row of keys, a number or date, a name or a repeated character. */
export function isWeak(password: string, about: About): boolean {
  const text = password.normalize('NFKC').toLowerCase().slice(0, longestLook)
  if (new Set(password).size < fewestCharacters || new Set(text).size < fewestCharacters) return true
  const words = wordsAbout(about)
  const unit = repeatedUnit(text)
  const pieces = unit ? countPieces(unit, words) + 1 : countPieces(text, words)
  return pieces < fewestPieces
}

/** The fewest pieces that the text can be cut into; a character that belongs to none counts as one. */
function countPieces(text: string, words: Set<string>): number {
  const spellings = [text, plain(text, 'i'), plain(text, 'l')]
  const fewest = [0]
  for (let end = 1; end <= text.length; end++) {
    let best = fewest[end - 1]! + 1
    for (let start = Math.max(0, end - longestPiece); start < end - 1; start++) {
      if (fewest[start]! + 1 < best && spellings.some((each) => isPiece(each.slice(start, end), words)))
        best = fewest[start]! + 1
    }
    fewest.push(best)
  }
  return fewest[text.length]!
}

function isPiece(part: string, words: Set<string>): boolean {
  if (common.has(part) || sequences.has(part) || words.has(part)) return true
  return /^\d{2,8}$/.test(part) || /^(.)\1+$/su.test(part)
}

/** As it was before letters were replaced by digits and signs that look like them. */
function plain(text: string, one: string): string {
  const letters: Record<string, string> = {
    0: 'o',
    3: 'e',
    4: 'a',
    5: 's',
    7: 't',
    8: 'b',
    '@': 'a',
    $: 's',
    '!': one,
    1: one,
  }
  return text.replace(/[0134578@$!]/g, (sign) => letters[sign]!)
}

/** `abc` for `abcabcabc`. */
function repeatedUnit(text: string): string | undefined {
  const length = `${text}${text}`.indexOf(text, 1)
  return length < text.length ? text.slice(0, length) : undefined
}

function wordsAbout({ email, name }: About): Set<string> {
  const given = `${email} ${name}`.normalize('NFKC').toLowerCase()
  const parts = [...given.split(/[^\p{L}\p{N}]+/u), ...given.split(/[\s@]+/), 'gatehouse']
  return new Set(parts.filter((part) => part.length >= 3))
}

function partsOf(row: string): string[] {
  const parts: string[] = []
  for (let start = 0; start < row.length; start++)
    for (let end = start + 3; end <= row.length; end++) parts.push(row.slice(start, end))
  return parts
}
