import { createHash, randomUUID } from 'node:crypto'
import { createWriteStream, mkdirSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { join } from 'node:path'
import { Transform } from 'node:stream'
import { pipeline } from 'node:stream/promises'
import type { Outbound } from '../outbound/client/client.ts'

const maxBytes = 4 * 1024 ** 3
const timeoutMs = 30 * 60_000

export type Download = { path: string; tag: string; remove(): Promise<void> } | 'unchanged'

/** The file of a URL, on disk: a zip is read from its end. `tag` is the ETag, or a hash of the content where there is none. */
export async function download(outbound: Outbound, url: string, knownTag: string, folder: string): Promise<Download> {
  const headers: Record<string, string> = knownTag.startsWith('etag ') ? { 'if-none-match': knownTag.slice(5) } : {}
  const answer = await outbound.stream({ url, headers, maxBytes, timeoutMs })
  if (answer.status === 304) {
    answer.body.destroy()
    return 'unchanged'
  }
  if (answer.status !== 200) {
    answer.body.destroy()
    throw new Error(`${new URL(url).origin} answered ${answer.status}.`)
  }
  mkdirSync(folder, { recursive: true, mode: 0o700 })
  const path = join(folder, `${randomUUID()}.download`)
  const remove = () => rm(path, { force: true })
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
