/** The lines of a text with their numbers, one at a time: an array of all lines of a hostile file would be huge. */
export function* eachLine(text: string): Generator<{ text: string; line: number }> {
  let start = 0
  for (let line = 1; start <= text.length; line++) {
    const found = text.indexOf('\n', start)
    const end = found === -1 ? text.length : found
    yield { text: text.slice(start, text[end - 1] === '\r' && end > start ? end - 1 : end), line }
    start = end + 1
  }
}

/** A head of 64 KiB has half as many characters in UTF-16. */
export const fullHead = 30_000

/** The whole lines of a head of a document: the last one may be cut off, so it is left out where the head is full. */
export function headLines(head: string, maxLines: number): string[] {
  const lines: string[] = []
  for (const { text } of eachLine(head)) {
    if (lines.length >= maxLines) return lines
    lines.push(text)
  }
  if (lines.length > 1 && head.length > fullHead) lines.pop()
  return lines
}
