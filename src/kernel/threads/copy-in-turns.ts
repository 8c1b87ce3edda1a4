import { createYield } from './event-loop-yield.ts'

/** Copied in a millisecond or two. */
const pieceBytes = 2 * 1024 * 1024

/** Chunks, one after the other, as one: copied with turns for others in between, since 64 MiB take some 50 ms. */
export async function copyInTurns(chunks: readonly Uint8Array[], into: Uint8Array): Promise<void> {
  const breath = createYield()
  let at = 0
  for (const chunk of chunks) {
    for (let from = 0; from < chunk.length; from += pieceBytes) {
      await breath()
      const piece = chunk.subarray(from, from + pieceBytes)
      into.set(piece, at)
      at += piece.length
    }
  }
}

/** A copy that is handed over to a thread as it is: nothing of it is copied again in one go. */
export async function sharedCopy(bytes: Uint8Array): Promise<Uint8Array> {
  const shared = new Uint8Array(new SharedArrayBuffer(bytes.length))
  await copyInTurns([bytes], shared)
  return shared
}
