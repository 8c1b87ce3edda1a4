import { createReadStream, createWriteStream } from 'node:fs'
import { open, rename, rm, stat } from 'node:fs/promises'
import { dirname } from 'node:path'
import { Readable } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import { createGunzip, createGzip } from 'node:zlib'
import { mebibytes } from '../kernel/disk/disk-space.ts'
import { whileThereIsRoom } from '../kernel/disk/while-there-is-room.ts'
import { BackupProblem } from './backup-problem.ts'
import { decrypt, encrypt, newSalt, saltBytes } from './encryption.ts'
import { damaged, type Frame, readFrames, writeFrames } from './frames.ts'

const plain = Buffer.from('GATEHOUSE BACKUP 1 PLAIN \n')
const sealed = Buffer.from('GATEHOUSE BACKUP 1 SEALED\n')
export const markBytes = plain.length
/** Of the name that a file has until it is whole. */
export const partialEnding = '.partial'
/** What a file system answers that the user can do something about. */
const unwritable = new Set('ENOENT ENOTDIR EISDIR EACCES EPERM EROFS ENOSPC EDQUOT EFBIG ENAMETOOLONG EIO'.split(' '))

export type WriteLimits = {
  signal?: AbortSignal | undefined
  /** What stays free on the disk, which may be that of the database. */
  reserveBytes?: number | undefined
}

/** Compressed, and encrypted where there is a passphrase. It has its name when it is whole and on disk. Answers its size. */
export async function writeBackupFile(
  file: string,
  frames: AsyncIterable<Frame>,
  passphrase: string | undefined,
  { signal, reserveBytes = 0 }: WriteLimits = {},
): Promise<number> {
  const partial = `${file}${partialEnding}`
  try {
    const compressed = createGzip({ level: 5 })
    const ending = new AbortController()
    const reading = pipeline(Readable.from(writeFrames(until(frames, signal))), compressed, { signal: ending.signal })
    const folder = dirname(file)
    const body = whileThereIsRoom(bodyOf(compressed, passphrase), { folder, reserveBytes }, (freeBytes) =>
      noRoom(folder, freeBytes, reserveBytes),
    )
    const written = pipeline(Readable.from(body), createWriteStream(partial, { mode: 0o600 }))
    // It may fail before it has taken anything from the reader, who would then wait for ever.
    written.catch(() => ending.abort())
    // Both have ended before the file is removed. One that was ended because the other failed says nothing about why.
    const reasons = (await Promise.allSettled([reading, written])).flatMap((end) =>
      end.status === 'rejected' ? [end.reason] : [],
    )
    const explained = reasons.find((reason) => reason instanceof BackupProblem)
    if (reasons.length > 0) throw explained ?? reasons.find(({ code }) => code !== 'ABORT_ERR') ?? reasons[0]
    await syncToDisk(partial)
    await rename(partial, file)
    await syncToDisk(dirname(file))
    return (await stat(file)).size
  } catch (error) {
    await rm(partial, { force: true }).catch(() => {})
    const { code = '', syscall } = error as NodeJS.ErrnoException
    if (unwritable.has(code) && syscall !== 'connect')
      throw new BackupProblem(`The backup cannot be written to '${file}': ${(error as Error).message}.`, {
        cause: error,
      })
    throw error
  }
}

async function* until(frames: AsyncIterable<Frame>, signal: AbortSignal | undefined): AsyncGenerator<Frame> {
  for await (const frame of frames) {
    signal?.throwIfAborted()
    yield frame
  }
}

function noRoom(folder: string, freeBytes: number, reserveBytes: number): BackupProblem {
  return new BackupProblem(
    `No backup was made: the disk of '${folder}' has ${mebibytes(freeBytes)} MiB left, and GATEHOUSE_DISK_RESERVE_BYTES keeps ${mebibytes(reserveBytes)} MiB free. Free some space, or choose another disk.`,
  )
}

async function* bodyOf(compressed: AsyncIterable<Buffer>, passphrase: string | undefined): AsyncGenerator<Buffer> {
  if (passphrase === undefined) {
    yield plain
    yield* compressed
    return
  }
  const salt = newSalt()
  yield sealed
  yield salt
  yield* encrypt(compressed, passphrase, salt)
}

/** Whether a file that begins like this is a backup, whole or not. */
export function isBackupStart(start: Buffer): boolean {
  return start.equals(plain) || start.equals(sealed)
}

/** Frame by frame. Throws `BackupProblem` where the file is not a backup, is damaged, or needs another passphrase. */
export async function* readBackupFile(file: string, passphrase: string | undefined): AsyncGenerator<Frame> {
  const { start, source } = await openBody(file, passphrase)
  const unpacked = createGunzip()
  const flowing = pipeline(Readable.from(source), unpacked)
  flowing.catch(() => {})
  try {
    yield* readFrames(unpacked)
    await flowing
  } catch (error) {
    if (error instanceof BackupProblem) throw error
    const { code = '' } = error as { code?: string }
    throw code.startsWith('Z_') ? damaged(error) : error
  } finally {
    start.destroy()
    unpacked.destroy()
  }
}

async function openBody(file: string, passphrase: string | undefined) {
  const handle = await open(file, 'r').catch((error: Error) => {
    throw new BackupProblem(`'${file}' cannot be read: ${error.message}.`, { cause: error })
  })
  const mark = Buffer.alloc(markBytes)
  const salt = Buffer.alloc(saltBytes)
  if ((await handle.stat()).isDirectory()) {
    await handle.close()
    throw new BackupProblem(
      `'${file}' is a folder. Name a backup in it; of an archive of WAL, say by --to which moment is wanted. Nothing was changed.`,
    )
  }
  await handle.read(mark, 0, markBytes, 0)
  await handle.read(salt, 0, saltBytes, markBytes)
  await handle.close()
  if (mark.equals(plain)) {
    const start = createReadStream(file, { start: markBytes })
    return { start, source: start as AsyncIterable<Buffer> }
  }
  if (!mark.equals(sealed)) throw new BackupProblem(`'${file}' is not a backup of Gatehouse. Nothing was changed.`)
  if (passphrase === undefined)
    throw new BackupProblem('The backup is encrypted: set GATEHOUSE_BACKUP_PASSPHRASE. Nothing was changed.')
  const start = createReadStream(file, { start: markBytes + saltBytes })
  return { start, source: decrypt(start, passphrase, salt) }
}

async function syncToDisk(path: string): Promise<void> {
  const handle = await open(path, 'r')
  await handle.sync().finally(() => handle.close())
}
