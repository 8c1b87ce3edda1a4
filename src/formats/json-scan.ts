/** Why a text is not JSON (RFC 8259), and where. */
export type JsonFault = { reason: 'truncated' | 'syntax' | 'too-deep'; offset: number }

export type JsonScan = {
  maxDepth: number
  /** Called at each object member and array element, in document order; `key` is the index in an array. */
  onMember?: (depth: number, key: string, offset: number) => void
}

const number = /-?(?:0|[1-9][0-9]*)(?:\.[0-9]+)?(?:[eE][+-]?[0-9]+)?/y
const literal = /true|false|null/y
const escapeSequence = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})/y
const cutEscape = /^\\(?:u[0-9a-fA-F]{0,3})?$/

/**
 * Checks the grammar without recursion and without building anything, because the built-in parser gives no position
 * for some errors, none at all for entries, and has no depth limit. Linear. Undefined where the text is JSON.
 */
export function scanJson(text: string, { maxDepth, onMember }: JsonScan): JsonFault | undefined {
  /** For each open container: -1 in an object, else the index of the next array element. */
  const open: number[] = []
  let at = 0

  const fault = (offset: number): JsonFault => ({ reason: offset >= text.length ? 'truncated' : 'syntax', offset })

  value: while (true) {
    at = skipSpace(text, at)
    const char = text[at]
    let closed = false
    if (char === '{' || char === '[') {
      if (open.length >= maxDepth) return { reason: 'too-deep', offset: at }
      open.push(char === '{' ? -1 : 0)
      at = skipSpace(text, at + 1)
      closed = text[at] === (char === '{' ? '}' : ']')
      if (!closed) {
        const problem = member()
        if (problem) return problem
        continue
      }
    } else {
      const end = scalarEnd(text, at)
      if (end < 0) return fault(-end - 1)
      at = end
    }
    // After a value: commas go on with the container, closing brackets end it.
    while (true) {
      if (closed) {
        open.pop()
        at++
        closed = false
      }
      at = skipSpace(text, at)
      const top = open.at(-1)
      if (top === undefined) return at === text.length ? undefined : { reason: 'syntax', offset: at }
      if (text[at] === ',') {
        at = skipSpace(text, at + 1)
        const problem = member()
        if (problem) return problem
        continue value
      }
      if (text[at] !== (top === -1 ? '}' : ']')) return fault(at)
      closed = true
    }
  }

  /** Steps over the key and colon of an object member; counts the element in an array. */
  function member(): JsonFault | undefined {
    const depth = open.length
    const index = open[depth - 1]!
    if (index !== -1) {
      onMember?.(depth, String(index), at)
      open[depth - 1] = index + 1
      return
    }
    if (text[at] !== '"') return fault(at)
    const end = stringEnd(text, at)
    if (end < 0) return fault(-end - 1)
    if (onMember) onMember(depth, unquote(text.slice(at, end)), at)
    at = skipSpace(text, end)
    if (text[at] !== ':') return fault(at)
    at++
  }
}

function skipSpace(text: string, from: number): number {
  for (let at = from; ; at++) {
    const code = text.charCodeAt(at)
    if (code !== 32 && code !== 10 && code !== 13 && code !== 9) return at
  }
}

/** Where the scalar at `from` ends, or minus one minus the offset of what is wrong with it. */
function scalarEnd(text: string, from: number): number {
  if (text[from] === '"') return stringEnd(text, from)
  for (const pattern of [number, literal]) {
    pattern.lastIndex = from
    if (pattern.test(text)) return pattern.lastIndex
  }
  // What stands at the very end may only be the start of a word or number.
  return /^(?:t|tr|tru|f|fa|fal|fals|n|nu|nul|-)$/.test(text.slice(from, from + 5)) ? -text.length - 1 : -from - 1
}

function stringEnd(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (code === 34) return at + 1
    if (code < 32) return -at - 1
    if (code !== 92) continue
    escapeSequence.lastIndex = at
    if (!escapeSequence.test(text))
      return text.length - at < 6 && cutEscape.test(text.slice(at)) ? -text.length - 1 : -at - 1
    at = escapeSequence.lastIndex - 1
  }
  return -text.length - 1
}

function unquote(written: string): string {
  return written.includes('\\') ? (JSON.parse(written) as string) : written.slice(1, -1)
}
