import { createHash, randomBytes } from 'node:crypto'
import { mkdir, open, rm } from 'node:fs/promises'
import { join } from 'node:path'
import type { ReceivedFile } from '../../kernel/contract/api.ts'
import { Fault } from '../../kernel/contract/fault.ts'

export type Scratch = { keep(name: string, chunks: AsyncIterable<Buffer>): Promise<ReceivedFile> }

/** What arrives comes in small pieces, and the sender waits while one is written. */
const writeBytes = 256 * 1024

/**
 * One file for everything an upload brings, there for as long as the work takes. Its name is taken away before the first
 * byte is written, so that nothing is left behind, not even by a process that is killed.
 */
export async function withScratchFile<T>(folder: string, work: (scratch: Scratch) => Promise<T>): Promise<T> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const place = join(folder, randomBytes(12).toString('hex'))
  const file = await open(place, 'wx+', 0o600)
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
    await append(Buffer.concat(waiting))
    return { name, descriptor: file.fd, start, bytes: end - start, digest: hash.digest() }
  }

  async function append(bytes: Buffer): Promise<void> {
    for (let at = 0; at < bytes.length; ) {
      const { bytesWritten } = await file.write(bytes, at, bytes.length - at, end)
      at += bytesWritten
      end += bytesWritten
    }
  }

  try {
    await rm(place)
    return await work({ keep })
  } catch (error) {
    if ((error as { code?: string }).code !== 'ENOSPC') throw error
    throw new Fault('insufficient_storage', 'The disk that uploads are received on is full.', { cause: error })
  } finally {
    await file.close()
  }
}
