import { join } from 'node:path'
import { VaultError } from '../vault-error.ts'
import { createKeyFile, exists, readKeyFile } from './key-file.ts'
import { parseMasterKey } from './master-key-text.ts'

export type MasterKeySource =
  | { kind: 'environment'; ignoredFile: string | undefined }
  | { kind: 'file'; path: string; created: boolean }

export type MasterKeyOptions = {
  /** The value of GATEHOUSE_KEY; set but empty is refused, so that a mistyped secret does not silently mean "make one". */
  env: string | undefined
  /** The data folder. */
  folder: string
  /** Who must own the key file. */
  uid?: number | undefined
  /** Whether one is made where there is none. Not where something is sealed already: it would open nothing. */
  mayMake?: boolean
}

export function loadMasterKey({ env, folder, uid = process.getuid?.(), mayMake = true }: MasterKeyOptions): {
  key: Buffer
  source: MasterKeySource
} {
  const path = join(folder, 'key')
  if (env !== undefined) {
    const key = parseMasterKey(env, 'GATEHOUSE_KEY')
    return { key, source: { kind: 'environment', ignoredFile: exists(path) ? path : undefined } }
  }
  if (!mayMake && !exists(path)) {
    throw new VaultError(
      'bad_master_key',
      `There is no master key here. Put the one that belongs to the database into ${path} (mode 0600), or set GATEHOUSE_KEY to it.`,
    )
  }
  const created = !exists(path) && createKeyFile(folder, path)
  return { key: readKeyFile(path, uid), source: { kind: 'file', path, created } }
}

export function hasMasterKey({ env, folder }: Pick<MasterKeyOptions, 'env' | 'folder'>): boolean {
  return env !== undefined || exists(join(folder, 'key'))
}

/** Keeps a key that came with a backup; false where there is one already, which stays. */
export function keepMasterKey(folder: string, text: string): boolean {
  return createKeyFile(folder, join(folder, 'key'), parseMasterKey(text, 'The key in the backup'))
}
