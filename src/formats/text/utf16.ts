/** How the text of a document is written, as far as its first bytes tell. */
export type Encoding = 'utf-8' | 'utf-16le' | 'utf-16be' | 'utf-32'

/**
 * By its byte order mark (Unicode 16, §23.8), else by where the NULs are: no text has any, but each ASCII character has
 * one in UTF-16, and three in UTF-32. Every format read here begins with ASCII.
 */
export function encodingOf(head: Uint8Array): Encoding {
  const [a, b, c, d] = head
  if (a === 0xff && b === 0xfe) return c === 0 && d === 0 ? 'utf-32' : 'utf-16le'
  if (a === 0xfe && b === 0xff) return 'utf-16be'
  if (head.length < 2 || (a !== 0 && b !== 0)) return 'utf-8'
  if ((a === 0 && b === 0) || (c === 0 && d === 0)) return 'utf-32'
  return b === 0 ? 'utf-16le' : 'utf-16be'
}
