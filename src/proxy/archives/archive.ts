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
