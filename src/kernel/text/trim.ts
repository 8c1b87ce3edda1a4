/**
 * The text without those of the characters that stand at its end. `/x+$/` does the same in the square of the length, because it
 * begins again at every character: a long run in the middle of a text would hold up everybody.
 */
export function trimEnd(text: string, characters: string): string {
  let end = text.length
  while (end > 0 && characters.includes(text[end - 1]!)) end--
  return text.slice(0, end)
}

/** Without those at its beginning either. */
export function trimBoth(text: string, characters: string): string {
  const left = trimEnd(text, characters)
  let start = 0
  while (start < left.length && characters.includes(left[start]!)) start++
  return left.slice(start)
}
