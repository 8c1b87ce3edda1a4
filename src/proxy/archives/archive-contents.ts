import type { RandomAccess } from '../../formats/osv/archive.ts'
import type { ArchiveContents, ArchiveKind } from './archive.ts'
import { tarballContents } from './tarball-contents.ts'
import { wheelContents } from './wheel-contents.ts'

/** When they begin to find other things, `archiveReader` is raised. */
const readers: Record<ArchiveKind, (source: RandomAccess) => ArchiveContents | undefined> = {
  tarball: tarballContents,
  wheel: wheelContents,
}

export function archiveContents(kind: ArchiveKind, source: RandomAccess): ArchiveContents {
  return readers[kind](source) ?? { isUnreadable: true }
}
