/** A piece of text as it may be shown: plain, or the number of a character that would deceive the reader. */
export type Piece = { text: string; shown: boolean }

// Controls but line feed and tab, characters that change the direction, and those that take no room at all.
const deceiving = new RegExp(
  [
    '[\\u0000-\\u0008\\u000b-\\u001f\\u007f-\\u009f\\u00ad\\u034f\\u061c\\u115f\\u1160\\u17b4\\u17b5\\u180b-\\u180f]',
    '[\\u200b-\\u200f\\u2028-\\u202e\\u2060-\\u206f\\u3164\\ufe00-\\ufe0f\\ufeff\\uffa0\\ufff0-\\ufffb]',
    '[\\u{e0000}-\\u{e0fff}]',
    '[\\ud800-\\udfff]',
  ].join('|'),
  'gu',
)

/** Text that came from scans, packages or advisories, cut where a character has to be named instead of shown. */
export function piecesOf(text: string): Piece[] {
  const pieces: Piece[] = []
  let from = 0
  for (const match of text.matchAll(deceiving)) {
    if (match.index > from) pieces.push({ text: text.slice(from, match.index), shown: false })
    const number = match[0].codePointAt(0)!.toString(16).toUpperCase().padStart(4, '0')
    pieces.push({ text: `[U+${number}]`, shown: true })
    from = match.index + match[0].length
  }
  if (from < text.length) pieces.push({ text: text.slice(from), shown: false })
  return pieces
}

export function plainly(text: string): string {
  return piecesOf(text)
    .map((piece) => piece.text)
    .join('')
}

/** An address that may become a link: https, and nothing that hides where it leads. */
export function safeAddress(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  return url.protocol === 'https:' && !url.username && !url.password && url.hostname ? url : undefined
}

/** The same for the code host of a deployment, which may stand in its own network without a certificate. */
export function webAddress(text: string): URL | undefined {
  if (!URL.canParse(text)) return undefined
  const url = new URL(text)
  const isWeb = url.protocol === 'https:' || url.protocol === 'http:'
  return isWeb && !url.username && !url.password && url.hostname ? url : undefined
}
