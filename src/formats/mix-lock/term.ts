/** A literal of Elixir, as far as mix.lock has them. A pair is an entry of a map or of a keyword list. */
export type Term =
  | { kind: 'text' | 'atom'; value: string }
  | { kind: 'tuple' | 'list' | 'map'; items: Term[]; at: number }
  | { kind: 'pair'; key: string; value: Term; at: number }

/** Where the text stops being such a literal. */
export class TermFault extends Error {
  readonly at: number
  constructor(at: number) {
    super('not a literal of Elixir')
    this.at = at
  }
}

const maxDepth = 20
const closing = { tuple: '}', list: ']', map: '}' } as const
const word = /[A-Za-z_][\w@]*[?!]?/y

/** The one literal in `text`. `onEntry` is told each entry of the outermost map, so that a later fault loses none. */
export function readTerm(text: string, onEntry: (entry: Term) => void): void {
  let at = 0

  function skipBlank(): void {
    for (; at < text.length; at++) {
      const code = text.charCodeAt(at)
      if (code === 35) at = text.indexOf('\n', at) === -1 ? text.length : text.indexOf('\n', at)
      else if (code !== 32 && (code < 9 || code > 13)) return
    }
  }

  /** A text is kept as it stands between its quotes: names and versions have nothing to unescape. */
  function textLiteral(): string | undefined {
    if (text[at] !== '"') return undefined
    for (let end = at + 1; end < text.length; end++) {
      if (text[end] === '\\') end++
      else if (text[end] === '"') {
        const value = text.slice(at + 1, end)
        at = end + 1
        return value
      }
    }
    throw new TermFault(text.length)
  }

  function bareWord(): string | undefined {
    word.lastIndex = at
    const found = word.exec(text)?.[0]
    at += found?.length ?? 0
    return found
  }

  function term(depth: number): Term {
    if (depth > maxDepth) throw new TermFault(at)
    skipBlank()
    const start = at
    const opened = opening()
    if (opened) return { kind: opened, items: items(opened, depth), at: start }
    const colon = text[at] === ':'
    if (colon) at++
    const literal = textLiteral()
    const value = literal ?? bareWord()
    if (value === undefined) throw new TermFault(at)
    if (colon) return { kind: 'atom', value }
    if (text[at] === ':') at++
    else {
      const before = at
      skipBlank()
      if (!text.startsWith('=>', at)) {
        at = before
        return { kind: literal === undefined ? 'atom' : 'text', value }
      }
      at += 2
    }
    return { kind: 'pair', key: value, value: term(depth + 1), at: start }
  }

  function opening(): keyof typeof closing | undefined {
    const kind = text[at] === '{' ? 'tuple' : text[at] === '[' ? 'list' : text.startsWith('%{', at) ? 'map' : undefined
    if (kind) at += kind === 'map' ? 2 : 1
    return kind
  }

  function items(kind: keyof typeof closing, depth: number): Term[] {
    const found: Term[] = []
    for (skipBlank(); text[at] !== closing[kind]; skipBlank()) {
      const item = term(depth + 1)
      if (depth === 0) onEntry(item)
      else found.push(item)
      skipBlank()
      if (text[at] === ',') at++
      else if (text[at] !== closing[kind]) throw new TermFault(at)
    }
    at++
    return found
  }

  const outer = term(0)
  skipBlank()
  if (outer.kind !== 'map' || at < text.length) throw new TermFault(at)
}
