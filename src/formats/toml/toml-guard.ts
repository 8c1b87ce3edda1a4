/** A table or array costs the parser hundreds of bytes; a real lockfile has some ten thousand. */
const maxStructures = 500_000
const maxKeys = 1_000_000

/**
 * Counts what makes the parser build something: brackets, dots of keys and equals signs outside of texts and
 * comments. A few megabytes of `a.a.a.a` would otherwise take gigabytes. Answers why the document is too much.
 */
export function tomlExcess(text: string): string | undefined {
  let structures = 0
  let keys = 0
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 34 || code === 39) at = endOfText(text, at)
    else if (code === 35) at = endOf(text, '\n', at)
    else if (code === 91 || code === 123 || code === 46) structures++
    else if (code === 61) keys++
    if (structures > maxStructures) return `more than ${maxStructures} tables and arrays`
    if (keys > maxKeys) return `more than ${maxKeys} keys`
  }
  return undefined
}

function endOfText(text: string, open: number): number {
  const quote = text[open]!
  const long = text.startsWith(quote.repeat(3), open)
  if (quote === "'") return long ? endOf(text, "'''", open + 3) + 2 : endOf(text, "'", open + 1)
  for (let at = open + (long ? 3 : 1); at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 92) at++
    else if (code === 34 && !long) return at
    else if (code === 34 && text.startsWith('"""', at)) return at + 2
    else if (code === 10 && !long) return at
  }
  return text.length
}

function endOf(text: string, mark: string, from: number): number {
  const found = text.indexOf(mark, from)
  return found === -1 ? text.length : found
}
