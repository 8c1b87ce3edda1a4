import { readSync } from 'node:fs'
import type { ReceivedFile } from '../contract/api.ts'

/** A part of the open file, or of the memory, that a document lies in. */
export type FileRange = Pick<ReceivedFile, 'held' | 'start' | 'bytes'>

const chunkBytes = 256 * 1024

/** All of it, piece by piece. Blocks its thread while it reads. */
export function* pieces(file: FileRange): Generator<Uint8Array> {
  for (let at = 0; at < file.bytes; ) {
    const piece = readPiece(file, at, chunkBytes)
    if (piece.length === 0) return
    at += piece.length
    yield piece
  }
}

/** Less than asked for only at its end, and nothing beyond. */
export function readPiece({ held, start, bytes }: FileRange, at: number, size: number): Uint8Array {
  const wanted = Math.max(0, Math.min(size, bytes - at))
  if (typeof held !== 'number') return held.subarray(start + at, start + at + wanted)
  const piece = new Uint8Array(wanted)
  let filled = 0
  while (filled < wanted) {
    const count = readSync(held, piece, filled, wanted - filled, start + at + filled)
    if (count === 0) break
    filled += count
  }
  return piece.subarray(0, filled)
}
