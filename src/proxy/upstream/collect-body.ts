import type { Readable } from 'node:stream'
import { Fault } from '../../kernel/contract/fault.ts'
import { copyInTurns } from '../../kernel/threads/copy-in-turns.ts'
import { createFairShare } from '../../kernel/threads/fair-share.ts'

/** Documents are read whole, so those that are on their way share this memory: one registry's alone have half of it. */
const sharedBytes = 512 * 1024 * 1024
const share = createFairShare<string>(sharedBytes)

export type CollectedBody = { body: Buffer; release(): void }

/** The whole of a body. Its memory counts until it is released. */
export async function collectBody(stream: Readable, of: string): Promise<CollectedBody> {
  const chunks: Buffer[] = []
  let taken = 0
  let isReleased = false
  const release = () => {
    if (!isReleased) share.release(of, taken)
    isReleased = true
  }
  try {
    for await (const chunk of stream as AsyncIterable<Buffer>) {
      if (!share.take(of, chunk.length)) {
        const message = 'The documents that are being fetched from this registry take all the memory there is for them.'
        throw new Fault('unavailable', message, { retryAfterSeconds: 5 })
      }
      taken += chunk.length
      chunks.push(chunk)
    }
    const body = Buffer.allocUnsafe(taken)
    await copyInTurns(chunks, body)
    return { body, release }
  } catch (error) {
    stream.destroy()
    release()
    throw error
  }
}

/** How much of the shared memory is taken. */
export function collectedBytes(): number {
  return share.taken()
}

/** Whose documents these are: those of all registries of a deployment share what one has. */
export function ownerOf(partition: string): string {
  return deploymentOf(partition) ?? partition
}

/** The deployment whose own registry it is; undefined for those that all deployments use. */
export function deploymentOf(partition: string): string | undefined {
  return /^deployment-\d+/.exec(partition)?.[0]
}
