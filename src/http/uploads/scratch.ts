import { createHash, randomBytes } from 'node:crypto'
import { type FileHandle, mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ReceivedFile } from '../../kernel/contract/api.ts'
import { Fault } from '../../kernel/contract/fault.ts'

export type Scratch = { keep(name: string, chunks: AsyncIterable<Buffer>): Promise<ReceivedFile> }

/** An upload up to this size, all its files together, is held in memory: a file on disk would cost more than reading it. */
const memoryBytes = 64 * 1024
/** What arrives comes in small pieces, and the sender waits while one is written. */
const writeBytes = 256 * 1024

/** Holds what an upload brings for as long as the work takes: in memory, and what is too large for that in one file. */
export async function withScratch<T>(folder: string, work: (scratch: Scratch) => Promise<T>): Promise<T> {
  let room = memoryBytes
  let file: FileHandle | undefined
  let end = 0

  async function keep(name: string, chunks: AsyncIterable<Buffer>): Promise<ReceivedFile> {
    const hash = createHash('sha256')
    const start = end
    let waiting: Buffer[] = []
    let waitingBytes = 0
    for await (const chunk of chunks) {
      hash.update(chunk)
      waiting.push(chunk)
      waitingBytes += chunk.length
      if (waitingBytes < writeBytes) continue
      await append(Buffer.concat(waiting))
      waiting = []
      waitingBytes = 0
    }
    const rest = Buffer.concat(waiting)
    if (end === start && rest.length <= room) {
      room -= rest.length
      return { name, held: rest, start: 0, bytes: rest.length, digest: hash.digest() }
    }
    await append(rest)
    return { name, held: file!.fd, start, bytes: end - start, digest: hash.digest() }
  }

  async function append(bytes: Buffer): Promise<void> {
    file ??= await openNameless(folder)
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, at, bytes.length - at, end)
      at += bytesWritten
      end += bytesWritten
    }
  }

  try {
    return await work({ keep })
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOSPC') throw error
    throw new Fault('insufficient_storage', 'The disk that uploads are received on is full.', { cause: error })
  } finally {
    await file?.close()
  }
}

/** Its name is taken away before the first byte is written, so that nothing is left behind, not even by a process that is killed. */
async function openNameless(folder: string): Promise<FileHandle> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const place = join(folder, randomBytes(12).toString('hex'))
  const file = await open(place, 'wx+', 0o600)
  try {
    await rm(place)
    return file
  } catch (error) {
    await file.close()
    throw error
  }
}
