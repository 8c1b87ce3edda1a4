const heading = '## [Unreleased]'

/** The changelog with what was unreleased under a version, and the text of that version alone. */
export function releaseChangelog(text: string, version: string, day: string): { changelog: string; notes: string } {
  const start = text.indexOf(`${heading}\n`)
  if (start < 0) throw new Error(`CHANGELOG.md has no line "${heading}".`)
  const after = start + heading.length + 1
  const end = text.indexOf('\n## [', after)
  const notes = text.slice(after, end < 0 ? undefined : end).trim()
  if (!/^- /m.test(notes)) throw new Error('CHANGELOG.md says nothing under "Unreleased": there is nothing to release.')
  const rest = end < 0 ? '' : text.slice(end + 1)
  const section = `${heading}\n\n## [${version}] - ${day}\n\n${notes}\n`
  return { changelog: `${text.slice(0, start)}${section}${rest && `\n${rest}`}`, notes }
}

const form = /^(\d+)\.(\d+)\.(\d+)$/

/** Whether a version follows another one (SemVer §11, without pre-releases). */
export function isNewer(version: string, than: string): boolean {
  const [ours, theirs] = [version, than].map((text) => form.exec(text)?.slice(1).map(Number))
  if (!ours || !theirs) return false
  const at = ours.findIndex((number, index) => number !== theirs[index])
  return at >= 0 && ours[at]! > theirs[at]!
}
