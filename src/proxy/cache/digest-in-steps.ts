import { createHash } from 'node:crypto'
import { createYield } from '../../kernel/threads/event-loop-yield.ts'

const stepBytes = 1024 * 1024

/** The digest of bytes that may be many, taken step by step: others have their turn in between. */
export async function digestInSteps(algorithm: string, bytes: Uint8Array): Promise<Buffer> {
  const hash = createHash(algorithm)
  const breath = createYield()
  for (let at = 0; at < bytes.length; at += stepBytes) {
    hash.update(bytes.subarray(at, at + stepBytes))
    await breath()
  }
  return hash.digest()
}
