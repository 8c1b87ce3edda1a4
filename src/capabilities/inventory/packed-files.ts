import type { PackedFile } from './paths/entry-paths.ts'

/** A file that was read and is not stored: its entries in batches, as they are sent. */
type BatchedFile<Columns> = { path: string; packed: { batches: readonly Columns[] } }

/** What an upload brings into the inventory of its repository, and the paths of the files that stay beside it. */
export type BroughtFiles = { source: string; files: readonly PackedFile[]; keptPaths: readonly string[] }

/** What is sent at once, which is held in memory until PostgreSQL has taken it. */
export const batchesAtOnce = 4

/** Whether all of it is sent at once. */
export function isSentAtOnce(files: readonly BatchedFile<unknown>[]): boolean {
  return files.reduce((sum, { packed }) => sum + packed.batches.length, 0) <= batchesAtOnce
}

/** Everything that is found in the batches of these files, a few of which are asked about at once. */
export async function findInBatches<Columns, Found>(
  files: readonly BatchedFile<Columns>[],
  find: (path: string, batch: Columns) => Promise<readonly Found[]>,
): Promise<Found[]> {
  const batches = files.flatMap(({ path, packed }) => packed.batches.map((batch) => ({ path, batch })))
  const all: Found[] = []
  while (batches.length > 0) {
    const some = batches.splice(0, batchesAtOnce).map(({ path, batch }) => find(path, batch))
    for (const found of await Promise.all(some)) for (const one of found) all.push(one)
  }
  return all
}
