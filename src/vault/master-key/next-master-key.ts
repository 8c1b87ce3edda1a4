import { join } from 'node:path'
import { createKeyFile, exists, readKeyFile, replaceKeyFile } from './key-file.ts'

type Folder = { folder: string; uid?: number | undefined }

/**
 * The key that is to take the place of the one in the data folder. It lies beside it before anything is wrapped by it, and is
 * never thrown away: a change that was broken off goes on with the key it began with.
 */
export function prepareNextKey({ folder, uid = process.getuid?.() }: Folder, given?: Buffer): Buffer {
  createKeyFile(folder, pathIn(folder), given)
  return readKeyFile(pathIn(folder), uid)
}

export function findNextKey({ folder, uid = process.getuid?.() }: Folder): Buffer | undefined {
  return exists(pathIn(folder)) ? readKeyFile(pathIn(folder), uid) : undefined
}

/** The next key becomes the key. Where the former one is from then on. */
export function adoptNextKey({ folder }: Folder, now: Date): string {
  const former = join(folder, `key.until-${now.toISOString().replace(/[:.]/g, '-')}`)
  replaceKeyFile(folder, join(folder, 'key'), { next: pathIn(folder), former })
  return former
}

function pathIn(folder: string): string {
  return join(folder, 'key.next')
}
