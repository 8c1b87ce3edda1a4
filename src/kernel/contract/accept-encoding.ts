/**
 * RFC 9110 §12.5.3: whether a client takes a content coding; `br;q=0` is a refusal, and `*` stands for those that are not named.
 * Anybody sends this header, and of any length that fits: it is cut apart at its separators, without a pattern that looks ahead.
 */
export function takesCoding(header: string | string[] | undefined, coding: 'br' | 'gzip'): boolean {
  let others = false
  for (const entry of String(header ?? '').split(',')) {
    const [name, ...parameters] = entry.split(';').map((part) => part.trim().toLowerCase())
    if (name !== coding && name !== '*') continue
    const isTaken = !parameters.some((each) => /^q=0(\.0*)?$/.test(each))
    if (name === coding) return isTaken
    others = isTaken
  }
  return others
}
