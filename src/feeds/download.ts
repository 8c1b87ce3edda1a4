import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { pipeline } from 'node:stream/promises'
import { mebibytes } from '../kernel/disk/disk-space.ts'
import { whileThereIsRoom } from '../kernel/disk/while-there-is-room.ts'
import type { Outbound } from '../outbound/client/client.ts'
import { type DownloadFile, newDownloadFile } from './download-files.ts'

const maxBytes = 4 * 1024 ** 3
const timeoutMs = 30 * 60_000

/** Where it lies, and what stays free on that disk, which may be that of the database. */
export type DownloadPlace = { folder: string; reserveBytes: number }

export type Download = (DownloadFile & { tag: string }) | 'unchanged'

/** The file of a URL, on disk: a zip is read from its end. `tag` is the ETag, or a hash of the content where there is none. */
export async function download(
  outbound: Outbound,
  url: string,
  knownTag: string,
  place: DownloadPlace,
  signal?: AbortSignal,
): Promise<Download> {
  const headers: Record<string, string> = knownTag.startsWith('etag ') ? { 'if-none-match': knownTag.slice(5) } : {}
  const answer = await outbound.stream({ url, headers, maxBytes, timeoutMs, signal })
  if (answer.status === 304) {
    answer.body.destroy()
    return 'unchanged'
  }
  if (answer.status !== 200) {
    answer.body.destroy()
    throw new Error(`${new URL(url).origin} answered ${answer.status}.`)
  }
  const { path, remove } = newDownloadFile(place.folder)
  try {
    const hash = createHash('sha256')
    const hashed = async function* (body: AsyncIterable<Buffer>) {
      for await (const piece of whileThereIsRoom(body, place, (freeBytes) => noRoom(place, freeBytes))) {
        hash.update(piece)
        yield piece
      }
    }
    await pipeline(answer.body, hashed, createWriteStream(path, { mode: 0o600 }))
    const { etag } = answer.headers
    const tag = typeof etag === 'string' ? `etag ${etag}` : `sha256 ${hash.digest('base64url')}`
    if (tag !== knownTag) return { path, tag, remove }
    await remove()
    return 'unchanged'
  } catch (error) {
    await remove()
    throw error
  }
}

function noRoom({ folder, reserveBytes }: DownloadPlace, freeBytes: number): Error {
  return new Error(
    `the disk of '${folder}' has ${mebibytes(freeBytes)} MiB left, and GATEHOUSE_DISK_RESERVE_BYTES keeps ${mebibytes(reserveBytes)} MiB free.`,
  )
}
