import { eachLine } from '../text/lines.ts'

export type WrittenAddress = { url: URL; line: number }

const address = /https?:[^"'\s,;\]}\\]+/gi
const escaped = /\\(?:u([0-9a-fA-F]{4})|x([0-9a-fA-F]{2})|U([0-9a-fA-F]{8})|\/)/g
/** What is behind a key. An address in it is said again under it. */
const keyEnd = /["']?:\s*$/y

/** Every address of a text outside of comments, however it is quoted or escaped. */
export function* addressesIn(text: string): Generator<WrittenAddress> {
  for (const { text: raw, line } of joinedLines(text)) {
    if (/^\s*#/.test(raw)) continue
    const written = unescaped(raw)
    for (const { 0: found, index } of written.matchAll(address)) {
      keyEnd.lastIndex = index + found.length
      const url = keyEnd.test(written) ? null : URL.parse(found)
      if (url) yield { url, line }
    }
  }
}

/** A line that ends with a backslash goes on in the next one. */
export function* joinedLines(text: string): Generator<{ text: string; line: number }> {
  let parts: string[] = []
  let start = 0
  for (const { text: raw, line } of eachLine(text)) {
    if (parts.length === 0) start = line
    const part = parts.length === 0 ? raw : raw.trimStart()
    const goesOn = part.endsWith('\\')
    parts.push(goesOn ? part.slice(0, -1) : part)
    if (goesOn) continue
    yield { text: parts.join(''), line: start }
    parts = []
  }
  if (parts.length > 0) yield { text: parts.join(''), line: start }
}

/** The address that a whole value is, also with what is to be done with it before it: `git+https:`, `sparse+https:`. */
export function addressOf(value: string): URL | null {
  const url = URL.parse(value.replace(/^\s*[a-z]+\+(?=https?:)/i, ''))
  return url && /^https?:$/.test(url.protocol) ? url : null
}

/** As JSON, YAML and TOML write characters, and as Yarn writes an address within another one. */
function unescaped(line: string): string {
  const plain = line.includes('\\') ? line.replace(escaped, characterOf) : line
  return plain.replace(/https?%3A[^"'\s&]*/gi, decoded)
}

function characterOf(written: string, four?: string, two?: string, eight?: string): string {
  const code = four ?? two ?? eight
  if (code === undefined) return '/'
  const point = Number.parseInt(code, 16)
  return point <= 0x10ffff ? String.fromCodePoint(point) : written
}

function decoded(written: string): string {
  try {
    return decodeURIComponent(written)
  } catch {
    return written.replace(/%3A/gi, ':').replace(/%2F/gi, '/')
  }
}
