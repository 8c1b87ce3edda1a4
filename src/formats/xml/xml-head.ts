/**
 * The start tag of the root element as written, without its brackets (`project xmlns="..."`), from the head of a
 * document; '' where it shows none. A document type is passed over: reading the document will refuse it.
 */
export function xmlRootTag(head: string): string {
  let at = 0
  while (at < head.length) {
    while (at < head.length && head.charCodeAt(at) <= 32) at++
    if (head[at] !== '<') return ''
    const end = head.startsWith('<!--', at) ? '-->' : head.startsWith('<?', at) ? '?>' : '>'
    const close = head.indexOf(end, at)
    if (close === -1) return ''
    if (head[at + 1] !== '!' && head[at + 1] !== '?') return head.slice(at + 1, close)
    at = close + end.length
  }
  return ''
}
