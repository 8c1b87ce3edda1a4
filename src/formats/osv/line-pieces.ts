import { readableSize } from '../../kernel/text/readable-size.ts'
import type { FeedFile } from './document.ts'

const pieceBytes = 1024 * 1024
const maxLineBytes = 8 * 1024 * 1024

/** A long file of lines in pieces that end with a line, so that no more of it than a piece is in memory. */
export async function* linePieces(name: string, chunks: AsyncIterable<Uint8Array>): AsyncGenerator<FeedFile> {
  let rest: Uint8Array[] = []
  let size = 0
  for await (const chunk of chunks) {
    const newline = chunk.lastIndexOf(10)
    if (newline === -1 || size + newline < pieceBytes) {
      rest.push(chunk)
      size += chunk.length
      if (newline === -1 && size > maxLineBytes + pieceBytes)
        throw new Error(`a line is longer than ${readableSize(maxLineBytes)}`)
      continue
    }
    yield { name, bytes: Buffer.concat([...rest, chunk.subarray(0, newline + 1)]) }
    rest = [chunk.subarray(newline + 1)]
    size = chunk.length - newline - 1
  }
  if (size > 0) yield { name, bytes: Buffer.concat(rest, size) }
}
