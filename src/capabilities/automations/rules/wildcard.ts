/** Whether a text is what a pattern stands for. */
export type Matcher = (text: string) => boolean

type Token = '*' | '**' | '?' | number
const slash = 0x2f

/**
 * `*` stands for any characters but /, `**` for any characters, `?` for one but /. All places of the pattern that the text so far
 * can have led to are kept as bits, 32 to a word, so that a character costs a few operations, whatever the pattern: people who
 * may write automations must not be able to hold up everybody's uploads.
 */
export function compileWildcard(pattern: string): Matcher {
  const first = pattern.search(/[*?]/)
  if (first < 0) return (text) => text === pattern
  // What is before the first wildcard and after the last one rules most texts out.
  const last = Math.max(pattern.lastIndexOf('*'), pattern.lastIndexOf('?')) + 1
  const [head, tail] = [pattern.slice(0, first), pattern.slice(last)]
  const matches = compileTokens(tokensOf(pattern.slice(first, last)))
  return (text) =>
    text.length >= head.length + tail.length &&
    text.startsWith(head) &&
    text.endsWith(tail) &&
    matches(text, head.length, text.length - tail.length)
}

export function hasWildcard(pattern: string): boolean {
  return /[*?]/.test(pattern)
}

/** Of stars beside each other one is left, which takes what any of them takes. */
function tokensOf(pattern: string): Token[] {
  const tokens: Token[] = []
  for (const token of pattern.match(/\*\*|./gs) ?? []) {
    const before = tokens.at(-1)
    const isStar = token === '*' || token === '**'
    if (isStar && (before === '*' || before === '**')) {
      if (token === '**') tokens[tokens.length - 1] = '**'
    } else tokens.push(isStar || token === '?' ? token : token.charCodeAt(0))
  }
  return tokens
}

/** Bit n stands for the place behind n tokens: `steps` lead to it by a character, `stays` keep it. */
type Masks = { steps: Uint32Array; stays: Uint32Array }

function compileTokens(tokens: readonly Token[]): (text: string, from: number, to: number) => boolean {
  const words = (tokens.length >>> 5) + 1
  const maskOf = (isSet: (token: Token) => boolean) => {
    const mask = new Uint32Array(words)
    for (const [at, token] of tokens.entries()) if (isSet(token)) mask[(at + 1) >>> 5]! |= 1 << ((at + 1) & 31)
    return mask
  }
  const masksOf = (code: number): Masks => ({
    steps: maskOf((token) => token === code || (token === '?' && code !== slash)),
    stays: maskOf((token) => token === '**' || (token === '*' && code !== slash)),
  })
  const stars = maskOf((token) => token === '*' || token === '**')
  const known = new Map<number, Masks>()
  for (const token of new Set([slash, ...tokens])) if (typeof token === 'number') known.set(token, masksOf(token))
  const other = masksOf(-1)

  return (text, from, to) => {
    const places = new Uint32Array(words)
    places[0] = stars[0]! & 2 ? 3 : 1
    for (let at = from; at < to; at++) {
      const { steps, stays } = known.get(text.charCodeAt(at)) ?? other
      let carry = 0
      let starCarry = 0
      let any = 0
      for (let word = 0; word < words; word++) {
        const now = places[word]!
        const next = (((now << 1) | carry) & steps[word]!) | (now & stays[word]!)
        carry = now >>> 31
        // A star takes nothing, too: the place behind it is reached with the one before it.
        const all = next | (((next << 1) | starCarry) & stars[word]!)
        starCarry = next >>> 31
        places[word] = all
        any |= all
      }
      if (any === 0) return false
    }
    return ((places[tokens.length >>> 5]! >>> (tokens.length & 31)) & 1) === 1
  }
}
