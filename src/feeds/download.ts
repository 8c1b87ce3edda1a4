import { createHash } from 'node:crypto'
import { createWriteStream } from 'node:fs'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Outbound } from '../outbound/client/client.ts'
import { type DownloadFile, newDownloadFile } from './download-files.ts'

const maxBytes = 4 * 1024 ** 3
const timeoutMs = 30 * 60_000

export type Download = (DownloadFile & { tag: string }) | 'unchanged'

/** The file of a URL, on disk: a zip is read from its end. `tag` is the ETag, or a hash of the content where there is none. */
export async function download(
  outbound: Outbound,
  url: string,
  knownTag: string,
  folder: string,
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
  const { path, remove } = newDownloadFile(folder)
  try {
    const hash = createHash('sha256')
    const hashing = new Transform({
      transform(chunk, _, done) {
        hash.update(chunk)
        done(null, chunk)
      },
    })
    await pipeline(answer.body, hashing, createWriteStream(path, { mode: 0o600 }))
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
