/**
 * `*` stands for any characters but /, `**` for any characters, `?` for one but /. The time is at most the product of both
 * lengths, whatever the pattern: people who may write automations must not be able to hold up everybody's uploads.
 */
export function matchesWildcard(pattern: string, text: string): boolean {
  // Where in the text the pattern so far can end.
  let ends = new Uint8Array(text.length + 1)
  ends[0] = 1
  for (const token of pattern.match(/\*\*|./gs) ?? []) ends = advance(token, text, ends)
  return ends[text.length] === 1
}

function advance(token: string, text: string, from: Uint8Array): Uint8Array<ArrayBuffer> {
  const to = new Uint8Array(text.length + 1)
  const isRun = token === '*' || token === '**'
  for (let at = 0; at <= text.length; at++) {
    if (isRun && from[at]) to[at] = 1
    if (at === 0) continue
    const before = text[at - 1]!
    if (isRun) {
      if (to[at - 1] && (token === '**' || before !== '/')) to[at] = 1
    } else if (from[at - 1] && (token === '?' ? before !== '/' : token === before)) to[at] = 1
  }
  return to
}

export function hasWildcard(pattern: string): boolean {
  return /[*?]/.test(pattern)
}
