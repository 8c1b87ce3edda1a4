/** A pattern of an ignore file, ready to be compared with a path. */
export type Matcher = (path: string) => boolean

/** 'run': any characters but /. 'folders': any number of whole folders. 'rest': anything. */
type Token = 'run' | 'folders' | 'rest' | ((byte: number) => boolean)

const slash = 0x2f

/**
 * The wildcards of gitignore(5), as git's own matcher takes them: byte by byte, / only by name or by `**`. A pattern that
 * makes no sense matches nothing. The time is at most the product of both lengths, whatever the pattern.
 */
export function compileWildcard(pattern: string): Matcher {
  if (!/[*?[\\]/.test(pattern)) return (path) => path === pattern
  const tokens = tokenize(Buffer.from(pattern))
  return tokens ? (path) => matches(tokens, Buffer.from(path)) : () => false
}

function matches(tokens: readonly Token[], text: Buffer): boolean {
  // Where in the text the tokens so far can end.
  let ends = new Uint8Array(text.length + 1)
  ends[0] = 1
  for (const token of tokens) ends = advance(token, text, ends)
  return ends[text.length] === 1
}

function advance(token: Token, text: Buffer, from: Uint8Array): Uint8Array<ArrayBuffer> {
  const to = new Uint8Array(text.length + 1)
  let open = false
  for (let at = 0; at <= text.length; at++) {
    const before = at > 0 ? text[at - 1]! : -1
    if (typeof token === 'function') {
      // Neither ? nor a set takes a slash.
      if (at > 0 && from[at - 1] && (before === slash) === (token === isSlash) && token(before)) to[at] = 1
      continue
    }
    if (token === 'run' && before === slash) open = false
    if (from[at] || (open && (token !== 'folders' || before === slash))) to[at] = 1
    if (from[at]) open = true
  }
  return to
}

function isSlash(byte: number): boolean {
  return byte === slash
}

function tokenize(pattern: Buffer): Token[] | undefined {
  const tokens: Token[] = []
  const text = pattern.toString('latin1')
  const firstWildcard = text.search(/[*?[\\]/)
  for (let at = 0; at < pattern.length; at++) {
    const char = String.fromCharCode(pattern[at]!)
    if (char === '*') {
      const first = at
      while (pattern[at + 1] === 0x2a) at++
      const next = pattern[at + 1]
      // Git cuts off what is before the first wildcard, so that one stands at the beginning too.
      const begins = first === 0 || pattern[first - 1] === slash || first === firstWildcard
      const escaped = next === 0x5c && pattern[at + 2] === slash
      const whole = at > first && begins && (next === undefined || next === slash || escaped)
      if (!whole) tokens.push('run')
      else if (next !== slash) tokens.push('rest')
      else {
        tokens.push('folders')
        at++
      }
    } else if (char === '?') tokens.push(() => true)
    else if (char === '[') {
      const set = readSet(pattern, text, at + 1)
      if (!set) return undefined
      tokens.push(set.has)
      at = set.end
    } else {
      if (char === '\\') at++
      const literal = pattern[at]
      if (literal === undefined) return undefined
      tokens.push(literal === slash ? isSlash : (byte) => byte === literal)
    }
  }
  return tokens
}

const classes: Record<string, RegExp> = {
  alnum: /[A-Za-z0-9]/,
  alpha: /[A-Za-z]/,
  blank: /[ \t]/,
  cntrl: /[\x00-\x1f\x7f]/,
  digit: /[0-9]/,
  graph: /[\x21-\x7e]/,
  lower: /[a-z]/,
  print: /[\x20-\x7e]/,
  punct: /[!-/:-@[-`{-~]/,
  space: /[ \t\n\v\f\r]/,
  upper: /[A-Z]/,
  xdigit: /[A-Fa-f0-9]/,
}

/** A set in brackets that begins at `start`; `end` is where its closing bracket is. */
function readSet(
  pattern: Buffer,
  text: string,
  start: number,
): { has: (byte: number) => boolean; end: number } | undefined {
  const members = new Uint8Array(256)
  let at = start
  const negated = text[at] === '!' || text[at] === '^'
  if (negated) at++
  const first = at
  let previous = -1
  for (; at === first || text[at] !== ']'; at++) {
    if (text[at] === '[' && text[at + 1] === ':') {
      const end = text.indexOf(']', at + 2)
      if (end < 0) return undefined
      if (end > at + 2 && text[end - 1] === ':') {
        const named = classes[text.slice(at + 2, end - 1)]
        if (!named) return undefined
        for (let byte = 0; byte < 256; byte++) if (named.test(String.fromCharCode(byte))) members[byte] = 1
        at = end
        previous = -1
        continue
      }
    }
    const isRange = text[at] === '-' && previous >= 0 && at + 1 < text.length && text[at + 1] !== ']'
    if (isRange) at++
    if (text[at] === '\\') at++
    const byte = pattern[at]
    if (byte === undefined) return undefined
    for (let member = isRange ? previous : byte; member <= byte; member++) members[member] = 1
    previous = isRange ? -1 : byte
  }
  return { has: (byte) => (members[byte] === 1) !== negated, end: at }
}
