import type { RandomAccess } from '../../formats/osv/archive.ts'
import { tarballContents } from './tarball-contents.ts'
import { wheelContents } from './wheel-contents.ts'

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

const readers: Record<ArchiveKind, (source: RandomAccess) => ArchiveContents | undefined> = {
  tarball: tarballContents,
  wheel: wheelContents,
}

export function archiveContents(kind: ArchiveKind, source: RandomAccess): ArchiveContents {
  return readers[kind](source) ?? { isUnreadable: true }
}
