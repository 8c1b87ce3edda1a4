import { isDigit, isZero } from '../segments.ts'

/** A number, a word (`rc`), or a word with its number (`rc1`, `rc-1`). `nested`: it opens a list inside the list before it. */
export type Item = {
  readonly nested: boolean
  readonly word: string | undefined
  /** Digits; undefined for a word alone. */
  readonly number: string | undefined
}

/**
 * The items of Maven's ComparableVersion. Its lists only ever nest at their end, so the whole tree is one row in which some
 * items open a list; the items that its `normalize` drops are left out.
 */
export function parseMavenVersion(version: string): Item[] {
  return normalize(scan(version.toLowerCase()))
}

function scan(text: string): Item[] {
  const items: Item[] = []
  let at = 0
  let open = false
  // An empty list that was opened waits for its first item; it is not opened twice.
  function add(word: string | undefined, number: string | undefined, opens: boolean): void {
    items.push({ nested: items.length > 0 && (open || opens), word, number })
    open = false
  }

  while (at < text.length) {
    if (isSeparator(text[at])) {
      add(undefined, '0', false)
    } else if (isDigit(text.charCodeAt(at))) {
      const end = digitsEnd(text, at)
      add(undefined, text.slice(at, end), false)
      at = end
      // 1x is 1-x
      open = at < text.length && !isSeparator(text[at])
      if (open) continue
    } else {
      const end = wordEnd(text, at)
      const word = text.slice(at, end)
      const digits = text[end] === '-' && isDigit(text.charCodeAt(end + 1)) ? end + 1 : end
      at = digitsEnd(text, digits)
      if (at > digits) {
        // x-1 is x1, and opens a list of its own
        add(word, text.slice(digits, at), true)
        open = at < text.length && !isSeparator(text[at])
        if (open) continue
      } else {
        at = end
        // a last word counts as if behind a hyphen: 1.0.x is 1.0-x
        add(word, undefined, at === text.length)
      }
    }
    if (text[at] === '-') open = true
    at++
  }
  return items
}

/**
 * Zeros do not count at the end, nor before a word; a list that then starts with a list is that list. Read backwards, so that
 * what follows a zero is known.
 */
function normalize(items: Item[]): Item[] {
  const kept: Item[] = []
  for (let i = items.length - 1; i >= 0; i--) {
    const item = items[i]!
    const next = kept.at(-1)
    if (item.word === undefined && isZero(item.number!) && (!next || next.word !== undefined)) {
      // The list this zero opened now starts with what follows it.
      if (item.nested && next && !next.nested) kept[kept.length - 1] = { ...next, nested: true }
      continue
    }
    kept.push(item)
  }
  const first = kept.at(-1)
  if (first?.nested) kept[kept.length - 1] = { ...first, nested: false }
  return kept.reverse()
}

function isSeparator(character: string | undefined): boolean {
  return character === '.' || character === '-'
}

function digitsEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && isDigit(text.charCodeAt(end))) end++
  return end
}

function wordEnd(text: string, from: number): number {
  let end = from
  while (end < text.length && !isSeparator(text[end]) && !isDigit(text.charCodeAt(end))) end++
  return end
}
