import type { PackedFile } from './paths/entry-paths.ts'

/** What an upload brings into the inventory of its repository, and the paths of the files that stay beside it. */
export type BroughtFiles = { source: string; files: readonly PackedFile[]; keptPaths: readonly string[] }

type Batch = { size: number }
type BatchedFile<Columns extends Batch> = { path: string; packed: { batches: readonly Columns[] } }

/** What is sent at once is held in memory until PostgreSQL has taken it. */
const entriesAtOnce = 8_000
export const filesAtOnce = 20

/** Batches of files in groups, each of which is sent at once. */
export function groupBatches<Item extends { batch: Batch }>(items: readonly Item[]): Item[][] {
  const groups: Item[][] = []
  let room = 0
  for (const item of items) {
    const last = groups.at(-1)
    const fits = last && last.length < filesAtOnce && item.batch.size <= room
    if (fits) last.push(item)
    else groups.push([item])
    room = (fits ? room : entriesAtOnce) - item.batch.size
  }
  return groups
}

/** Whether all of it is sent at once. */
export function isSentAtOnce(files: readonly BatchedFile<Batch>[]): boolean {
  return files.length <= filesAtOnce && groupBatches(batchesOf(files)).length <= 1
}

/** Everything that is found in the batches of these files. */
export async function findInBatches<Columns extends Batch, Found>(
  files: readonly BatchedFile<Columns>[],
  find: (path: string, batch: Columns) => Promise<readonly Found[]>,
): Promise<Found[]> {
  const all: Found[] = []
  for (const some of groupBatches(batchesOf(files))) {
    const found = await Promise.all(some.map(({ path, batch }) => find(path, batch)))
    for (const one of found.flat()) all.push(one)
  }
  return all
}

function batchesOf<Columns extends Batch>(files: readonly BatchedFile<Columns>[]) {
  return files.flatMap(({ path, packed }) => packed.batches.map((batch) => ({ path, batch })))
}
