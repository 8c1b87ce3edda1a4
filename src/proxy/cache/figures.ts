import type { ArtifactSource } from '../artifact-source.ts'
import type { Disk } from './disk.ts'
import type { StoredArtifacts } from './stored-artifacts.ts'

/** The cache of packages, for the metrics. */
export function cacheFigures(
  disk: Pick<Disk, 'bytes'>,
  source: Pick<ArtifactSource, 'counts'>,
  limit: number,
  stored: Pick<StoredArtifacts, 'counts'> | undefined,
) {
  return {
    package_cache_bytes: {
      help: 'Room that the cache of packages takes on disk, and may take',
      label: 'what',
      read: () =>
        new Map([
          ['used', disk.bytes()],
          ['limit', limit],
        ]),
    },
    package_cache_requests_total: {
      help: 'Artifacts that clients asked for, by where they came from',
      label: 'from',
      isCounter: true,
      read: () => new Map(Object.entries(source.counts())),
    },
    package_store_problems_total: {
      help: 'What went wrong with the object store of packages: requests that failed, objects with other bytes',
      label: 'what',
      isCounter: true,
      read: () => new Map(Object.entries(stored?.counts() ?? {})),
    },
  }
}
