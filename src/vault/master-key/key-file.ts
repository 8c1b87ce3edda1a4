import { randomBytes } from 'node:crypto'
import {
  closeSync,
  constants,
  fstatSync,
  fsyncSync,
  linkSync,
  lstatSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeSync,
} from 'node:fs'
import { dirname } from 'node:path'
import { giveToOwner } from '../../kernel/disk/folder-owner.ts'
import { VaultError } from '../vault-error.ts'
import { masterKeyBytes, parseMasterKey } from './master-key-text.ts'

const ownerAdvice = ' Give it to the user that runs Gatehouse (chown).'

/** Answers for a dangling symlink too: it must be refused, not written through. */
export function exists(path: string): boolean {
  return lstatSync(path, { throwIfNoEntry: false }) !== undefined
}

/**
 * Writes a whole, flushed key beside its place and then links it there. A link, unlike a rename, does not replace what is
 * there already: of two processes that start at once one wins, and both go on to read the winner's file. False: was there.
 */
export function createKeyFile(folder: string, path: string, key: Buffer = randomBytes(masterKeyBytes)): boolean {
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const draft = `${path}.${process.pid}.${randomBytes(6).toString('hex')}`
  try {
    const file = openSync(draft, 'wx', 0o600)
    try {
      writeSync(file, `${key.toString('base64')}\n`)
      giveToOwner(folder, file)
      fsyncSync(file)
    } finally {
      closeSync(file)
    }
    linkSync(draft, path)
    return true
  } catch (error) {
    if (errorCode(error) === 'EEXIST') return false
    throw new VaultError('bad_master_key', `Cannot make the key file ${path} (${errorCode(error)}).`, { cause: error })
  } finally {
    rmSync(draft, { force: true })
    flushFolder(folder)
  }
}

/** Puts the file `next` in the place of the key, which is kept under the name `former`: older backups need it. */
export function replaceKeyFile(folder: string, path: string, { next, former }: { next: string; former: string }): void {
  // Somebody who ended the same change was faster.
  if (!exists(next)) return
  if (!exists(former)) linkSync(path, former)
  flushFolder(folder)
  renameSync(next, path)
  flushFolder(folder)
}

/** Checks the open file and not its name, so that nothing can be put in its place between the check and the reading. */
export function readKeyFile(path: string, uid: number | undefined): Buffer {
  const refuse = (why: string, cause?: unknown) =>
    new VaultError('bad_master_key', `The key file ${path} ${why}`, { cause })
  let file: number
  try {
    // Non-blocking, or a named pipe put there would hold up the start for ever.
    file = openSync(path, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK)
  } catch (error) {
    if (errorCode(error) === 'ELOOP') throw refuse('is a symbolic link. Put the file itself there.', error)
    throw refuse(`cannot be read (${errorCode(error)}).${errorCode(error) === 'EACCES' ? ownerAdvice : ''}`, error)
  }
  try {
    const stat = fstatSync(file)
    if (!stat.isFile()) throw refuse('is not a regular file.')
    if (uid !== undefined && !ownersFor(uid, path).includes(stat.uid))
      throw refuse(`belongs to user ${stat.uid}, not to ${uid}. Run as that user, or: chown ${uid} ${path}`)
    if ((stat.mode & 0o077) !== 0) throw refuse(`is open to other users. Run: chmod 600 ${path}`)
    if (stat.size > 1024) throw refuse('is too large to be a key.')
    return parseMasterKey(readFileSync(file, 'utf8'), `The key file ${path}`)
  } finally {
    closeSync(file)
  }
}

/** Root works in data folders of others too, where the key is theirs. Who owns the folder could put another key there anyway. */
function ownersFor(uid: number, path: string): number[] {
  return uid === 0 ? [uid, statSync(dirname(path)).uid] : [uid]
}

/** The new name is durable only when its folder is: a key lost in a power cut would take every stored secret with it. */
function flushFolder(folder: string): void {
  const file = openSync(folder, 'r')
  try {
    fsyncSync(file)
  } finally {
    closeSync(file)
  }
}

function errorCode(error: unknown): string {
  return (error as NodeJS.ErrnoException).code ?? 'unknown error'
}
