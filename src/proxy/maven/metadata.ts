import { maven } from '../../ecosystems/maven/ecosystem.ts'
import { child, childText, parseXml } from '../../formats/xml/safe-xml.ts'
import { Fault } from '../../kernel/contract/fault.ts'

/** What a `maven-metadata.xml` says; `versions` is empty in that of a group or a snapshot. */
export type MavenMetadata = { text: string; versions: string[]; updatedAt: Date | undefined }

export function readMetadata(body: Buffer): MavenMetadata {
  const text = body.toString('utf8')
  const parsed = parseXml(text)
  if (!('value' in parsed) || parsed.value?.name !== 'metadata') {
    throw new Fault('bad_upstream', 'What the repository sent is not a maven-metadata.xml.')
  }
  const versioning = child(parsed.value, 'versioning')
  const versions = child(versioning, 'versions')?.children.map((version) => version.text) ?? []
  return { text, versions, updatedAt: versioning && timeIn(childText(versioning, 'lastUpdated')) }
}

/** `yyyyMMddHHmmss`, UTC (Maven Repository Metadata). */
export function timeIn(text: string): Date | undefined {
  const digits = /^(\d{4})(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text)?.slice(1).map(Number)
  if (!digits) return undefined
  const [year = 0, month = 1, day = 1, hour = 0, minute = 0, second = 0] = digits
  return new Date(Date.UTC(year, month - 1, day, hour, minute, second))
}

/** The same text without refused versions; `latest` and `release` go to the newest that are left. */
export function withoutVersions({ text, versions }: MavenMetadata, refused: ReadonlySet<string>): string {
  if (refused.size === 0) return text
  const left = versions.filter((version) => !refused.has(version)).sort((a, b) => maven.compare(b, a))
  const newest = left[0]
  const released = left.find((version) => !version.endsWith('-SNAPSHOT'))
  const [from, to] = rangeOf(text, 'versions')
  const list = replaced(text.slice(from, to), 'version', (version) => (refused.has(version) ? undefined : version))
  const moved = (within: string, name: string, target: string | undefined) =>
    replaced(within, name, (version) => (refused.has(version) ? target : version))
  return moved(moved(text.slice(0, from) + list + text.slice(to), 'latest', newest), 'release', released)
}

/** Where the content of the first such element is. */
function rangeOf(text: string, name: string): [from: number, to: number] {
  const from = text.indexOf(`<${name}>`)
  const to = from < 0 ? -1 : text.indexOf(`</${name}>`, from)
  return to < 0 ? [0, 0] : [from + name.length + 2, to]
}

/**
 * Each element that holds nothing but text gets what `instead` makes of it; undefined: it goes, and its line with it. Character by
 * character, forwards: what a hostile repository repeats is passed over once.
 */
function replaced(text: string, name: string, instead: (content: string) => string | undefined): string {
  const [open, close] = [`<${name}>`, `</${name}>`]
  let result = ''
  let done = 0
  for (let at = text.indexOf(open); at >= 0; at = text.indexOf(open, at)) {
    const inside = at + open.length
    const end = text.indexOf('<', inside)
    if (end < 0) break
    if (!text.startsWith(close, end)) {
      at = end
      continue
    }
    const content = text.slice(inside, end).trim()
    const next = instead(content)
    const after = end + close.length
    if (next === content) result += text.slice(done, after)
    else if (next !== undefined) result += `${text.slice(done, inside)}${next}${close}`
    else result += text.slice(done, lineStart(text, at, done))
    done = next === undefined ? lineEnd(text, after) : after
    at = done
  }
  return result + text.slice(done)
}

function lineStart(text: string, at: number, least: number): number {
  let start = at
  while (start > least && (text[start - 1] === ' ' || text[start - 1] === '\t')) start--
  return start
}

function lineEnd(text: string, at: number): number {
  let end = at
  while (text[end] === ' ' || text[end] === '\t') end++
  if (text[end] === '\r') end++
  return text[end] === '\n' ? end + 1 : end
}
