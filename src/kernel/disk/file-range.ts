import { readSync } from 'node:fs'
import type { ReceivedFile } from '../contract/api.ts'

/** A part of the open file that a document lies in. */
export type FileRange = Pick<ReceivedFile, 'descriptor' | 'start' | 'bytes'>

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

export function readPiece({ descriptor, start, bytes }: FileRange, at: number, size: number): Uint8Array {
  const piece = new Uint8Array(Math.min(size, bytes - at))
  return piece.subarray(0, readSync(descriptor, piece, 0, piece.length, start + at))
}
