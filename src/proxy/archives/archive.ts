export type ArchiveKind = 'tarball' | 'wheel'

/** What an archive has that runs code, without running any. */
export type ArchiveContents = {
  /** What runs when it is installed, or whenever the interpreter starts. */
  installScript?: string
  /** One of the files that a machine or a shell executes. */
  executable?: string
  /** It cannot be listed: damaged, made to mislead, or too large. */
  isUnreadable?: boolean
}

/** Windows drops dots and spaces at the end of a name. */
export function asOnWindows(name: string): string {
  let end = name.length
  while (end > 0 && (name[end - 1] === '.' || name[end - 1] === ' ')) end--
  return name.slice(0, end)
}

/** `..`, however Windows spells it. */
export function leadsBack(part: string): boolean {
  return part !== '' && part !== '.' && asOnWindows(part) === ''
}
