import { join } from 'node:path'
import type { WatchedFolder } from '../kernel/disk/disk-space.ts'
import { inspectEmbedded } from '../postgres/inspect.ts'
import type { Settings } from '../settings/settings.ts'

/** Where this machine needs room. A database elsewhere has a disk of its own. */
export function watchedFolders({ dataFolder, databaseUrl }: Settings): WatchedFolder[] {
  const cluster = databaseUrl ? undefined : inspectEmbedded(dataFolder).database?.cluster
  return [
    ...(cluster ? [{ what: 'the database', folder: cluster }] : []),
    { what: 'the data folder', folder: dataFolder },
    { what: 'the cache of packages', folder: join(dataFolder, 'packages'), isCache: true },
  ]
}
