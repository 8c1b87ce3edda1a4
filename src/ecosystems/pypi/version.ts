/** A version by PEP 440, in its parts. Numbers are digits, of any length. */
export type Pep440 = {
  readonly epoch: string
  readonly release: string[]
  readonly pre: { readonly phase: 'a' | 'b' | 'rc'; readonly number: string } | undefined
  readonly post: string | undefined
  readonly dev: string | undefined
  readonly local: string[] | undefined
}

const phases: Record<string, 'a' | 'b' | 'rc'> = {
  a: 'a',
  alpha: 'a',
  b: 'b',
  beta: 'b',
  c: 'rc',
  rc: 'rc',
  pre: 'rc',
  preview: 'rc',
}

/**
 * PEP 440, appendix B, piece by piece: the one expression printed there repeats a group inside a match, which costs memory on
 * hostile input. Longer words go first, so nothing has to be tried twice.
 */
export function parsePep440(version: string): Pep440 | undefined {
  const text = version.trim().toLowerCase()
  let at = 0
  function take(piece: RegExp): RegExpExecArray | null {
    piece.lastIndex = at
    const found = piece.exec(text)
    if (found) at = piece.lastIndex
    return found
  }

  take(/v/y)
  const epoch = take(/([0-9]+)!/y)?.[1] ?? '0'
  const release: string[] = []
  for (let found = take(/([0-9]+)/y); found; found = take(/\.([0-9]+)/y)) release.push(found[1]!)
  if (release.length === 0) return undefined
  const pre = take(/[-_.]?(alpha|a|beta|b|preview|pre|c|rc)[-_.]?([0-9]*)/y)
  const post = take(/-([0-9]+)/y) ?? take(/[-_.]?(?:post|rev|r)[-_.]?([0-9]*)/y)
  const dev = take(/[-_.]?dev[-_.]?([0-9]*)/y)
  const local: string[] = []
  for (let found = take(/\+([a-z0-9]+)/y); found; found = take(/[-_.]([a-z0-9]+)/y)) local.push(found[1]!)
  if (at !== text.length) return undefined
  return {
    epoch,
    release,
    pre: pre ? { phase: phases[pre[1]!]!, number: pre[2]! } : undefined,
    post: post?.[1],
    dev: dev?.[1],
    local: local.length > 0 ? local : undefined,
  }
}
