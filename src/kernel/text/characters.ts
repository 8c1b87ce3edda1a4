/**
 * Whether a text has so many characters, as people, JSON Schema (RFC 8259 §1) and PostgreSQL count them: by code points. An emoji is one,
 * though it takes two units of a string.
 */
export function hasLength(text: string, least: number, most: number): boolean {
  if (text.length < least || text.length > 2 * most) return false
  // No text has more characters than units, or less than half as many.
  if (text.length <= most && text.length >= 2 * least) return true
  let characters = 0
  for (const _ of text) characters++
  return characters >= least && characters <= most
}
