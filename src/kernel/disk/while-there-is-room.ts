import { readSpace } from './disk-space.ts'

const bytesBetweenChecks = 16 * 1024 ** 2

/** What is to be written to a folder, as long as its disk keeps the reserve; where it does not, throws what `noRoom` says of what is left. */
export async function* whileThereIsRoom(
  body: AsyncIterable<Buffer>,
  { folder, reserveBytes, read = readSpace }: { folder: string; reserveBytes: number; read?: typeof readSpace },
  noRoom: (freeBytes: number) => Error,
): AsyncGenerator<Buffer> {
  let unchecked = Number.POSITIVE_INFINITY
  for await (const piece of body) {
    if (unchecked >= bytesBetweenChecks) {
      const space = await read(folder)
      if (space && space.freeBytes < reserveBytes) throw noRoom(space.freeBytes)
      unchecked = 0
    }
    yield piece
    unchecked += piece.length
  }
}
