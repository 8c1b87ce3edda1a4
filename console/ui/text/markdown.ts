/** A small part of Markdown, as data: what is not understood stays as it was written. No HTML, no images. */
export type Block =
  | { kind: 'heading' | 'text'; text: string }
  | { kind: 'list'; items: string[] }
  | { kind: 'code'; text: string }
export type Span = { kind: 'text' | 'code' | 'strong'; text: string } | { kind: 'link'; text: string; address: string }

export function blocksOf(text: string): Block[] {
  const blocks: Block[] = []
  let lines: string[] = []
  let code: string[] | undefined
  const flush = () => {
    if (lines.length > 0) blocks.push({ kind: 'text', text: lines.join(' ') })
    lines = []
  }
  for (const line of text.slice(0, 50_000).split('\n')) {
    if (/^\s*```/.test(line)) {
      if (code) blocks.push({ kind: 'code', text: code.join('\n') })
      else flush()
      code = code ? undefined : []
    } else if (code) code.push(line)
    else if (/^\s*$/.test(line)) flush()
    else if (/^#{1,6}\s/.test(line)) {
      flush()
      blocks.push({ kind: 'heading', text: line.replace(/^#+\s*/, '') })
    } else if (/^\s*[-*+]\s/.test(line)) {
      flush()
      const item = line.replace(/^\s*[-*+]\s+/, '')
      const last = blocks.at(-1)
      if (last?.kind === 'list') last.items.push(item)
      else blocks.push({ kind: 'list', items: [item] })
    } else lines.push(line.trim())
  }
  if (code) blocks.push({ kind: 'code', text: code.join('\n') })
  flush()
  return blocks
}

const spans = /`([^`]{1,500})`|\*\*([^*]{1,500})\*\*|\[([^\]]{1,300})\]\((https:\/\/[^\s)]{1,1000})\)/g

export function spansOf(text: string): Span[] {
  const found: Span[] = []
  let from = 0
  for (const match of text.matchAll(spans)) {
    if (match.index > from) found.push({ kind: 'text', text: text.slice(from, match.index) })
    const [, code, strong, label, address] = match
    if (code !== undefined) found.push({ kind: 'code', text: code })
    else if (strong !== undefined) found.push({ kind: 'strong', text: strong })
    else found.push({ kind: 'link', text: label!, address: address! })
    from = match.index + match[0].length
  }
  if (from < text.length) found.push({ kind: 'text', text: text.slice(from) })
  return found
}
