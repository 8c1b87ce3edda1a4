import { maven } from '../../ecosystems/maven/ecosystem.ts'
import { child, childText, parseXml } from '../../formats/safe-xml.ts'
import { Fault } from '../../kernel/fault.ts'

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
function timeIn(text: string): Date | undefined {
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
  const element = (name: string) => new RegExp(`[ \\t]*<${name}>\\s*([^<]*?)\\s*</${name}>[ \\t]*\\r?\\n?`, 'g')
  const moved = (within: string, name: string, to: string | undefined) =>
    within.replace(element(name), (whole, version: string) => {
      if (!refused.has(version)) return whole
      return to === undefined ? '' : whole.replace(/>[^<]*</, () => `>${to}<`)
    })
  const rest = text.replace(/<versions>[\s\S]*?<\/versions>/, (list) =>
    list.replace(element('version'), (whole, version: string) => (refused.has(version) ? '' : whole)),
  )
  return moved(moved(rest, 'latest', newest), 'release', released)
}
